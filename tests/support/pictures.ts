import sharp from 'sharp'
import { cameraExif } from '#engines/images/pictures.fixture.ts'

let seed = 0

/** A small picture that no other test has: its bytes, and so its hash, differ each time. */
export async function makeJpeg({ width = 64, height = 48 }: { width?: number; height?: number } = {}) {
  return picture(width, height).jpeg({ quality: 90 }).toBuffer()
}

export async function makePng({ width = 64, height = 48 }: { width?: number; height?: number } = {}) {
  return picture(width, height).png().toBuffer()
}

export async function makeWebp({ width = 64, height = 48, quality = 95 } = {}) {
  return picture(width, height).webp({ quality }).toBuffer()
}

/** Noise over a gradient: compresses like a photograph. */
export function picture(width: number, height: number) {
  seed++
  const pixels = Buffer.alloc(width * height * 3)
  let state = seed * 7919 + 1
  for (let index = 0; index < pixels.length; index++) {
    state = (state * 1103515245 + 12345) % 2147483648
    const pixel = Math.floor(index / 3)
    const ramp = ((pixel % width) / width) * 128 + (Math.floor(pixel / width) / height) * 90
    pixels[index] = (ramp + (state % 37) + seed * 13 * ((index % 3) + 1)) % 256
  }
  return sharp(pixels, { raw: { width, height, channels: 3 } })
}

/** A short film of four different pictures, as GIF or WebP. */
export async function makeAnimation(format: 'gif' | 'webp') {
  const frames = await Promise.all(Array.from({ length: 4 }, () => picture(48, 32).png().toBuffer()))
  const film = sharp(frames, { join: { animated: true } })
  return format === 'gif' ? film.gif().toBuffer() : film.webp({ quality: 90 }).toBuffer()
}

/** A photograph that says where, when and with what it was taken. */
export async function makePhoto({ width = 96, height = 64 }: { width?: number; height?: number } = {}) {
  return picture(width, height).withExif(cameraExif).jpeg({ quality: 90 }).toBuffer()
}
