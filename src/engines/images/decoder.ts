import { writeFile } from 'node:fs/promises'
import sharp, { type Metadata, type OutputInfo, type Sharp } from 'sharp'
import { notFound, storageFull, unavailable } from '#platform/errors.ts'
import { corrupt, notAccepted, tooManyPixels, tooSlow } from './image-errors.ts'
import type { ImageMimeType } from './image-tasks.ts'
import { countPngFrames } from './png-frames.ts'

/** Counts the pixels of all frames that are decoded. */
export const maxPixels = 100_000_000
/** Noise of this size already takes a minute and a gigabyte to encode; counts all frames. */
export const maxEncodedPixels = 50_000_000
/** The format's own limit for an edge. */
export const maxWebpEdge = 16_383

const mimeTypes: Record<string, ImageMimeType> = {
  jpeg: 'image/jpeg',
  png: 'image/png',
  gif: 'image/gif',
  webp: 'image/webp',
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
    ],
  })
  // One picture at a time in a child of its own: as many threads as children, and nothing worth remembering.
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
  /** As many as the decoder reads. */
  frames: number
  /** Of a film that is a PNG it reads the first picture only. */
  isUnreadFilm: boolean
  metadata: Metadata
}

/** A picture as people hold it. A film of frames is not turned by browsers, and cannot be here: whatever its EXIF says, it stays. */
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
  const isUnreadFilm = mimeType === 'image/png' && (await countPngFrames(source.path)) > 1
  return { mimeType, width, height, frames, isUnreadFilm, metadata }
}

export function decode(image: Sharp): Promise<{ data: Buffer; info: OutputInfo }> {
  return explained(image.toBuffer({ resolveWithObject: true }))
}

/** Encoders build their file in memory anyway; writing it ourselves tells a full disk from a damaged picture. */
export async function writeOutput(path: string, data: Uint8Array) {
  try {
    await writeFile(path, data)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw code === 'ENOSPC' || code === 'EDQUOT' ? storageFull() : error
  }
}

/** sharp tells its errors apart by their text alone. */
async function explained<Result>(work: Promise<Result>): Promise<Result> {
  try {
    return await work
  } catch (error) {
    const text = error instanceof Error ? error.message : ''
    if (/input file is missing/i.test(text)) throw notFound('The picture')
    if (/exceeds pixel limit/i.test(text)) throw tooManyPixels()
    if (/unsupported image format/i.test(text)) throw notAccepted()
    if (/^timeout/i.test(text)) throw tooSlow()
    if (/out of memory/i.test(text)) throw unavailable('The server has too little memory for this picture right now.')
    throw corrupt()
  }
}
