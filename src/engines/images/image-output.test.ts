import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { readFile, stat } from 'node:fs/promises'
import { test } from 'node:test'
import sharp from 'sharp'
import { cameraExif, drawFilm, drawHalves, openStudio } from './pictures.fixture.ts'

test('a rendition is upright, at most as wide as requested, and free of camera and location data', async () => {
  await using studio = await openStudio()
  const photograph = drawHalves(900, 600).jpeg().withExif(cameraExif).withMetadata({ orientation: 6 })
  const path = await studio.save(await photograph.toBuffer())
  for (const format of ['webp', 'avif', 'jpeg'] as const) {
    const outputPath = studio.newPath()
    const written = await studio.engine.render({ path, outputPath, width: 320, format })
    assert.deepEqual(written, { width: 320, height: 480, bytes: (await stat(outputPath)).size })
    const metadata = await sharp(outputPath).metadata()
    assert.equal(metadata.format, format === 'avif' ? 'heif' : format)
    assert.deepEqual([metadata.width, metadata.height, metadata.exif], [320, 480, undefined])
  }
})

test('a rendition is never enlarged', async () => {
  await using studio = await openStudio()
  const path = await studio.save(await drawHalves(200, 100).png().toBuffer())
  const written = await studio.engine.render({ path, outputPath: studio.newPath(), width: 640, format: 'webp' })
  assert.deepEqual([written.width, written.height], [200, 100])
  const whole = await studio.engine.render({ path, outputPath: studio.newPath(), format: 'jpeg' })
  assert.deepEqual([whole.width, whole.height], [200, 100])
})

test('transparent pixels become white in a JPEG rendition and stay transparent in WebP', async () => {
  await using studio = await openStudio()
  const create = { width: 40, height: 40, channels: 4 as const, background: '#00000000' }
  const path = await studio.save(await sharp({ create }).png().toBuffer())
  const [jpeg, webp] = [studio.newPath(), studio.newPath()]
  await studio.engine.render({ path, outputPath: jpeg, format: 'jpeg' })
  await studio.engine.render({ path, outputPath: webp, format: 'webp' })
  assert.deepEqual([...(await sharp(jpeg).raw().toBuffer()).subarray(0, 3)], [255, 255, 255])
  assert.equal((await sharp(webp).raw().toBuffer())[3], 0)
})

test('an animation stays animated in a WebP rendition and becomes a still elsewhere', async () => {
  await using studio = await openStudio()
  const film = await drawFilm(100, 80, ['#ff0000', '#00ff00', '#0000ff'])
  const path = await studio.save(await film.gif({ delay: [100, 200, 300] }).toBuffer())
  const [webp, jpeg] = [studio.newPath(), studio.newPath()]
  const written = await studio.engine.render({ path, outputPath: webp, width: 50, format: 'webp' })
  assert.deepEqual([written.width, written.height], [50, 40])
  const { pages, delay } = await sharp(webp).metadata()
  assert.deepEqual([pages, delay], [3, [100, 200, 300]])
  await studio.engine.render({ path, outputPath: jpeg, width: 50, format: 'jpeg' })
  assert.deepEqual((await sharp(jpeg).metadata()).height, 40)
})

test('a crop has exactly its size and shows the part around the focal point', async () => {
  await using studio = await openStudio()
  const path = await studio.save(await drawHalves(900, 600).jpeg().withMetadata({ orientation: 6 }).toBuffer())
  const colourOf = async (y: number) => {
    const outputPath = studio.newPath()
    const box = { width: 150, height: 50, fit: 'cover' as const, focalPoint: { x: 0.5, y } }
    const written = await studio.engine.render({ path, outputPath, format: 'png', ...box })
    assert.deepEqual([written.width, written.height], [150, 50])
    return (await sharp(outputPath).raw().toBuffer()).subarray(0, 3).toString('hex')
  }
  // The upright picture has one half above the other.
  assert.notEqual(await colourOf(0), await colourOf(1))
})

test('a crop larger than the picture keeps its shape', async () => {
  await using studio = await openStudio()
  const path = await studio.save(await drawHalves(300, 200).png().toBuffer())
  const box = { width: 4000, height: 4000, fit: 'cover' as const }
  const written = await studio.engine.render({ path, outputPath: studio.newPath(), format: 'jpeg', ...box })
  assert.deepEqual([written.width, written.height], [200, 200])
})

test('a GIF stays an animated GIF when it is resized and cut', async () => {
  await using studio = await openStudio()
  const film = await drawFilm(100, 80, ['#ff0000', '#00ff00', '#0000ff'])
  const path = await studio.save(await film.gif({ delay: [100, 200, 300] }).toBuffer())
  const outputPath = studio.newPath()
  await studio.engine.render({ path, outputPath, width: 40, height: 40, fit: 'cover', format: 'gif' })
  const { format, pages, width, pageHeight } = await sharp(outputPath, { animated: true }).metadata()
  assert.deepEqual([format, pages, width, pageHeight], ['gif', 3, 40, 40])
})

test('conversion to WebP keeps size, orientation, color profile and camera data', async () => {
  await using studio = await openStudio()
  const photograph = drawHalves(300, 200)
    .withIccProfile('p3')
    .withExifMerge(cameraExif)
    .withMetadata({ orientation: 6 })
  const bytes = await photograph.jpeg({ quality: 95 }).toBuffer()
  const path = await studio.save(bytes)
  const outputPath = studio.newPath()
  const written = await studio.engine.convert({ path, outputPath, quality: 95 })
  assert.deepEqual(written, { width: 200, height: 300, bytes: (await stat(outputPath)).size })
  const metadata = await sharp(outputPath).metadata()
  assert.deepEqual([metadata.format, metadata.width, metadata.height], ['webp', 200, 300])
  assert.deepEqual(metadata.icc, (await sharp(bytes).metadata()).icc)
  assert.ok((metadata.orientation ?? 1) === 1)
  const { exif } = await studio.engine.process({ path: outputPath, thumbnailPath: studio.newPath() })
  assert.equal(exif.takenAt, '2024-05-06T07:08:09+02:00')
  // The pixel values are those of the original as well, not only their profile.
  const before = await sharp(bytes).autoOrient().keepIccProfile().raw().toBuffer()
  const after = await sharp(outputPath).keepIccProfile().raw().toBuffer()
  assert.ok(Math.abs(before[0]! - after[0]!) <= 6 && Math.abs(before[1]! - after[1]!) <= 6)
})

test('conversion to WebP turns CMYK into colors that a browser shows', async () => {
  await using studio = await openStudio()
  const path = await studio.save(await drawHalves(60, 40).withIccProfile('cmyk').jpeg().toBuffer())
  const outputPath = studio.newPath()
  await studio.engine.convert({ path, outputPath, quality: 90 })
  const pixels = await sharp(outputPath).raw().toBuffer()
  assert.ok(pixels[0]! > 180 && pixels[2]! < 80, 'red stays red')
})

test('conversion to WebP keeps an animation with its timing', async () => {
  await using studio = await openStudio()
  const film = await drawFilm(90, 60, ['#ff0000', '#00ff00', '#0000ff', '#ffffff'])
  const path = await studio.save(await film.gif({ delay: [100, 200, 300, 400], loop: 2 }).toBuffer())
  const outputPath = studio.newPath()
  const written = await studio.engine.convert({ path, outputPath, quality: 80 })
  assert.deepEqual([written.width, written.height], [90, 60])
  const { pages, delay, loop } = await sharp(outputPath).metadata()
  assert.deepEqual([pages, delay, loop], [4, [100, 200, 300, 400], 2])
})

test('a picture that WebP cannot hold is refused with a message and leaves no file', async () => {
  await using studio = await openStudio()
  const create = (width: number, height: number) =>
    sharp({ create: { width, height, channels: 3, background: '#123456' } })
      .png({ compressionLevel: 1 })
      .toBuffer()
  const outputPath = studio.newPath()
  const convert = async (width: number, height: number) =>
    studio.engine.convert({ path: await studio.save(await create(width, height)), outputPath, quality: 80 })
  await assert.rejects(convert(10_000, 5_100), {
    code: 'too-many-pixels',
    status: 413,
    message: 'Images of up to 50 megapixels can be converted to WebP; this one has 51.',
  })
  await assert.rejects(convert(16_384, 10), { code: 'edge-too-long', status: 413 })
  assert.ok(!existsSync(outputPath))
  const rendered = await studio.engine.render({
    path: await studio.save(await create(20_000, 10)),
    outputPath,
    format: 'webp',
  })
  assert.equal(rendered.width, 16_383)
})

test('models and documents get a small upright JPEG without metadata', async () => {
  await using studio = await openStudio()
  const photograph = drawHalves(3000, 1500).jpeg().withExif(cameraExif).withMetadata({ orientation: 6 })
  const path = await studio.save(await photograph.toBuffer())
  const jpeg = await studio.engine.shrink({ path, edge: 1024 })
  const metadata = await sharp(jpeg.data).metadata()
  assert.deepEqual([metadata.format, metadata.width, metadata.height], ['jpeg', 512, 1024])
  assert.deepEqual([jpeg.width, jpeg.height, metadata.exif], [512, 1024, undefined])
})

test('the original file is never changed', async () => {
  await using studio = await openStudio()
  const bytes = await drawHalves(300, 200).jpeg().withExif(cameraExif).toBuffer()
  const path = await studio.save(bytes)
  await studio.engine.process({ path, thumbnailPath: studio.newPath() })
  await studio.engine.convert({ path, outputPath: studio.newPath(), quality: 50 })
  assert.deepEqual(await readFile(path), bytes)
})
