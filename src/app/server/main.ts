import { enableCompileCache } from 'node:module'
import { fileURLToPath } from 'node:url'

// Compiling the program anew would take as long as all the rest of its start.
enableCompileCache(fileURLToPath(new URL('../../../node_modules/.cache/albumen', import.meta.url)))
await import('./start.ts')
