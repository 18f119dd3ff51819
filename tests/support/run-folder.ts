import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { statfs } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { atExit } from './at-exit.ts'

const memory = '/dev/shm'
/** Many times what a whole run needs, so that the tests do not exhaust the machine's memory. */
const neededBytes = 4 * 1024 ** 3

/**
 * The folder for all temporary files of a run, deleted at its end. Tests create tens of thousands of small files, so the
 * folder is in memory when there is enough.
 */
export async function makeRunFolder() {
  const folder = mkdtempSync(join((await hasRoom(memory)) ? memory : tmpdir(), 'albumen-run-'))
  // PostgreSQL runs as another user when the tests run as root, and needs to traverse the folder.
  chmodSync(folder, 0o711)
  atExit(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

async function hasRoom(path: string) {
  const { bavail, bsize } = await statfs(path).catch(() => ({ bavail: 0, bsize: 0 }))
  return Math.min(bavail * bsize, process.availableMemory()) >= neededBytes
}
