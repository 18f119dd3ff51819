import sharp from 'sharp'
import { rgbaToThumbHash } from 'thumbhash'
import { thumbnailSize } from '#shared/image-sizes.ts'
import { findDominantColours } from './colours.ts'
import { decode, readHeader, type Source, writeOutput } from './decoder.ts'
import { readExif } from './exif.ts'
import type { ProcessedImage, ProcessInput } from './image-tasks.ts'
import { hashDifferences } from './perceptual-hash.ts'
import { shrinkToFit } from './pixels.ts'
import { decodeVisible } from './visible-frame.ts'

/** Enough for a thumbhash (which takes at most 100) and for colours. */
const sampleEdge = 64

/** The picture is decoded once, to the thumbnail's pixels; everything else is made from these. */
export async function processImage(task: Source & ProcessInput): Promise<ProcessedImage> {
  const header = await readHeader(task)
  const { mimeType, width, height, frames, isUnreadFilm, metadata } = header
  const { data, info } = await decodeVisible(task, header, { ...thumbnailSize({ width, height }), fit: 'fill' })
  const raw = { width: info.width, height: info.height, channels: info.channels }
  const thumbnail = await decode(sharp(data, { raw }).webp({ quality: 75, effort: 2 }))
  await writeOutput(task.thumbnailPath, thumbnail.data)

  const sample = shrinkToFit({ ...raw, data }, sampleEdge)
  return {
    mimeType,
    width,
    height,
    frames,
    isAnimated: frames > 1 || isUnreadFilm,
    thumbhash: Buffer.from(rgbaToThumbHash(sample.width, sample.height, sample.data)).toString('base64'),
    colours: findDominantColours(sample),
    perceptualHash: hashDifferences(sample),
    exif: readExif(metadata.exif),
  }
}
