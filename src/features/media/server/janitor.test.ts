import assert from 'node:assert/strict'
import { utimes, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { test } from 'node:test'
import { makeJpeg } from '#tests/support/pictures.ts'
import { onEveryStorageAndDatabase, storedIn } from '#tests/support/storages.ts'
import { type TestApp, testApp } from '#tests/support/test-app.ts'
import { claimBlob } from './blob-store.ts'
import { removeOrphans, tidyMedia } from './janitor.ts'
import { derivedKeys } from './media-addresses.ts'

const hourMs = 3600_000

/** Stores bytes without a row, as a crash between storing and recording leaves them. */
async function leaveStray({ services }: TestApp, bytes?: Uint8Array) {
  const arrival = await services.storage.receive(chunks(bytes ?? (await makeJpeg())), { maxBytes: 1e9 })
  await arrival.commit()
  return arrival.sha256
}

async function* chunks(bytes: Uint8Array) {
  yield bytes
}

onEveryStorageAndDatabase('unused bytes are removed together with their renditions', async (context, settings) => {
  const product = await testApp(context, settings)
  const ann = await product.register()
  const shared = await makeJpeg()
  const [gone, kept, copy] = [
    await ann.addPicture('gone.jpg'),
    await ann.addPicture('kept.jpg', shared),
    await ann.addPicture('copy.jpg', shared),
  ]
  const { db, storage } = product.services
  const row = db.selectFrom('media').select('blob').where('id', '=', gone.id)
  const thumbnail = derivedKeys.thumbnail((await row.executeTakeFirstOrThrow()).blob)
  assert.ok(await storage.derived.stat(thumbnail))
  const { release } = await claimBlob(db, (await row.executeTakeFirstOrThrow()).blob)
  for (const { id } of [gone, kept]) await ann.delete(`/api/media/${id}`)
  await tidyMedia(product.services, hourMs)
  assert.equal((await storedIn(product)).blobs.length, 2, 'claimed bytes are kept')
  await release(db)
  await tidyMedia(product.services, hourMs)
  const { blobs } = await storedIn(product)
  assert.equal(blobs.length, 1, 'shared bytes are kept')
  assert.equal(await storage.derived.stat(thumbnail), null)
  assert.equal((await ann.get(copy.originalUrl)).statusCode, 200)
  assert.equal((await ann.get(copy.thumbnailUrl)).statusCode, 200)
  const rows = await db.selectFrom('blobs').select('sha256').execute()
  assert.deepEqual(
    rows.map(({ sha256 }) => sha256),
    blobs,
  )
})

onEveryStorageAndDatabase('stored bytes without a row are found and removed', async (context, settings) => {
  const product = await testApp(context, settings)
  const ann = await product.register()
  const media = await ann.addPicture()
  const stray = await leaveStray(product)
  await removeOrphans(product.services, hourMs)
  assert.ok((await storedIn(product)).blobs.includes(stray), 'a recent file may belong to an upload in progress')
  await removeOrphans(product.services, 0)
  const { blobs } = await storedIn(product)
  assert.deepEqual([blobs.length, blobs.includes(stray)], [1, false])
  assert.equal((await ann.get(media.originalUrl)).statusCode, 200)
})

test('temporary files are removed once no upload can still need them', async (context) => {
  const product = await testApp(context)
  await product.settled()
  const { storage } = product.services
  const [old, young] = [storage.derived.temporaryPath(), storage.derived.temporaryPath()]
  for (const [path, ageMs] of [
    [old, 2 * hourMs + 1000],
    // As old as the first file of a batch that took the maximum time.
    [young, hourMs + 60_000],
  ] as const) {
    await writeFile(path, 'half')
    const then = new Date(Date.now() - ageMs)
    await utimes(path, then, then)
  }
  await tidyMedia(product.services, hourMs)
  assert.deepEqual((await storedIn(product)).temporary, [basename(young)])
})

test('bytes can be uploaded again at the moment they are removed', async (context) => {
  const product = await testApp(context)
  const ann = await product.register()
  const bytes = await makeJpeg()
  for (let round = 0; round < 5; round++) {
    const media = await ann.addPicture('again.jpg', bytes)
    await ann.delete(`/api/media/${media.id}`)
    await makeOld(product)
    const [answer] = await Promise.all([
      ann.upload([{ name: 'back.jpg', bytes }]),
      tidyMedia(product.services, hourMs),
      removeOrphans(product.services, hourMs),
    ])
    assert.equal(answer.statusCode, 201)
    const [back] = answer.json().media
    const file = await ann.get(back.originalUrl)
    assert.deepEqual([file.statusCode, file.rawPayload.equals(bytes)], [200, true])
    await ann.delete(`/api/media/${back.id}`)
  }
})

test('stored bytes are kept if they are recorded before their existence is checked', async (context) => {
  const product = await testApp(context)
  const { db, storage } = product.services
  for (let round = 0; round < 10; round++) {
    const wanted = await Promise.all(Array.from({ length: 5 }, () => leaveStray(product)))
    await removeOrphans(product.services, hourMs)
    for (const sha256 of wanted) await db.insertInto('blobs').values({ sha256, bytes: 1, created_at: 0 }).execute()
    await makeOld(product)
    // Like a restore: insert the row first, then check whether the bytes exist.
    const claim = async (sha256: string) => {
      const row = { sha256, bytes: 1, created_at: Date.now() }
      await db
        .insertInto('blobs')
        .values(row)
        .onConflict((conflict) => conflict.column('sha256').doUpdateSet({ created_at: row.created_at }))
        .execute()
      return (await storage.stat(sha256)) !== null
    }
    const [, ...found] = await Promise.all([tidyMedia(product.services, hourMs), ...wanted.map(claim)])
    for (const [index, sha256] of wanted.entries())
      assert.equal((await storage.stat(sha256)) !== null, found[index], 'bytes that were found still exist')
  }
})

test('a blob that is used again before the janitor reaches it is kept, though it was listed as unused', async (context) => {
  const product = await testApp(context)
  await product.settled()
  const ann = await product.register()
  const { db, storage } = product.services
  const wishes: ((sha256: string, bytes: Buffer) => Promise<unknown>)[] = [
    (sha256) => claimBlob(db, sha256),
    async (sha256, bytes) => {
      await leaveStray(product, bytes)
      // The system dates files by a clock that is a few milliseconds late.
      const later = new Date(Date.now() + 1000)
      await utimes(pathOf(product, sha256), later, later)
    },
    async (_sha256, bytes) => {
      await ann.addPicture('back.jpg', bytes)
      await makeOld(product)
    },
    () => beginRestore(product, ann.id),
  ]
  for (const [index, wish] of wishes.entries()) {
    const unused = new Map<string, Buffer>()
    for (const bytes of [await makeJpeg(), await makeJpeg()]) unused.set(await leaveStray(product, bytes), bytes)
    const row = { bytes: 1, created_at: 0 }
    await db
      .insertInto('blobs')
      .values([...unused.keys()].map((sha256) => ({ sha256, ...row })))
      .execute()
    await makeOld(product)
    const { remove } = storage.derived
    const removal = context.mock.method(storage.derived, 'remove', async (gone: string) => {
      removal.mock.restore()
      unused.delete(gone)
      for (const [sha256, bytes] of unused) await wish(sha256, bytes)
      await remove(gone)
    })
    await tidyMedia(product.services, hourMs)
    assert.equal(unused.size, 1)
    for (const sha256 of unused.keys()) assert.ok(await storage.stat(sha256), `wish ${index}`)
    await tidyMedia(product.services, 0)
  }
})

async function beginRestore({ services: { db } }: TestApp, adminId: number) {
  const told = { state: 'running', step: 'Files', progress: 20, message: '', started_at: 0, updated_at: 0 } as const
  await db
    .insertInto('restores')
    .values({ running: 'yes', backup_id: 'x', admin_id: adminId, skips_safety: 0, ...told })
    .execute()
}

/** Makes all rows and files appear to be from yesterday. */
async function makeOld({ services, directory }: TestApp) {
  await services.db.updateTable('blobs').set({ created_at: 0 }).execute()
  const yesterday = new Date(Date.now() - 24 * hourMs)
  for await (const { sha256 } of services.storage.list()) {
    await utimes(pathOf({ directory }, sha256), yesterday, yesterday)
  }
}

const pathOf = ({ directory }: Pick<TestApp, 'directory'>, sha256: string) =>
  join(directory, 'blobs', sha256.slice(0, 2), sha256.slice(2, 4), sha256)

test('a thousand unused blobs are removed in one go', async (context) => {
  const product = await testApp(context)
  const rows = Array.from({ length: 1100 }, (_, index) => ({
    sha256: index.toString(16).padStart(64, '0'),
    bytes: 1,
    created_at: 0,
  }))
  for (let start = 0; start < rows.length; start += 100)
    await product.services.db
      .insertInto('blobs')
      .values(rows.slice(start, start + 100))
      .execute()
  await tidyMedia(product.services, hourMs)
  assert.deepEqual(await product.services.db.selectFrom('blobs').select('sha256').execute(), [])
})
