import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { truncate } from 'node:fs/promises'
import { test } from 'node:test'
import sharp from 'sharp'
import { cameraExif, drawFilm, drawHalves, drawNoise, openStudio, writePngBomb } from './pictures.fixture.ts'

const refused = (code: string, status: number) => ({ name: 'AppError', code, status })

test('a photograph gives thumbnail, size, placeholder, colors, hash and camera data', async () => {
  await using studio = await openStudio()
  const path = await studio.save(await drawHalves(1600, 1200).jpeg().withExif(cameraExif).toBuffer())
  const thumbnailPath = studio.newPath('thumbnail.webp')
  const image = await studio.engine.process({ path, thumbnailPath })
  assert.equal(image.mimeType, 'image/jpeg')
  assert.deepEqual([image.width, image.height, image.frames, image.isAnimated], [1600, 1200, 1, false])
  assert.match(image.thumbhash, /^[A-Za-z0-9+/]{20,40}=*$/)
  assert.match(image.perceptualHash, /^[0-9a-f]{16}$/)
  assert.deepEqual(
    image.colours
      .slice(0, 2)
      .map((colour) => colour.replace(/[0-3]/g, '0').replace(/[c-f]/g, 'f'))
      .sort(),
    ['#0000ff', '#ff0000'],
  )
  assert.deepEqual(image.exif, {
    takenAt: '2024-05-06T07:08:09+02:00',
    camera: 'Canon EOS R5',
    lens: 'RF50mm F1.8 STM',
    focalLength: 50,
    aperture: 1.8,
    exposure: '1/250',
    iso: 400,
    latitude: 51.508972,
    longitude: -0.128794,
  })
  const thumbnail = await sharp(thumbnailPath).metadata()
  assert.deepEqual([thumbnail.format, thumbnail.width, thumbnail.height], ['webp', 533, 400])
  assert.equal(thumbnail.exif, undefined)
  assert.deepEqual(await studio.engine.inspect(path), { mimeType: 'image/jpeg', width: 1600, height: 1200, frames: 1 })
})

test('a photograph taken with a rotated camera is shown upright', async () => {
  await using studio = await openStudio()
  const path = await studio.save(await drawHalves(600, 400).jpeg().withMetadata({ orientation: 6 }).toBuffer())
  const thumbnailPath = studio.newPath()
  const image = await studio.engine.process({ path, thumbnailPath })
  assert.deepEqual([image.width, image.height], [400, 600])
  const { data, info } = await sharp(thumbnailPath).raw().toBuffer({ resolveWithObject: true })
  assert.deepEqual([info.width, info.height], [400, 600])
  assert.ok(data[0]! > 200 && data[2]! < 60, 'red, once on the left, is on top')
  assert.ok(data.at(-3)! < 60 && data.at(-1)! > 200, 'blue is at the bottom')
  assert.deepEqual(await studio.engine.inspect(path), { mimeType: 'image/jpeg', width: 400, height: 600, frames: 1 })
})

test('EXIF is found at the end of a WebP and in a PNG', async () => {
  await using studio = await openStudio()
  for (const format of ['webp', 'png'] as const) {
    const path = await studio.save(await drawNoise(500, 500).toFormat(format).withExif(cameraExif).toBuffer())
    const { exif, mimeType } = await studio.engine.process({ path, thumbnailPath: studio.newPath() })
    assert.equal(mimeType, `image/${format}`)
    assert.equal(exif.camera, 'Canon EOS R5')
  }
})

test('transparent, gray, 16-bit, CMYK and wide-gamut pictures give ordinary thumbnails', async () => {
  await using studio = await openStudio()
  const transparent = { create: { width: 64, height: 48, channels: 4 as const, background: '#ff000000' } }
  const pictures = {
    transparent: await sharp(transparent).png().toBuffer(),
    grey: await drawNoise(64, 48).toColourspace('b-w').png().toBuffer(),
    deep: await drawNoise(64, 48).toColourspace('rgb16').png().toBuffer(),
    cmyk: await drawHalves(64, 48).toColourspace('cmyk').jpeg().toBuffer(),
    wide: await drawHalves(64, 48).withIccProfile('p3').jpeg().toBuffer(),
  }
  for (const [name, bytes] of Object.entries(pictures)) {
    const thumbnailPath = studio.newPath(name)
    const image = await studio.engine.process({ path: await studio.save(bytes), thumbnailPath })
    const { space, depth, hasAlpha, width } = await sharp(thumbnailPath).metadata()
    assert.deepEqual([space, depth, width], ['srgb', 'uchar', 64], name)
    assert.equal(hasAlpha, name === 'transparent', name)
    assert.equal(image.colours.length === 0, name === 'transparent', name)
  }
})

test('an animation that begins with empty frames is shown by its first visible frame', async () => {
  await using studio = await openStudio()
  for (const format of ['gif', 'webp'] as const) {
    const film = await drawFilm(80, 60, ['#00000000', '#00000000', '#0000ff'])
    const path = await studio.save(await film.toFormat(format).toBuffer())
    const thumbnailPath = studio.newPath('thumbnail.webp')
    const image = await studio.engine.process({ path, thumbnailPath })
    assert.deepEqual(image.colours, ['#0000ff'])
    const { channels } = await sharp(thumbnailPath).stats()
    assert.ok(channels[2]!.mean > 240 && channels[0]!.mean < 15)
  }
  const path = await studio.save(await (await drawFilm(80, 60, ['#00000000', '#00000000'])).gif().toBuffer())
  assert.deepEqual((await studio.engine.process({ path, thumbnailPath: studio.newPath() })).colours, [])
})

test('an animation that begins in one color is shown by a later frame, in thumbnails and for models', async () => {
  await using studio = await openStudio()
  const black = sharp({ create: { width: 80, height: 60, channels: 3, background: '#000000' } })
  const [dark, scene] = [await black.png().toBuffer(), await drawHalves(80, 60).png().toBuffer()]
  // Encoders merge equal neighboring frames, so the dark ones alternate.
  const flicker = await sharp(dark).linear(1, 3).png().toBuffer()
  const frames = Array.from({ length: 24 }, (_, index) => (index > 10 ? scene : index % 2 ? flicker : dark))
  for (const format of ['gif', 'webp'] as const) {
    const film = sharp(frames, { join: { animated: true } }).toFormat(format, { effort: 1 })
    const path = await studio.save(await film.toBuffer())
    const { colours } = await studio.engine.process({ path, thumbnailPath: studio.newPath() })
    assert.ok(colours.length >= 2, `${format}: ${colours}`)
    const { data } = await studio.engine.shrink({ path, edge: 64 })
    const { channels } = await sharp(data).stats()
    assert.ok(channels[0]!.mean > 100 && channels[2]!.mean > 100, format)
  }
})

test('an animation ignores its EXIF orientation in every output', async () => {
  await using studio = await openStudio()
  const film = await drawFilm(80, 60, ['#ff0000', '#00ff00'])
  const path = await studio.save(await film.webp().withMetadata({ orientation: 6 }).toBuffer())
  const { width, height } = await studio.engine.process({ path, thumbnailPath: studio.newPath() })
  const outputPath = studio.newPath()
  const rendition = await studio.engine.render({ path, outputPath, format: 'jpeg' })
  const converted = await studio.engine.convert({ path, outputPath, quality: 80 })
  const small = await studio.engine.shrink({ path, edge: 64 })
  for (const shown of [{ width, height }, rendition, converted]) assert.deepEqual([shown.width, shown.height], [80, 60])
  assert.deepEqual([small.width, small.height], [64, 48])
})

test('the frames of an animation are counted, and its thumbnail is still', async () => {
  await using studio = await openStudio()
  for (const format of ['gif', 'webp'] as const) {
    const film = await drawFilm(80, 60, ['#ff0000', '#00ff00', '#0000ff'])
    const path = await studio.save(await film.toFormat(format).toBuffer())
    const thumbnailPath = studio.newPath()
    const image = await studio.engine.process({ path, thumbnailPath })
    assert.deepEqual([image.width, image.height, image.frames, image.isAnimated], [80, 60, 3, true])
    assert.equal((await sharp(thumbnailPath).metadata()).pages, undefined)
    assert.equal((await studio.engine.inspect(path)).frames, 3)
  }
})

test('a picture of one pixel is processed', async () => {
  await using studio = await openStudio()
  const path = await studio.save(await drawNoise(1, 1).png().toBuffer())
  const image = await studio.engine.process({ path, thumbnailPath: studio.newPath() })
  assert.deepEqual([image.width, image.height, image.colours.length], [1, 1, 1])
})

test('other formats are refused regardless of their file name', async () => {
  await using studio = await openStudio()
  const strangers = {
    svg: '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><rect width="9" height="9"/></svg>',
    html: '<!doctype html><script>alert(1)</script>',
    text: 'just text',
    empty: '',
    tiff: await drawNoise(20, 20).tiff().toBuffer(),
  }
  for (const [name, bytes] of Object.entries(strangers)) {
    const path = await studio.save(bytes, `${name}.png`)
    const thumbnailPath = studio.newPath()
    await assert.rejects(studio.engine.process({ path, thumbnailPath }), refused('unsupported-type', 415), name)
    await assert.rejects(studio.engine.inspect(path), refused('unsupported-type', 415), name)
    assert.ok(!existsSync(thumbnailPath), name)
  }
  await assert.rejects(studio.engine.inspect(studio.newPath()), refused('not-found', 404))
})

test('a file that only begins like a picture is refused', async () => {
  await using studio = await openStudio()
  const beginnings = {
    jpeg: Buffer.from('\xff\xd8\xff\xe0\0\x10JFIF\0\x01\x01\0\0\x01\0\x01\0\0<script>alert(1)</script>', 'latin1'),
    gif: Buffer.from('GIF89a=1;alert(1)//', 'latin1'),
    png: Buffer.from('\x89PNG\r\n\x1a\n<script>alert(1)</script>', 'latin1'),
    webp: Buffer.from('RIFF\x20\0\0\0WEBPVP8 <script>alert(1)</script>', 'latin1'),
  }
  for (const [name, bytes] of Object.entries(beginnings)) {
    const path = await studio.save(bytes)
    await assert.rejects(studio.engine.inspect(path), { name: 'AppError', status: 415 }, name)
  }
})

test('a truncated picture is refused', async () => {
  await using studio = await openStudio()
  for (const format of ['jpeg', 'png', 'webp', 'gif'] as const) {
    const bytes = await drawNoise(300, 200).toFormat(format).toBuffer()
    const path = await studio.save(bytes)
    await truncate(path, Math.floor(bytes.length * 0.8))
    const thumbnailPath = studio.newPath()
    await assert.rejects(studio.engine.inspect(path), refused('corrupt-image', 415), format)
    await assert.rejects(studio.engine.process({ path, thumbnailPath }), refused('corrupt-image', 415), format)
  }
})

test('a small file that unpacks to 256 megapixels is refused before it is decoded', async () => {
  await using studio = await openStudio()
  const path = await studio.save(writePngBomb(16_000, 16_000))
  await assert.rejects(studio.engine.inspect(path), refused('too-many-pixels', 413))
  await assert.rejects(
    studio.engine.process({ path, thumbnailPath: studio.newPath() }),
    refused('too-many-pixels', 413),
  )
})

test("a thumbnail's short side is sharp enough for a tile, a panorama stays small, and no picture is enlarged", async () => {
  await using studio = await openStudio()
  const sizes = {
    '1600x900': [711, 400],
    '900x1600': [400, 711],
    '3000x500': [1000, 167],
    '300x900': [300, 900],
    '320x200': [320, 200],
    '3000x1': [1000, 1],
  }
  for (const [size, wanted] of Object.entries(sizes)) {
    const [width, height] = size.split('x').map(Number)
    const thumbnailPath = studio.newPath()
    await studio.engine.process({
      path: await studio.save(await drawHalves(width!, height!).png().toBuffer()),
      thumbnailPath,
    })
    const thumbnail = await sharp(thumbnailPath).metadata()
    assert.deepEqual([thumbnail.width, thumbnail.height], wanted, size)
  }
})
