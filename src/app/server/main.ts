import { enableCodeCache } from '#platform/server/compile-cache.ts'

enableCodeCache()
await import('./start.ts')
