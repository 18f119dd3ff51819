import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { sep } from 'node:path'
import type { TestContext } from 'node:test'

const calls = [
  'access',
  'copyFile',
  'link',
  'mkdir',
  'open',
  'readFile',
  'readdir',
  'rename',
  'rm',
  'stat',
  'utimes',
  'writeFile',
] as const

const words = {
  EACCES: 'permission denied',
  EIO: 'i/o error',
  ENOSPC: 'no space left on device',
  EROFS: 'read-only file system',
}

/**
 * As to a user without the right, or by a disk that fails: tests may run as root, whom no mode of a file stops. Answers what
 * ends it.
 */
export function failFileCalls(
  context: TestContext,
  isRefused: (path: string, call: string) => boolean,
  code: keyof typeof words = 'EACCES',
) {
  const refusalOf = (call: string, given: unknown[]) => {
    const [path, dest] = given.slice(0, 2).filter((each) => typeof each === 'string')
    if (![path, dest].some((each) => each && isRefused(each, call))) return null
    // A file is read and written whole by opening it.
    const syscall = call === 'readFile' || call === 'writeFile' ? 'open' : call
    return Object.assign(new Error(`${code}: ${words[code]}, ${syscall} '${path}'`), { code, syscall, path, dest })
  }
  const mocks = calls.map((call) => {
    const real = fs.promises[call] as (...given: unknown[]) => Promise<unknown>
    return context.mock.method(fs.promises, call, (...given: unknown[]) => {
      const refusal = refusalOf(call, given)
      return refusal ? Promise.reject(refusal) : real(...given)
    })
  })
  // Streams open their files by it.
  const open = fs.open as (...given: unknown[]) => void
  const opening = context.mock.method(fs, 'open', (...given: unknown[]) => {
    const refusal = refusalOf('open', given)
    if (!refusal) return open(...given)
    const done = given.at(-1) as (error: Error) => void
    process.nextTick(done, refusal)
  })
  const end = () => {
    for (const { mock } of [...mocks, opening]) mock.restore()
    syncBuiltinESMExports()
  }
  syncBuiltinESMExports()
  context.after(end)
  return end
}

/** What a folder of mode 000 refuses: all that is in it, and to be read itself. */
export const within = (folder: string) => (path: string, call: string) =>
  path.startsWith(folder + sep) || (path === folder && ['access', 'open', 'readdir'].includes(call))
