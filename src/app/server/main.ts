import { keepCompiledCode } from '#platform/server/compiled-code.ts'

keepCompiledCode()
await import('./start.ts')
