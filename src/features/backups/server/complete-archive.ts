import { makeDraft, type Snapshot, zipOf } from './archive.ts'
import { type BackupServices, fillSnapshot } from './create-backup.ts'

/** Far longer than a browser takes to follow a link. */
const keptMs = 60_000

/**
 * [Note: A download is prepared before it begins]
 * A browser that saves a file does not tell the page what went wrong. So the page has the archive of the whole library
 * prepared, hears of any fault, and lets the browser fetch what lies ready: once, and only for whoever had it made.
 */
export function createCompleteArchives(services: BackupServices) {
  const ready = new Map<number, Required<Snapshot> & { timer: NodeJS.Timeout }>()

  const make = () => makeDraft(services, (draft) => fillSnapshot(services, draft, { type: 'manual' }))

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
      const snapshot = take(userId) ?? (await make())
      return { manifest: snapshot.manifest, stream: zipOf(services.backupFolder, snapshot) }
    },
    async close() {
      for (const userId of [...ready.keys()]) await take(userId)?.discard()
    },
  }
}
