import { enableCompileCache, getCompileCacheDir } from 'node:module'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Compiling all modules takes as long as the rest of the start. */
export function enableCodeCache() {
  enableCompileCache(fileURLToPath(new URL('../../../node_modules/.cache/albumen', import.meta.url)))
}

/** Threads and child processes find the cache through this variable; without it they start in twice the time, with 15 MB more. */
export function codeCacheEnvironment(): Record<string, string> {
  const directory = getCompileCacheDir()
  // Node returns the subfolder of its own version.
  return directory ? { NODE_COMPILE_CACHE: dirname(directory) } : {}
}
