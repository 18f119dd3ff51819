import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { temporaryFolder } from '#tests/support/temporary-folder.ts'

const script = fileURLToPath(new URL('./models.ts', import.meta.url))

test('npm run models heeds the settings in .env, and names one that makes no sense', async (context) => {
  const cwd = await temporaryFolder(context)
  writeFileSync(join(cwd, '.env'), 'QUOTA_GB=much\n')
  const env = { PATH: process.env.PATH }
  const { status, stderr } = spawnSync(process.execPath, [script], { cwd, env, encoding: 'utf8' })
  assert.equal(status, 1)
  assert.match(stderr, /^The AI models could not be installed\. QUOTA_GB must be a number \(received "much"\)$/m)
})
