import { zipOf } from './archive.ts'
import { type BackupServices, fillSnapshot } from './create-backup.ts'
import type { Manifest } from './manifest.ts'

type Snapshot = { manifest: Manifest; documentPath: string; discard: () => Promise<void> }

/** Far longer than a browser takes to follow a link. */
const keptMs = 60_000

/**
 * [Note: A download is prepared before it begins]
 * A browser that saves a file does not tell the page what went wrong. So the page has the archive of the whole library
 * prepared, hears of any fault, and lets the browser fetch what lies ready: once, and only for whoever had it made.
 */
export function createCompleteArchives(services: BackupServices) {
  const { backupFolder, log } = services
  const ready = new Map<number, Snapshot & { timer: NodeJS.Timeout }>()

  async function make(): Promise<Snapshot> {
    const draft = await backupFolder.startSnapshot()
    // Nobody waits for it, and the folder may be what has failed; then the sweep removes the rest.
    const discard = () =>
      draft[Symbol.asyncDispose]().catch((error) => log.warn({ err: error }, 'draft of a backup was left behind'))
    try {
      const manifest = await fillSnapshot(services, draft, { type: 'manual' })
      return { manifest, documentPath: draft.documentPath, discard }
    } catch (error) {
      await discard()
      throw error
    }
  }

  function take(userId: number) {
    const snapshot = ready.get(userId)
    clearTimeout(snapshot?.timer)
    ready.delete(userId)
    return snapshot
  }

  return {
    async prepare(userId: number) {
      const snapshot = await make()
      await take(userId)?.discard()
      const timer = setTimeout(() => void take(userId)?.discard(), keptMs).unref()
      ready.set(userId, { ...snapshot, timer })
    },
    async open(userId: number) {
      const { manifest, documentPath, discard } = take(userId) ?? (await make())
      const stream = zipOf(backupFolder, manifest, documentPath)
      stream.once('close', () => void discard())
      return { manifest, stream }
    },
    async close() {
      for (const userId of [...ready.keys()]) await take(userId)?.discard()
    },
  }
}
