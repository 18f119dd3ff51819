import assert from 'node:assert/strict'
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { sql } from 'kysely'
import { tidyMedia } from '#features/media/server/janitor.ts'
import {
  beginUpload,
  bodyEnd,
  listenOnPort,
  partHead,
  responseTo,
  uploadsMayPause,
  writeTo,
} from '#tests/support/live-upload.ts'
import { openFilesBelow } from '#tests/support/open-files.ts'
import { makePng } from '#tests/support/pictures.ts'
import { isOnPostgres } from '#tests/support/postgres.ts'
import { storedIn } from '#tests/support/storages.ts'
import { type TestApp, testApp } from '#tests/support/test-app.ts'
import type { TestUser } from '#tests/support/test-user.ts'
import { until } from '#tests/support/until.ts'

const sentence = "There isn't enough space in your storage for this file."
const bytesAsGb = (bytes: number) => ({ QUOTA_GB: String((bytes + 0.5) / 1024 ** 3) })
const usage = async (user: TestUser) => {
  const { usedBytes, totalFiles } = (await user.get('/api/user/storage')).json()
  return [usedBytes, totalFiles]
}

test('concurrent uploads cannot exceed the quota together', async (context) => {
  const pictures = await Promise.all(Array.from({ length: 8 }, () => makePng({ width: 60, height: 60 })))
  const largest = Math.max(...pictures.map(({ length }) => length))
  const product = await testApp(context, bytesAsGb(largest * 3))
  const ann = await product.register()
  const answers = await Promise.all(pictures.map((bytes, index) => ann.upload([{ name: `${index}.png`, bytes }])))
  const kept = answers.filter(({ statusCode }) => statusCode === 201)
  assert.equal(kept.length, 3)
  for (const answer of answers.filter((candidate) => !kept.includes(candidate))) {
    assert.equal(answer.statusCode, 413)
    assert.equal(answer.json().message, sentence)
    assert.equal(answer.json().isOverQuota, true)
  }
  const sizes = kept.map((answer) => answer.json().media[0].size)
  assert.deepEqual(await usage(ann), [sizes.reduce((sum, size) => sum + size, 0), 3])
  assert.equal((await ann.get('/api/media')).json().pagination.totalCount, 3)

  await tidyMedia(product.services, 0)
  const stored = await storedIn(product)
  assert.deepEqual([stored.temporary.length, stored.blobs.length], [0, 3], 'refused bytes are not kept')
})

test('concurrent requests of one user fill the disk only up to the quota', async (context) => {
  const half = 600_000
  const product = await testApp(context, bytesAsGb(2 * half), uploadsMayPause)
  const ann = await product.register()
  const address = await listenOnPort(product.app)
  // It has the signature of an image, so it is received completely.
  const piece = Buffer.concat([await makePng(), Buffer.alloc(half)])
  const first = beginUpload(address, ann)
  const firstAnswer = responseTo(first)
  await writeTo(first, partHead('first.png'))
  await writeTo(first, piece)
  await until('the first is on the disk', async () => (await temporarySizes(product)).some((size) => size >= half))
  const second = beginUpload(address, ann)
  const secondAnswer = responseTo(second)
  await writeTo(second, partHead('second.png'))
  await writeTo(second, piece)
  second.end(bodyEnd)
  const refusal = await secondAnswer
  assert.equal(refusal.statusCode, 413)
  assert.deepEqual([refusal.json().message, refusal.json().isOverQuota], [sentence, true])
  first.end(bodyEnd)
  assert.equal((await firstAnswer).statusCode, 201)
  assert.equal(
    (await ann.upload([{ name: 'small.png', bytes: await makePng() }])).statusCode,
    201,
    'room is given back',
  )

  const third = half / 3
  const late = beginUpload(address, ann)
  const lateAnswer = responseTo(late)
  await writeTo(late, partHead('late.png'))
  await writeTo(late, piece.subarray(0, third))
  await until('some of it is on the disk', async () => (await temporarySizes(product)).some((size) => size >= third))
  assert.equal((await ann.upload([{ name: 'small.png', bytes: piece.subarray(0, third) }])).statusCode, 201)
  await writeTo(late, piece.subarray(third, 2.5 * third))
  late.end(bodyEnd)
  assert.equal((await lateAnswer).statusCode, 413, 'there was room when it began, but not when it had arrived')
})

test('of concurrent uploads as many are kept as fit', async (context) => {
  const half = 600_000
  const pictures = await Promise.all(Array.from({ length: 3 }, () => makePng()))
  const pieces = pictures.map((picture) => Buffer.concat([picture, Buffer.alloc(2 * half - picture.length)]))
  const product = await testApp(context, bytesAsGb(4 * half), uploadsMayPause)
  const ann = await product.register()
  const address = await listenOnPort(product.app)
  const uploads = pieces.map((piece) => {
    const request = beginUpload(address, ann)
    return { piece, request, answer: responseTo(request) }
  })
  for (const [index, { piece, request }] of uploads.entries()) {
    await writeTo(request, partHead(`${index}.png`))
    await writeTo(request, piece.subarray(0, half))
  }
  await until('half of each is on the disk', async () => {
    const sizes = await temporarySizes(product)
    return sizes.length === uploads.length && sizes.every((size) => size >= half)
  })
  for (const { piece, request } of uploads) {
    request.write(piece.subarray(half))
    request.end(bodyEnd)
  }
  const statuses = await Promise.all(uploads.map(async ({ answer }) => (await answer).statusCode))
  assert.deepEqual(statuses.sort(), [201, 201, 413])
})

async function temporarySizes(product: TestApp) {
  const { temporary } = await storedIn(product)
  return Promise.all(temporary.map(async (name) => (await stat(join(product.directory, 'tmp', name))).size))
}

if (!isOnPostgres) {
  test('bytes whose item could not be recorded are made known to the janitor as soon as that can be written', async (context) => {
    const product = await testApp(context)
    const { db } = product.services
    const ann = await product.register()
    await sql`CREATE TRIGGER broken BEFORE INSERT ON blobs BEGIN SELECT RAISE(ABORT, 'broken'); END`.execute(db)
    const refused = await ann.upload([{ name: 'one.png', bytes: await makePng() }])
    assert.equal(refused.statusCode, 500)
    const [stray] = (await storedIn(product)).blobs
    await sql`DROP TRIGGER broken`.execute(db)
    const known = db.selectFrom('blobs').select('sha256').where('sha256', '=', stray!)
    await until('the stray bytes are known', () => known.executeTakeFirst())
    await tidyMedia(product.services, 0)
    assert.deepEqual(await storedIn(product), { temporary: [], blobs: [] })
  })
}

test('a user over a lowered quota cannot upload but can convert items to smaller ones', async (context) => {
  const product = await testApp(context)
  const ann = await product.register()
  const media = await ann.addPicture('large.png', await makePng({ width: 200, height: 150 }))
  await product.restart(bytesAsGb(media.size - 100))
  assert.equal((await ann.upload([{ name: 'more.png', bytes: await makePng() }])).statusCode, 413)
  const converted = await ann.post(`/api/media/${media.id}/convert-webp`, { quality: 50, deleteOriginal: false })
  assert.deepEqual([converted.statusCode, converted.json().message], [413, sentence])
  assert.deepEqual(await openFilesBelow(join(product.directory, 'tmp')), [], 'what did not fit takes no room')
  const instead = await ann.post(`/api/media/${media.id}/convert-webp`, { quality: 50, deleteOriginal: true })
  assert.equal(instead.statusCode, 200, instead.body)
  assert.deepEqual(await usage(ann), [media.size + instead.json().newSize, 1], 'the original is a version')
})

test('of one batch as many files are kept as fit, and the quota is exact to the byte', async (context) => {
  const [one, two, three] = (await Promise.all([1, 2, 3].map(() => makePng()))) as [Buffer, Buffer, Buffer]
  const { register } = await testApp(context, bytesAsGb(one.length + two.length))
  const ann = await register()
  const refused = await ann.upload([
    { name: 'damaged.png', bytes: one.subarray(0, one.length / 2) },
    { name: 'notes.txt', bytes: Buffer.alloc(one.length / 2, 'x') },
  ])
  assert.equal(refused.statusCode, 415, 'and takes no room')
  const answer = await ann.upload([
    { name: 'one.png', bytes: one },
    { name: 'two.png', bytes: two },
    { name: 'three.png', bytes: three },
  ])
  assert.equal(answer.statusCode, 201)
  assert.deepEqual(answer.json().rejected, [{ filename: 'three.png', message: sentence, code: 'too-large' }])
  assert.deepEqual(await usage(ann), [one.length + two.length, 2])
  const [first] = answer.json().media
  await ann.post('/api/media/bulk-trash', { mediaIds: [first.id] })
  assert.equal((await ann.upload([{ name: 'three.png', bytes: three }])).statusCode, 413, 'the trash counts')
  await ann.delete(`/api/media/${first.id}`)
  assert.deepEqual(await usage(ann), [two.length, 1])
  assert.equal((await ann.upload([{ name: 'one.png', bytes: one }])).statusCode, 201, 'deleting gives room back')
})

test('a user whose quota is full does not limit another user', async (context) => {
  const bytes = await makePng()
  const { register } = await testApp(context, bytesAsGb(bytes.length))
  const [ann, bob] = [await register(), await register()]
  assert.equal((await ann.upload([{ name: 'a.png', bytes }])).statusCode, 201)
  assert.equal((await ann.upload([{ name: 'a.png', bytes }])).statusCode, 413)
  assert.equal((await bob.upload([{ name: 'a.png', bytes }])).statusCode, 201)
})

test('a user whose quota is full can still convert items to smaller ones', async (context) => {
  const bytes = await makePng({ width: 200, height: 150 })
  const { register } = await testApp(context, bytesAsGb(bytes.length))
  const ann = await register()
  const media = await ann.addPicture('large.png', bytes)
  const converted = await ann.post(`/api/media/${media.id}/convert-webp`, { quality: 80 })
  assert.equal(converted.statusCode, 413)
  const replaced = await ann.post(`/api/media/${media.id}/convert-webp`, { quality: 80, deleteOriginal: true })
  assert.equal(replaced.statusCode, 200, replaced.body)
  assert.deepEqual(await usage(ann), [bytes.length + replaced.json().newSize, 1])
  await ann.delete('/api/versions')
  assert.deepEqual(await usage(ann), [replaced.json().newSize, 1])
})

test('bytes that items of one user share count once, until the last of these items is deleted', async (context) => {
  // A repeated upload needs room until its bytes are known to be the same.
  const [bytes, other] = [await makePng({ width: 100 }), await makePng({ width: 200 })]
  const { register } = await testApp(context, bytesAsGb(bytes.length + other.length))
  const [ann, bob] = [await register(), await register()]
  const media = await ann.addPicture('one.png', bytes)
  const again = await ann.addPicture('again.png', bytes)
  const copies = await ann.post('/api/media/bulk-copy', { mediaIds: [media.id, again.id] })
  assert.equal(copies.json().copied, 2, copies.body)
  assert.deepEqual(await usage(ann), [bytes.length, 4])
  await bob.addPicture('his.png', bytes)
  assert.deepEqual(await usage(bob), [bytes.length, 1])
  const [first, second] = copies.json().media
  await ann.post('/api/media/bulk-delete', { mediaIds: [media.id, again.id, first.id] })
  assert.deepEqual(await usage(ann), [bytes.length, 1])
  await ann.addPicture('other.png', other)
  await ann.delete(`/api/media/${second.id}`)
  assert.deepEqual(await usage(ann), [other.length, 1])
})

test('deleting all items that share bytes at once frees them once', async (context) => {
  const { register } = await testApp(context)
  const ann = await register()
  const media = await ann.addPicture('one.png')
  const copy = (await ann.post(`/api/media/${media.id}/copy`)).json()
  await ann.post('/api/media/bulk-delete', { mediaIds: [media.id, copy.id] })
  assert.deepEqual(await usage(ann), [0, 0])
})

test('replaced originals may exceed the quota by as much again, but not more', async (context) => {
  const product = await testApp(context)
  const ann = await product.register()
  const media = await ann.addPicture('large.png', await makePng({ width: 200, height: 150 }))
  await product.restart(bytesAsGb(media.size / 2))
  const refused = await ann.post(`/api/media/${media.id}/convert-webp`, { quality: 80, deleteOriginal: true })
  const noRoom = "There isn't enough space to keep the original. Delete earlier versions in History and try again."
  assert.deepEqual([refused.statusCode, refused.json().message], [413, noRoom])
  assert.deepEqual(await usage(ann), [media.size, 1])
})
