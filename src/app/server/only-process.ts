import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { ConfigError } from '#platform/server/config.ts'

const busy = 5
/** A process that is told to stop may take 15 seconds; its successor may be started before. */
const usualPatienceMs = 20_000

/** What is collected as garbage is closed: the locks are held for as long as the process lives. */
const held: DatabaseSync[] = []

/**
 * On SQLite the janitor and the queue take what an earlier process left for theirs: a second one must not start on the same
 * folder. The lock is an open transaction in an empty file of its own, which the system ends with the process, however that
 * ends. It waits in this thread, before there is anything else to do.
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
    // With a journal on the disk there would be a second file.
    lock.exec(`PRAGMA busy_timeout = ${patienceMs}; PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE`)
    return true
  } catch (error) {
    if ((error as { errcode?: number }).errcode === busy) return false
    throw error
  }
}
