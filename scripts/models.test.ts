import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { temporaryFolder } from '#tests/support/temporary-folder.ts'

const script = fileURLToPath(new URL('./models.ts', import.meta.url))

test('npm run models reads the settings in .env and names an invalid one', async (context) => {
  const cwd = await temporaryFolder(context)
  writeFileSync(join(cwd, '.env'), 'QUOTA_GB=much\n')
  const env = { PATH: process.env.PATH }
  const { status, stderr } = spawnSync(process.execPath, [script], { cwd, env, encoding: 'utf8' })
  assert.equal(status, 1)
  assert.match(stderr, /^The AI models could not be installed\. QUOTA_GB must be a number \(received "much"\)$/m)
})

test('.env is also read in UTF-16, which Windows shells write, and a folder named .env is reported', async (context) => {
  const cwd = await temporaryFolder(context)
  const env = { PATH: process.env.PATH, npm_config_offline: 'true', npm_config_cache: cwd }
  const run = () => spawnSync(process.execPath, [script], { cwd, env, encoding: 'utf8' })
  writeFileSync(join(cwd, '.env'), Buffer.from('\ufeffQUOTA_GB=much\r\n', 'utf16le'))
  assert.match(run().stderr, /QUOTA_GB must be a number \(received "much"\)$/m)
  rmSync(join(cwd, '.env'))
  mkdirSync(join(cwd, '.env'))
  assert.match(run().stderr, /^The AI models could not be installed\. The file \.env cannot be read \(EISDIR: .*\)$/m)
})

test('npm run models names an unknown option', () => {
  const { status, stderr } = spawnSync(process.execPath, [script, '--directory', 'x'], { encoding: 'utf8' })
  assert.equal(status, 1)
  assert.match(stderr, /^The AI models could not be installed\. Unknown option '--directory'.*\n$/)
})
