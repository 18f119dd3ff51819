import { AppError, unsupportedType } from '#platform/errors.ts'
import {
  decode,
  type Header,
  maxEncodedPixels,
  maxWebpEdge,
  openImage,
  openUpright,
  readHeader,
  type Source,
  writeOutput,
} from './decoder.ts'
import { tooManyPixels } from './image-errors.ts'
import type { ConvertInput, WrittenImage } from './image-tasks.ts'

export async function convertToWebp(task: Source & ConvertInput): Promise<WrittenImage> {
  const header = await readHeader(task)
  refuseWhatWebpCannotHold(header)
  const animated = header.frames > 1
  const source = animated ? openImage(task, { animated }) : openUpright(task, header).keepExif()
  const coloured = hasRgbProfile(header) ? source.keepIccProfile() : source.toColourspace('srgb')
  const { data } = await decode(coloured.webp({ quality: task.quality, effort: 2 }))
  await writeOutput(task.outputPath, data)
  return { width: header.width, height: header.height, bytes: data.length }
}

function refuseWhatWebpCannotHold({ width, height, frames, isUnreadFilm }: Header) {
  if (isUnreadFilm) {
    throw unsupportedType('An animated PNG cannot be converted to WebP: only its first picture would be left.')
  }
  const pixels = width * height * frames
  if (pixels > maxEncodedPixels) {
    const megapixels = Math.ceil(pixels / 1_000_000)
    throw tooManyPixels(`Pictures of up to 50 megapixels can be converted to WebP; this one has ${megapixels}.`)
  }
  const edge = Math.max(width, height)
  if (edge > maxWebpEdge) {
    throw new AppError(
      'edge-too-long',
      413,
      `A WebP picture is at most ${maxWebpEdge} pixels wide or high; this one has ${edge}.`,
    )
  }
}

/** A wide-gamut photograph keeps its own colours; CMYK and grey profiles mean nothing in WebP. */
const hasRgbProfile = ({ metadata }: Header) => metadata.hasProfile && metadata.space === 'srgb'
