import { enableCompileCache } from 'node:module'
import { fileURLToPath } from 'node:url'

// Compiling the program anew would take as long as all the rest of its start.
const cache = enableCompileCache(fileURLToPath(new URL('../../../node_modules/.cache/albumen', import.meta.url)))
// The processes that this one begins read the same cache.
if (cache.directory) process.env.NODE_COMPILE_CACHE = cache.directory
await import('./start.ts')
