import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after } from 'node:test'
import sharp from 'sharp'
import { createVideoEngine } from '../video-engine.ts'
import { createClipMaker } from './clips.ts'
import type { Colour } from './quadrants.ts'

/** A folder, an engine and a clip maker for one test file; all are removed after it. */
export async function openVideoFixture() {
  const directory = await mkdtemp(join(tmpdir(), 'video-'))
  const engine = createVideoEngine()
  const clips = createClipMaker(directory)
  after(async () => {
    await Promise.all([engine.close(), clips.close()])
    await rm(directory, { recursive: true, force: true })
  })
  return { directory, engine, make: clips.make, at: (name: string) => join(directory, name) }
}

/** Width and height of an image, read from its bytes because sharp caches files by name. */
export async function sizeOf(path: string) {
  const { width, height } = await sharp(await readFile(path)).metadata()
  return [width, height]
}

/** Colors in the middle of the four quadrants of an image or of one of its cells, row by row. */
export async function readQuadrants(path: string, cell?: { left: number; top: number; width: number; height: number }) {
  const picture = cell ? sharp(path).extract(cell) : sharp(path)
  const { data, info } = await picture.raw().toBuffer({ resolveWithObject: true })
  const colourAt = (x: number, y: number): Colour => {
    const offset = (Math.floor(info.height * y) * info.width + Math.floor(info.width * x)) * info.channels
    return [data[offset] ?? -1, data[offset + 1] ?? -1, data[offset + 2] ?? -1]
  }
  return [colourAt(0.25, 0.25), colourAt(0.75, 0.25), colourAt(0.25, 0.75), colourAt(0.75, 0.75)]
}

/** Encoding changes values slightly; two colors count as equal within the tolerance. */
export function areColoursSimilar(actual: Colour[], expected: Colour[], tolerance = 24) {
  return actual.every((colour, index) =>
    colour.every((value, channel) => Math.abs(value - (expected[index]?.[channel] ?? -999)) <= tolerance),
  )
}
