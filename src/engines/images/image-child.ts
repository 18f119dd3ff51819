import type { Sharp } from 'sharp'
import sharp from 'sharp'
import { rgbaToThumbHash } from 'thumbhash'
import { readWords } from '#engines/metadata/read-words.ts'
import { AppError, unsupportedType } from '#platform/errors.ts'
import { serveTasks } from '#platform/server/process-pool/serve-tasks.ts'
import { coverCrop } from '#shared/cover-crop.ts'
import { fitPicture, isCrop } from '#shared/fit-picture.ts'
import { thumbnailSize } from '#shared/image-sizes.ts'
import { cutOutSubject } from './cut-out.ts'
import {
  allowAcceptedTypesOnly,
  avifEffort,
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
import { editImage } from './edit-image.ts'
import { readExif } from './exif.ts'
import {
  type ConvertFormat,
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
    words: readWords(metadata),
  }
}

const qualities: Record<RenditionFormat, number> = { webp: 78, avif: 50, jpeg: 80, png: 100, gif: 100 }
const keepsAnimation = (format: RenditionFormat) => format === 'webp' || format === 'gif'

async function renderImage(task: Source & RenderInput): Promise<WrittenImage> {
  const { format, quality = qualities[format] } = task
  const header = await readHeader(task)
  const size = renderedSize(header, task)
  const pixels = size.width * size.height
  if (pixels > maxEncodedPixels) {
    const megapixels = Math.ceil(pixels / 1_000_000)
    throw tooManyPixels(
      `Images of more than 50 megapixels can be converted only with a width; this one has ${megapixels}. Please specify a width.`,
    )
  }
  const isReadable = header.width * header.height * header.frames <= maxPixels
  const isFilm = header.frames > 1 && isReadable && pixels * header.frames <= maxEncodedPixels
  const animated = isFilm && keepsAnimation(format)
  const source = animated ? openImage(task, { animated }) : openUpright(task, header)
  const resized = resize(source, header, { ...task, ...size }).toColourspace('srgb')
  const { data, info } = await decode(encode(resized, format, quality))
  await writeOutput(task.outputPath, data)
  return { width: info.width, height: info.pageHeight ?? info.height, bytes: data.length }
}

/** The final size of one frame, which no format's longest edge may exceed. */
function renderedSize(header: Header, { width, height, fit }: RenderInput) {
  const [boxWidth, boxHeight] = [
    Math.min(width ?? maxWebpEdge, maxWebpEdge),
    Math.min(height ?? maxWebpEdge, maxWebpEdge),
  ]
  return fitPicture(
    header,
    isCrop({ width, height, fit }) ? { width, height, fit } : { width: boxWidth, height: boxHeight },
  )
}

/** Scaling before cutting lets the decoder skip detail, which cutting first would prevent. */
function resize(source: Sharp, header: Header, { width, height, fit, focalPoint }: RenderInput & Size) {
  if (!isCrop({ width, height, fit })) return source.resize({ width, height, fit: 'fill' })
  const crop = coverCrop(header, { width, height }, focalPoint)
  const scale = Math.max(width / crop.width, height / crop.height)
  const [fullWidth, fullHeight] = [header.width, header.height].map((edge) => Math.round(edge * scale)) as [
    number,
    number,
  ]
  const full = { width: Math.max(width, fullWidth), height: Math.max(height, fullHeight) }
  return source.resize({ ...full, fit: 'fill' }).extract({
    left: Math.min(Math.round(crop.left * scale), full.width - width),
    top: Math.min(Math.round(crop.top * scale), full.height - height),
    width,
    height,
  })
}

type Size = { width: number; height: number }

function encode(image: Sharp, format: RenditionFormat, quality: number) {
  if (format === 'webp') return image.webp({ quality, effort: 2 })
  if (format === 'avif') return image.avif({ quality, effort: 1 })
  if (format === 'png') return image.png({ compressionLevel: 7 })
  if (format === 'gif') return image.gif({ effort: 2 })
  return image.flatten({ background: '#ffffff' }).jpeg({ quality, progressive: true })
}

const formatNames: Record<ConvertFormat, string> = { webp: 'WebP', jpeg: 'JPEG', avif: 'AVIF' }

async function convertImage(task: Source & ConvertInput): Promise<WrittenImage> {
  const { quality, format = 'webp', longestSide = Number.POSITIVE_INFINITY } = task
  const header = await readHeader(task)
  const animated = header.frames > 1
  refuseToConvert(header, format, longestSide)
  const source = animated ? openImage(task, { animated }) : openUpright(task, header)
  const coloured = format === 'avif' ? source.toColourspace('srgb') : keepCameraAndColor(source, header)
  const isLarger = Math.max(header.width, header.height) > longestSide
  const box = { width: longestSide, height: longestSide, fit: 'inside' } as const
  const sized = isLarger ? coloured.resize(box) : coloured
  const { data, info } = await decode(encodeConverted(sized, header, { format, quality }))
  await writeOutput(task.outputPath, data)
  return { width: info.width, height: info.pageHeight ?? info.height, bytes: data.length }
}

/** An animation has no camera, and browsers ignore its orientation. */
function keepCameraAndColor(source: Sharp, header: Header) {
  const described = header.frames > 1 ? source : source.keepExif()
  return hasRgbProfile(header) ? described.keepIccProfile() : described.toColourspace('srgb')
}

type Encoding = { format: ConvertFormat; quality: number }

function encodeConverted(image: Sharp, { width, height }: Header, { format, quality }: Encoding) {
  if (format === 'jpeg') return image.flatten({ background: '#ffffff' }).jpeg({ quality, progressive: true })
  if (format === 'avif') return image.avif({ quality, effort: avifEffort(width * height) })
  return image.webp({ quality, effort: 2 })
}

function refuseToConvert({ width, height, frames, isAnimatedPng }: Header, format: ConvertFormat, longestSide: number) {
  const name = formatNames[format]
  if (isAnimatedPng) {
    throw unsupportedType(`An animated PNG cannot be converted to ${name}, because only its first frame would be kept.`)
  }
  if (frames > 1 && format !== 'webp') {
    throw unsupportedType(`An animation cannot be converted to ${name}, because only its first frame would be kept.`)
  }
  const pixels = width * height * frames
  if (pixels > maxEncodedPixels) {
    const megapixels = Math.ceil(pixels / 1_000_000)
    throw tooManyPixels(`Images of up to 50 megapixels can be converted to ${name}; this one has ${megapixels}.`)
  }
  const edge = Math.min(longestSide, Math.max(width, height))
  if (edge > maxWebpEdge) {
    throw new AppError(
      'edge-too-long',
      413,
      `A ${name} image can be at most ${maxWebpEdge} pixels wide or high; this one has ${edge}.`,
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
      return convertImage(task)
    case 'edit':
      return editImage(task)
    case 'cut-out':
      return cutOutSubject(task)
    case 'shrink':
      return shrinkImage(task)
  }
})
