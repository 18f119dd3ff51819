import { open, rm } from 'node:fs/promises'
import type { MediaMimeType } from '#features/media/mime-types.ts'
import { extensionOf } from '#features/media/mime-types.ts'
import { chosenFocalPoint, focalPointOf, isFocalPointOwn } from '#features/media/server/focal-point.ts'
import { firstVersionOf } from '#features/media/server/media.ts'
import type { Owned } from '#features/media/server/owned.ts'
import { loadOwnedMedia, updateMedia } from '#features/media/server/store.ts'
import { listOwnTags, replaceTags } from '#features/media/server/tags.ts'
import type { MediaRow } from '#features/media/server/to-media.ts'
import { wordColumnsOf } from '#features/media/server/words.ts'
import {
  acceptCandidate,
  type Candidate,
  examineFile,
  type IngestServices,
  receiveFile,
} from '#features/upload/server/ingest.ts'
import { replaceFile } from '#features/upload/server/replace-file.ts'
import { invalid } from '#platform/errors.ts'
import { safeTypedName, splitExtension } from '#shared/filenames.ts'
import { editedPoint, findEditFault, type PictureEdit } from '#shared/picture-edit.ts'
import { analyzeAgain } from './analyze-again.ts'

/** Decodes the item's own file at full size, so that several edits in a row do not lose more than one. */
export async function editPicture(
  services: IngestServices,
  media: Owned<MediaRow>,
  edit: PictureEdit,
  saveAs: 'version' | 'duplicate',
): Promise<MediaRow> {
  refuseToEdit(media, edit)
  const candidate = await encode(services, media, edit)
  return saveAs === 'version'
    ? saveVersion(services, media, edit, candidate)
    : saveDuplicate(services, media, edit, candidate)
}

function refuseToEdit(media: MediaRow, edit: PictureEdit) {
  if (media.type !== 'image') throw invalid('Only images can be edited.')
  if (media.is_animated) throw invalid('Animations cannot be edited, because only one of their frames would be kept.')
  const fault = findEditFault(sizeOf(media), edit)
  if (fault) throw invalid(fault.message, { field: fault.field })
}

const sizeOf = ({ width, height }: MediaRow) => ({ width: width ?? 1, height: height ?? 1 })

async function encode(services: IngestServices, media: MediaRow, edit: PictureEdit): Promise<Candidate> {
  const { storage, images } = services
  const outputPath = storage.derived.temporaryPath(extensionOf(media.mime_type as MediaMimeType))
  try {
    await storage.withLocalFile(media.blob, (path) => images.edit({ path, outputPath, edit }))
    await using output = await open(outputPath)
    const file = { source: output.createReadStream(), filename: media.filename, isOwnWork: true }
    return await examineFile(services, await receiveFile(services, media.owner_id, file))
  } finally {
    await rm(outputPath, { force: true })
  }
}

function saveVersion(services: IngestServices, media: Owned<MediaRow>, edit: PictureEdit, candidate: Candidate) {
  return replaceFile(services, media, candidate, {
    cause: 'edit',
    isMadeFromItem: true,
    nameFor: ({ filename }) => filename,
    async complete(transaction, { before, after }) {
      await updateMedia(transaction, after.id, movedFocalPoint(before, edit))
      await analyzeAgain(services.jobs, transaction, after)
    },
  })
}

/** The owner's focal point moves with the picture; one that was cropped away is forgotten. */
function movedFocalPoint(before: MediaRow, edit: PictureEdit) {
  if (!isFocalPointOwn(before)) return {}
  return chosenFocalPoint(editedPoint(focalPointOf(before)!, sizeOf(before), edit))
}

function saveDuplicate(services: IngestServices, media: Owned<MediaRow>, edit: PictureEdit, candidate: Candidate) {
  const { stem, extension } = splitExtension(media.filename)
  return acceptCandidate(services, media.owner_id, candidate, {
    filename: safeTypedName(`${stem} (edited)${extension}`),
    enableAi: media.ai_status !== 'none',
    async complete(transaction, row) {
      // Read again: it may have been edited meanwhile, and a deleted item must not get a duplicate.
      const current = await loadOwnedMedia(transaction, media.owner_id, media.id)
      const tags = await listOwnTags(transaction, media.id)
      const own = tags.filter(({ source }) => source === 'person')
      await replaceTags(transaction, row, own)
      const isDescribedByUser = current.ai_description_source === 'person'
      const changes = {
        ...movedFocalPoint(current, edit),
        ...wordColumnsOf(current),
        user_description: current.user_description,
        ...(isDescribedByUser && { ai_description: current.ai_description, ai_description_source: 'person' as const }),
        exif: current.exif,
        taken_at: current.taken_at,
        is_sample: current.is_sample,
        derived_from: firstVersionOf(current),
      }
      return (await updateMedia(transaction, row.id, changes)) ?? row
    },
  })
}
