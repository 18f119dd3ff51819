import { open, rm } from 'node:fs/promises'
import type { Ai } from '#features/analysis/server/ai.ts'
import { draftKey, makeDraft } from '#features/media/server/files/conversion-preview.ts'
import { recordInChange } from '#features/media/server/history.ts'
import { firstVersionOf } from '#features/media/server/media.ts'
import { derivedNames, fileAddress } from '#features/media/server/media-addresses.ts'
import type { Owned } from '#features/media/server/owned.ts'
import { loadOwnedMedia, updateMedia } from '#features/media/server/store.ts'
import { copyTags } from '#features/media/server/tags.ts'
import type { MediaRow } from '#features/media/server/to-media.ts'
import { acceptCandidate, examineFile, type IngestServices, receiveFile } from '#features/upload/server/ingest.ts'
import { AppError, invalid, notConfigured, notFound, unsupportedType } from '#platform/errors.ts'
import type { Db } from '#platform/server/db/tables.ts'
import { safeFilename, splitExtension } from '#shared/filenames.ts'
import { sortKey } from '#shared/fold.ts'
import type { CutOutFormat } from '../contract.ts'
import { descriptionsOf } from './convert.ts'

export type BackgroundServices = IngestServices & { ai: Ai }

type Options = {
  format: CutOutFormat
  /** Cut-outs with the same key are one entry in the history. */
  changeKey?: string
  /** Runs in the transaction that stores the result. */
  alsoWrite?: (transaction: Db) => Promise<void>
}

/** Adds the subject without its background as a new item. The original is not changed. */
export async function removeBackground(
  services: BackgroundServices,
  media: Owned<MediaRow>,
  { format, changeKey, alsoWrite }: Options,
): Promise<MediaRow> {
  refuseMoving(media)
  const arrived = await receiveCutOut(services, media, format)
  const candidate = await examineFile(services, arrived)
  return acceptCandidate(services, media.owner_id, candidate, {
    filename: candidate.filename,
    enableAi: false,
    async complete(transaction, row) {
      // Read again: it may have been edited meanwhile, and a deleted item must not get a cut-out.
      const current = await loadOwnedMedia(transaction, media.owner_id, media.id)
      const filename = cutOutName(current, format)
      await copyTags(transaction, [{ fromId: media.id, to: row }])
      const change = { ownerId: media.owner_id, kind: 'copy', title: 'Removed background', key: changeKey }
      await recordInChange(transaction, change, [{ mediaId: row.id, before: null, after: row.blob }])
      await alsoWrite?.(transaction)
      const names = { filename, name_key: sortKey(filename) }
      const changes = { ...descriptionsOf(current), ...names, derived_from: firstVersionOf(current) }
      return (await updateMedia(transaction, row.id, { ...changes, is_sample: current.is_sample })) ?? row
    },
  })
}

/** The real result, which is kept for a while, so that accepting it costs nothing more. */
export async function previewWithoutBackground(services: BackgroundServices, media: Owned<MediaRow>) {
  refuseMoving(media)
  const key = await makeDraft(services, media.blob, draftName, (path, outputPath) =>
    writeCutOut(services, { path, outputPath, format: 'webp' }),
  )
  const facts = await services.storage.derived.stat(key)
  // Another preview of the same image replaced this one meanwhile.
  if (!facts) throw notFound('File')
  return { url: fileAddress(media, derivedNames.cutOut), size: facts.bytes }
}

const draftName = 'no-background.webp'

function refuseMoving({ type, is_animated }: MediaRow) {
  if (type !== 'image') throw invalid('Backgrounds can be removed from images only.')
  if (is_animated) throw unsupportedType("The background of an animation can't be removed. Choose a still image.")
}

async function receiveCutOut(services: BackgroundServices, media: MediaRow, format: CutOutFormat) {
  const { storage } = services
  const filename = cutOutName(media, format)
  const draft = format === 'webp' ? await storage.derived.read(draftKey(media.blob, draftName)) : null
  if (draft) return receiveFile(services, media.owner_id, { source: once(draft), filename })
  const outputPath = storage.derived.temporaryPath(format)
  try {
    await storage.withLocalFile(media.blob, (path) => writeCutOut(services, { path, outputPath, format }))
    // A file over the quota is not read to its end; a stream that owned the file handle would then never close it.
    await using output = await open(outputPath)
    return await receiveFile(services, media.owner_id, { source: output.createReadStream(), filename })
  } finally {
    await rm(outputPath, { force: true })
  }
}

async function* once(bytes: Buffer) {
  yield bytes
}

type CutOut = { path: string; outputPath: string; format: CutOutFormat }

async function writeCutOut({ ai, images }: BackgroundServices, { path, outputPath, format }: CutOut) {
  const mask = (await ai.local?.findSubject(path)) ?? null
  if (!mask) throw notConfigured('Background removal is not installed. Run `npm run models` on the server.')
  if (!hasSubject(mask.data)) {
    throw new AppError('no-subject', 422, 'Nothing stands out from the background of this image.')
  }
  await images.cutOut({ path, outputPath, mask, format })
}

const likelyShare = 128
const smallestPart = 0.002

function hasSubject(mask: Uint8Array) {
  const points = mask.reduce((count, share) => count + (share >= likelyShare ? 1 : 0), 0)
  return points >= mask.length * smallestPart
}

const cutOutName = ({ filename }: Pick<MediaRow, 'filename'>, format: CutOutFormat) =>
  safeFilename(`${splitExtension(filename).stem}-no-background.${format}`)
