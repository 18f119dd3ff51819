import { open, writeFile } from 'node:fs/promises'
import type { Metadata, OutputInfo, ResizeOptions, Sharp } from 'sharp'
import sharp from 'sharp'
import { notFound, storageFull, unavailable } from '#platform/errors.ts'
import { corrupt, type ImageMimeType, notAccepted, tooManyPixels, tooSlow } from './image-tasks.ts'

/** Profiles and texts may precede the pixels; a file with more chunks than this before them is no animation. */
const maxChunks = 1000

/** The number of frames of a PNG. The decoder reads only the first one and does not report the others. */
async function countPngFrames(path: string): Promise<number> {
  const file = await open(path)
  try {
    // The length, the type and the first four bytes of the content of each chunk.
    const chunk = Buffer.alloc(12)
    for (let position = 8, count = 0; count < maxChunks; count++) {
      const { bytesRead } = await file.read(chunk, 0, chunk.length, position)
      const type = chunk.toString('latin1', 4, 8)
      if (bytesRead < chunk.length || type === 'IDAT') return 1
      if (type === 'acTL') return Math.max(1, chunk.readUInt32BE(8))
      position += chunk.length + chunk.readUInt32BE(0)
    }
    return 1
  } finally {
    await file.close()
  }
}

/** The limit for the pixels of all decoded frames together. */
export const maxPixels = 100_000_000
/** Noise of this size takes a minute and a gigabyte to encode; the limit is for all frames together. */
export const maxEncodedPixels = 50_000_000
/** More effort would take longer than the time limit for the noise of a large picture. */
export const avifEffort = (pixels: number) => (pixels > 4_000_000 ? 0 : 1)
/** The format's own limit for an edge. */
export const maxWebpEdge = 16_383

const mimeTypes: Record<string, ImageMimeType> = {
  jpeg: 'image/jpeg',
  png: 'image/png',
  gif: 'image/gif',
  webp: 'image/webp',
  // Only AV1 can be decoded, and the program's own files are the only ones of this type.
  heif: 'image/avif',
}

/** Otherwise an SVG, TIFF or PDF renamed to .png would reach its decoder. */
export function allowAcceptedTypesOnly() {
  sharp.block({ operation: ['VipsForeignLoad'] })
  sharp.unblock({
    operation: [
      'VipsForeignLoadJpegFile',
      'VipsForeignLoadPngFile',
      'VipsForeignLoadNsgifFile',
      'VipsForeignLoadWebpFile',
      'VipsForeignLoadHeifFile',
    ],
  })
  // A child handles one picture at a time: one thread per child, and no cache.
  sharp.concurrency(1)
  sharp.cache(false)
}

export type Source = { path: string; timeoutSeconds: number }

export function openImage(
  { path, timeoutSeconds }: Source,
  { animated = false, page }: { animated?: boolean; page?: number } = {},
): Sharp {
  return sharp(path, { animated, page, limitInputPixels: maxPixels, failOn: 'error' }).timeout({
    seconds: timeoutSeconds,
  })
}

export type Header = {
  mimeType: ImageMimeType
  width: number
  height: number
  /** The number of frames that the decoder reads. */
  frames: number
  /** True for an animated PNG, of which the decoder reads only the first frame. */
  isAnimatedPng: boolean
  metadata: Metadata
}

/** The upright picture. Browsers do not rotate animations, so an animation ignores its EXIF orientation here too. */
export function openUpright(source: Source, { frames }: Header, page?: number): Sharp {
  const image = openImage(source, { page })
  return frames > 1 ? image : image.autoOrient()
}

/** Reads no pixels. Width and height are those of one frame, upright. */
export async function readHeader(source: Source): Promise<Header> {
  const metadata = await explained(openImage(source).metadata())
  const mimeType = mimeTypes[metadata.format ?? '']
  if (!mimeType) throw notAccepted()
  const frames = metadata.pages ?? 1
  const { width, height } = frames > 1 ? metadata : metadata.autoOrient
  const isAnimatedPng = mimeType === 'image/png' && (await countPngFrames(source.path)) > 1
  return { mimeType, width, height, frames, isAnimatedPng, metadata }
}

export function decode(image: Sharp): Promise<{ data: Buffer; info: OutputInfo }> {
  return explained(image.toBuffer({ resolveWithObject: true }))
}

/** Encoders build their file in memory anyway; writing it here distinguishes a full disk from a damaged picture. */
export async function writeOutput(path: string, data: Uint8Array) {
  try {
    await writeFile(path, data)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw code === 'ENOSPC' || code === 'EDQUOT' ? storageFull() : error
  }
}

/** sharp's errors differ only in their text. */
async function explained<Result>(work: Promise<Result>): Promise<Result> {
  try {
    return await work
  } catch (error) {
    const text = error instanceof Error ? error.message : ''
    if (/input file is missing/i.test(text)) throw notFound('The picture')
    if (/exceeds pixel limit/i.test(text)) throw tooManyPixels()
    if (/unsupported image format/i.test(text)) throw notAccepted()
    if (/^timeout/i.test(text)) throw tooSlow()
    if (/out of memory/i.test(text)) throw unavailable('The server has too little memory for this image right now.')
    throw corrupt()
  }
}

type DecodedPixels = Awaited<ReturnType<typeof decode>>

/** Pixels whose channels differ by at most this, of 255, look the same. */
const plainDifference = 12

/**
 * The pixels of the frame that represents the picture. An animation that begins with an empty or plain frame is shown by a
 * later one.
 */
export async function decodeVisible(task: Source, header: Header, size: ResizeOptions): Promise<DecodedPixels> {
  const decodeFrame = (page: number) => decode(openUpright(task, header, page).resize(size).toColourspace('srgb').raw())
  const first = await decodeFrame(0)
  if (header.frames === 1) return first
  let best = { pixels: first, sight: visibilityOf(first) }
  for (const page of laterFrames(header)) {
    if (best.sight === visibility.varied) break
    const pixels = await decodeFrame(page)
    const sight = visibilityOf(pixels)
    if (sight > best.sight) best = { pixels, sight }
  }
  return best.pixels
}

/** Only a few early frames: the decoder reads all frames before the wanted one, and a few kilobytes can contain gigapixels. */
export function laterFrames({ frames, width, height }: Pick<Header, 'frames' | 'width' | 'height'>): Set<number> {
  const isAffordable = (page: number) => (page + 1) * width * height <= maxPixels
  const pages = [1, 2, 3, 4, frames >> 3, frames >> 2, frames >> 1]
  return new Set(pages.filter((page) => page > 0 && page < frames && isAffordable(page)))
}

/** How much of a frame can be seen. */
const visibility = { nothing: 0, oneColour: 1, varied: 2 }

function visibilityOf({ data, info: { channels } }: DecodedPixels): number {
  const hasAlpha = channels === 2 || channels === 4
  const isSeen = (at: number) => !hasAlpha || data[at + channels - 1] !== 0
  let seen = 0
  while (seen < data.length && !isSeen(seen)) seen += channels
  if (seen === data.length) return visibility.nothing
  for (let at = 0; at < data.length; at++) {
    if (Math.abs(data[at]! - data[seen + (at % channels)]!) > plainDifference) return visibility.varied
  }
  return visibility.oneColour
}
