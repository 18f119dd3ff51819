import { open } from 'node:fs/promises'

// Loaded before the product: `process.send({ fail: 'datasync', code: 'EIO' })` lets that call on files fail until told otherwise.
type Failing = 'writev' | 'datasync' | 'sync'
const messages: Record<string, string> = { EIO: 'i/o error', ENOSPC: 'no space left on device' }
let failing: { fail?: Failing; code?: string } = {}

const handle = await open(import.meta.filename)
const prototype = Object.getPrototypeOf(handle) as Record<Failing, (...args: unknown[]) => Promise<unknown>>
await handle.close()

for (const name of ['writev', 'datasync', 'sync'] satisfies Failing[]) {
  const real = prototype[name]
  prototype[name] = async function (...args) {
    const result = await real.apply(this, args)
    if (failing.fail !== name) return result
    const code = failing.code ?? 'EIO'
    throw Object.assign(new Error(`${code}: ${messages[code]}, ${name}`), { code, syscall: name })
  }
}

process.on('message', (message) => {
  failing = message as typeof failing
  process.send?.('heard')
})
