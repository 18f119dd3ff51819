import assert from 'node:assert/strict'
import { cp, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { rereadKind } from '#features/media/server/check-files.ts'
import { testApp } from '#tests/support/test-app.ts'
import type { Backup } from '../contract.ts'
import { automaticKind, drillKind, makeAutomaticBackup, sweepKind } from './automatic.ts'
import { fill } from './backups.fixture.ts'
import { failRestore, insertRestore } from './store.ts'

test('automatic backups are made once per slot, the newest seven stay, and the last one cannot be deleted', async (context) => {
  const product = await testApp(context)
  const { admin } = await fill(product)
  const day = 24 * 3600_000
  const now = Date.UTC(2026, 10, 15, 4)
  for (let index = 0; index < 9; index++) {
    await makeAutomaticBackup(product.services, undefined, now + index * day)
    await makeAutomaticBackup(product.services, undefined, now + index * day + 3600_000)
  }
  let backups: Backup[] = (await admin.get('/api/admin/backups')).json().backups
  assert.equal(backups.length, 7)
  assert.ok(backups.every(({ type }) => type === 'automatic'))
  for (const { id } of backups.slice(1)) assert.equal((await admin.delete(`/api/admin/backups/${id}`)).statusCode, 200)
  const last = await admin.delete(`/api/admin/backups/${backups[0]!.id}`)
  assert.equal(last.statusCode, 409)
  backups = (await admin.get('/api/admin/backups')).json().backups
  assert.equal(backups.length, 1)
})

test('automatic backups dated in the future do not displace newer ones', async (context) => {
  const product = await testApp(context)
  const { admin } = await fill(product)
  const day = 24 * 3600_000
  const now = Date.UTC(2026, 10, 15, 4)
  for (let index = 0; index < 7; index++)
    await makeAutomaticBackup(product.services, undefined, now + (365 + index) * day)
  const { db } = product.services
  await db
    .updateTable('backups')
    .set(({ eb }) => ({ created_at: eb('created_at', '+', 365 * day) }))
    .execute()
  const ahead = new Set((await db.selectFrom('backups').select('id').execute()).map(({ id }) => id))
  for (const index of [0, 1]) await makeAutomaticBackup(product.services, undefined, now + index * day)
  const backups: Backup[] = (await admin.get('/api/admin/backups')).json().backups
  assert.deepEqual([backups.length, backups.filter(({ id }) => !ahead.has(id)).length], [7, 2])
})

test('the oldest backup is not removed while it is being restored', async (context) => {
  const product = await testApp(context)
  const { admin } = await fill(product)
  const { db } = product.services
  const make = (index: number) => makeAutomaticBackup(product.services, undefined, Date.UTC(2026, 10, index, 4))
  for (let index = 1; index <= 7; index++) await make(index)
  const idsNow = async () => (await admin.get('/api/admin/backups')).json().backups.map(({ id }: Backup) => id)
  const oldest = (await idsNow()).at(-1)
  const running = await insertRestore(db, { backupId: oldest, adminId: admin.id, skipsSafety: true })
  await make(8)
  assert.equal((await idsNow()).at(-1), oldest)
  await failRestore(db, running.id, 'Enough seen')
  await make(9)
  const left = await idsNow()
  assert.deepEqual([left.length, left.includes(oldest)], [7, false])
})

test('a new automatic backup does not fail when another request removes the oldest one', async (context) => {
  const product = await testApp(context)
  const { admin } = await fill(product)
  const { backupFolder } = product.services
  const make = (index: number) => makeAutomaticBackup(product.services, undefined, Date.UTC(2026, 10, index, 4))
  for (let index = 1; index <= 7; index++) await make(index)
  const { removeSnapshot } = backupFolder
  const removing = context.mock.method(backupFolder, 'removeSnapshot', async (id: string) => {
    await removeSnapshot(id)
    return removeSnapshot(id)
  })
  await make(8)
  assert.equal(removing.mock.callCount(), 1)
  assert.equal((await admin.get('/api/admin/backups')).json().backups.length, 7)
})

test('concurrent processes make one automatic backup per slot', async (context) => {
  const product = await testApp(context)
  const { admin } = await fill(product)
  const now = Date.UTC(2026, 10, 15, 4)
  await Promise.all([1, 2, 3].map(() => makeAutomaticBackup(product.services, undefined, now)))
  const { backups } = (await admin.get('/api/admin/backups')).json()
  assert.equal(backups.length, 1)
  assert.deepEqual(await readdir(join(product.directory, 'backups', 'snapshots')), [backups[0].id])
})

test("another database's backup for the same slot is listed next to ours", async (context) => {
  const product = await testApp(context)
  const admin = await product.register()
  await makeAutomaticBackup(product.services, undefined, 0)
  const snapshots = join(product.directory, 'backups', 'snapshots')
  const [ours] = await readdir(snapshots)
  const theirs = '20260101-000000-00000000'
  await cp(join(snapshots, ours!), join(snapshots, theirs), { recursive: true })
  const { backups } = (await admin.get('/api/admin/backups')).json()
  assert.deepEqual(new Set(backups.map(({ id }: Backup) => id)), new Set([ours, theirs]))
})

test('the first automatic backup is made within a minute, and not again after a restart', async (context) => {
  const product = await testApp(context, {}, { hasSchedules: true })
  await product.restart()
  const jobs = await product.services.db.selectFrom('jobs').selectAll().where('kind', '=', 'automatic-backup').execute()
  assert.equal(jobs.length, 1)
  assert.ok(jobs[0]!.run_at <= Date.now() + 60_000)
})

test('the frequency is daily until an administrator changes it', async (context) => {
  const product = await testApp(context)
  const admin = await product.register()
  assert.deepEqual((await admin.get('/api/admin/backup-frequency')).json(), { frequency: 'daily' })
  const { frequencies } = (await admin.get('/api/admin/backup-frequencies')).json()
  assert.deepEqual(
    frequencies.map(({ value }: { value: string }) => value),
    ['12hours', 'daily', 'weekly'],
  )
  assert.equal((await admin.post('/api/admin/backup-frequency', { frequency: 'hourly' })).statusCode, 400)
  const { services } = product
  const listTurns = () => product.services.db.selectFrom('schedules').select('cron').where('kind', '=', automaticKind)
  assert.deepEqual(await listTurns().execute(), [{ cron: '0 3 * * *' }])
  assert.equal((await admin.post('/api/admin/backup-frequency', { frequency: 'weekly' })).statusCode, 200)
  const onSundays = [{ cron: '0 3 * * 0' }]
  assert.deepEqual(await listTurns().execute(), onSundays)

  const [saturday, sunday] = [Date.UTC(2026, 10, 14, 23), Date.UTC(2026, 10, 15, 4)]
  for (const now of [saturday, sunday, sunday + 3 * 24 * 3600_000]) await makeAutomaticBackup(services, undefined, now)
  assert.equal((await admin.get('/api/admin/backups')).json().backups.length, 2, 'the week begins on Sunday')
  await product.restart()
  assert.deepEqual((await admin.get('/api/admin/backup-frequency')).json(), { frequency: 'weekly' })
  assert.deepEqual(await listTurns().execute(), onSundays)
})

test('an automatic backup is followed by a file check and a sweep, the first one by a drill', async (context) => {
  const product = await testApp(context)
  const { services } = product
  const admin = await product.register()
  const enqueue = context.mock.method(services.jobs, 'enqueue')
  const asked = () => enqueue.mock.calls.map(({ arguments: [, kind] }) => kind)
  await makeAutomaticBackup(services, undefined, 0)
  assert.deepEqual(asked(), [rereadKind, sweepKind, drillKind])
  await product.settled()
  const [first] = (await admin.get('/api/admin/backups')).json().backups
  assert.notEqual(first.provenAt, null)
  enqueue.mock.resetCalls()
  await makeAutomaticBackup(services, undefined, 24 * 3600_000)
  assert.deepEqual(asked(), [rereadKind, sweepKind])
})

test('concurrent deletions of the last two automatic backups leave one', async (context) => {
  const product = await testApp(context)
  const { admin } = await fill(product)
  const day = 24 * 3600_000
  for (const now of [1, 2]) await makeAutomaticBackup(product.services, undefined, now * day)
  const { backups } = (await admin.get('/api/admin/backups')).json()
  const answers = await Promise.all(backups.map(({ id }: Backup) => admin.delete(`/api/admin/backups/${id}`)))
  assert.deepEqual(answers.map(({ statusCode }) => statusCode).sort(), [200, 409])
  assert.equal((await admin.get('/api/admin/backups')).json().backups.length, 1)
})
