import assert from 'node:assert/strict'
import { readdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { startMisbehavingEndpoint } from '#engines/ai/testing/misbehaving-endpoint.ts'
import { modelsForTests } from '#engines/ai/testing/models-for-tests.ts'
import { multipart } from '#tests/support/multipart.ts'
import { makeJpeg } from '#tests/support/pictures.ts'
import { isOnPostgres, onOneDatabase } from '#tests/support/postgres.ts'
import { serverSettings, startServer, untilReady } from '#tests/support/server-process.ts'
import { testApp } from '#tests/support/test-app.ts'
import { uploadWithAi } from '../analysis.fixture.ts'

test('an analysis interrupted by a killed process is done by the next process', async (context) => {
  const endpoint = await startMisbehavingEndpoint()
  context.after(endpoint.close)
  const own = await serverSettings(context)
  const settings = { ...own, AI_BASE_URL: endpoint.baseUrl, AI_MODEL: 'hanging' }
  const first = startServer(context, settings)
  const { url } = await untilReady(first)
  const person = { username: 'ann', email: 'ann@example.com', password: 'correct horse' }
  const headers = { 'content-type': 'application/json', origin: new URL(url).origin }
  const registered = await fetch(`${url}/api/register`, { method: 'POST', headers, body: JSON.stringify(person) })
  const cookie = registered.headers.get('set-cookie')!.split(';')[0]!
  const arrival = endpoint.nextArrival()
  const body = multipart([{ name: 'a.jpg', bytes: await makeJpeg() }], { enableAi: 'true' })
  const uploaded = await fetch(`${url}/api/upload`, {
    method: 'POST',
    headers: { ...body.headers, origin: headers.origin, cookie },
    body: body.payload,
  })
  assert.equal(uploaded.status, 201)
  const { media } = (await uploaded.json()) as { media: { id: number }[] }
  await arrival
  first.child.kill('SIGKILL')
  await first.ended
  const temporary = () => readdir(join(own.DATA_DIR!, 'tmp'))
  assert.equal((await temporary()).length, 1, 'the frames are in the folder that the janitor cleans up')

  const product = await testApp(context, { ...settings, AI_MODEL: 'good' })
  // On PostgreSQL another process could still hold the lease, so it has to expire.
  if (isOnPostgres) {
    await product.services.db.updateTable('jobs').set({ leased_until: 1 }).execute()
    await product.services.db.updateTable('ai_claims').set({ held_until: 1 }).execute()
  }
  await product.settled()
  const row = await product.services.db
    .selectFrom('media')
    .select(['ai_status', 'ai_description'])
    .where('id', '=', media[0]!.id)
    .executeTakeFirstOrThrow()
  assert.deepEqual({ ...row }, { ai_status: 'done', ai_description: 'A close-up of an orange cat.' })
  // With several processes, temporary files of another process are kept for an hour.
  if (!isOnPostgres) assert.deepEqual(await temporary(), [])
})

onOneDatabase('if models cannot be downloaded, the app runs and explains how to install them', async (context) => {
  // A file in place of the models folder, so that nothing can be installed there.
  const folder = join((await serverSettings(context)).DATA_DIR!, 'models')
  await writeFile(folder, '')
  context.after(() => rm(folder, { force: true }))
  const product = await testApp(context, { AI_LOCAL: '1', AI_MODELS_DIR: folder })
  const ann = await product.register()
  const media = await uploadWithAi(product, ann)
  assert.equal(media.aiStatus, 'failed')
  assert.match(media.aiError, /npm run models/)
  const answer = await ann.post(`/api/media/${media.id}/analyze`)
  assert.equal(answer.statusCode, 503)
  assert.match(answer.json().message, /npm run models/)
  await product.services.jobs.enqueue(product.services.db, 'learn-meanings', {})
  await product.settled()
  assert.equal((await ann.get(`/api/media/${media.id}`)).json().aiStatus, 'failed', 'the item waits for the models')
  await product.restart({ AI_MODELS_DIR: await modelsForTests() })
  await product.services.ai.modelsSettled()
  await product.services.jobs.enqueue(product.services.db, 'learn-meanings', {})
  await product.settled()
  const after = (await ann.get(`/api/media/${media.id}`)).json()
  assert.deepEqual(
    [after.aiStatus, after.aiError],
    ['done', null],
    'the item is analyzed once the models are installed',
  )
})
