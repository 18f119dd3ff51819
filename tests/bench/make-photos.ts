import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import sharp, { type Sharp } from 'sharp'
import { cameraExif } from '#engines/images/pictures.fixture.ts'

const scenes = 6
const size = { width: 4000, height: 3000 }

/**
 * Twelve megapixels with shapes, detail and grain, which cost a decoder as much as a camera's pictures. They are the same on
 * every machine, and each file differs from all others in a comment.
 */
export async function makePhotos(folder: string, count: number): Promise<string[]> {
  const drawn: Buffer[] = []
  for (let scene = 0; scene < Math.min(scenes, count); scene++) drawn.push(await photograph(scene))
  const paths = Array.from({ length: count }, (_, index) => join(folder, `photograph-${index}.jpg`))
  for (const [index, path] of paths.entries()) {
    await writeFile(path, withComment(drawn[index % scenes]!, `photograph ${index}`))
  }
  return paths
}

const photographs = new Map<number, Promise<Buffer>>()

/** Each scene is drawn once per process. */
function photograph(scene: number) {
  const drawn = photographs.get(scene) ?? drawPhotograph(scene)
  photographs.set(scene, drawn)
  return drawn
}

async function drawPhotograph(scene: number) {
  const shapes = await enlarged(noiseOf(16, 12, scene))
  const detail = await enlarged(noiseOf(250, 188, scene + 100))
  const grain = await noiseOf(512, 512, scene + 200, 0.35)
    .png()
    .toBuffer()
  return sharp(shapes.data, { raw: shapes.info })
    .composite([
      { input: detail.data, raw: detail.info, blend: 'soft-light' },
      { input: grain, tile: true, blend: 'soft-light' },
    ])
    .withExif(cameraExif)
    .jpeg({ quality: 88 })
    .toBuffer()
}

/** Random colors around gray; `spread` limits their distance from it. */
function noiseOf(width: number, height: number, seed: number, spread = 0.7) {
  let state = seed * 2_654_435_761 + 1
  const pixels = Buffer.alloc(width * height * 3)
  for (let index = 0; index < pixels.length; index++) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    pixels[index] = 128 + ((state >>> 24) - 128) * spread
  }
  return sharp(pixels, { raw: { width, height, channels: 3 } })
}

const enlarged = (noise: Sharp) =>
  noise
    .resize({ ...size, fit: 'fill', kernel: 'cubic' })
    .raw()
    .toBuffer({ resolveWithObject: true })

/** Inserts a JPEG comment after the first two bytes; decoders skip it. */
function withComment(jpeg: Buffer, text: string) {
  const comment = Buffer.from(text)
  const head = Buffer.from([0xff, 0xfe, 0, comment.length + 2])
  return Buffer.concat([jpeg.subarray(0, 2), head, comment, jpeg.subarray(2)])
}
