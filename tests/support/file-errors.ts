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

const messages = {
  EACCES: 'permission denied',
  EIO: 'i/o error',
  ENOSPC: 'no space left on device',
  EROFS: 'read-only file system',
}

/**
 * Makes file calls fail as without permission or on a failing disk. File modes are no alternative, because they do not
 * restrict root. The returned function ends it.
 */
export function failFileCalls(
  context: TestContext,
  shouldFail: (path: string, call: string) => boolean,
  code: keyof typeof messages = 'EACCES',
) {
  const errorFor = (call: string, given: unknown[]) => {
    const [path, dest] = given.slice(0, 2).filter((each) => typeof each === 'string')
    if (![path, dest].some((each) => each && shouldFail(each, call))) return null
    // Reading or writing a whole file fails when it is opened.
    const syscall = call === 'readFile' || call === 'writeFile' ? 'open' : call
    return Object.assign(new Error(`${code}: ${messages[code]}, ${syscall} '${path}'`), { code, syscall, path, dest })
  }
  const mocks = calls.map((call) => {
    const real = fs.promises[call] as (...given: unknown[]) => Promise<unknown>
    return context.mock.method(fs.promises, call, (...given: unknown[]) => {
      const failure = errorFor(call, given)
      return failure ? Promise.reject(failure) : real(...given)
    })
  })
  // Streams open their files with the callback API.
  const open = fs.open as (...given: unknown[]) => void
  const opening = context.mock.method(fs, 'open', (...given: unknown[]) => {
    const failure = errorFor('open', given)
    if (!failure) return open(...given)
    const done = given.at(-1) as (error: Error) => void
    process.nextTick(done, failure)
  })
  const end = () => {
    for (const { mock } of [...mocks, opening]) mock.restore()
    syncBuiltinESMExports()
  }
  syncBuiltinESMExports()
  context.after(end)
  return end
}

/** The calls that a folder with mode 000 refuses: everything inside it, and listing it. */
export const within = (folder: string) => (path: string, call: string) =>
  path.startsWith(folder + sep) || (path === folder && ['access', 'open', 'readdir'].includes(call))
