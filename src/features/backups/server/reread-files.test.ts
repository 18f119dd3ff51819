import assert from 'node:assert/strict'
import { rm, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { blobKey } from '#engines/storage/keys.ts'
import { rereadFiles } from '#features/media/server/check-files.ts'
import { onEveryStorage } from '#tests/support/storages.ts'
import { testApp } from '#tests/support/test-app.ts'
import { makeAutomaticBackup } from './automatic.ts'
import { fill, makeBackup, restore } from './backups.fixture.ts'
import { blobOf, lostIn, rotAlone } from './rot.fixture.ts'
import { failRestore, insertRestore } from './store.ts'

onEveryStorage(
  'what is lost after a backup is named after the next automatic one, by itself',
  async (context, settings) => {
    const product = await testApp(context, settings)
    const { admin, first, second } = await fill(product)
    const { storage, config } = product.services
    const hour = 3600_000
    const backUp = async (turn: number) => {
      await makeAutomaticBackup(product.services, undefined, turn * 24 * hour)
      await product.settled()
      return (await admin.get('/api/admin/backups')).json().backups[0]
    }
    await backUp(1)
    assert.deepEqual(await lostIn(admin), [])
    const third = await admin.addPicture('third.jpg')
    // A bucket's file can only be deleted from here, not damaged.
    const lost = config.s3 ? [`${third.id} missing`] : [`${second.id} damaged`, `${third.id} missing`]
    if (!config.s3) await rotAlone(join(product.directory, blobKey(await blobOf(product, second.id))))
    await makeBackup(admin)
    await storage.remove(await blobOf(product, third.id))
    const next = await backUp(2)
    assert.equal(next.missingCount, 0, 'the backup has them whole')
    assert.deepEqual(await lostIn(admin), lost)
    assert.equal((await admin.get(first.originalUrl)).statusCode, 200)
    assert.equal((await restore(product, admin, next.id)).message, 'Restore complete')
    await backUp(3)
    assert.deepEqual(await lostIn(admin), [])
  },
)

test('file checks start with the longest unchecked, run in batches and yield to other work', async (context) => {
  const product = await testApp(context)
  const { admin } = await fill(product)
  await admin.addPicture('third.jpg')
  const { services } = product
  const { db, storage } = services
  const read: string[] = []
  const real = storage.primary.verify
  context.mock.method(storage.primary, 'verify', (sha256: string) => {
    read.push(sha256)
    return real(sha256)
  })
  const { signal } = new AbortController()
  const rows = await db.selectFrom('blobs').select('sha256').orderBy('sha256').execute()
  const [third, ...before] = rows.map(({ sha256 }) => sha256)
  const blobs = [...before, third!]
  // The first was never checked, the second by a wrong clock, the third long ago.
  await db
    .updateTable('blobs')
    .set({ checked_at: Date.now() + 3600_000 })
    .where('sha256', '=', blobs[1]!)
    .execute()
  await db.updateTable('blobs').set({ checked_at: 1 }).where('sha256', '=', blobs[2]!).execute()
  const startedAt = Date.now()
  const reread = (given = services) => rereadFiles(given, { startedAt, signal }, 0)
  await reread({ ...services, config: { ...services.config, s3: { bucket: 'rented' } as never } })
  const restoring = await insertRestore(db, { backupId: 'b', adminId: admin.id, skipsSafety: true })
  await reread()
  await failRestore(db, restoring.id, 'Enough seen')
  await services.jobs.enqueue(db, 'check-files', { startedAt }, { runAt: startedAt + 3600_000 })
  await reread()
  await db.deleteFrom('jobs').where('kind', '=', 'check-files').execute()
  assert.deepEqual(read, [], 'not files that cost money, not during a restore, not during a full check')
  for (let turn = 1; turn <= 4; turn++) {
    await reread()
    assert.deepEqual(read, blobs.slice(0, turn), 'one after the other within the time limit')
  }
  await assert.rejects(rereadFiles(services, { startedAt: Date.now() + 1, signal: AbortSignal.abort() }))

  await db.updateTable('blobs').set({ checked_at: 1 }).execute()
  const away = () => Promise.reject(new Error('The bucket is away'))
  const asked = context.mock.method(storage.primary, 'verify', away)
  context.mock.method(storage.marker, 'read', away)
  await assert.rejects(rereadFiles(services, { startedAt, signal }), /The bucket is away/)
  assert.equal(asked.mock.callCount(), 1, 'a store that is away is not asked for file after file')
})

test('an unreadable file is reported and does not stop the check of the others', async (context) => {
  const product = await testApp(context)
  const { admin, first, second } = await fill(product)
  const { db } = product.services
  const pathOf = async (id: number) => join(product.directory, blobKey(await blobOf(product, id)))
  const third = await admin.addPicture('third.jpg')
  await makeBackup(admin)
  // The longest unchecked file fails each time.
  const unreadable = await blobOf(product, first.id)
  await db.updateTable('blobs').set({ checked_at: 2 }).execute()
  await db.updateTable('blobs').set({ checked_at: 1 }).where('sha256', '=', unreadable).execute()
  const path = await pathOf(first.id)
  await rm(path)
  await symlink(path, path)
  const backUp = async (turn: number) => {
    await makeAutomaticBackup(product.services, undefined, turn * 24 * 3600_000)
    await product.settled()
    return lostIn(admin)
  }
  await rotAlone(await pathOf(second.id))
  assert.deepEqual(await backUp(1), [`${second.id} damaged`])
  await rm(await pathOf(third.id))
  assert.deepEqual(await backUp(2), [`${second.id} damaged`, `${third.id} missing`])
  const { failures } = (await admin.get('/api/admin/jobs')).json()
  const told = failures.filter(({ kind }: { kind: string }) => kind === 'reread-files')
  assert.equal(told.length, 2)
  assert.match(told[0].error, /^1 file could not be read\. The log lists it/)

  await admin.post('/api/admin/integrity-check')
  await product.settled()
  const { integrity } = (await admin.get('/api/admin/system')).json()
  assert.deepEqual([integrity.isRunning, integrity.checked], [true, integrity.total - 1], 'it is tried again')
})
