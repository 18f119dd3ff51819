import { PassThrough, Readable } from 'node:stream'
import type { FastifyBaseLogger } from 'fastify'
import type { PublicWeb } from '#engines/web/fetch-public.ts'
import { readDataUri } from '#engines/web/find-images/image-address.ts'
import {
  type Arrived,
  acceptCandidate,
  type Candidate,
  discardCandidate,
  examineFile,
  type IngestServices,
  receiveFile,
} from '#features/upload/server/ingest.ts'
import { AppError } from '#platform/errors.ts'
import { safeTypedName } from '#shared/filenames.ts'
import { sourceAddress } from './address-key.ts'
import { findArrivedSince, findSameBytes } from './finds-store.ts'
import { type Ending, type ItemRow, type RunRow, startItem } from './store.ts'

export type TakeServices = IngestServices & { web: PublicWeb; log: FastifyBaseLogger }
/** `beganAt`: where it stands among the recent items, see [Note: A selection keeps its order]. */
type Wanted = { run: RunRow; item: ItemRow; beganAt: number; signal: AbortSignal }

/**
 * [Note: Each image once]
 * The item is noted as done after the library has it, so a crash in between leaves it waiting, and it is taken up again.
 * What arrived from its address since it was first begun is then found and not added a second time; neither are bytes
 * that the library already has from the same address. Whoever records bytes holds their row until the end, in whichever
 * process, so of two who bring the same at the same moment the second finds the first one's item and takes its own back.
 * Nothing is answered for an item that was stopped before it began.
 */
export async function takeImage(services: TakeServices, wanted: Wanted): Promise<Ending | undefined> {
  const { run, item, beganAt, signal } = wanted
  const origin = { ownerId: run.owner_id, address: sourceAddress(item.address, run.page_url) }
  try {
    const earlier = item.started_at === null ? undefined : await findArrivedSince(services.db, origin, item.started_at)
    if (earlier !== undefined) return { status: 'done', mediaId: earlier }
    if (!(await startItem(services.db, item.id, beganAt))) return undefined
    const candidate = await fetchCandidate(services, wanted)
    const same = await findSameBytes(services.db, origin, candidate.arrival.sha256)
    if (same === undefined && !signal.aborted) return await accept(services, wanted, candidate)
    await discardCandidate(candidate)
    signal.throwIfAborted()
    return { status: 'done', mediaId: same! }
  } catch (error) {
    if (error instanceof AlreadyThere) return { status: 'done', mediaId: error.mediaId }
    // The server is stopping, or another process has taken the run over: the item waits for whoever goes on.
    if (signal.aborted) throw error
    if (error instanceof AppError) return { status: 'failed', message: error.message }
    services.log.error({ err: error, runId: run.id, itemId: item.id }, 'image of the web was not taken in')
    return { status: 'failed', message: 'Something went wrong on our end.' }
  }
}

class AlreadyThere extends Error {
  readonly mediaId: number
  constructor(mediaId: number) {
    super('The library has this image')
    this.mediaId = mediaId
  }
}

async function accept(services: TakeServices, wanted: Wanted, candidate: Candidate): Promise<Ending> {
  const { run, item, beganAt } = wanted
  const address = sourceAddress(item.address, run.page_url)
  const row = await acceptCandidate(services, run.owner_id, candidate, {
    filename: candidate.filename,
    enableAi: true,
    createdAt: beganAt,
    async complete(transaction, media) {
      const origin = { ownerId: run.owner_id, address }
      const same = await findSameBytes(transaction, origin, candidate.arrival.sha256, media.id)
      if (same !== undefined) throw new AlreadyThere(same)
      return media
    },
    source: {
      pageUrl: run.page_url ?? undefined,
      address,
      alt: item.alt || undefined,
      context: item.context || undefined,
    },
  })
  return { status: 'done', mediaId: row.id }
}

/** The largest version that can be had and is a picture; when none is, the first one's fault is told. */
async function fetchCandidate(services: TakeServices, { run, item, signal }: Wanted): Promise<Candidate> {
  const faults: unknown[] = []
  for (const address of [item.address, ...(JSON.parse(item.alternatives) as string[])]) {
    try {
      const wish = { ownerId: run.owner_id, address, filename: safeTypedName(item.name), signal }
      return await examineFile(services, await receive(services, wish))
    } catch (error) {
      faults.push(error)
      const mayAnotherDo = error instanceof AppError && error.status < 500 && !error.details.isOverQuota
      if (!mayAnotherDo || signal.aborted) break
    }
  }
  throw faults[0]
}

type Wish = { ownerId: number; address: string; filename: string; signal: AbortSignal }

async function receive(services: TakeServices, { ownerId, address, filename, signal }: Wish): Promise<Arrived> {
  const embedded = readDataUri(address)
  if (embedded) return receiveFile(services, ownerId, { source: Readable.from([embedded]), filename })
  // Whichever side fails ends the other; the stream is the line between them, and what it tells, both have told already.
  const stream = new PassThrough().on('error', () => {})
  const endLine = (error: Error) => {
    stream.destroy(error)
    throw error
  }
  const [fetched, received] = await Promise.allSettled([
    services.web.fetchFile(address, { destination: stream, signal }).catch(endLine),
    receiveFile(services, ownerId, { source: stream, filename }).catch(endLine),
  ])
  if (fetched.status === 'fulfilled' && received.status === 'fulfilled') return received.value
  if (received.status === 'fulfilled') await received.value.arrival.discard()
  throw fetched.status === 'rejected' ? fetched.reason : (received as PromiseRejectedResult).reason
}
