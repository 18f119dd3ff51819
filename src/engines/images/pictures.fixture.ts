import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { crc32, deflateSync } from 'node:zlib'
import sharp, { type Sharp } from 'sharp'
import { createImageEngine, type ImageEngineOptions } from './image-engine.ts'

/** An engine and an empty folder, both removed at the end of the test. */
export async function openStudio(options: ImageEngineOptions = {}) {
  const folder = await mkdtemp(join(tmpdir(), 'images-'))
  const engine = createImageEngine({ processes: 1, ...options })
  let count = 0
  const newPath = (name = 'file') => join(folder, `${count++}-${name}`)
  return {
    engine,
    newPath,
    async save(bytes: Uint8Array | string, name?: string) {
      const path = newPath(name)
      await writeFile(path, bytes)
      return path
    },
    async [Symbol.asyncDispose]() {
      await engine.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** Left half red, right half blue, which shows rotation, mirroring and loss. */
export function drawHalves(width: number, height: number): Sharp {
  const half = { width: Math.floor(width / 2), height, channels: 3 as const, background: '#0000ff' }
  return sharp({ create: { width, height, channels: 3, background: '#ff0000' } }).composite([
    { input: { create: half }, gravity: 'east' },
  ])
}

/** Noise does not compress, so its files are large and slow to decode. It is the same noise every time. */
export function drawNoise(width: number, height: number): Sharp {
  const random = seededRandom(width * height)
  const pixels = Uint8Array.from({ length: width * height * 3 }, () => random(256))
  return sharp(pixels, { raw: { width, height, channels: 3 } })
}

/** Megapixels of noise made of tiles: quick to draw, slow to encode. */
export async function drawLargeNoise(edge: number): Promise<Sharp> {
  const tile = await drawNoise(500, 500).png().toBuffer()
  const ground = { width: edge, height: edge, channels: 3 as const, background: '#808080' }
  return sharp({ create: ground }).composite([{ input: tile, tile: true }])
}

/** A valid black and white PNG that is a thousand times smaller than its pixels. */
export function writePngBomb(width: number, height: number): Buffer {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header[8] = 1
  const rows = deflateSync(Buffer.alloc(height * (1 + Math.ceil(width / 8))))
  const signature = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')
  return Buffer.concat([signature, pngChunk('IHDR', header), pngChunk('IDAT', rows), pngChunk('IEND', Buffer.alloc(0))])
}

export function pngChunk(type: string, payload: Uint8Array): Buffer {
  const chunk = Buffer.alloc(payload.length + 12)
  chunk.writeUInt32BE(payload.length, 0)
  chunk.write(type, 4, 'latin1')
  chunk.set(payload, 8)
  chunk.writeUInt32BE(crc32(chunk.subarray(4, -4)), payload.length + 8)
  return chunk
}

/** An animation of plain frames, one color each; `#00000000` is transparent. */
export function drawFilm(width: number, height: number, colours: string[]): Promise<Sharp> {
  const channels = colours.some((colour) => colour.length > 7) ? 4 : 3
  const frames = colours.map((background) =>
    sharp({ create: { width, height, channels, background } }).png().toBuffer(),
  )
  return Promise.all(frames).then((inputs) => sharp(inputs, { join: { animated: true } }))
}

export const cameraExif = {
  IFD0: { Make: 'Canon', Model: 'Canon EOS R5' },
  IFD2: {
    DateTimeOriginal: '2024:05:06 07:08:09',
    OffsetTimeOriginal: '+02:00',
    LensModel: 'RF50mm F1.8 STM',
    FNumber: '18/10',
    ExposureTime: '1/250',
    ISOSpeedRatings: '400',
    FocalLength: '50/1',
  },
  IFD3: {
    GPSLatitudeRef: 'N',
    GPSLatitude: '51/1 30/1 3230/100',
    GPSLongitudeRef: 'W',
    GPSLongitude: '0/1 7/1 4366/100',
  },
}

/** A small generator with a seed, so that a failing mutation can be repeated. */
export function seededRandom(seed: number) {
  let state = seed >>> 0
  return (below: number) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

/** Flips, overwrites, cuts, repeats or swaps a few bytes, as broken disks and attackers do. */
export function mutate(original: Uint8Array, random: (below: number) => number): Buffer {
  let bytes = Buffer.from(original)
  const changes = 1 + random(8)
  for (let change = 0; change < changes && bytes.length > 8; change++) {
    const at = random(bytes.length)
    const length = 1 + random(Math.min(64, bytes.length - at))
    switch (random(6)) {
      case 0:
        bytes[at] = bytes[at]! ^ (1 << random(8))
        break
      case 1:
        bytes.fill(random(256), at, at + length)
        break
      case 2:
        bytes = bytes.subarray(0, Math.max(1, at))
        break
      case 3:
        bytes = Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + length)])
        break
      case 4:
        bytes = Buffer.concat([bytes.subarray(0, at + length), bytes.subarray(at)])
        break
      default:
        // Parsers fail most often on length fields near the beginning.
        bytes.writeUInt32BE([0, 1, 0x7fffffff, 0xffffffff][random(4)]!, random(Math.min(bytes.length, 200) - 4))
    }
  }
  return bytes
}
