import { readdir, readlink } from 'node:fs/promises'
import { join } from 'node:path'

/** Open files of this process below the folder, deleted ones included. Only Linux can list them; elsewhere the list is empty. */
export async function openFilesBelow(folder: string): Promise<string[]> {
  if (process.platform !== 'linux') return []
  const descriptors = await readdir('/proc/self/fd')
  const paths = await Promise.all(descriptors.map((fd) => readlink(`/proc/self/fd/${fd}`).catch(() => '')))
  return paths.filter((path) => path.startsWith(join(folder, '/')))
}
