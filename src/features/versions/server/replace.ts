import type { FastifyRequest } from 'fastify'
import type { StagedFile } from '#engines/storage/storage.ts'
import { maxUploadBytes } from '#features/media/limits.ts'
import { type MediaMimeType, mediaTypeOf } from '#features/media/mime-types.ts'
import { announceMedia } from '#features/media/server/announce.ts'
import { claimBlob, insertBlob } from '#features/media/server/blob-store.ts'
import type { FileServices } from '#features/media/server/files/served-file.ts'
import { uncleanablePrefix } from '#features/media/server/media-addresses.ts'
import type { Owned } from '#features/media/server/owned.ts'
import type { MediaRow } from '#features/media/server/to-media.ts'
import {
  type Arrived,
  discardCandidate,
  examineFile,
  type IngestServices,
  receiveFile,
} from '#features/upload/server/ingest.ts'
import { replaceFile } from '#features/upload/server/replace-file.ts'
import { invalid } from '#platform/errors.ts'
import { explainMultipartError } from '#platform/server/http/handle.ts'
import { safeFilename, safeTypedName, splitExtension } from '#shared/filenames.ts'
import { analyzeAgain } from './analyze-again.ts'

export type ReplaceServices = IngestServices & Pick<FileServices, 'failedRenditions'>

/** One file; parts after it are refused. */
export const replacementLimits = {
  fileSize: maxUploadBytes + 1,
  files: 1,
  fields: 10,
  parts: 11,
  fieldSize: 64 * 1024,
  headerPairs: 50,
}

const multipartMessages = {
  none: () => invalid('Please choose a file.', { field: 'file' }),
  tooMany: 'Please send one file.',
}

/** Bytes that the item already has make no version, but mend a stored file that was damaged or lost. */
export async function replaceWithUpload(
  services: ReplaceServices,
  media: Owned<MediaRow>,
  request: FastifyRequest,
): Promise<MediaRow> {
  const arrived = await receivePart(services, media, request)
  if (arrived.arrival.sha256 === media.blob) {
    await storeAgain(services, arrived.arrival)
    await announceMedia(services.events, media.owner_id, [media.id])
    return media
  }
  const candidate = await examineFile(services, arrived)
  // A file may begin like an image and turn out to be something else.
  if (candidate.examined.facts.type !== media.type) {
    await discardCandidate(candidate)
    throw otherKind(media)
  }
  return replaceFile(services, media, candidate, {
    cause: 'replacement',
    nameFor: ({ filename }) => withExtensionOf(filename, arrived.filename),
    complete: (transaction, { after }) => analyzeAgain(services.jobs, transaction, after),
  })
}

async function storeAgain({ db, storage, failedRenditions }: ReplaceServices, arrival: StagedFile) {
  const { sha256, bytes } = arrival
  const claim = await claimBlob(db, sha256)
  try {
    await arrival.commit({ replaceExisting: true })
    await insertBlob(db, sha256, bytes)
    // The damaged bytes may have been found to be uncleanable, or impossible to resize.
    await storage.derived.removeRecipes(sha256, { prefix: uncleanablePrefix })
    failedRenditions.forget(sha256)
  } finally {
    await claim.release(db).catch(() => {}) // it expires within an hour
    await arrival.discard()
  }
}

/** Reads the whole request, so that a dropped connection leaves nothing behind. */
async function receivePart(services: IngestServices, media: Owned<MediaRow>, request: FastifyRequest) {
  let arrived: Arrived | undefined
  try {
    for await (const part of request.parts()) {
      if (part.type === 'field') continue
      const filename = safeFilename(part.filename ?? '')
      arrived = await receiveFile(services, media.owner_id, { source: part.file, filename, checkType })
    }
    if (!arrived) throw multipartMessages.none()
    return arrived
  } catch (error) {
    await arrived?.arrival.discard()
    // The rest of the request is drained, so that the client can read the response.
    request.raw.unpipe().resume()
    throw explainMultipartError(error, multipartMessages)
  }

  function checkType(type: MediaMimeType) {
    if (mediaTypeOf(type) !== media.type) throw otherKind(media)
  }
}

const otherKind = ({ type, filename }: MediaRow) =>
  invalid(
    type === 'image'
      ? `"${filename}" is an image and can be replaced only with an image.`
      : `"${filename}" is a video and can be replaced only with a video.`,
    { field: 'file' },
  )

/** "logo.png" replaced with "new.webp" is "logo.webp". */
const withExtensionOf = (filename: string, other: string) =>
  safeTypedName(splitExtension(filename).stem + splitExtension(other).extension)
