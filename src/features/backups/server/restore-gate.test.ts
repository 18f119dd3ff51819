import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { refuseWhilePaused } from '#features/media/server/library-pause.ts'
import type { Db } from '#platform/server/db/tables.ts'
import { makeJpeg } from '#tests/support/pictures.ts'
import { isOnPostgres } from '#tests/support/postgres.ts'
import { storedIn } from '#tests/support/storages.ts'
import { type TestApp, testApp } from '#tests/support/test-app.ts'
import { insertRestore } from './restores-store.ts'

/** A restore of another process, of which this one has not heard yet. */
const restoreElsewhere = ({ services: { db } }: TestApp, adminId: number) =>
  insertRestore(db, { backupId: '20260101-000000-00000000', adminId, skipsSafety: true })

test('a file that was on its way when another process began a restore is refused', async (context) => {
  const product = await testApp(context)
  const ann = await product.register()
  const kept = await ann.addPicture('before.jpg')
  await restoreElsewhere(product, ann.id)
  const answer = await ann.upload([{ name: 'late.jpg', bytes: await makeJpeg() }])
  assert.equal(answer.statusCode, 503)
  const sentence = 'The library is being restored. Please try again in a moment.'
  assert.deepEqual([answer.json().message, answer.headers['retry-after']], [sentence, '5'])
  const converted = await ann.post(`/api/media/${kept.id}/convert-webp`, { quality: 30, deleteOriginal: true })
  assert.deepEqual([converted.statusCode, converted.json().message], [503, sentence])
  assert.equal((await ann.get('/api/media')).json().pagination.totalCount, 1)
  assert.equal((await ann.get(`/api/media/${kept.id}`)).json().mimeType, 'image/jpeg')
  assert.deepEqual((await storedIn(product)).temporary, [])

  await product.services.db.updateTable('restores').set({ running: null, state: 'failed' }).execute()
  await ann.addPicture('after.jpg')
})

async function isSomebodyWaiting(db: Db) {
  const { rows } = await sql`SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted`.execute(db)
  return rows.length > 0
}

if (isOnPostgres) {
  test('a restore begins only when files that are just being recorded are in the library', async (context) => {
    const product = await testApp(context)
    const { db } = product.services
    const ann = await product.register()
    const { backup } = (await ann.post('/api/admin/backups/create')).json()
    const happened: string[] = []
    let restoring: Promise<unknown> | undefined
    await db.transaction().execute(async (transaction) => {
      await refuseWhilePaused(transaction)
      restoring = ann
        .post(`/api/admin/backups/${backup.id}/restore`, { skipSafetyBackup: true })
        .then(({ statusCode }) => happened.push(`restore ${statusCode}`))
      while (happened.length === 0 && !(await isSomebodyWaiting(db)));
      happened.push('recorded')
    })
    await restoring
    assert.deepEqual(happened, ['recorded', 'restore 200'])
    await product.settled()
  })
}
