import type { Sharp } from 'sharp'
import { decode, maxPixels, maxWebpEdge, openImage, readHeader, type Source, writeOutput } from './decoder.ts'
import type { RenderInput, RenditionFormat, WrittenImage } from './image-tasks.ts'

const defaultQuality: Record<RenditionFormat, number> = { webp: 78, avif: 50, jpeg: 80 }

export async function renderImage(task: Source & RenderInput): Promise<WrittenImage> {
  const { format, width = maxWebpEdge, quality = defaultQuality[format] } = task
  const header = await readHeader(task)
  const isFilm = header.frames > 1 && header.width * header.height * header.frames <= maxPixels
  const animated = isFilm && format === 'webp'
  // A film of frames cannot be turned, and the formats that have films have no cameras.
  const source = animated ? openImage(task, { animated }) : openImage(task).autoOrient()
  const resized = source
    .resize({ width: Math.min(width, maxWebpEdge), height: maxWebpEdge, fit: 'inside', withoutEnlargement: true })
    .toColourspace('srgb')
  const { data, info } = await decode(encode(resized, format, quality))
  await writeOutput(task.outputPath, data)
  return { width: info.width, height: info.pageHeight ?? info.height, bytes: data.length }
}

function encode(image: Sharp, format: RenditionFormat, quality: number) {
  if (format === 'webp') return image.webp({ quality, effort: 2 })
  if (format === 'avif') return image.avif({ quality, effort: 1 })
  return image.flatten({ background: '#ffffff' }).jpeg({ quality, progressive: true })
}
