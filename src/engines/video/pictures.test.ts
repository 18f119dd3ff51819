import assert from 'node:assert/strict'
import { mkdir, stat } from 'node:fs/promises'
import { test } from 'node:test'
import sharp from 'sharp'
import { clockwise, mjpegAvi } from './testing/clips.ts'
import { blue, green, red, white } from './testing/quadrants.ts'
import { areColoursSimilar, openVideoFixture, readQuadrants, sizeOf } from './testing/video-fixture.ts'

const { engine, make, at } = await openVideoFixture()

async function assertColours(path: string, expected: Parameters<typeof areColoursSimilar>[1], tolerance?: number) {
  const actual = await readQuadrants(path)
  assert.ok(
    areColoursSimilar(actual, expected, tolerance),
    `expected ${JSON.stringify(expected)}, received ${JSON.stringify(actual)}`,
  )
}

test('a poster is a JPEG with the colors of the video', async () => {
  for (const path of [await make(), await make(mjpegAvi), await make({ videoCodec: 'libvpx-vp9' })]) {
    await engine.poster({ path, outputPath: at('poster.jpg') })
    assert.deepEqual(await sizeOf(at('poster.jpg')), [64, 48])
    assert.equal((await sharp(at('poster.jpg')).metadata()).format, 'jpeg')
    await assertColours(at('poster.jpg'), [red, green, blue, white])
  }
})

test('the poster of a rotated video is upright', async () => {
  const path = await make({ matrix: clockwise })
  await engine.poster({ path, outputPath: at('turned.jpg') })
  assert.deepEqual(await sizeOf(at('turned.jpg')), [48, 64])
  await assertColours(at('turned.jpg'), [blue, red, white, green])
})

test('the poster of a mirrored video is mirrored', async () => {
  const path = await make({ matrix: [-65_536, 0, 0, 0, 65_536, 0, 0, 0, 2 ** 30] })
  await engine.poster({ path, outputPath: at('mirrored.jpg') })
  await assertColours(at('mirrored.jpg'), [green, red, white, blue])
})

test('a large frame becomes a poster of 1920 pixels or of thumbnail size', async () => {
  const path = await make({ width: 2560, height: 1440, frames: 1 })
  await engine.poster({ path, outputPath: at('large.jpg') })
  assert.deepEqual(await sizeOf(at('large.jpg')), [1920, 1080])
  assert.equal((await engine.process({ path, posterPath: at('small.jpg') })).width, 2560)
  assert.deepEqual(await sizeOf(at('small.jpg')), [711, 400])
})

test('the poster of an HDR video keeps its hues', async () => {
  const strongest = (colour = [0, 0, 0]) => colour.indexOf(Math.max(...colour))
  for (const size of [{}, { width: 1700, height: 52, frames: 1 }]) {
    const path = await make({ transfer: 'pq', pixelFormat: 'yuv420p10le', ...size })
    await engine.poster({ path, outputPath: at('hdr.jpg') })
    const [first, second, third] = await readQuadrants(at('hdr.jpg'))
    assert.deepEqual([strongest(first), strongest(second), strongest(third)], [0, 1, 2])
  }
})

test('the poster of a video that starts dark or white shows a later frame, also with only one keyframe', async () => {
  for (const plainGrey of [0, 255]) {
    for (const keyframeInterval of [5, 100]) {
      const path = await make({ frames: 40, plainFrames: 20, plainGrey, keyframeInterval })
      await engine.poster({ path, outputPath: at('after-the-dark.jpg') })
      await assertColours(at('after-the-dark.jpg'), [red, green, blue, white])
    }
  }
  const night = await make({ plainFrames: 20 })
  await engine.poster({ path: night, outputPath: at('night.jpg') })
  assert.deepEqual(await sizeOf(at('night.jpg')), [64, 48])
})

test('posters and converted videos of an interlaced video are deinterlaced', async () => {
  const path = await make({ format: 'avi', isInterlaced: true, frames: 40, scenes: 40, keyframeInterval: 1 })
  await engine.poster({ path, outputPath: at('woven.jpg') })
  assert.ok((await roughness(at('woven.jpg'))) < 30)
  await engine.makePlayable({ path, outputPath: at('woven.mp4') })
  await engine.poster({ path: at('woven.mp4'), outputPath: at('woven-played.jpg') })
  assert.ok((await roughness(at('woven-played.jpg'))) < 30)
})

/** Mean difference in brightness between adjacent lines in the upper left quarter. */
async function roughness(path: string) {
  const quarter = { left: 8, top: 4, width: 16, height: 16 }
  const lines = await sharp(path).extract(quarter).resize(1, 16, { fit: 'fill' }).greyscale().raw().toBuffer()
  let sum = 0
  for (let y = 1; y < lines.length; y++) sum += Math.abs(lines[y]! - lines[y - 1]!)
  return sum / (lines.length - 1)
}

test('posters and converted videos of an HDR video are as bright as those of an SDR video', async () => {
  for (const transfer of ['pq', 'hlg'] as const) {
    const path = await make({ transfer, pixelFormat: 'yuv420p10le' })
    await engine.poster({ path, outputPath: at('bright.jpg') })
    await assertColours(at('bright.jpg'), [red, green, blue, white], 40)
    await engine.makePlayable({ path, outputPath: at('bright.mp4') })
    await engine.poster({ path: at('bright.mp4'), outputPath: at('bright-played.jpg') })
    await assertColours(at('bright-played.jpg'), [red, green, blue, white], 40)
  }
})

test('a sprite shows the scenes in order, one per cell', async () => {
  const path = await make({ frames: 64, framesPerSecond: 16, keyframeInterval: 4, scenes: 4 })
  const sprite = await engine.sprite({ path, outputPath: at('sprite.jpg') })
  assert.deepEqual(sprite, { frames: 16, columns: 4, frameWidth: 64, frameHeight: 48 })
  const sheet = await sharp(at('sprite.jpg')).metadata()
  assert.deepEqual([sheet.format, sheet.width, sheet.height], ['jpeg', 256, 192])
  const cells = await Promise.all(
    [0, 1, 2, 3].map((row) => readQuadrants(at('sprite.jpg'), { left: 64, top: row * 48, width: 64, height: 48 })),
  )
  const upperLeft = cells.map(([colour]) => (colour ? [colour] : []))
  for (const [row, colour] of [red, green, blue, white].entries())
    assert.ok(areColoursSimilar(upperLeft[row] ?? [], [colour], 40), `row ${row}: ${JSON.stringify(upperLeft[row])}`)
})

test('the sprite of a short video with one keyframe shows different frames', async () => {
  const path = await make({ frames: 32, framesPerSecond: 16, keyframeInterval: 100, scenes: 2 })
  assert.equal((await engine.sprite({ path, outputPath: at('few.jpg') })).frames, 16)
  const cell = (row: number) => ({ left: 0, top: row * 48, width: 64, height: 48 })
  assert.ok(
    !areColoursSimilar(await readQuadrants(at('few.jpg'), cell(0)), await readQuadrants(at('few.jpg'), cell(3))),
  )
})

test('the sprite of a video whose audio is longer covers only the video', async () => {
  const path = await make({ audioCodec: 'aac', keyframeInterval: 1, startsAtSeconds: { video: 0, audio: 30 } })
  assert.equal((await engine.sprite({ path, outputPath: at('goes-on.jpg') })).frames, 16)
})

test('the sprite of a video with one frame has one cell', async () => {
  const path = await make({ frames: 1 })
  const sprite = await engine.sprite({ path, outputPath: at('one.jpg') })
  assert.deepEqual(sprite, { frames: 1, columns: 1, frameWidth: 64, frameHeight: 48 })
})

test('the file of a sprite is small', async () => {
  const path = await make({ width: 640, height: 360, frames: 32, keyframeInterval: 2, scenes: 16 })
  const { frameWidth, frameHeight } = await engine.sprite({ path, outputPath: at('small.jpg') })
  assert.deepEqual([frameWidth, frameHeight], [256, 144])
  assert.ok((await stat(at('small.jpg'))).size < 92_000)
})

test('the AI is shown each scene once, upright and in order', async () => {
  await mkdir(at('scenes'))
  const path = await make({ frames: 40, keyframeInterval: 5, scenes: 4, matrix: clockwise })
  const paths = await engine.sceneFrames({ path, directory: at('scenes'), max: 12 })
  assert.equal(paths.length, 4)
  await assertColours(paths[0] ?? '', [blue, red, white, green])
  await assertColours(paths[1] ?? '', [white, green, red, blue])
  assert.equal((await engine.sceneFrames({ path, directory: at('scenes'), max: 2 })).length, 2)
})

test('the AI is not shown the dark start of a video, unless there is nothing else', async () => {
  const shown = async (plainFrames: number) => {
    const path = await make({ frames: 40, plainFrames, keyframeInterval: 5 })
    const frames = await engine.sceneFrames({ path, directory: at('.'), max: 8 })
    return { frames, colours: await readQuadrants(frames[0]!) }
  }
  const half = await shown(20)
  assert.equal(half.frames.length, 1)
  assert.ok(areColoursSimilar(half.colours, [red, green, blue, white]), JSON.stringify(half.colours))
  assert.equal((await shown(40)).frames.length, 1)
})

test('frames for the AI are at most 1024 pixels wide, and at most twelve', async () => {
  await mkdir(at('many'))
  const path = await make({ width: 1280, height: 720, frames: 36, keyframeInterval: 1, scenes: 36 })
  const paths = await engine.sceneFrames({ path, directory: at('many'), max: 99 })
  assert.equal(paths.length, 12)
  const { width, height } = await sharp(paths[0]).metadata()
  assert.deepEqual([width, height], [1024, 576])
})
