import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Media } from '#features/media/contract.ts'
import { multipart } from '#tests/support/multipart.ts'
import { makeAnimation, makeJpeg, makePhoto, makePng, makeWebp } from '#tests/support/pictures.ts'
import { onOneDatabase } from '#tests/support/postgres.ts'
import { onEveryStorage, storedIn } from '#tests/support/storages.ts'
import { testApp } from '#tests/support/test-app.ts'
import type { TestUser } from '#tests/support/test-user.ts'

onEveryStorage('an uploaded image has its metadata and downloads byte for byte', async (context, settings) => {
  const product = await testApp(context, settings)
  const ann = await product.register()
  const bytes = await makeJpeg({ width: 120, height: 80 })
  const answer = await ann.upload([{ name: 'beach.jpg', bytes }])
  assert.equal(answer.statusCode, 201, answer.body)
  const [media] = answer.json().media
  assert.deepEqual(
    [media.filename, media.mimeType, media.type, media.width, media.height, media.size],
    ['beach.jpg', 'image/jpeg', 'image', 120, 80, bytes.length],
  )
  assert.match(media.thumbhash, /^[\w+/=]{20,}$/)
  assert.match(media.colours[0], /^#[0-9a-f]{6}$/)
  const original = await ann.get(media.originalUrl)
  assert.equal(original.statusCode, 200, original.body)
  assert.deepEqual(original.rawPayload, bytes)
  const thumbnail = await ann.get(media.thumbnailUrl)
  assert.equal(thumbnail.headers['content-type'], 'image/webp')
  assert.deepEqual((await storedIn(product)).temporary, [])
  assert.deepEqual((await ann.get('/api/user/storage')).json().usedBytes, bytes.length)
})

onEveryStorage(
  'the valid files of a mixed batch are kept and the others are listed with a reason',
  async (context, settings) => {
    const product = await testApp(context, settings)
    const ann = await product.register()
    const answer = await ann.upload([
      { name: 'good.jpg', bytes: await makeJpeg() },
      { name: 'notes.txt', bytes: Buffer.from('not a picture at all') },
      { name: 'empty.png', bytes: Buffer.alloc(0) },
      { name: 'good.png', bytes: await makePng() },
    ])
    assert.equal(answer.statusCode, 201, answer.body)
    const { media, rejected } = answer.json()
    assert.deepEqual(names(media), ['good.jpg', 'good.png'])
    assert.deepEqual(
      rejected.map(({ filename, message }: { filename: string; message: string }) => [filename, message]),
      [
        ['notes.txt', 'Unsupported file type. Supported formats: JPEG, PNG, GIF, WebP, MP4, MOV, AVI.'],
        ['empty.png', 'The file is empty.'],
      ],
    )
    const stored = await storedIn(product)
    assert.deepEqual([stored.temporary.length, stored.blobs.length], [0, 2])
    assert.equal((await ann.get('/api/media')).json().pagination.totalCount, 2)
  },
)

test('an invalid field is named in the error and nothing is kept', async (context) => {
  const ann = await (await testApp(context)).register()
  const file = { name: 'boat.jpg', bytes: await makeJpeg() }
  const faults: [fields: Record<string, string>, message: string][] = [
    [{ enableAi: 'perhaps' }, 'enableAi: must be true or false'],
    [{ sequenceStart: 'one' }, 'sequenceStart: must be a number'],
    [{ sequenceStart: '1.5' }, 'sequenceStart: must be a whole number'],
    [{ sequenceStart: '0' }, 'sequenceStart: must be at least 1'],
    [{ collectionId: '-7' }, 'collectionId: must be more than 0'],
    [{ uploadPrefix: 'sum\0mer' }, 'uploadPrefix: Text must not contain the character U+0000.'],
  ]
  for (const [fields, message] of faults) {
    const answer = await ann.upload([file], fields)
    assert.deepEqual([answer.statusCode, answer.json().message], [400, message])
    assert.equal(answer.json().field, Object.keys(fields)[0])
  }
  assert.equal((await ann.get('/api/user/storage')).json().totalFiles, 0)
})

test('fields may stand before or after the files', async (context) => {
  const { register } = await testApp(context)
  const ann = await register()
  const { payload, headers } = multipart([], { uploadPrefix: 'trip', useCustomNaming: 'true', enableAi: 'false' })
  const boundary = headers['content-type'].split('boundary=')[1]
  const head = `--${boundary}\r\ncontent-disposition: form-data; name="files"; filename="a.jpg"\r\n\r\n`
  const fieldsOnly = payload.subarray(0, payload.length - `--${boundary}--\r\n`.length)
  const file = Buffer.concat([Buffer.from(head), await makeJpeg(), Buffer.from(`\r\n--${boundary}--\r\n`)])
  const before = await ann.send({
    method: 'POST',
    url: '/api/upload',
    payload: Buffer.concat([fieldsOnly, file]),
    headers,
  })
  assert.deepEqual(names(before.json().media), ['trip-a-1.jpg'])
  assert.equal(before.json().media[0].aiStatus, 'none')
  const after = await ann.upload([{ name: 'a.jpg', bytes: await makeJpeg() }], {
    uploadPrefix: 'trip',
    useCustomNaming: 'true',
  })
  assert.deepEqual(names(after.json().media), ['trip-a-1.jpg'])
})

test('custom naming is prefix, original name and a number that counts accepted files', async (context) => {
  const { register } = await testApp(context)
  const ann = await register()
  const send = async (files: string[], fields: Record<string, string>) => {
    const parts = await Promise.all(
      files.map(async (name) => ({ name, bytes: name.endsWith('.txt') ? Buffer.from('x') : await makeJpeg() })),
    )
    const answer = await ann.upload(parts, { useCustomNaming: 'true', ...fields })
    assert.equal(answer.statusCode, 201, answer.body)
    return names(answer.json().media)
  }
  assert.deepEqual(await send(['a.jpg', 'no.txt', 'b.jpg'], { uploadPrefix: ' summer ' }), [
    'summer-a-1.jpg',
    'summer-b-2.jpg',
  ])
  assert.deepEqual(await send(['c.jpg'], { uploadPrefix: 'summer', sequenceStart: '3' }), ['summer-c-3.jpg'])
  assert.deepEqual(await send(['c.jpg'], {}), ['c-1.jpg'])
  const long = await send([`${'x'.repeat(300)}.jpg`, `${'x'.repeat(300)}.jpg`], { uploadPrefix: 'AC/DC_' })
  assert.deepEqual(
    long.map((name) => [name.length, name.slice(0, 7), name.slice(-6)]),
    [
      [200, 'AC_DC_x', '-1.jpg'],
      [200, 'AC_DC_x', '-2.jpg'],
    ],
  )
  const tooLong = await ann.upload([{ name: 'a.jpg', bytes: await makeJpeg() }], { uploadPrefix: 'p'.repeat(101) })
  assert.equal(tooLong.statusCode, 400)
})

test('WebP files keep their names unless asked otherwise; other files always do', async (context) => {
  const { register } = await testApp(context)
  const ann = await register()
  const files = async () => [
    { name: 'mine.webp', bytes: await makeWebp() },
    { name: 'mine.jpg', bytes: await makeJpeg() },
  ]
  assert.deepEqual(names((await ann.upload(await files())).json().media), ['mine.webp', 'mine.jpg'])
  const renamed = names((await ann.upload(await files(), { preserveOriginalName: 'false' })).json().media)
  assert.match(renamed[0]!, /^\d{4}-\d\d-\d\d-image-1\.webp$/)
  assert.equal(renamed[1], 'mine.jpg')
})

test('animated GIF and WebP are marked as animated, and EXIF is read', async (context) => {
  const { register } = await testApp(context)
  const ann = await register()
  const answer = await ann.upload([
    { name: 'dance.gif', bytes: await makeAnimation('gif') },
    { name: 'dance.webp', bytes: await makeAnimation('webp') },
    { name: 'photo.jpg', bytes: await makePhoto() },
  ])
  const [gif, webp, photo] = answer.json().media
  assert.deepEqual([gif.isAnimated, gif.mimeType, gif.height], [true, 'image/gif', 32])
  assert.deepEqual([webp.isAnimated, webp.mimeType, webp.height], [true, 'image/webp', 32])
  assert.equal(photo.isAnimated, false)
  assert.equal(photo.takenAt, '2024-05-06T07:08:09+02:00')
  assert.deepEqual([photo.exif.camera, photo.exif.lens, photo.exif.iso], ['Canon EOS R5', 'RF50mm F1.8 STM', 400])
  assert.ok(Math.abs(photo.exif.latitude - 51.509) < 0.001)
})

onEveryStorage('the same bytes twice are two items and one blob', async (context, settings) => {
  const product = await testApp(context, settings)
  const ann = await product.register()
  const bob = await product.register()
  const bytes = await makeJpeg()
  const one = await ann.addPicture('one.jpg', bytes)
  const two = await ann.addPicture('two.jpg', bytes)
  const his = await bob.addPicture('his.jpg', bytes)
  assert.equal(new Set([one.id, two.id, his.id]).size, 3)
  const stored = await storedIn(product)
  assert.deepEqual([stored.temporary.length, stored.blobs.length], [0, 1])
  const { usedBytes, totalFiles } = (await ann.get('/api/user/storage')).json()
  assert.deepEqual([usedBytes, totalFiles], [bytes.length, 2])
  await ann.delete(`/api/media/${one.id}`)
  assert.equal((await bob.get(his.originalUrl)).statusCode, 200)
})

onOneDatabase('200 files in one request all arrive, in their order', async (context) => {
  const product = await testApp(context)
  const ann = await product.register()
  const files = await Promise.all(
    Array.from({ length: 200 }, async (_, index) => ({
      name: `photo ${index}.png`,
      bytes: await makePng({ width: 8, height: 8 }),
    })),
  )
  const { process } = product.services.images
  let [decoded, most] = [0, 0]
  context.mock.method(product.services.images, 'process', (input: Parameters<typeof process>[0]) => {
    most = Math.max(most, ++decoded)
    return process(input).finally(() => decoded--)
  })
  const answer = await ann.upload(files)
  assert.equal(answer.statusCode, 201)
  assert.deepEqual(
    names(answer.json().media),
    files.map(({ name }) => name),
  )
  assert.deepEqual(answer.json().rejected, [])
  assert.ok(most <= 4, `Expected at most 4 to be decoded at once, received ${most}`)
  const listed = (await ann.get('/api/media?limit=200&sort=name')).json()
  assert.deepEqual(
    names(listed.media),
    files.map(({ name }) => name),
  )
  assert.deepEqual((await storedIn(product)).temporary, [])
})

test('files are added to a collection on upload, unless it is missing or belongs to another user', async (context) => {
  const product = await testApp(context)
  const [ann, bob] = [await product.register(), await product.register()]
  const mine = (await ann.post('/api/collections', { name: 'Harbour week' })).json()
  const his = (await bob.post('/api/collections', { name: 'His' })).json()
  const file = { name: 'boat.jpg', bytes: await makeJpeg() }
  const answer = await ann.upload([file], { collectionId: String(mine.id) })
  assert.equal(answer.statusCode, 201, answer.body)
  assert.deepEqual(answer.json().media[0].collections[0].name, 'Harbour week')
  assert.deepEqual(names((await ann.get(`/api/media?search=boat&collectionId=${mine.id}`)).json().media), ['boat.jpg'])
  assert.equal((await ann.get(`/api/collections/${mine.id}`)).json().mediaCount, 1)
  await ann.delete(`/api/collections/${mine.id}`)
  for (const id of [mine.id, his.id]) {
    const refused = await ann.upload([{ ...file, name: 'refused.jpg' }], { collectionId: String(id) })
    assert.equal(refused.statusCode, 404, refused.body)
  }
  assert.equal((await ann.upload([file], { collectionId: 'harbour' })).statusCode, 400)
  assert.deepEqual(names((await ann.get('/api/media')).json().media), ['boat.jpg'])
  assert.equal((await bob.get(`/api/collections/${his.id}`)).json().mediaCount, 0)
  assert.deepEqual((await storedIn(product)).temporary, [])
})

test('files of one selection keep their order regardless of their arrival', async (context) => {
  const product = await testApp(context)
  const ann = await product.register()
  const earlier = await ann.addPicture('earlier.jpg')
  assert.equal((await product.visitor().post('/api/upload/begin')).statusCode, 401)
  const beganAt = Date.parse((await ann.post('/api/upload/begin')).json().beganAt)
  const send = async (name: string, at: number) =>
    ann.upload([{ name, bytes: await makeJpeg() }], { addedAt: new Date(at).toISOString() })
  await send('3.jpg', beganAt + 2)
  await send('1.jpg', beganAt)
  await send('2.jpg', beganAt + 1)
  await send('not of tomorrow.jpg', beganAt + 86_400_000)
  await send('not of the war.jpg', 0)
  const listed = (await ann.get('/api/media')).json().media as Media[]
  const [later, sooner] = ['not of the war.jpg', 'not of tomorrow.jpg']
  assert.deepEqual(names(listed), [later, sooner, '3.jpg', '2.jpg', '1.jpg', 'earlier.jpg'])
  for (const sort of ['', '&sort=recent']) {
    const found = (await ann.get(`/api/media?search=jpg${sort}`)).json().media as Media[]
    assert.deepEqual(names(found), names(listed), sort)
  }
  assert.ok(listed.every(({ createdAt }) => createdAt >= earlier.createdAt && Date.parse(createdAt) <= Date.now()))
  assert.equal((await ann.upload([{ name: 'x.jpg', bytes: await makeJpeg() }], { addedAt: 'now' })).statusCode, 400)
})

const names = (media: Media[]) => media.map(({ filename }) => filename)

test('an upload lists the files that its owner already has outside the trash', async (context) => {
  const { register } = await testApp(context)
  const [ann, bob] = [await register(), await register()]
  const [sea, hill] = [await makeJpeg({ width: 32, height: 24 }), await makeJpeg({ width: 24, height: 32 })]
  const send = async (user: TestUser, ...pictures: Buffer[]) => {
    const files = pictures.map((bytes, index) => ({ name: `${index}.jpg`, bytes }))
    const { media, alreadyThere } = (await user.upload(files)).json()
    return { ids: media.map(({ id }: Media) => id) as number[], alreadyThere }
  }
  assert.deepEqual((await send(bob, sea)).alreadyThere, [])
  const first = await send(ann, sea)
  assert.deepEqual(first.alreadyThere, [], 'another user’s copy is not listed')
  const second = await send(ann, hill, sea, hill)
  assert.deepEqual(second.alreadyThere, second.ids.slice(1))
  await ann.post('/api/media/bulk-trash', { mediaIds: [...first.ids, ...second.ids] })
  assert.deepEqual((await send(ann, sea)).alreadyThere, [], 'what lies in the trash is on its way out')
})
