import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { test } from 'node:test'
import { promisify } from 'node:util'

test('a tool that cannot begin, since too many files are open, does not end the server', async () => {
  const program = `
    import { openSync } from 'node:fs'
    import { runTool } from '${new URL('./run-tool.ts', import.meta.url)}'
    const { signal } = new AbortController()
    try { while (true) openSync('/dev/null') } catch {}
    await runTool('true', [], { timeoutMs: 60_000, niceness: 0, signal }).catch(({ code }) => process.stdout.write(String(code)))
    setImmediate(() => process.stdout.write(' and on'))`
  const args = ['-c', 'ulimit -n 100; exec "$0" --input-type=module -e "$1"', process.execPath, program]
  const { stdout } = await promisify(execFile)('/bin/sh', args)
  assert.equal(stdout, 'EMFILE and on')
})
