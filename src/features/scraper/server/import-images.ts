import { PassThrough, Readable } from 'node:stream'
import type { FastifyBaseLogger } from 'fastify'
import type { PublicWeb } from '#engines/web/fetch-public.ts'
import { readDataUri } from '#engines/web/find-images/image-address.ts'
import {
  acceptCandidate,
  type Candidate,
  discardCandidate,
  examineFile,
  type IngestServices,
  receiveFile,
} from '#features/upload/server/ingest.ts'
import { AppError } from '#platform/errors.ts'
import type { Db } from '#platform/server/db/tables.ts'
import { NotNow, type WorkOnItem } from '#platform/server/runs/runs.ts'
import type { Run } from '#platform/server/runs/runs-store.ts'
import { safeTypedName } from '#shared/filenames.ts'
import { type ImageInput, inputOf, optionsOf } from './runs-store.ts'
import { findSameBytes, insertSource, sourceAddress } from './store.ts'

export type ImportServices = IngestServices & { web: PublicWeb; log: FastifyBaseLogger }
type Wanted = ImageInput & { ownerId: number; pageUrl: string | null; createdAt: number; signal: AbortSignal }

/** Records that the image is in the library as this item. */
type MarkDone = (transaction: Db, mediaId: number) => Promise<void>

/**
 * [Note: Each image once] The item and the mark that its image is done are written in one transaction, so a crash
 * leaves both or neither. Bytes already imported from the same address are not added again: of two concurrent processes,
 * the second waits for the first one's blob row, finds its item and rolls back its own.
 */
export function importImages(services: ImportServices, run: Run, signal: AbortSignal): WorkOnItem {
  const { db, log } = services
  const { pageUrl } = optionsOf(run)
  const ownerId = run.owner_id!
  return async (item, mark) => {
    // The item is dated when its import began, see [Note: A selection keeps its order].
    const wanted = { ...inputOf(item), ownerId, pageUrl, createdAt: item.begun_at!, signal }
    const address = sourceAddress(wanted.address, pageUrl)
    const markDone: MarkDone = async (transaction, mediaId) => {
      await mark(transaction)
      await insertSource(transaction, { ownerId, address, mediaId })
    }
    try {
      const existing = await importImage(services, wanted, markDone)
      if (existing !== undefined) await db.transaction().execute((transaction) => markDone(transaction, existing))
    } catch (error) {
      if (signal.aborted || error instanceof AppError || error instanceof NotNow) throw error
      log.error({ err: error, runId: run.id, position: item.position }, 'web image was not imported')
      throw new AppError('internal', 500, 'Something went wrong on our end.')
    }
  }
}

/** Returns the existing item when the library already has the image. */
async function importImage(services: ImportServices, wanted: Wanted, markDone: MarkDone): Promise<number | undefined> {
  const { ownerId, address, pageUrl, signal } = wanted
  const origin = { ownerId, address: sourceAddress(address, pageUrl) }
  const candidate = await fetchCandidate(services, wanted)
  const existing = await findSameBytes(services.db, origin, candidate.arrival.sha256)
  if (existing !== undefined || signal.aborted) {
    await discardCandidate(candidate)
    signal.throwIfAborted()
    return existing
  }
  try {
    await acceptCandidate(services, ownerId, candidate, {
      filename: candidate.filename,
      enableAi: true,
      createdAt: wanted.createdAt,
      async complete(transaction, media) {
        const other = await findSameBytes(transaction, origin, candidate.arrival.sha256, media.id)
        if (other !== undefined) throw new AlreadyThere(other)
        await markDone(transaction, media.id)
        return media
      },
      source: {
        pageUrl: pageUrl ?? undefined,
        address: origin.address,
        alt: wanted.alt || undefined,
        context: wanted.context || undefined,
      },
    })
  } catch (error) {
    if (error instanceof AlreadyThere) return error.mediaId
    throw error
  }
}

class AlreadyThere extends Error {
  readonly mediaId: number
  constructor(mediaId: number) {
    super('The library has this image')
    this.mediaId = mediaId
  }
}

/** The largest version that can be fetched and is an image. If none is, the first version's error is thrown. */
async function fetchCandidate(services: ImportServices, wanted: Wanted): Promise<Candidate> {
  const { address, alternatives, name, signal } = wanted
  const errors: unknown[] = []
  for (const version of [address, ...alternatives]) {
    try {
      return await examineFile(services, await receive(services, wanted, version, safeTypedName(name)))
    } catch (error) {
      errors.push(error)
      const mayAnotherDo = error instanceof AppError && error.status < 500 && !error.details.isOverQuota
      if (!mayAnotherDo || signal.aborted) break
    }
  }
  throw errors[0]
}

async function receive(
  services: ImportServices,
  { ownerId, pageUrl, signal }: Wanted,
  address: string,
  filename: string,
) {
  const embedded = readDataUri(address)
  if (embedded) return receiveFile(services, ownerId, { source: Readable.from([embedded]), filename })
  // A failure on either side ends the other. Both report the stream's errors themselves.
  const stream = new PassThrough().on('error', () => {})
  const endBoth = (error: Error) => {
    stream.destroy(error)
    throw error
  }
  const [fetched, received] = await Promise.allSettled([
    services.web.fetchFile(address, { destination: stream, foundOn: pageUrl ?? undefined, signal }).catch(endBoth),
    receiveFile(services, ownerId, { source: stream, filename }).catch(endBoth),
  ])
  if (fetched.status === 'fulfilled' && received.status === 'fulfilled') return received.value
  if (received.status === 'fulfilled') await received.value.arrival.discard()
  throw fetched.status === 'rejected' ? fetched.reason : (received as PromiseRejectedResult).reason
}
