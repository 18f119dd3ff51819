import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { ConfigError } from '#platform/server/config.ts'

const busy = 5
/** A stopping process may take 15 seconds, and the next one may be started before it has ended. */
const usualPatienceMs = 20_000

/** Keeps the locks referenced, since garbage collection would close and release them. */
const held: DatabaseSync[] = []

/**
 * On SQLite the janitor and the queue take over the work of an earlier process, so a second process must not use the same
 * folder. The lock is an open transaction in a separate empty file, which the system ends together with the process.
 * Waiting for it may block the thread, since nothing else runs yet.
 */
export function beOnlyProcess(dataDir: string, onWait: () => void, patienceMs = usualPatienceMs) {
  const lock = new DatabaseSync(join(dataDir, 'albumen.lock'))
  if (!tryToHold(lock, 0)) {
    onWait()
    if (!tryToHold(lock, patienceMs)) {
      lock.close()
      throw new ConfigError(
        `DATA_DIR is in use by another Albumen process (${dataDir}). SQLite allows only one: stop that process or choose another DATA_DIR`,
      )
    }
  }
  held.push(lock)
}

function tryToHold(lock: DatabaseSync, patienceMs: number) {
  try {
    // A journal on the disk would be a second file.
    lock.exec(`PRAGMA busy_timeout = ${patienceMs}; PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE`)
    return true
  } catch (error) {
    if ((error as { errcode?: number }).errcode === busy) return false
    throw error
  }
}
