import type { FastifyBaseLogger, FastifyRequest } from 'fastify'
import { addNewMedia } from '#features/collections/server/collections.ts'
import { type CollectionRow, loadOwnedCollection, requireByHand } from '#features/collections/server/store.ts'
import type { Owned } from '#features/media/server/owned.ts'
import type { MediaRow } from '#features/media/server/to-media.ts'
import { AppError, invalid } from '#platform/errors.ts'
import type { Db } from '#platform/server/db/tables.ts'
import { explainMultipartError } from '#platform/server/http/handle.ts'
import { parseFields } from '#platform/server/http/validation.ts'
import { limitConcurrency } from '#shared/concurrency.ts'
import { safeFilename } from '#shared/filenames.ts'
import { UploadOptions } from '../contract.ts'
import { customName } from '../custom-name.ts'
import {
  acceptCandidate,
  type Candidate,
  discardCandidate,
  examineFile,
  type IngestServices,
  receiveFile,
} from './ingest.ts'
import { chooseWebName, loadWebNaming } from './web-name.ts'

/** `error` is for the user; `fault` is the unexpected error behind it, for the log. */
type Refused = { filename: string; error: AppError; fault?: unknown }
type Outcome = Candidate | Refused
type Batch = {
  outcomes: Outcome[]
  options: UploadOptions
  collection?: Owned<CollectionRow>
}

/** How many files of one request are decoded while the next ones still arrive. */
const decodedAtOnce = 4
export const maxFilesAtOnce = 1000

const multipartMessages = {
  none: () => invalid('Please choose at least one file.', { field: 'files' }),
  tooMany: `At most ${maxFilesAtOnce.toLocaleString('en')} files can be uploaded at once.`,
}

/** Multipart parsers treat a part without a filename as a text field. */
const missingFilename = () => invalid('files: Each file must be sent with a filename.', { field: 'files' })

/** Reads the whole request. Nothing is kept until all of it has arrived, so a dropped connection leaves nothing behind. */
export async function receiveBatch(services: IngestServices, ownerId: number, request: FastifyRequest): Promise<Batch> {
  const fields: Record<string, unknown> = {}
  const outcomes: Promise<Outcome>[] = []
  const limitDecoding = limitConcurrency(decodedAtOnce)
  try {
    for await (const part of request.parts()) {
      if (part.type === 'field') {
        if (part.fieldname === 'files') throw missingFilename()
        fields[part.fieldname] = part.value
        continue
      }
      const filename = safeFilename(takeFilename(fields) ?? decodeFormFilename(part.filename ?? ''))
      const file = { source: part.file, filename }
      const arrived = await orRefused(filename, receiveFile(services, ownerId, file))
      // A file refused early has unread bytes left; they must be drained before the next part can be read.
      part.file.resume()
      const outcome: Promise<Outcome> =
        'error' in arrived
          ? Promise.resolve(arrived)
          : orRefused(
              filename,
              limitDecoding(() => examineFile(services, arrived)),
            )
      // Outcomes are awaited after the last part; until then an unhandled rejection would end the process.
      outcome.catch(() => {})
      outcomes.push(outcome)
    }
    const options = parseFields(UploadOptions, fields)
    if (outcomes.length === 0) throw multipartMessages.none()
    const { collectionId } = options
    const collection = collectionId && (await loadOwnedCollection(services.db, ownerId, collectionId))
    if (collection) requireByHand(collection)
    return { outcomes: await Promise.all(outcomes), options, ...(collection && { collection }) }
  } catch (error) {
    // The rest of the request is drained, so that the client can read the response.
    request.raw.unpipe().resume()
    for (const outcome of await Promise.allSettled(outcomes)) {
      if (outcome.status === 'fulfilled' && 'examined' in outcome.value) await discardCandidate(outcome.value)
    }
    throw explainMultipartError(error, multipartMessages)
  }
}

/** A `filename` field names only the file that follows it, so it is removed after use. */
function takeFilename(fields: Record<string, unknown>) {
  const { filename } = fields
  delete fields.filename
  return typeof filename === 'string' ? filename : undefined
}

/** Browsers escape only these three characters in multipart names; other percent signs belong to the name. */
const decodeFormFilename = (written: string) => written.replaceAll('%22', '"').replace(/%0D|%0A/g, ' ')

/** An expected error refuses only its file; an unexpected error fails the request. */
async function orRefused<T>(filename: string, work: Promise<T>): Promise<T | Refused> {
  try {
    return await work
  } catch (error) {
    if (error instanceof AppError) return { filename, error }
    throw error
  }
}

/** Keeps the valid files of a mixed batch; if there are none, the response is the first refusal. */
export async function acceptBatch(
  services: IngestServices,
  ownerId: number,
  { outcomes, options, collection }: Batch,
  log: FastifyBaseLogger,
) {
  const rows: MediaRow[] = []
  const refused: Refused[] = []
  const { namePattern } = options
  const naming =
    namePattern === undefined ? undefined : await loadWebNaming(services.db, { pattern: namePattern, collection })
  for (const [index, outcome] of outcomes.entries()) {
    const result = 'error' in outcome ? outcome : await accept(outcome, index).catch(asRefused(outcome.filename))
    if ('error' in result) refused.push(result)
    else rows.push(result)
  }
  const rejected = refused.map(({ filename, error }) => ({ filename, message: error.message, code: error.code }))
  if (rows.length > 0) return { rows, rejected }
  const [{ error, fault }] = refused as [Refused]
  throw fault ?? new AppError(error.code, error.status, error.message, { ...error.details, rejected })

  function accept(candidate: Candidate, index: number) {
    const { filename } = candidate
    const n = options.sequenceStart + rows.length
    return acceptCandidate(services, ownerId, candidate, {
      filename: nameUpload(filename, { mimeType: candidate.examined.facts.mime_type, index: n }, options),
      chooseName: naming && ((transaction) => chooseWebName(transaction, ownerId, { naming, filename, n })),
      enableAi: options.enableAi,
      createdAt: createdAtFor(options, index),
      complete: collection && ((transaction, media) => addNewMedia(transaction, collection, media)),
    })
  }

  /** Other files of the batch may be in the library by now, so even an unexpected error refuses only this file. */
  function asRefused(filename: string) {
    return (error: unknown): Refused => {
      if (error instanceof AppError) return { filename, error }
      log.error({ err: error }, 'uploaded file was not stored')
      const notKept = new AppError('not-kept', 500, 'This file could not be stored. Please try again.')
      return { filename, error: notKept, fault: error }
    }
  }
}

/** An `addedAt` older than this is ignored: no batch takes so long. */
const longestBatchMs = 24 * 60 * 60 * 1000

/**
 * [Note: A selection keeps its order]
 * Files of one selection are sent concurrently and arrive in any order; `addedAt`, the time at which the selection began,
 * decides their order. A time in the future or long ago counts as now.
 */
function createdAtFor({ addedAt }: UploadOptions, index: number): number {
  const now = Date.now()
  const wanted = addedAt === undefined ? now : Date.parse(addedAt) + index
  return wanted > now - longestBatchMs ? Math.min(wanted, now) : now
}

type Naming = Pick<UploadOptions, 'preserveOriginalName' | 'useCustomNaming' | 'uploadPrefix'>

/** The name of an uploaded item; `index` counts the accepted files of one selection. */
function nameUpload(original: string, { mimeType, index }: { mimeType: string; index: number }, naming: Naming) {
  const name = safeFilename(original)
  if (naming.useCustomNaming) return customName(name, index, naming.uploadPrefix)
  if (mimeType === 'image/webp' && !naming.preserveOriginalName) return customName('image.webp', index, today())
  return name
}

const today = () => new Date().toISOString().slice(0, 10)

/** The new items whose bytes their owner already had in another item outside the trash. */
export async function listDuplicates(db: Db, media: Pick<MediaRow, 'id'>[]): Promise<number[]> {
  const ids = media.map(({ id }) => id)
  const rows = await db
    .selectFrom('media')
    .innerJoin('media as earlier', (join) =>
      join
        .onRef('earlier.blob', '=', 'media.blob')
        .onRef('earlier.owner_id', '=', 'media.owner_id')
        .onRef('earlier.id', '<', 'media.id')
        .on('earlier.is_trashed', '=', 0),
    )
    .select('media.id')
    .distinct()
    .where('media.id', 'in', ids)
    .orderBy('media.id')
    .execute()
  return rows.map(({ id }) => id)
}
