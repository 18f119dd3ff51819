import sharp from 'sharp'
import { cameraExif, pngChunk } from '#engines/images/pictures.fixture.ts'

let seed = 0

/** A small JPEG whose bytes, and so its hash, differ from all others. */
export async function makeJpeg({ width = 64, height = 48 }: { width?: number; height?: number } = {}) {
  return picture(width, height).jpeg({ quality: 90 }).toBuffer()
}

export async function makePng({ width = 64, height = 48 }: { width?: number; height?: number } = {}) {
  return picture(width, height).png().toBuffer()
}

export async function makeWebp({ width = 64, height = 48, quality = 95 } = {}) {
  return picture(width, height).webp({ quality }).toBuffer()
}

/** Noise over a gradient, which compresses like a photograph. */
export function picture(width: number, height: number) {
  seed++
  const pixels = Buffer.alloc(width * height * 3)
  let state = seed * 7919 + 1
  let index = 0
  // 32-bit integers only; large pictures would take seconds otherwise.
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const ramp = ((x / width) * 128 + (y / height) * 90) | 0
      for (let channel = 1; channel <= 3; channel++) {
        state = (Math.imul(state, 1103515245) + 12345) & 0x7fffffff
        pixels[index++] = ramp + ((state >>> 8) % 37) + seed * 13 * channel
      }
    }
  }
  return sharp(pixels, { raw: { width, height, channels: 3 } })
}

/** An animation of four different pictures, as GIF or WebP. */
export async function makeAnimation(format: 'gif' | 'webp') {
  const frames = await Promise.all(Array.from({ length: 4 }, () => picture(48, 32).png().toBuffer()))
  const film = sharp(frames, { join: { animated: true } })
  return format === 'gif' ? film.gif().toBuffer() : film.webp({ quality: 90 }).toBuffer()
}

/** An animated PNG; the decoder ignores all frames but the first, because they are in `fdAT` chunks. */
export async function makeAnimatedPng() {
  const frames = await Promise.all(Array.from({ length: 4 }, () => picture(48, 32).png().toBuffer()))
  let sequence = 0
  const control = () =>
    pngChunk('fcTL', Buffer.concat([numbers(sequence++, 48, 32, 0, 0), Buffer.of(0, 1, 0, 10, 0, 0)]))
  const [first, ...others] = frames as [Buffer, ...Buffer[]]
  return Buffer.concat([
    first.subarray(0, 8),
    pngChunk('IHDR', payloadOf(first, 'IHDR')),
    pngChunk('acTL', numbers(frames.length, 0)),
    control(),
    pngChunk('IDAT', payloadOf(first, 'IDAT')),
    ...others.flatMap((frame) => [
      control(),
      pngChunk('fdAT', Buffer.concat([numbers(sequence++), payloadOf(frame, 'IDAT')])),
    ]),
    pngChunk('IEND', Buffer.alloc(0)),
  ])
}

function payloadOf(png: Buffer, wanted: string) {
  const payloads: Buffer[] = []
  for (let position = 8; position < png.length; ) {
    const end = position + 8 + png.readUInt32BE(position)
    if (png.toString('latin1', position + 4, position + 8) === wanted) payloads.push(png.subarray(position + 8, end))
    position = end + 4
  }
  return Buffer.concat(payloads)
}

function numbers(...values: number[]) {
  const bytes = Buffer.alloc(4 * values.length)
  for (const [index, value] of values.entries()) bytes.writeUInt32BE(value, 4 * index)
  return bytes
}

/** A photo with EXIF location, date and camera. */
export async function makePhoto({ width = 96, height = 64 }: { width?: number; height?: number } = {}) {
  return picture(width, height).withExif(cameraExif).jpeg({ quality: 90 }).toBuffer()
}
