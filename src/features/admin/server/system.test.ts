import assert from 'node:assert/strict'
import { test } from 'node:test'
import { recordStray } from '#features/upload/server/ingest.ts'
import { settingNames } from '#platform/server/config.ts'
import { startFakeImageKit } from '#tests/support/fake-imagekit.ts'
import { withBucket } from '#tests/support/storages.ts'
import { testApp } from '#tests/support/test-app.ts'
import type { TestUser } from '#tests/support/test-user.ts'
import { withLibrary } from './admin.fixture.ts'

test('failed jobs are listed with their reason, and can be retried or dismissed', async (context) => {
  const { product, admin } = await withLibrary(context)
  const { db, jobs } = product.services
  const insert = async (kind: string) =>
    (
      await db
        .insertInto('jobs')
        .values({
          kind,
          key: null,
          payload: '{}',
          status: 'failed',
          run_at: 0,
          attempts: 5,
          leased_until: null,
          lease: null,
          error: 'The disk was full',
          created_at: 0,
          updated_at: Date.now(),
        })
        .returning('id')
        .executeTakeFirstOrThrow()
    ).id
  const [again, away] = [await insert('try-me'), await insert('forget-me')]
  const overview = (await admin.get('/api/admin/jobs')).json()
  assert.equal(overview.failures.length, 2)
  assert.equal(overview.failures[0].error, 'The disk was full')
  const ran = Promise.withResolvers<void>()
  jobs.work('try-me', { concurrency: 1 }, async () => ran.resolve())
  assert.equal((await admin.post(`/api/admin/jobs/${again}/retry`)).statusCode, 200)
  await product.settled()
  await ran.promise
  assert.equal((await admin.delete(`/api/admin/jobs/${away}`)).statusCode, 200)
  assert.equal((await admin.delete(`/api/admin/jobs/${away}`)).statusCode, 404)
  assert.deepEqual((await admin.get('/api/admin/jobs')).json().failures, [])
})

test('the system tab shows the version, settings without secrets, and health', async (context) => {
  const imageKit = await startFakeImageKit(context)
  const product = await testApp(context, {
    ...imageKit.settings,
    AI_BASE_URL: 'https://ai.example.com/v1',
    AI_MODEL: 'clever',
    AI_API_KEY: 'sk-secret',
  })
  const admin = await product.register()
  const answer = await admin.get('/api/admin/system')
  const facts = answer.json()
  assert.equal(facts.version, '2.1.0')
  assert.equal(facts.environment, 'Production')
  assert.ok(!answer.body.includes(imageKit.settings.IMAGEKIT_PRIVATE_KEY) && !answer.body.includes('sk-secret'))
  assert.ok(!answer.body.includes('albumen:albumen'), 'the database password is hidden')
  assert.deepEqual(facts.settings.map(({ name }: { name: string }) => name).sort(), settingNames.toSorted())
  const health = Object.fromEntries(
    facts.health.map(({ name, status }: { name: string; status: string }) => [name, status]),
  )
  assert.deepEqual(health, { Database: 'ok', Storage: 'ok', Backups: 'ok', AI: 'unknown', ImageKit: 'ok' })
})

const loadSetup = async (admin: TestUser, headers?: Record<string, string>) => {
  const { setup } = (await admin.get('/api/admin/system', headers)).json()
  return Object.fromEntries(setup.map(({ name, isDone }: { name: string; isDone: boolean }) => [name, isDone]))
}

test('the setup list of a new server names backups on the same disk, AI that is off, and missing HTTPS', async (context) => {
  const product = await testApp(context, { HOST: '0.0.0.0' })
  const admin = await product.register()
  assert.deepEqual(await loadSetup(admin), { Backups: false, AI: false, HTTPS: false })
})

test('the setup list is done with files in a bucket, an AI and an https address', (context) =>
  withBucket(context, async (inner, settings) => {
    const ai = { AI_BASE_URL: 'https://ai.example.com/v1', AI_MODEL: 'clever' }
    const product = await testApp(inner, { ...settings, ...ai, PUBLIC_URL: 'https://pictures.example.com' })
    assert.deepEqual(await loadSetup(await product.register()), { Backups: true, AI: true, HTTPS: true })
  }))

test('HTTPS is not on the setup list while only this machine can connect', async (context) => {
  const product = await testApp(context)
  const { HTTPS } = await loadSetup(await product.register(), { host: 'localhost:3000' })
  assert.equal(HTTPS, true)
})

test('the integrity check lists the items of damaged and missing files', async (context) => {
  const { product, admin, person, picture } = await withLibrary(context)
  const lost = await person.addPicture('lost.jpg')
  await recordStray(product.services.db, { sha256: 'f'.repeat(64), bytes: 1 })
  const { db, storage } = product.services
  const blobOf = async (id: number) =>
    (await db.selectFrom('media').select('blob').where('id', '=', id).executeTakeFirstOrThrow()).blob
  await storage.remove(await blobOf(lost.id))
  const blob = await blobOf(picture.id)
  const real = storage.verify
  context.mock.method(storage, 'verify', (sha256: string) => (sha256 === blob ? Promise.resolve(false) : real(sha256)))
  assert.equal((await admin.post('/api/admin/integrity-check')).statusCode, 200)
  await product.settled()
  const { integrity } = (await admin.get('/api/admin/system')).json()
  assert.equal(integrity.isRunning, false)
  assert.deepEqual(
    [integrity.total, integrity.damaged, integrity.missing],
    [3, 1, 1],
    'bytes that no item has are no loss',
  )
  assert.ok(integrity.checkedAt)
  assert.deepEqual(
    integrity.affected.map(({ filename, state }: Record<string, string>) => `${filename} ${state}`),
    ['beach.jpg damaged', 'lost.jpg missing'],
  )
})

test('a check time in the future from a wrong clock does not count as checked', async (context) => {
  const { product, admin } = await withLibrary(context)
  const { db, jobs } = product.services
  const hourMs = 3600_000
  const before = Date.now()
  await db
    .updateTable('blobs')
    .set({ checked_at: before + 24 * hourMs })
    .execute()
  const loadReport = async () => (await admin.get('/api/admin/system')).json().integrity
  assert.ok(Date.parse((await loadReport()).checkedAt) <= before)
  await jobs.enqueue(db, 'check-files', { startedAt: before - hourMs }, { runAt: before + hourMs })
  assert.deepEqual([(await loadReport()).isRunning, (await loadReport()).checked], [true, 0])
})
