import { rename } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { BackupServices } from '../backup-services.ts'
import { collectFiles, fillSnapshot } from '../create-backup.ts'
import { snapshotIn } from '../folder/snapshots.ts'
import { makeDraft, type Snapshot, zipOf } from './archive.ts'

/** Far longer than a browser takes to follow a link. */
const keptMs = 60_000

/**
 * [Note: A download is prepared before it begins]
 * A browser that saves a file does not tell the page what went wrong. So the page has the archive of the whole library
 * prepared, hears of any fault, and lets the browser fetch what lies ready: once, and only for whoever had it made. It lies
 * in the backup folder under their number and the time until which it may be fetched, since the browser may be answered by
 * another process.
 */
export function createCompleteArchives(services: BackupServices) {
  const { backupFolder, log } = services
  const own = new Map<string, NodeJS.Timeout>()

  async function make() {
    const files = await collectFiles(services)
    return makeDraft(services, (draft) => fillSnapshot(services, { draft, files, request: { type: 'manual' } }))
  }

  async function layReady(userId: number, { manifest, documentPath }: Snapshot) {
    const snapshot = snapshotIn(dirname(documentPath))
    await snapshot.writeManifest(manifest)
    await (await take(userId))?.discard?.()
    const name = `${prefixOf(userId)}${Date.now() + keptMs}-${manifest.id}`
    await rename(snapshot.folder, backupFolder.temporaryPath(name))
    own.set(name, setTimeout(() => void expire(name), keptMs).unref())
  }

  async function take(userId: number): Promise<Snapshot | undefined> {
    for (const name of await backupFolder.listTemporary()) {
      const snapshot = name.startsWith(prefixOf(userId)) && (await backupFolder.takeTemporary(name))
      if (!snapshot) continue
      const discard = () => snapshot[Symbol.asyncDispose]()
      const manifest = isInTime(name) && (await snapshot.readManifest().catch(tellUnreadable))
      if (manifest) return { manifest, documentPath: snapshot.documentPath, discard }
      // Its process ended before its time did, or before all of it was on the disk.
      await discard()
    }
  }

  function tellUnreadable(error: unknown) {
    log.warn({ err: error }, 'prepared backup could not be read')
  }

  async function expire(name: string) {
    clearTimeout(own.get(name))
    own.delete(name)
    try {
      const snapshot = await backupFolder.takeTemporary(name)
      await snapshot?.[Symbol.asyncDispose]()
    } catch (error) {
      log.warn({ err: error }, 'prepared backup was left behind')
    }
  }

  return {
    async prepare(userId: number) {
      const snapshot = await make()
      try {
        await layReady(userId, snapshot)
      } catch (error) {
        await snapshot.discard()
        await backupFolder.throwExplained(error)
      }
    },
    async open(userId: number) {
      return zipOf(services, (await take(userId)) ?? (await make()))
    },
    async close() {
      for (const name of [...own.keys()]) await expire(name)
    },
  }
}

const prefixOf = (userId: number) => `ready-${userId}-`

/** What says that it may be fetched for longer than anything is kept was made by a clock that ran ahead. */
function isInTime(name: string) {
  const leftMs = Number(name.split('-')[2]) - Date.now()
  return leftMs > 0 && leftMs <= keptMs
}
