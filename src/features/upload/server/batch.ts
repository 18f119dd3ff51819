import type { FastifyRequest } from 'fastify'
import type { MediaRow } from '#features/media/server/to-media.ts'
import { AppError, invalid } from '#platform/errors.ts'
import { invalidInput } from '#platform/server/http/validation.ts'
import { limitConcurrency } from '#shared/limit-concurrency.ts'
import { safeFilename } from '#shared/safe-filename.ts'
import { type RejectedFile, UploadOptions } from '../contract.ts'
import {
  acceptCandidate,
  type Candidate,
  discardCandidate,
  examineFile,
  type IngestServices,
  receiveFile,
} from './ingest.ts'
import { nameUpload } from './naming.ts'

type Refused = { filename: string; error: AppError }
type Outcome = Candidate | Refused
type Batch = { outcomes: Outcome[]; options: UploadOptions }

/** How many files of one request are decoded while the next ones still arrive. */
const decodedAtOnce = 4

/** Reads the whole request; a connection that drops leaves nothing behind, since nothing is kept until all has arrived. */
export async function receiveBatch(services: IngestServices, ownerId: number, request: FastifyRequest): Promise<Batch> {
  const fields: Record<string, unknown> = {}
  const outcomes: Promise<Outcome>[] = []
  const inTurn = limitConcurrency(decodedAtOnce)
  try {
    for await (const part of request.parts()) {
      if (part.type === 'field') {
        fields[part.fieldname] = part.value
        continue
      }
      const filename = safeFilename(part.filename ?? '')
      const arrived = await orRefused(filename, receiveFile(services, ownerId, { source: part.file, filename }))
      // What was refused early has bytes left that nobody reads; the next part begins behind them.
      part.file.resume()
      outcomes.push(
        'error' in arrived
          ? Promise.resolve(arrived)
          : orRefused(
              filename,
              inTurn(() => examineFile(services, arrived)),
            ),
      )
    }
    const options = UploadOptions.safeParse(fields)
    if (!options.success) throw invalidInput(options.error)
    if (outcomes.length === 0) throw invalid('Please choose at least one file.', { field: 'files' })
    return { outcomes: await Promise.all(outcomes), options: options.data }
  } catch (error) {
    for (const outcome of await Promise.allSettled(outcomes)) {
      if (outcome.status === 'fulfilled' && 'examined' in outcome.value) await discardCandidate(outcome.value)
    }
    throw error
  }
}

/** A file that is not acceptable is an outcome of its own; anything unexpected still ends the request. */
async function orRefused<T>(filename: string, work: Promise<T>): Promise<T | Refused> {
  try {
    return await work
  } catch (error) {
    if (error instanceof AppError && error.status < 500) return { filename, error }
    throw error
  }
}

/** The valid files of a mixed batch are kept; when none is, the answer is the first refusal. */
export async function acceptBatch(services: IngestServices, ownerId: number, { outcomes, options }: Batch) {
  const rows: MediaRow[] = []
  const rejected: (RejectedFile & { error: AppError })[] = []
  for (const outcome of outcomes) {
    const result = 'error' in outcome ? outcome : await orRefused(outcome.filename, accept(outcome))
    if ('error' in result) rejected.push({ ...result, message: result.error.message, code: result.error.code })
    else rows.push(result)
  }
  if (rows.length === 0)
    throw new AppError(rejected[0]!.code, rejected[0]!.error.status, rejected[0]!.message, { rejected: listed() })
  return { rows, rejected: listed() }

  function accept(candidate: Candidate) {
    const name = nameUpload(
      candidate.filename,
      { mimeType: candidate.examined.facts.mime_type, index: options.sequenceStart + rows.length },
      options,
    )
    return acceptCandidate(services, ownerId, candidate, { filename: name, enableAi: options.enableAi })
  }
  function listed(): RejectedFile[] {
    return rejected.map(({ filename, message, code }) => ({ filename, message, code }))
  }
}
