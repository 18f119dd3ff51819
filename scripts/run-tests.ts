import hooks from 'node:async_hooks'
import { resolve } from 'node:path'

// Tells the given test files in this process, each test within so many milliseconds: `npm test` starts it for its batches.
//
// `node:test` follows every promise and timer to the test that began it, so that an error which nobody catches is told as that
// test's. This takes a tenth of the whole run, so it is left out here. Such an error still fails the run and is told with its
// stack; `node --test` on its file names the test.
const untracked = { enable: () => untracked, disable: () => untracked }
hooks.createHook = () => untracked
process.on('uncaughtException', console.error).on('unhandledRejection', console.error)

const { run } = await import('node:test')
const { spec } = await import('node:test/reporters')
const [timeoutMs, ...files] = process.argv.slice(2)
run({ files: files.map((file) => resolve(file)), isolation: 'none', timeout: Number(timeoutMs) })
  .on('test:summary', ({ success }) => {
    if (!success) process.exitCode = 1
  })
  .compose(spec)
  .pipe(process.stdout)
