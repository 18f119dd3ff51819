import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readdir } from 'node:fs/promises'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { onOneDatabase } from '#tests/support/postgres.ts'
import { temporaryFolder } from '#tests/support/temporary-folder.ts'
import { testApp } from '#tests/support/test-app.ts'

const script = fileURLToPath(new URL('../../../../scripts/reset-password.ts', import.meta.url))

/** Runs `npm run reset-password -- <args>`. */
function resetPassword(dataDir: string, databaseUrl: string | undefined, ...args: string[]) {
  const env = { PATH: process.env.PATH, DATA_DIR: dataDir, ...(databaseUrl && { DATABASE_URL: databaseUrl }) }
  return new Promise<{ code: unknown; stdout: string; stderr: string }>((resolve) =>
    execFile(process.execPath, [script, ...args], { cwd: dataDir, env }, (error, stdout, stderr) =>
      resolve({ code: error?.code ?? 0, stdout, stderr }),
    ),
  )
}

test('npm run reset-password sets a new password while the server runs and signs the user out', async (context) => {
  const { services, directory, register, visitor } = await testApp(context)
  const reset = (...args: string[]) => resetPassword(directory, services.config.databaseUrl, ...args)
  const ann = await register('ann')
  const ben = await register('ben')

  const stranger = await reset('zoe')
  assert.equal(stranger.code, 1)
  assert.match(stranger.stderr, /No password was changed\. There is no user zoe\. Administrators: ann\./)
  assert.match((await reset()).stderr, /Usage: npm run reset-password/)
  assert.match((await reset('ann', 'lee')).stderr, /There is no user ann lee\./, 'a name may contain a space')
  assert.equal((await ann.get('/api/user')).statusCode, 200)

  const { code, stdout } = await reset('ANN')
  assert.equal(code, 0)
  const password = /new password is: (\S+)/.exec(stdout)![1]
  assert.equal((await ann.get('/api/user')).statusCode, 401, 'the old sessions are over')
  assert.equal((await ben.get('/api/user')).statusCode, 200)
  const logIn = (secret: unknown) => visitor().post('/api/login', { username: 'ann', password: secret })
  assert.equal((await logIn('correct horse')).statusCode, 401)
  assert.equal((await logIn(password)).json().isAdmin, true)
})

onOneDatabase('npm run reset-password refuses a folder without a library and creates none', async (context) => {
  const folder = await temporaryFolder(context)
  const { stderr } = await resetPassword(folder, undefined, 'ann')
  assert.match(stderr, /No password was changed\. There is no library in /)
  assert.deepEqual(await readdir(folder), [])
})
