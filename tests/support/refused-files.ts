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

/** As to a user without the right: tests may run as root, whom no mode of a file stops. Answers what ends it. */
export function refuseFiles(context: TestContext, isRefused: (path: string, call: string) => boolean) {
  const mocks = calls.map((call) => {
    const real = fs.promises[call] as (...given: unknown[]) => Promise<unknown>
    return context.mock.method(fs.promises, call, (...given: unknown[]) => {
      const [path, dest] = given.slice(0, 2).filter((each) => typeof each === 'string')
      if (![path, dest].some((each) => each && isRefused(each, call))) return real(...given)
      const message = `EACCES: permission denied, ${call} '${path}'`
      return Promise.reject(Object.assign(new Error(message), { code: 'EACCES', syscall: call, path, dest }))
    })
  })
  const end = () => {
    for (const { mock } of mocks) mock.restore()
    syncBuiltinESMExports()
  }
  syncBuiltinESMExports()
  context.after(end)
  return end
}

/** What a folder of mode 000 refuses: all that is in it, and to be read itself. */
export const within = (folder: string) => (path: string, call: string) =>
  path.startsWith(folder + sep) || (path === folder && ['access', 'open', 'readdir'].includes(call))
