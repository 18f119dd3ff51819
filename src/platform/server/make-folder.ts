import { access, constants, mkdir, stat } from 'node:fs/promises'
import { dirname } from 'node:path'

/** Like a recursive `mkdir`, which loops without end where the system reports a new folder as missing, e.g. in /proc. */
export async function makeFolder(path: string, mode?: number): Promise<void> {
  if (await isFolder(path)) return
  const parent = dirname(path)
  if (parent !== path) await makeFolder(parent, mode)
  await mkdir(path, { mode }).catch(async (error) => {
    // Another process may have created it in the meantime.
    if (!(await isFolder(path))) throw error
  })
}

/** Also checks permissions, since SQLite would fail later without naming the file or the reason. */
export async function makeWritableFolder(path: string) {
  await makeFolder(path)
  await access(path, constants.W_OK | constants.X_OK)
}

const isFolder = (path: string) =>
  stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  )
