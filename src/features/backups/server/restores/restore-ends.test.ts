import assert from 'node:assert/strict'
import { cp, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { sql } from 'kysely'
import { tidyMedia } from '#features/media/server/janitor.ts'
import { multipart } from '#tests/support/multipart.ts'
import { onOneDatabase } from '#tests/support/postgres.ts'
import { insertManyMedia } from '#tests/support/seed-library.ts'
import { type TestApp, testApp } from '#tests/support/test-app.ts'
import type { TestUser } from '#tests/support/test-user.ts'
import { fill, makeBackup, restore } from '../backups.fixture.ts'
import { blobOf, rot } from '../rot.fixture.ts'
import { completeRestore, failRestore, type Holder, insertRestore, loadProgress } from '../store.ts'
import { type RestorePayload, restoreKind, resumeKind, resumeWork } from './restore.ts'

const dayMs = 24 * 3600_000

function importRows(admin: TestUser, library: unknown) {
  const upload = multipart([{ name: 'database.json', bytes: Buffer.from(JSON.stringify(library)) }], {}, 'database')
  return admin.send({ method: 'POST', url: '/api/admin/database/upload', ...upload })
}

type Begun = { backupId?: string; progress?: number; payload?: Partial<RestorePayload> }

/** A started restore without a worker, as the given attempt of its job would find it. */
async function beginRestore(
  { services: { db } }: TestApp,
  adminId: number,
  attempts: number,
  { backupId, progress = 0, payload }: Begun = {},
) {
  const wanted = { backupId: backupId ?? '20260101-000000-00000000', adminId, skipsSafety: !backupId }
  const restoring = await insertRestore(db, wanted)
  await db.updateTable('restores').set({ progress }).where('id', '=', restoring.id).execute()
  const now = Date.now()
  const job = await db
    .insertInto('jobs')
    .values({
      kind: restoreKind,
      key: null,
      payload: JSON.stringify({ restoreId: restoring.id, ...payload }),
      status: 'waiting',
      attempts,
      run_at: now + dayMs,
      leased_until: null,
      lease: null,
      error: null,
      created_at: now,
      updated_at: now,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  return { restoreId: restoring.id, jobId: job.id }
}

test('a restore is complete when its rows are replaced, and follow-up work is retried', async (context) => {
  const product = await testApp(context)
  const { admin, first } = await fill(product)
  const { db, storage } = product.services
  await db.updateTable('media').set({ type: 'video', playback: 'rendition' }).where('id', '=', first.id).execute()
  const backup = await makeBackup(admin)
  const fault = context.mock.method(storage.derived, 'stat', () => Promise.reject(new Error('a bucket that is away')))
  assert.equal((await restore(product, admin, backup.id)).message, 'Restore complete')
  assert.equal((await admin.post('/api/collections', { name: 'Open again' })).statusCode, 201)
  const left = db.selectFrom('jobs').select(['status', 'error']).where('kind', '=', resumeKind)
  assert.deepEqual(await left.execute(), [{ status: 'waiting', error: 'a bucket that is away' }])

  fault.mock.restore()
  await db.updateTable('jobs').set({ run_at: Date.now() }).where('kind', '=', resumeKind).execute()
  await product.settled()
  assert.deepEqual(await left.execute(), [])
  const { playback } = await db
    .selectFrom('media')
    .select('playback')
    .where('id', '=', first.id)
    .executeTakeFirstOrThrow()
  assert.notEqual(playback, 'rendition', 'the playable form that is not here is made again')
})

test('items that waited for analysis are queued again after a restore', async (context) => {
  const { register, services } = await testApp(context)
  const { db, storage, jobs } = services
  const admin = await register()
  const ids = await insertManyMedia(db, admin.id, 203)
  const waiting = ids.slice(0, 201)
  await db.updateTable('media').set({ ai_status: 'waiting' }).where('id', 'in', waiting).execute()
  const asked: { kind: string; payload: { mediaId?: number; after?: number } }[] = []
  const enqueue = async (_db: unknown, kind: string, payload: object) => void asked.push({ kind, payload })
  const resume = (payload: object) => resumeWork({ db, storage, jobs: { ...jobs, enqueue } }, payload)
  await resume({})
  const next = asked.pop()!
  assert.deepEqual(next, { kind: resumeKind, payload: { after: ids[199] } })
  await resume(next.payload)
  assert.deepEqual(
    asked,
    waiting.map((mediaId) => ({ kind: 'analyze-media', payload: { mediaId } })),
  )
})

test('a restore that is given up leaves the library unchanged and writable', async (context) => {
  const product = await testApp(context)
  const { admin } = await fill(product)
  const { jobId } = await beginRestore(product, admin.id, 5)
  await product.services.restoreGate.announce()
  assert.equal((await admin.post('/api/collections', { name: 'Lost' })).statusCode, 503)
  await product.services.db.updateTable('jobs').set({ run_at: Date.now() }).where('id', '=', jobId).execute()
  await product.settled()
  const { message, step } = (await admin.get('/api/admin/backups/restore-progress')).json()
  assert.deepEqual([step, message], ['Error', 'The restore failed after several attempts. The library is unchanged.'])
  assert.equal((await admin.post('/api/collections', { name: 'Kept' })).statusCode, 201)

  const elsewhere = await beginRestore(product, admin.id, 0)
  await product.services.db.updateTable('jobs').set({ run_at: 0 }).where('id', '=', elsewhere.jobId).execute()
  await product.settled()
  const told = (await admin.get('/api/admin/backups/restore-progress')).json().message
  assert.match(told, /All need the same BACKUP_DIR/)
  const root = join(product.directory, 'backups')
  assert.ok(told.includes(root), told)

  const later = await beginRestore(product, admin.id, 0)
  await rename(root, `${root}-away`)
  await product.services.db.updateTable('jobs').set({ run_at: 0 }).where('id', '=', later.jobId).execute()
  await product.settled()
  const { message: away } = (await admin.get('/api/admin/backups/restore-progress')).json()
  assert.match(away, /does not contain the marker file/)
  await rename(`${root}-away`, root)
})

test('a resumed restore makes no second safety backup, and reads files again that were read too long ago', async (context) => {
  const product = await testApp(context)
  const { admin, first } = await fill(product)
  const { db, storage, backupFolder } = product.services
  const { id: backupId } = await makeBackup(admin)
  const takeUpAgain = async (progress: number, filesReadAt?: number) => {
    const { jobId } = await beginRestore(product, admin.id, 1, { backupId, progress, payload: { filesReadAt } })
    await db.updateTable('jobs').set({ run_at: 0 }).where('id', '=', jobId).execute()
    await product.settled()
    const { message } = (await admin.get('/api/admin/backups/restore-progress')).json()
    return [message, (await admin.get('/api/admin/backups')).json().backups.length]
  }
  assert.deepEqual(await takeUpAgain(20), ['Restore complete', 1])
  assert.deepEqual(await takeUpAgain(10), ['Restore complete', 2])

  const blob = await blobOf(product, first.id)
  await rot(backupFolder.blobPath(blob))
  await storage.remove(blob)
  const [message] = await takeUpAgain(20, Date.now() - 2 * 3600_000)
  assert.match(String(message), /1 of its files is damaged or missing/)
})

test('a process that lost a restore to another one neither fails nor completes it', async (context) => {
  const product = await testApp(context)
  const { admin } = await fill(product)
  const { db } = product.services
  const { restoreId, jobId } = await beginRestore(product, admin.id, 2)
  const [lost, has] = [1, 2].map((attempt) => ({ id: jobId, attempt })) as [Holder, Holder]
  const ended = { adminId: admin.id, restored: { users: 0, media: 0, collections: 0, healedFiles: 0, lostFiles: 0 } }
  await failRestore(db, restoreId, 'The line was cut', lost)
  assert.equal((await loadProgress(db)).isRestoring, true)
  await assert.rejects(completeRestore(db, restoreId, lost, ended))
  await completeRestore(db, restoreId, has, ended)
  await failRestore(db, restoreId, 'The line was cut', has)
  assert.equal((await loadProgress(db)).message, 'Restore complete', 'what is complete stays so')
  await assert.rejects(completeRestore(db, restoreId, has, ended))
})

test('a running account deletion does not affect the restored library', async (context) => {
  const product = await testApp(context)
  const { admin, other, second } = await fill(product)
  const { db } = product.services
  const library = (await admin.get('/api/admin/database/download')).json()
  const begin = db.transaction.bind(db)
  let parts = 0
  const watched = context.mock.method(db, 'transaction', () => {
    if (++parts < 2) return begin()
    watched.mock.restore()
    const execute = async (work: Parameters<ReturnType<typeof begin>['execute']>[0]) => {
      assert.equal((await importRows(admin, library)).statusCode, 200)
      return begin().execute(work)
    }
    return { execute }
  })
  const answer = await admin.delete(`/api/admin/users/${other.id}`)
  assert.deepEqual([parts, answer.statusCode], [2, 409], answer.body)
  assert.match(answer.json().message, /^The library was replaced in the meantime/)
  const kept = db.selectFrom('media').select('owner_id').where('id', '=', second.id)
  assert.deepEqual(await kept.execute(), [{ owner_id: other.id }])
})

test('trashed items of an old backup are not deleted right after the restore', async (context) => {
  const product = await testApp(context)
  const { admin } = await fill(product)
  await tidyMedia(product.services, 0)
  const library = (await admin.get('/api/admin/database/download')).json()
  library.createdAt = new Date(Date.now() - 35 * dayMs).toISOString()
  const [trashed] = library.tables.media.filter(({ is_trashed }: { is_trashed: number }) => is_trashed)
  trashed.trashed_at = Date.now() - 40 * dayMs
  assert.equal((await importRows(admin, library)).statusCode, 200)
  await tidyMedia(product.services, 0)
  const row = await product.services.db
    .selectFrom('media')
    .select('trashed_at')
    .where('is_trashed', '=', 1)
    .executeTakeFirst()
  const days = Math.round((Date.now() - row!.trashed_at!) / dayMs)
  assert.equal(days, 6, 'the five before the backup was made, and one since')
})

onOneDatabase(
  'a database that is full is told as such by a restore, which leaves the library as it was',
  async (context) => {
    const product = await testApp(context)
    const { admin } = await fill(product)
    await insertManyMedia(product.services.db, admin.id, 400)
    const { id } = await makeBackup(admin)
    const elsewhere = await testApp(context)
    const stranger = await elsewhere.register()
    await cp(join(product.directory, 'backups'), join(elsewhere.directory, 'backups'), { recursive: true })
    const { db } = elsewhere.services
    const { rows } = await sql<{ page_count: number }>`PRAGMA page_count`.execute(db)
    const limitPages = (pages: number) => sql`PRAGMA max_page_count = ${sql.lit(pages)}`.execute(db)
    await limitPages(rows[0]!.page_count + 10)
    const { message } = await restore(elsewhere, stranger, id)
    assert.equal(message, 'The disk is full. Free some space and try again.')
    await limitPages(1_000_000)
    assert.equal((await stranger.get('/api/admin/users')).json().length, 1)
    assert.equal((await restore(elsewhere, stranger, id)).message, 'Restore complete')
  },
)
