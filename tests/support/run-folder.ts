import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { statfs } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { atExit } from './at-exit.ts'

const memory = '/dev/shm'
/** Many times what a whole run holds at any moment: nobody's machine is brought to its knees by the tests. */
const neededBytes = 4 * 1024 ** 3

/**
 * Where a run keeps its temporary files, all of which go with it. Tests make and remove tens of thousands of small ones:
 * in memory, where there is plenty, they do not wait for the disk.
 */
export async function makeRunFolder() {
  const folder = mkdtempSync(join((await hasRoom(memory)) ? memory : tmpdir(), 'albumen-run-'))
  // PostgreSQL, which refuses to run as root, passes through it as another user.
  chmodSync(folder, 0o711)
  atExit(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

async function hasRoom(path: string) {
  const { bavail, bsize } = await statfs(path).catch(() => ({ bavail: 0, bsize: 0 }))
  return Math.min(bavail * bsize, process.availableMemory()) >= neededBytes
}
