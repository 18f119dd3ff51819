import { rm } from 'node:fs/promises'
import type { RenderInput, RenditionFormat } from '#engines/images/image-tasks.ts'
import { isCrop } from '#shared/fit-picture.ts'
import { type InTurn, makeDerived } from './make-derived.ts'
import { type FileRow, type FileServices, openDerived, type ServedFile } from './served-file.ts'

/** A picture, or a video's poster, in another size or format. */
export type Rendition = Omit<RenderInput, 'path' | 'outputPath'>

const renditionMimeTypes: Record<RenditionFormat, string> = {
  webp: 'image/webp',
  avif: 'image/avif',
  jpeg: 'image/jpeg',
  png: 'image/png',
  gif: 'image/gif',
}

export async function openRendition(
  services: FileServices,
  media: FileRow,
  rendition: Rendition,
  inTurn?: InTurn,
): Promise<ServedFile> {
  const key = `${media.blob}/${recipeOf(rendition)}`
  const withPicture = media.type === 'image' ? withOriginal : withPosterOf(services)
  const make = (path: string, outputPath: string) =>
    withPicture(path, (picture) => services.images.render({ ...rendition, path: picture, outputPath }))
  await services.failedRenditions.run(key, () => makeDerived(services, key, rendition.format, make, inTurn))
  return openDerived(services, key, renditionMimeTypes[rendition.format])
}

/** The same picture has one name, so that it is made and stored once. */
function recipeOf(rendition: Rendition) {
  const { width, height, quality, format } = rendition
  const size = height ? `${width ?? ''}x${height}` : (width ?? 'full')
  const parts = [size, isCrop(rendition) && `at${pointOf(rendition)}`, quality && `q${quality}`]
  return `${parts.filter(Boolean).join('-')}.${format}`
}

const pointOf = ({ focalPoint }: Rendition) => {
  const { x, y } = focalPoint ?? { x: 0.5, y: 0.5 }
  return `${Math.round(x * 10_000)}-${Math.round(y * 10_000)}`
}

type WithPicture = (path: string, use: (picture: string) => Promise<unknown>) => Promise<unknown>

const withOriginal: WithPicture = (path, use) => use(path)

function withPosterOf({ videos, storage }: FileServices): WithPicture {
  return async (path, use) => {
    const outputPath = storage.derived.temporaryPath('jpg')
    try {
      await videos.poster({ path, outputPath })
      return await use(outputPath)
    } finally {
      await rm(outputPath, { force: true })
    }
  }
}
