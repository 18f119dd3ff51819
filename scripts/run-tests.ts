import { resolve } from 'node:path'
import { run } from 'node:test'
import { spec } from 'node:test/reporters'

// Runs the given test files in this process, each test within so many milliseconds: `npm test` starts it for its batches.
const [timeoutMs, ...files] = process.argv.slice(2)
run({ files: files.map((file) => resolve(file)), isolation: 'none', timeout: Number(timeoutMs) })
  .on('test:summary', ({ success }) => {
    if (!success) process.exitCode = 1
  })
  .compose(spec)
  .pipe(process.stdout)
