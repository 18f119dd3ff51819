import assert from 'node:assert/strict'
import { test } from 'node:test'
import sharp from 'sharp'
import { editedPoint, editedSize, noEdit, type PictureEdit } from '#shared/picture-edit.ts'
import { cameraExif, drawFilm, drawHalves, drawNoise, openStudio } from './pictures.fixture.ts'

const [width, height] = [240, 160]

/** Red grows to the right and green downwards, so that a color tells its place. */
function drawPlaces() {
  const data = Buffer.alloc(width * height * 3)
  for (let y = 0; y < height; y++) for (let x = 0; x < width; x++) data.set([x, y, 128], (y * width + x) * 3)
  return sharp(data, { raw: { width, height, channels: 3 } })
}

const edits: Record<string, Partial<PictureEdit>> = {
  'a quarter turn': { turn: 90 },
  'three quarter turns': { turn: 270 },
  'a horizontal flip': { flipHorizontal: true },
  'a turn and a horizontal flip': { turn: 90, flipHorizontal: true },
  'a turn and a vertical flip': { turn: 270, flipVertical: true },
  'a crop': { crop: { left: 30, top: 20, width: 120, height: 100 } },
  'a crop of a flipped picture': { flipVertical: true, crop: { left: 30, top: 10, width: 100, height: 60 } },
  'a crop of a turned picture': { turn: 90, crop: { left: 10, top: 60, width: 90, height: 120 } },
  'a straightened picture': { straighten: 7.5 },
  'a straightened mirror image': { straighten: -12, flipHorizontal: true },
  'all steps together': {
    turn: 270,
    flipHorizontal: true,
    flipVertical: true,
    straighten: 5,
    crop: { left: 30, top: 60, width: 90, height: 110 },
    longestSide: 80,
  },
}

for (const [name, changes] of Object.entries(edits)) {
  test(`${name} shows each place of the picture where the geometry says`, async () => {
    await using studio = await openStudio()
    // Stored on its side, as cameras do it.
    const stored = await drawPlaces().png().toBuffer()
    const path = await studio.save(await sharp(stored).rotate(270).withMetadata({ orientation: 6 }).png().toBuffer())
    const edit = { ...noEdit, ...changes }
    const outputPath = studio.newPath('edited.png')
    const written = await studio.engine.edit({ path, outputPath, edit })
    const picture = { width, height }
    const size = editedSize(picture, edit)
    assert.deepEqual([written.width, written.height], [size.width, size.height])
    const { data, info } = await sharp(outputPath).removeAlpha().raw().toBuffer({ resolveWithObject: true })
    assert.deepEqual([info.width, info.height], [size.width, size.height])
    const { orientation } = await sharp(outputPath).metadata()
    assert.ok(orientation === undefined || orientation === 1)
    let compared = 0
    for (const x of [0.1, 0.3, 0.5, 0.7, 0.9]) {
      for (const y of [0.1, 0.35, 0.6, 0.9]) {
        const place = editedPoint({ x, y }, picture, edit)
        if (!place) continue
        const [column, row] = [Math.floor(place.x * info.width), Math.floor(place.y * info.height)]
        if (column < 1 || row < 1 || column > info.width - 2 || row > info.height - 2) continue
        const at = (row * info.width + column) * info.channels
        const found = [data[at]!, data[at + 1]!]
        const expected = [x * width, y * height]
        assert.ok(Math.hypot(found[0]! - expected[0]!, found[1]! - expected[1]!) < 3, `${found} at ${expected}`)
        compared++
      }
    }
    assert.ok(compared > 3)
  })
}

test('an edited picture keeps its format, its camera data and its transparency, and becomes sRGB', async () => {
  await using studio = await openStudio()
  const edit = { ...noEdit, turn: 90 as const, straighten: 3, flipHorizontal: true }
  for (const format of ['jpeg', 'png', 'webp', 'gif'] as const) {
    const source = drawNoise(120, 90).toFormat(format)
    const path = await studio.save(await (format === 'gif' ? source : source.withExif(cameraExif)).toBuffer())
    const outputPath = studio.newPath()
    await studio.engine.edit({ path, outputPath, edit })
    const edited = await studio.engine.process({ path: outputPath, thumbnailPath: studio.newPath() })
    assert.equal(edited.mimeType, `image/${format}`)
    if (format !== 'gif') assert.equal(edited.exif.camera, 'Canon EOS R5', format)
  }
  const wide = await studio.save(await drawHalves(64, 48).withIccProfile('p3').jpeg().toBuffer())
  const outputPath = studio.newPath()
  await studio.engine.edit({ path: wide, outputPath, edit: { ...noEdit, turn: 180 } })
  const { hasProfile, space } = await sharp(outputPath).metadata()
  assert.deepEqual([hasProfile, space], [false, 'srgb'])
  const straightened = studio.newPath()
  const opaque = await studio.save(await drawHalves(80, 60).removeAlpha().png().toBuffer())
  await studio.engine.edit({ path: opaque, outputPath: straightened, edit: { ...noEdit, straighten: 4 } })
  assert.equal((await sharp(straightened).metadata()).hasAlpha, false)
  const clear = { create: { width: 64, height: 48, channels: 4 as const, background: '#ff000080' } }
  const transparent = await studio.save(await sharp(clear).png().toBuffer())
  const kept = studio.newPath()
  await studio.engine.edit({ path: transparent, outputPath: kept, edit: { ...noEdit, longestSide: 32 } })
  assert.equal((await sharp(kept).metadata()).hasAlpha, true)
})

test('an animation and a crop outside the picture are refused and leave no file', async () => {
  await using studio = await openStudio()
  const film = await studio.save(await (await drawFilm(80, 60, ['#ff0000', '#0000ff'])).gif().toBuffer())
  const outputPath = studio.newPath()
  const turn = { ...noEdit, turn: 90 as const }
  await assert.rejects(studio.engine.edit({ path: film, outputPath, edit: turn }), { code: 'unsupported-type' })
  const still = await studio.save(await drawHalves(80, 60).png().toBuffer())
  const crop = { left: 10, top: 0, width: 80, height: 60 }
  await assert.rejects(studio.engine.edit({ path: still, outputPath, edit: { ...noEdit, crop } }), {
    message: 'The crop reaches outside the picture, which is 80 × 60 pixels.',
  })
})
