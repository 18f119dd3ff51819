import { makePreview } from '#features/media/server/files/conversion-preview.ts'
import { derivedNames, fileAddress } from '#features/media/server/media-addresses.ts'
import type { Owned } from '#features/media/server/owned.ts'
import type { MediaRow } from '#features/media/server/to-media.ts'
import type { IngestServices } from '#features/upload/server/ingest.ts'
import { invalid, notFound } from '#platform/errors.ts'

/** Encodes for real and keeps the result for a while, so that the dialog shows true pixels and the true size. */
export async function previewWebp(services: IngestServices, media: Owned<MediaRow>, quality: number) {
  if (media.type !== 'image') throw invalid('Only pictures can be converted to WebP.')
  const facts = await services.storage.derived.stat(await makePreview(services, media.blob, quality))
  // Another quality was asked for at the same moment.
  if (!facts) throw notFound('File')
  return {
    url: `${fileAddress(media, derivedNames.preview)}?quality=${quality}`,
    size: facts.bytes,
    originalSize: media.size,
  }
}
