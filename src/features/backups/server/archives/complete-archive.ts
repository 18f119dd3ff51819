import { rename } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { BackupServices } from '../backup-services.ts'
import { collectFiles, fillSnapshot } from '../backups.ts'
import { snapshotIn } from '../folder/snapshots.ts'
import { makeDraft, type Snapshot, zipOf } from './archive.ts'

/** A browser follows the link to a prepared download within moments. */
const lifetimeMs = 60_000

/**
 * [Note: A download is prepared before it begins]
 * A browser that saves a file cannot show the page an error. So the page first has the archive prepared, shows any error,
 * and then lets the browser download it one time, for the same administrator only. It is stored in the backup folder, named
 * by user id and expiry, since another process may serve the download.
 */
export function createCompleteArchives(services: BackupServices) {
  const { backupFolder, log } = services
  const expiryTimers = new Map<string, NodeJS.Timeout>()

  async function make() {
    const files = await collectFiles(services)
    return makeDraft(services, (draft) => fillSnapshot(services, { draft, files, request: { type: 'manual' } }))
  }

  async function store(userId: number, { manifest, documentPath }: Snapshot) {
    const snapshot = snapshotIn(dirname(documentPath))
    await snapshot.writeManifest(manifest)
    await (await take(userId))?.discard?.()
    const name = `${prefixOf(userId)}${Date.now() + lifetimeMs}-${manifest.id}`
    await rename(snapshot.folder, backupFolder.temporaryPath(name))
    expiryTimers.set(name, setTimeout(() => void expire(name), lifetimeMs).unref())
  }

  async function take(userId: number): Promise<Snapshot | undefined> {
    for (const name of await backupFolder.listTemporary()) {
      const snapshot = name.startsWith(prefixOf(userId)) && (await backupFolder.takeTemporary(name))
      if (!snapshot) continue
      const discard = () => snapshot[Symbol.asyncDispose]()
      const manifest = isUnexpired(name) && (await snapshot.readManifest().catch(logUnreadable))
      if (manifest) return { manifest, documentPath: snapshot.documentPath, discard }
      // Expired, or its process was killed while it was prepared.
      await discard()
    }
  }

  function logUnreadable(error: unknown) {
    log.warn({ err: error }, 'reading a prepared backup failed')
  }

  async function expire(name: string) {
    clearTimeout(expiryTimers.get(name))
    expiryTimers.delete(name)
    try {
      const snapshot = await backupFolder.takeTemporary(name)
      await snapshot?.[Symbol.asyncDispose]()
    } catch (error) {
      log.warn({ err: error }, 'prepared backup was not deleted')
    }
  }

  return {
    async prepare(userId: number) {
      const snapshot = await make()
      try {
        await store(userId, snapshot)
      } catch (error) {
        await snapshot.discard()
        await backupFolder.throwExplained(error)
      }
    },
    async open(userId: number) {
      return zipOf(services, (await take(userId)) ?? (await make()))
    },
    async close() {
      for (const name of [...expiryTimers.keys()]) await expire(name)
    },
  }
}

const prefixOf = (userId: number) => `ready-${userId}-`

/** An expiry beyond the lifetime was written by a clock that was ahead. */
function isUnexpired(name: string) {
  const leftMs = Number(name.split('-')[2]) - Date.now()
  return leftMs > 0 && leftMs <= lifetimeMs
}
