import { access, constants, mkdir, stat } from 'node:fs/promises'
import { dirname } from 'node:path'

/** As `mkdir` with `recursive`, which goes on for ever where the system calls a new folder not found, as in /proc. */
export async function makeFolder(path: string, mode?: number): Promise<void> {
  if (await isFolder(path)) return
  const parent = dirname(path)
  if (parent !== path) await makeFolder(parent, mode)
  await mkdir(path, { mode }).catch(async (error) => {
    // Another process may have made it meanwhile.
    if (!(await isFolder(path))) throw error
  })
}

/** One that is there may be somebody else's; SQLite would only say that it cannot open a file, not which one and why. */
export async function makeWritableFolder(path: string) {
  await makeFolder(path)
  await access(path, constants.W_OK | constants.X_OK)
}

const isFolder = (path: string) =>
  stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  )
