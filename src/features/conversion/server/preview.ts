import { rm } from 'node:fs/promises'
import { derivedNames, fileAddress } from '#features/media/server/media-addresses.ts'
import type { Owned } from '#features/media/server/owned.ts'
import type { MediaRow } from '#features/media/server/to-media.ts'
import type { IngestServices } from '#features/upload/server/ingest.ts'
import { invalid } from '#platform/errors.ts'

/** Encodes for real and keeps the result for a while, so that the dialog shows true pixels and the true size. */
export async function previewWebp({ storage, images }: IngestServices, media: Owned<MediaRow>, quality: number) {
  if (media.type !== 'image') throw invalid('Only pictures can be converted to WebP.')
  const key = `${media.blob}/preview-${quality}.webp`
  if (!(await storage.derived.stat(key))) {
    const outputPath = storage.derived.temporaryPath('webp')
    try {
      await storage.withLocalFile(media.blob, (path) => images.convertToWebp({ path, outputPath, quality }))
      await storage.derived.write(key, outputPath)
    } finally {
      await rm(outputPath, { force: true })
    }
  }
  const facts = await storage.derived.stat(key)
  return {
    url: `${fileAddress(media, derivedNames.preview)}?quality=${quality}`,
    size: facts?.bytes ?? 0,
    originalSize: media.size,
  }
}
