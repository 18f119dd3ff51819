import sharp from 'sharp'
import { AppError, unsupportedType } from '#platform/errors.ts'
import { decode, maxEncodedPixels, maxWebpEdge, openUpright, readHeader, type Source, writeOutput } from './decoder.ts'
import { type CutOutInput, tooManyPixels, type WrittenImage } from './image-tasks.ts'
import { cutOut } from './matte.ts'

/** High enough that the edges of the subject show no blocks. */
const webp = { quality: 88, alphaQuality: 90, effort: 2 }

export async function cutOutSubject(task: Source & CutOutInput): Promise<WrittenImage> {
  const { mask, format } = task
  const header = await readHeader(task)
  if (header.frames > 1 || header.isAnimatedPng) {
    throw unsupportedType("The background of an animation can't be removed. Choose a still image.")
  }
  const { width, height } = header
  if (width * height > maxEncodedPixels) {
    throw tooManyPixels('Backgrounds can be removed from images of up to 50 megapixels. Resize the image first.')
  }
  if (format === 'webp' && Math.max(width, height) > maxWebpEdge) {
    throw new AppError(
      'edge-too-long',
      413,
      `A WebP image can be at most ${maxWebpEdge} pixels wide or high. Choose PNG.`,
    )
  }
  const upright = openUpright(task, header).flatten({ background: '#ffffff' }).toColourspace('srgb')
  const { data, info } = await decode(upright.raw())
  const raw = { width: info.width, height: info.height, channels: 3 as const }
  const small = await decode(sharp(data, { raw }).resize(mask.width, mask.height, { fit: 'fill' }).raw())
  const guide = { data: small.data, width: mask.width, height: mask.height }
  const pixels = cutOut({ data, ...raw }, guide, mask.data)
  const image = sharp(pixels, { raw: { ...raw, channels: 4 } })
  const encoded = await decode(format === 'webp' ? image.webp(webp) : image.png({ compressionLevel: 7 }))
  await writeOutput(task.outputPath, encoded.data)
  return { width: info.width, height: info.height, bytes: encoded.data.length }
}
