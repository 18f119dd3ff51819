import assert from 'node:assert/strict'
import { test } from 'node:test'
import pino from 'pino'
import { loadConfig } from '#platform/server/config.ts'
import { version } from '#shared/version.ts'
import { createTestDatabase } from '#tests/support/postgres.ts'
import { temporaryFolder } from '#tests/support/temporary-folder.ts'
import { testApp } from '#tests/support/test-app.ts'
import { buildApp } from './build-app.ts'
import { createServices } from './services.ts'

test('a healthy process says so, with its version', async (context) => {
  const { app } = await testApp(context)
  const answer = await app.inject({ url: '/api/health' })
  assert.equal(answer.statusCode, 200)
  assert.deepEqual(answer.json(), { status: 'ok', version })
})

test('a process that cannot reach its database says so', async (context) => {
  const database = await createTestDatabase()
  const settings = { DATA_DIR: await temporaryFolder(context), AI_LOCAL: '0', ...database?.settings }
  const services = await createServices(loadConfig(settings), pino({ level: 'silent' }))
  const app = await buildApp(services)
  await app.ready()
  await services.close()
  const answer = await app.inject({ url: '/api/health' })
  assert.equal(answer.statusCode, 503)
  assert.deepEqual(answer.json(), {
    message: 'The database cannot be reached.',
    code: 'unavailable',
    retryAfterSeconds: 5,
  })
  await app.close()
  await database?.drop()
})
