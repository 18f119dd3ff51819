import { readdir, readlink } from 'node:fs/promises'
import { join } from 'node:path'

/** Files below the folder that this process holds open, also those that have no name any more. Only Linux tells: elsewhere none. */
export async function openFilesBelow(folder: string): Promise<string[]> {
  if (process.platform !== 'linux') return []
  const descriptors = await readdir('/proc/self/fd')
  const paths = await Promise.all(descriptors.map((fd) => readlink(`/proc/self/fd/${fd}`).catch(() => '')))
  return paths.filter((path) => path.startsWith(join(folder, '/')))
}
