import type { FastifyBaseLogger, FastifyRequest } from 'fastify'
import { addNewMedia } from '#features/collections/server/collections.ts'
import { type CollectionRow, loadOwnedCollection } from '#features/collections/server/store.ts'
import { type LibraryEdition, loadEdition } from '#features/media/server/library-pause.ts'
import type { Owned } from '#features/media/server/owned.ts'
import type { MediaRow } from '#features/media/server/to-media.ts'
import { AppError, invalid } from '#platform/errors.ts'
import { explainMultipartFault } from '#platform/server/http/multipart-faults.ts'
import { parseFields } from '#platform/server/http/validation.ts'
import { limitConcurrency } from '#shared/concurrency.ts'
import { safeFilename } from '#shared/filenames.ts'
import { UploadOptions } from '../contract.ts'
import {
  acceptCandidate,
  type Candidate,
  discardCandidate,
  examineFile,
  type IngestServices,
  receiveFile,
} from './ingest.ts'
import { nameUpload } from './naming.ts'

/** `fault`: what really happened, when that is nothing to tell a person. */
type Refused = { filename: string; error: AppError; fault?: unknown }
type Outcome = Candidate | Refused
type Batch = {
  outcomes: Outcome[]
  options: UploadOptions
  edition: LibraryEdition
  collection?: Owned<CollectionRow>
}

/** How many files of one request are decoded while the next ones still arrive. */
const decodedAtOnce = 4
export const maxFilesAtOnce = 1000

const faultWords = {
  none: () => invalid('Please choose at least one file.', { field: 'files' }),
  tooMany: `At most ${maxFilesAtOnce.toLocaleString('en')} files can be sent at once.`,
}

/** A part without one is a text to whoever reads the form. */
const nameless = () => invalid('files: Each file must be sent with a filename.', { field: 'files' })

/** Reads the whole request; a connection that drops leaves nothing behind, since nothing is kept until all has arrived. */
export async function receiveBatch(services: IngestServices, ownerId: number, request: FastifyRequest): Promise<Batch> {
  const fields: Record<string, unknown> = {}
  const outcomes: Promise<Outcome>[] = []
  const inTurn = limitConcurrency(decodedAtOnce)
  try {
    const edition = await loadEdition(services.db)
    for await (const part of request.parts()) {
      if (part.type === 'field') {
        if (part.fieldname === 'files') throw nameless()
        fields[part.fieldname] = part.value
        continue
      }
      const filename = safeFilename(nameBefore(fields) ?? nameInForm(part.filename ?? ''))
      const file = { source: part.file, filename }
      const arrived = await orRefused(filename, receiveFile(services, ownerId, file))
      // What was refused early has bytes left that nobody reads; the next part begins behind them.
      part.file.resume()
      const outcome: Promise<Outcome> =
        'error' in arrived
          ? Promise.resolve(arrived)
          : orRefused(
              filename,
              inTurn(() => examineFile(services, arrived)),
            )
      // Looked at when all has arrived; until then nobody listens, and a fault that nobody hears ends the process.
      outcome.catch(() => {})
      outcomes.push(outcome)
    }
    const options = parseFields(UploadOptions, fields)
    if (outcomes.length === 0) throw faultWords.none()
    const { collectionId } = options
    const collection = collectionId && (await loadOwnedCollection(services.db, ownerId, collectionId))
    return { outcomes: await Promise.all(outcomes), options, edition, ...(collection && { collection }) }
  } catch (error) {
    // Whatever is still to come is let through unread, so that the sender gets to hear the answer.
    request.raw.unpipe().resume()
    for (const outcome of await Promise.allSettled(outcomes)) {
      if (outcome.status === 'fulfilled' && 'examined' in outcome.value) await discardCandidate(outcome.value)
    }
    throw explainMultipartFault(error, faultWords)
  }
}

/** Of one file alone, so that it is gone for the next. */
function nameBefore(fields: Record<string, unknown>) {
  const { filename } = fields
  delete fields.filename
  return typeof filename === 'string' ? filename : undefined
}

/** Browsers write these three in a form so; no other character, so that a name with a percent sign stays what it is. */
const nameInForm = (written: string) => written.replaceAll('%22', '"').replace(/%0D|%0A/g, ' ')

/** What can be said to a person about a file is an outcome of that file; anything unexpected still ends the request. */
async function orRefused<T>(filename: string, work: Promise<T>): Promise<T | Refused> {
  try {
    return await work
  } catch (error) {
    if (error instanceof AppError) return { filename, error }
    throw error
  }
}

/** The valid files of a mixed batch are kept; when none is, the answer is the first refusal. */
export async function acceptBatch(
  services: IngestServices,
  ownerId: number,
  { outcomes, options, edition, collection }: Batch,
  log: FastifyBaseLogger,
) {
  const rows: MediaRow[] = []
  const refused: Refused[] = []
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
    const name = nameUpload(
      candidate.filename,
      { mimeType: candidate.examined.facts.mime_type, index: options.sequenceStart + rows.length },
      options,
    )
    return acceptCandidate(services, ownerId, candidate, {
      filename: name,
      enableAi: options.enableAi,
      edition,
      createdAt: momentOf(options, index),
      complete: collection && ((transaction, media) => addNewMedia(transaction, collection, media)),
    })
  }

  /** By now others of the batch may be in the library, so even the unexpected is told of this file alone. */
  function asRefused(filename: string) {
    return (error: unknown): Refused => {
      if (error instanceof AppError) return { filename, error }
      log.error({ err: error }, 'file of an upload was not kept')
      const notKept = new AppError('not-kept', 500, 'This file could not be stored. Please try again.')
      return { filename, error: notKept, fault: error }
    }
  }
}

/** A batch that takes longer is over, or its sender's moment was never ours. */
const longestBatchMs = 24 * 60 * 60 * 1000

/**
 * [Note: A selection keeps its order]
 * Files of one selection travel at the same time and arrive as they please; the moment that they were given when it began
 * says where they stand. Only so far as it can be true: what lies in the future, or long ago, counts as now.
 */
function momentOf({ addedAt }: UploadOptions, index: number): number {
  const now = Date.now()
  const wanted = addedAt === undefined ? now : Date.parse(addedAt) + index
  return wanted > now - longestBatchMs ? Math.min(wanted, now) : now
}
