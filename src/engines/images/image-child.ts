import type { Sharp } from 'sharp'
import sharp from 'sharp'
import { rgbaToThumbHash } from 'thumbhash'
import { AppError, unsupportedType } from '#platform/errors.ts'
import { serveTasks } from '#platform/server/process-pool/serve-tasks.ts'
import { thumbnailSize } from '#shared/image-sizes.ts'
import {
  allowAcceptedTypesOnly,
  decode,
  decodeVisible,
  type Header,
  maxEncodedPixels,
  maxPixels,
  maxWebpEdge,
  openImage,
  openUpright,
  readHeader,
  type Source,
  writeOutput,
} from './decoder.ts'
import { readExif } from './exif.ts'
import {
  type ConvertInput,
  type ImageTask,
  type InspectedImage,
  type ProcessedImage,
  type ProcessInput,
  type RenderInput,
  type RenditionFormat,
  type ShrinkInput,
  type SmallJpeg,
  tooManyPixels,
  type WrittenImage,
} from './image-tasks.ts'
import { findDominantColours, hashDifferences, shrinkToFit } from './pixels.ts'

/** Allows the fastest decode that a format offers; all bytes of the file are read nevertheless. */
const probeEdge = 64

async function inspectImage(source: Source): Promise<InspectedImage> {
  const { mimeType, width, height, frames } = await readHeader(source)
  await decode(
    openImage(source)
      .resize(probeEdge, probeEdge, { fit: 'inside', withoutEnlargement: true, kernel: 'nearest' })
      .raw(),
  )
  return { mimeType, width, height, frames }
}

async function shrinkImage(task: Source & ShrinkInput): Promise<SmallJpeg> {
  const size = { width: task.edge, height: task.edge, fit: 'inside', withoutEnlargement: true } as const
  const pixels = await decodeVisible(task, await readHeader(task), size)
  const { width, height, channels } = pixels.info
  const image = sharp(pixels.data, { raw: { width, height, channels } })
    .flatten({ background: '#ffffff' })
    .jpeg({ quality: 85 })
  const { data } = await decode(image)
  return { data, width, height }
}

/** Enough for a thumbhash (at most 100) and for the dominant colors. */
const sampleEdge = 64

/** Decodes the picture once, to the size of the thumbnail; all other results are made from these pixels. */
async function processImage(task: Source & ProcessInput): Promise<ProcessedImage> {
  const header = await readHeader(task)
  const { mimeType, width, height, frames, isAnimatedPng, metadata } = header
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
    isAnimated: frames > 1 || isAnimatedPng,
    thumbhash: Buffer.from(rgbaToThumbHash(sample.width, sample.height, sample.data)).toString('base64'),
    colours: findDominantColours(sample),
    perceptualHash: hashDifferences(sample),
    exif: readExif(metadata.exif),
  }
}

const qualities: Record<RenditionFormat, number> = { webp: 78, avif: 50, jpeg: 80 }

async function renderImage(task: Source & RenderInput): Promise<WrittenImage> {
  const { format, width = maxWebpEdge } = task
  const header = await readHeader(task)
  const pixels = renderedPixels(header, width)
  if (pixels > maxEncodedPixels) {
    const megapixels = Math.ceil(pixels / 1_000_000)
    throw tooManyPixels(
      `Images of more than 50 megapixels can be converted only with a width; this one has ${megapixels}. Please specify a width.`,
    )
  }
  const isReadable = header.width * header.height * header.frames <= maxPixels
  const isFilm = header.frames > 1 && isReadable && pixels * header.frames <= maxEncodedPixels
  const animated = isFilm && format === 'webp'
  const source = animated ? openImage(task, { animated }) : openUpright(task, header)
  const resized = source
    .resize({ width: Math.min(width, maxWebpEdge), height: maxWebpEdge, fit: 'inside', withoutEnlargement: true })
    .toColourspace('srgb')
  const { data, info } = await decode(encode(resized, format))
  await writeOutput(task.outputPath, data)
  return { width: info.width, height: info.pageHeight ?? info.height, bytes: data.length }
}

/** The pixels of one frame at its final size. */
function renderedPixels({ width, height }: Header, wanted: number) {
  const scale = Math.min(1, wanted / width, maxWebpEdge / width, maxWebpEdge / height)
  return Math.round(width * scale) * Math.round(height * scale)
}

function encode(image: Sharp, format: RenditionFormat) {
  const quality = qualities[format]
  if (format === 'webp') return image.webp({ quality, effort: 2 })
  if (format === 'avif') return image.avif({ quality, effort: 1 })
  return image.flatten({ background: '#ffffff' }).jpeg({ quality, progressive: true })
}

async function convertToWebp(task: Source & ConvertInput): Promise<WrittenImage> {
  const header = await readHeader(task)
  refuseWhatWebpCannotHold(header)
  const animated = header.frames > 1
  const source = animated ? openImage(task, { animated }) : openUpright(task, header).keepExif()
  const coloured = hasRgbProfile(header) ? source.keepIccProfile() : source.toColourspace('srgb')
  const { data } = await decode(coloured.webp({ quality: task.quality, effort: 2 }))
  await writeOutput(task.outputPath, data)
  return { width: header.width, height: header.height, bytes: data.length }
}

function refuseWhatWebpCannotHold({ width, height, frames, isAnimatedPng }: Header) {
  if (isAnimatedPng) {
    throw unsupportedType('An animated PNG cannot be converted to WebP, because only its first frame would be kept.')
  }
  const pixels = width * height * frames
  if (pixels > maxEncodedPixels) {
    const megapixels = Math.ceil(pixels / 1_000_000)
    throw tooManyPixels(`Images of up to 50 megapixels can be converted to WebP; this one has ${megapixels}.`)
  }
  const edge = Math.max(width, height)
  if (edge > maxWebpEdge) {
    throw new AppError(
      'edge-too-long',
      413,
      `A WebP image can be at most ${maxWebpEdge} pixels wide or high; this one has ${edge}.`,
    )
  }
}

/** A wide-gamut photograph keeps its own colors; CMYK and gray profiles mean nothing in WebP. */
const hasRgbProfile = ({ metadata }: Header) => metadata.hasProfile && metadata.space === 'srgb'

allowAcceptedTypesOnly()
serveTasks<ImageTask, unknown>((task) => {
  switch (task.kind) {
    case 'process':
      return processImage(task)
    case 'inspect':
      return inspectImage(task)
    case 'render':
      return renderImage(task)
    case 'convert':
      return convertToWebp(task)
    case 'shrink':
      return shrinkImage(task)
  }
})
