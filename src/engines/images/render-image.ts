import type { Sharp } from 'sharp'
import {
  decode,
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
import { tooManyPixels } from './image-errors.ts'
import type { RenderInput, RenditionFormat, WrittenImage } from './image-tasks.ts'

const qualities: Record<RenditionFormat, number> = { webp: 78, avif: 50, jpeg: 80 }

export async function renderImage(task: Source & RenderInput): Promise<WrittenImage> {
  const { format, width = maxWebpEdge } = task
  const header = await readHeader(task)
  const pixels = renderedPixels(header, width)
  if (pixels > maxEncodedPixels) {
    const megapixels = Math.ceil(pixels / 1_000_000)
    throw tooManyPixels(
      `In its full size a picture of up to 50 megapixels is sent in another format; this one has ${megapixels}. Please ask for a width.`,
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

/** Of one frame, as large as it will be. */
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
