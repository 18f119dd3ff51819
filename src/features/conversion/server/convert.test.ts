import assert from 'node:assert/strict'
import { test } from 'node:test'
import sharp from 'sharp'
import { makeSketch } from '#features/analysis/server/likeness/sketch.ts'
import { makeAnimatedPng, makeAnimation, makeJpeg, makePhoto, makePng, makeWebp } from '#tests/support/pictures.ts'
import { onOneDatabase } from '#tests/support/postgres.ts'
import { onEveryStorage, storedIn } from '#tests/support/storages.ts'
import { testApp } from '#tests/support/test-app.ts'
import type { TestUser } from '#tests/support/test-user.ts'

const usage = async (user: TestUser) => {
  const { usedBytes, totalFiles } = (await user.get('/api/user/storage')).json()
  return [usedBytes, totalFiles]
}

onEveryStorage(
  'without deleteOriginal the WebP is a new item with the tags and texts of the original',
  async (context, settings) => {
    const product = await testApp(context, settings)
    const ann = await product.register()
    const media = await ann.addPicture('beach.photo.png', await makePng({ width: 200, height: 120 }))
    await ann.patch(`/api/media/${media.id}`, { aiTags: ['sea'], userDescription: 'mine' })
    const { db } = product.services
    await db
      .updateTable('media')
      .set({ ai_description: 'A pier', ai_description_source: 'ai', ai_provider: 'openai', ai_model: 'one' })
      .set({ ai_status: 'waiting', ai_analysed_at: 7, found_text: 'Brighton', taken_at: '2024-05-06' })
      .execute()
    const answer = await ann.post(`/api/media/${media.id}/convert-webp`, { quality: 80, deleteOriginal: false })
    assert.equal(answer.statusCode, 200, answer.body)
    const { media: webp, savings, originalSize, newSize, isConverted, message } = answer.json()
    assert.notEqual(webp.id, media.id)
    assert.deepEqual(
      [webp.filename, webp.mimeType, webp.width, webp.height, webp.aiTags, webp.userDescription],
      ['beach.photo.webp', 'image/webp', 200, 120, ['sea'], 'mine'],
    )
    assert.deepEqual([originalSize, newSize, isConverted], [media.size, webp.size, true])
    assert.equal(savings, Math.round((1 - newSize / originalSize) * 100))
    assert.match(message, new RegExp(`${savings}% smaller`))
    assert.deepEqual(await usage(ann), [originalSize + newSize, 2])
    const bytes = (await ann.get(webp.originalUrl)).rawPayload
    assert.equal((await sharp(bytes).metadata()).format, 'webp')
    assert.deepEqual((await storedIn(product)).temporary, [])
    assert.equal((await ann.get('/api/media?search=sea')).json().media.length, 2)
    assert.equal((await ann.get('/api/media?search=brighton')).json().media[0].id, webp.id)
    const [before, after] = await db
      .selectFrom('media')
      .select(['ai_description', 'ai_description_source', 'ai_provider', 'ai_model', 'ai_analysed_at'])
      // Public pages label descriptions by an AI with these.
      .select(['taken_at', 'exif', 'ai_status'])
      .orderBy('id')
      .execute()
    assert.deepEqual(after, { ...before, ai_status: 'none' }, 'what waits for the AI is the original')
  },
)

test('an item and its WebP have the same similar results, which show one version of each picture', async (context) => {
  const product = await testApp(context)
  const ann = await product.register()
  const { db } = product.services
  const vector = Buffer.alloc(1280, 7)
  const bits = Buffer.from(makeSketch(new Int8Array(vector)))
  const ids: number[] = []
  for (const width of [200, 210]) {
    const { id } = await ann.addPicture(`${width}.png`, await makePng({ width, height: 120 }))
    const { blob } = await db.selectFrom('media').select('blob').where('id', '=', id).executeTakeFirstOrThrow()
    await db.insertInto('embeddings').values({ sha256: blob, vector }).execute()
    await db.insertInto('sketches').values({ kind: 'picture', media_id: id, owner_id: ann.id, bits }).execute()
    ids.push(id)
  }
  const [first, second] = ids as [number, number]
  const similarTo = async (id: number) => {
    const { media } = (await ann.get(`/api/media?similarToId=${id}`)).json()
    return media.map((similar: { id: number }) => similar.id).sort()
  }
  assert.deepEqual(await similarTo(first), [second])
  await ann.post(`/api/media/${first}/convert-webp`, { quality: 50, deleteOriginal: true })
  assert.deepEqual([await similarTo(first), await similarTo(second)], [[second], [first]])
  const webp = (await ann.post(`/api/media/${second}/convert-webp`, { quality: 50 })).json().media.id
  assert.deepEqual(
    [await similarTo(first), await similarTo(second), await similarTo(webp)],
    [[second], [first], [first]],
  )
  await ann.post('/api/media/bulk-trash', { mediaIds: [second] })
  assert.deepEqual([await similarTo(first), await similarTo(webp)], [[webp], [first]])
})

onEveryStorage(
  'with deleteOriginal the item itself becomes the WebP and keeps everything else',
  async (context, settings) => {
    const product = await testApp(context, settings)
    const ann = await product.register()
    const bytes = await makePhoto({ width: 240, height: 160 })
    const media = await ann.addPicture('photo.jpg', bytes)
    await ann.patch(`/api/media/${media.id}`, { aiTags: ['sea'], isFavorite: true })
    const { publicUrl } = (await ann.post(`/api/media/${media.id}/public`)).json()
    const answer = await ann.post(`/api/media/${media.id}/convert-webp`, { quality: 60, deleteOriginal: true })
    assert.equal(answer.statusCode, 200, answer.body)
    const webp = answer.json().media
    assert.deepEqual(
      [webp.id, webp.filename, webp.mimeType, webp.aiTags, webp.isFavorite, webp.publicUrl, webp.takenAt],
      [media.id, 'photo.webp', 'image/webp', ['sea'], true, publicUrl, media.takenAt],
    )
    assert.deepEqual(webp.exif, media.exif)
    assert.equal((await ann.get('/api/media?search=photo.webp')).json().media.length, 1, 'found by its new name')
    assert.deepEqual(await usage(ann), [media.size + answer.json().newSize, 1], 'the original is a version')
    const old = await ann.get(`${media.originalUrl}?download=1`)
    assert.equal(old.statusCode, 302, 'the old address leads to the new bytes')
    assert.equal(old.headers.location, `${webp.originalUrl}?download=1`)
    assert.equal(old.headers['cache-control'], 'no-cache')
    const oldThumbnail = await product.visitor().get(media.thumbnailUrl)
    assert.deepEqual([oldThumbnail.statusCode, oldThumbnail.headers.location], [302, webp.thumbnailUrl])
    const thumbnail = await ann.get(webp.thumbnailUrl)
    assert.deepEqual([thumbnail.statusCode, thumbnail.headers['content-type']], [200, 'image/webp'])
  },
)

onOneDatabase('a result that is not smaller is thrown away, and the answer says so', async (context) => {
  const product = await testApp(context)
  const ann = await product.register()
  const media = await ann.addPicture('small.webp', await makeWebp({ quality: 20 }))
  for (const deleteOriginal of [false, true]) {
    const answer = await ann.post(`/api/media/${media.id}/convert-webp`, { quality: 95, deleteOriginal })
    assert.equal(answer.statusCode, 200)
    const { isConverted, savings, message, newSize, originalSize } = answer.json()
    assert.deepEqual([isConverted, savings], [false, 0])
    assert.ok(newSize >= originalSize)
    assert.match(message, /would not be smaller .*"small\.webp" was not changed\./)
    assert.deepEqual(answer.json().media, media)
  }
  assert.deepEqual(await usage(ann), [media.size, 1])
  const stored = await storedIn(product)
  assert.deepEqual([stored.temporary.length, stored.blobs.length], [0, 1])
})

onOneDatabase('an animation stays one', async (context) => {
  const { register } = await testApp(context)
  const ann = await register()
  const media = await ann.addPicture('dance.gif', await makeAnimation('gif'))
  const { media: webp, isConverted } = (await ann.post(`/api/media/${media.id}/convert-webp`, { quality: 30 })).json()
  assert.deepEqual([isConverted, webp.isAnimated, webp.mimeType], [true, true, 'image/webp'])
  const { pages } = await sharp((await ann.get(webp.originalUrl)).rawPayload, { animated: true }).metadata()
  assert.equal(pages, 4)
})

onOneDatabase('an animated PNG is known as one, and is not made a still picture by converting it', async (context) => {
  const { register } = await testApp(context)
  const ann = await register()
  const bytes = await makeAnimatedPng()
  const media = await ann.addPicture('dance.png', bytes)
  assert.deepEqual([media.mimeType, media.isAnimated], ['image/png', true])
  for (const deleteOriginal of [false, true]) {
    const answer = await ann.post(`/api/media/${media.id}/convert-webp`, { quality: 30, deleteOriginal })
    assert.equal(answer.statusCode, 415, answer.body)
    assert.match(answer.json().message, /^An animated PNG cannot be converted to WebP/)
  }
  assert.equal((await ann.get(`/api/media/${media.id}/webp-preview?quality=50`)).statusCode, 415)
  assert.deepEqual((await ann.get(media.originalUrl)).rawPayload, bytes)
  assert.deepEqual(await usage(ann), [media.size, 1])
})

onOneDatabase('a WebP is compressed under its own name, or as a new item under another', async (context) => {
  const { register } = await testApp(context)
  const ann = await register()
  const media = await ann.addPicture('mine.webp', await makeWebp({ width: 200, height: 150, quality: 100 }))
  const copy = (await ann.post(`/api/media/${media.id}/convert-webp`, { quality: 40 })).json()
  assert.equal(copy.media.filename, 'mine-compressed.webp')
  const replaced = (await ann.post(`/api/media/${media.id}/convert-webp`, { quality: 40, deleteOriginal: true })).json()
  assert.deepEqual([replaced.media.id, replaced.media.filename], [media.id, 'mine.webp'])
})

onOneDatabase('quality has bounds, and a video is refused in words', async (context) => {
  const { register, services } = await testApp(context)
  const ann = await register()
  const media = await ann.addPicture()
  for (const quality of [9, 101, 'x', 50.5, null])
    assert.equal((await ann.post(`/api/media/${media.id}/convert-webp`, { quality })).statusCode, 400, String(quality))
  assert.equal((await ann.get(`/api/media/${media.id}/webp-preview`)).statusCode, 400)
  await services.db.updateTable('media').set({ type: 'video' }).where('id', '=', media.id).execute()
  const refused = await ann.post(`/api/media/${media.id}/convert-webp`, {})
  assert.deepEqual([refused.statusCode, refused.json().message], [400, 'Only images can be converted to WebP.'])
})

test('the preview has the real bytes and size, is made one time and is visible to the owner only', async (context) => {
  const { register, services, visitor } = await testApp(context)
  const ann = await register()
  const media = await ann.addPicture('a.png', await makePng({ width: 200, height: 150 }))
  await ann.post(`/api/media/${media.id}/public`)
  const encode = context.mock.method(services.images, 'convert')
  const preview = (await ann.get(`/api/media/${media.id}/webp-preview?quality=50`)).json()
  assert.equal(preview.originalSize, media.size)
  const file = await ann.get(preview.url)
  assert.deepEqual([file.statusCode, file.headers['content-type']], [200, 'image/webp'])
  assert.equal(file.rawPayload.length, preview.size)
  assert.deepEqual((await ann.get(`/api/media/${media.id}/webp-preview?quality=50`)).json(), preview)
  assert.equal(encode.mock.callCount(), 1)
  const smaller = (await ann.get(`/api/media/${media.id}/webp-preview?quality=20`)).json()
  assert.ok(smaller.size < preview.size)
  const stranger = await visitor().get(preview.url)
  assert.notEqual(stranger.headers['content-type'], 'image/webp', 'a visitor gets the public picture, not a draft')
  assert.equal((await ann.get('/api/user/storage')).json().usedBytes, media.size, 'a preview costs no quota')
})

onEveryStorage('an image has at most one preview, which is deleted after a while', async (context, settings) => {
  const product = await testApp(context, settings)
  const { db, storage } = product.services
  const ann = await product.register()
  const media = await ann.addPicture('a.png', await makePng({ width: 200, height: 150 }))
  const { blob } = await db.selectFrom('media').select('blob').executeTakeFirstOrThrow()
  const qualities = [30, 50, 70]
  const kept = async () => {
    const found = await Promise.all(qualities.map((quality) => storage.derived.stat(`${blob}/preview-${quality}.webp`)))
    return qualities.filter((_quality, index) => found[index])
  }
  const addresses: string[] = []
  for (const quality of qualities)
    addresses.push((await ann.get(`/api/media/${media.id}/webp-preview?quality=${quality}`)).json().url)
  assert.deepEqual(await kept(), [70])
  assert.equal((await ann.get(addresses[0]!)).headers['content-type'], 'image/webp', 'an earlier one is made again')
  assert.deepEqual(await kept(), [30])
  assert.equal((await ann.get(addresses[0]!.split('?')[0]!)).statusCode, 404)

  await db.updateTable('jobs').set({ run_at: 0 }).where('kind', '=', 'preview-cleanup').execute()
  await product.settled()
  assert.deepEqual(await kept(), [])
})

test('an image edited during its conversion keeps the edit, and a deleted one stays deleted', async (context) => {
  const { register, services } = await testApp(context)
  const ann = await register()
  const { convert: convertImage } = services.images
  const meanwhile = async (work: () => Promise<unknown>) => {
    const mocked = context.mock.method(
      services.images,
      'convert',
      async (input: Parameters<typeof convertImage>[0]) => {
        mocked.mock.restore()
        const written = await convertImage(input)
        await work()
        return written
      },
    )
  }
  const convert = (id: number) => ann.post(`/api/media/${id}/convert-webp`, { quality: 50, deleteOriginal: true })
  const large = () => makeJpeg({ width: 200, height: 150 })

  const renamed = await ann.addPicture('a.jpg', await large())
  await meanwhile(() => ann.patch(`/api/media/${renamed.id}`, { filename: 'b.jpg' }))
  assert.equal((await convert(renamed.id)).json().media.filename, 'b.webp')

  const deleted = await ann.addPicture('c.jpg', await large())
  await meanwhile(() => ann.delete(`/api/media/${deleted.id}`))
  assert.equal((await convert(deleted.id)).statusCode, 404)

  const convertToNewItem = (id: number) => ann.post(`/api/media/${id}/convert-webp`, { quality: 50 })
  const described = await ann.addPicture('e.jpg', await large())
  await meanwhile(() => ann.patch(`/api/media/${described.id}`, { userDescription: 'mine', filename: 'f.jpg' }))
  const { media: webp } = (await convertToNewItem(described.id)).json()
  assert.deepEqual([webp.userDescription, webp.filename], ['mine', 'f.webp'])
  await meanwhile(() => ann.delete(`/api/media/${described.id}`))
  assert.equal((await convertToNewItem(described.id)).statusCode, 404, 'nor does anything come that was made of it')

  const replaced = await ann.addPicture('d.jpg', await large())
  await meanwhile(async () => assert.equal((await convert(replaced.id)).statusCode, 200))
  assert.equal((await convert(replaced.id)).statusCode, 409)
  let total = 0
  for (const { id } of (await ann.get('/api/media')).json().media)
    for (const { size } of (await ann.get(`/api/media/${id}/versions`)).json().versions) total += size
  assert.deepEqual(await usage(ann), [total, 3])
})

onOneDatabase('a picture too large for WebP is left alone and the reason told', async (context) => {
  const { register } = await testApp(context)
  const ann = await register()
  const wide = await sharp({ create: { width: 17_000, height: 4, channels: 3, background: '#123456' } })
    .png()
    .toBuffer()
  const media = await ann.addPicture('wide.png', wide)
  const answer = await ann.post(`/api/media/${media.id}/convert-webp`, { quality: 80 })
  assert.equal(answer.statusCode, 413)
  assert.match(answer.json().message, /at most 16383 pixels wide/)
})

test('an image becomes a smaller JPEG in the place of its PNG, and undo gives the PNG back', async (context) => {
  const { register } = await testApp(context)
  const ann = await register()
  const media = await ann.addPicture('wide.png', await makePng({ width: 800, height: 200 }))
  const body = { quality: 70, format: 'jpeg', longestSide: 400, deleteOriginal: true }
  const { media: small, message } = (await ann.post(`/api/media/${media.id}/convert-webp`, body)).json()
  assert.deepEqual(
    [small.id, small.filename, small.mimeType, small.width, small.height],
    [media.id, 'wide.jpg', 'image/jpeg', 400, 100],
  )
  assert.match(message, /^Replaced with a JPEG: /)
  const bytes = (await ann.get(small.originalUrl)).rawPayload
  const { format, width } = await sharp(bytes).metadata()
  assert.deepEqual([format, width], ['jpeg', 400])
  const [change] = (await ann.get('/api/history')).json().changes
  assert.equal(change.title, 'Replaced with JPEG')
  await ann.post(`/api/history/${change.id}/undo`)
  const restored = (await ann.get(`/api/media/${media.id}`)).json()
  assert.deepEqual([restored.filename, restored.width], ['wide.png', 800])
})

test('many images are made smaller at once, and an unknown format or size is refused', async (context) => {
  const { register } = await testApp(context)
  const ann = await register()
  const pictures = [await ann.addPicture('a.png', await makePng({ width: 600, height: 300 }))]
  pictures.push(await ann.addPicture('b.png', await makePng({ width: 100, height: 50 })))
  const mediaIds = pictures.map(({ id }) => id)
  const convert = (options: object) => ann.post('/api/media/bulk-convert-webp', { mediaIds, ...options })
  const { message } = (await convert({ format: 'webp', longestSide: 200, deleteOriginal: true })).json()
  assert.match(message, /^2 images replaced/)
  const sizes = await Promise.all(mediaIds.map(async (id) => (await ann.get(`/api/media/${id}`)).json().width))
  assert.deepEqual(sizes, [200, 100], 'none is enlarged')
  for (const [options, field] of [
    [{ format: 'tiff' }, 'format'],
    [{ longestSide: 0 }, 'longestSide'],
    [{ longestSide: 99_999 }, 'longestSide'],
  ] as const) {
    const refused = await convert(options)
    assert.deepEqual([refused.statusCode, refused.json().field], [400, field])
  }
})

test('an animation is not converted to JPEG', async (context) => {
  const { register } = await testApp(context)
  const ann = await register()
  const { id } = await ann.addPicture('film.gif', await makeAnimation('gif'))
  const refused = await ann.post(`/api/media/${id}/convert-webp`, { format: 'jpeg' })
  assert.equal(refused.statusCode, 415)
  assert.match(refused.json().message, /An animation cannot be converted to JPEG/)
})
