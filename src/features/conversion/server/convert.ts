import { open, rm, writeFile } from 'node:fs/promises'
import { explainDiskError } from '#engines/storage/disk.ts'
import { enqueueAnalysis } from '#features/analysis/server/enqueue-analysis.ts'
import { inheritEmbedding } from '#features/analysis/server/likeness/inherit-embedding.ts'
import { trashDays } from '#features/media/limits.ts'
import { makePreview } from '#features/media/server/files/conversion-preview.ts'
import { focalColumnsOf } from '#features/media/server/focal-point.ts'
import type { ChangedItem } from '#features/media/server/history.ts'
import { firstVersionOf } from '#features/media/server/media.ts'
import { derivedKeys, derivedNames, fileAddress } from '#features/media/server/media-addresses.ts'
import type { Owned } from '#features/media/server/owned.ts'
import { loadOwnedMedia, updateMedia } from '#features/media/server/store.ts'
import { copyTags } from '#features/media/server/tags.ts'
import type { MediaRow } from '#features/media/server/to-media.ts'
import { wordColumnsOf } from '#features/media/server/words.ts'
import {
  type Arrived,
  acceptCandidate,
  type Candidate,
  discardCandidate,
  examineFile,
  type IngestServices,
  receiveFile,
} from '#features/upload/server/ingest.ts'
import { replaceFile } from '#features/upload/server/replace-file.ts'
import { invalid, notFound } from '#platform/errors.ts'
import type { Db } from '#platform/server/db/tables.ts'
import { formatBytes } from '#shared/bytes.ts'
import { splitExtension } from '#shared/filenames.ts'
import { sortKey } from '#shared/fold.ts'
import type { WebpConversion } from '../contract.ts'
import { type ConversionFormat, conversionFormats } from '../formats.ts'
import { recordConversion } from './conversion-history.ts'

type Target = { format: ConversionFormat; longestSide?: number }
type ConvertOptions = Target & {
  quality: number
  deleteOriginal: boolean
  /** Conversions with the same key are one entry in the history. */
  changeKey?: string
  /** Runs in the transaction that stores the result. */
  alsoWrite?: (transaction: Db, sizes: { originalSize: number; newSize: number }) => Promise<void>
}
type Converted = Omit<WebpConversion, 'media'> & { row: MediaRow }

/**
 * Without `deleteOriginal` the result becomes a new item; with it the item itself gets the result and keeps its id, URL, tags
 * and collections, and the original is kept as a version for 30 days. A result that is not smaller is discarded.
 */
export async function convertImage(
  services: IngestServices,
  media: Owned<MediaRow>,
  options: ConvertOptions,
): Promise<Converted> {
  const { name, article } = conversionFormats[options.format]
  if (media.type !== 'image') throw invalid(`Only images can be converted to ${name}.`)
  const candidate = await encode(services, media, options)
  const newSize = candidate.arrival.bytes
  const sizes = { originalSize: media.size, newSize }
  if (newSize >= media.size) {
    await discardCandidate(candidate)
    const message = `${capitalized(article)} ${name} at this quality would not be smaller (${formatBytes(newSize)}), so "${media.filename}" was not changed.`
    return { ...sizes, row: media, savings: 0, isConverted: false, message }
  }
  const record = async (transaction: Db, item: ChangedItem) => {
    await recordConversion(transaction, { ownerId: media.owner_id, key: options.changeKey, format: name }, item)
    await options.alsoWrite?.(transaction, sizes)
  }
  const row = options.deleteOriginal
    ? await replaceBytes(services, media, candidate, options, record)
    : await addCopy(services, media, candidate, options, record)
  const savings = Math.round((1 - newSize / media.size) * 100)
  return {
    ...sizes,
    row,
    savings,
    isConverted: true,
    message: options.deleteOriginal
      ? `Replaced with ${article} ${name}: ${savings}% smaller, ${formatBytes(media.size - newSize)} saved. The original is kept as a version for ${trashDays} days.`
      : `${name} copy added: ${formatBytes(newSize)}, ${savings}% smaller than the original.`,
  }
}

async function encode(
  services: IngestServices,
  media: MediaRow,
  { quality, deleteOriginal, format, longestSide }: ConvertOptions,
): Promise<Candidate> {
  const { storage, images } = services
  const outputPath = storage.derived.temporaryPath(format)
  const input = { outputPath, quality, format, longestSide }
  try {
    await storage.withLocalFile(media.blob, (path) => images.convert({ ...input, path }))
    const replacedBytes = deleteOriginal ? media.size : 0
    // A file over the quota is not read to its end; a stream that owned the file handle would then never close it.
    await using output = await open(outputPath)
    const file = {
      source: output.createReadStream(),
      filename: convertedName(media, format),
      replacedBytes,
      isOwnWork: true,
    }
    const arrived = await receiveFile(services, media.owner_id, file)
    // A JPEG shows white where the original is transparent, and a smaller picture has another size.
    const looksTheSame = format !== 'jpeg' && !isLarger(media, longestSide)
    const reused = looksTheSame ? await reuseFacts(services, media, arrived, format) : undefined
    return reused ?? (await examineFile(services, arrived))
  } finally {
    await rm(outputPath, { force: true })
  }
}

/**
 * The result shows what the original shows, so the original's facts and thumbnail are reused: decoding the result again would
 * add a quarter to the encoding time. Undefined when the original lacks one of them.
 */
async function reuseFacts(
  { storage }: IngestServices,
  media: MediaRow,
  arrived: Arrived,
  format: ConversionFormat,
): Promise<Candidate | undefined> {
  const { width, height, thumbhash, colours, perceptual_hash } = media
  if (!width || !height || !thumbhash || !colours || !perceptual_hash) return undefined
  const thumbnail = await storage.derived.read(derivedKeys.thumbnail(media.blob)).catch(() => null) // it can be made again
  if (!thumbnail) return undefined
  const thumbnailPath = storage.derived.temporaryPath('webp')
  try {
    await writeFile(thumbnailPath, thumbnail)
  } catch (error) {
    await Promise.all([arrived.arrival.discard(), rm(thumbnailPath, { force: true })])
    throw explainDiskError(error)
  }
  const visual = { width, height, thumbhash, colours, perceptual_hash, is_animated: media.is_animated }
  const copied = { exif: media.exif, taken_at: media.taken_at, duration: null, playback: 'as-is' as const }
  const facts = { ...visual, ...copied, mime_type: conversionFormats[format].mimeType, type: 'image' as const }
  return { ...arrived, examined: { facts, words: {}, thumbnailPath } }
}

const capitalized = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)

const isLarger = ({ width, height }: MediaRow, longestSide = Number.POSITIVE_INFINITY) =>
  Math.max(width ?? 0, height ?? 0) > longestSide

function convertedName({ filename, mime_type }: Pick<MediaRow, 'filename' | 'mime_type'>, format: ConversionFormat) {
  const { stem } = splitExtension(filename)
  const { mimeType, extension } = conversionFormats[format]
  return mime_type === mimeType ? `${stem}-compressed${extension}` : stem + extension
}

type Record = (transaction: Db, item: ChangedItem) => Promise<void>

function addCopy(services: IngestServices, media: MediaRow, candidate: Candidate, { format }: Target, record: Record) {
  return acceptCandidate(services, media.owner_id, candidate, {
    filename: candidate.filename,
    enableAi: false,
    async complete(transaction, row) {
      // Read again: it may have been edited meanwhile, and a deleted item must not get a copy.
      const current = await loadOwnedMedia(transaction, media.owner_id, media.id)
      const filename = convertedName({ filename: current.filename, mime_type: media.mime_type }, format)
      await copyTags(transaction, [{ fromId: media.id, to: row }])
      await inheritEmbedding(transaction, media, row)
      await record(transaction, { mediaId: row.id, before: null, after: row.blob })
      const names = { filename, name_key: sortKey(filename) }
      const { is_sample } = current
      const changes = { ...descriptionsOf(current), ...names, is_sample, derived_from: firstVersionOf(current) }
      return (await updateMedia(transaction, row.id, changes)) ?? row
    },
  })
}

export function descriptionsOf(media: MediaRow) {
  return {
    ...wordColumnsOf(media),
    user_description: media.user_description,
    ai_description: media.ai_description,
    ai_description_source: media.ai_description_source,
    found_text: media.found_text,
    ai_status: media.ai_status === 'waiting' ? ('none' as const) : media.ai_status,
    ai_provider: media.ai_provider,
    ai_model: media.ai_model,
    ai_analysed_at: media.ai_analysed_at,
    exif: media.exif,
    taken_at: media.taken_at,
    ...focalColumnsOf(media),
  }
}

function replaceBytes(
  services: IngestServices,
  media: Owned<MediaRow>,
  candidate: Candidate,
  { format }: Target,
  record: Record,
) {
  const { mimeType } = conversionFormats[format]
  return replaceFile(services, media, candidate, {
    cause: 'conversion',
    // "Delete originals" was asked for, so the original is not kept for ever.
    isExpiring: true,
    isSmaller: true,
    isMadeFromItem: true,
    nameFor: (current) => (current.mime_type === mimeType ? current.filename : convertedName(current, format)),
    async complete(transaction, { before, after }) {
      await inheritEmbedding(transaction, before, after)
      // An analysis in progress read the original and ends without a result.
      if (after.ai_status === 'waiting') await enqueueAnalysis(services.jobs, transaction, after)
      await record(transaction, { mediaId: after.id, before: before.blob, after: after.blob })
    },
  })
}

/** Encodes the image and stores the result for a while, so that the dialog shows the real pixels and the real size. */
export async function previewConversion(
  services: IngestServices,
  media: Owned<MediaRow>,
  { quality, format }: Pick<ConvertOptions, 'quality' | 'format'>,
) {
  if (media.type !== 'image') throw invalid(`Only images can be converted to ${conversionFormats[format].name}.`)
  const facts = await services.storage.derived.stat(await makePreview(services, media.blob, { quality, format }))
  // A request for another quality replaced the preview meanwhile.
  if (!facts) throw notFound('File')
  return {
    url: `${fileAddress(media, derivedNames.preview)}?quality=${quality}${format === 'webp' ? '' : `&format=${format}`}`,
    size: facts.bytes,
    originalSize: media.size,
  }
}
