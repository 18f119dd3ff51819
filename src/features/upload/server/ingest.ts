import { rm } from 'node:fs/promises'
import type { Kysely } from 'kysely'
import type { ImageEngine } from '#engines/images/image-engine.ts'
import type { Arrival, Storage } from '#engines/storage/storage.ts'
import type { VideoEngine } from '#engines/video/video-engine.ts'
import { maxUploadBytes } from '#features/media/contract.ts'
import { fitExtension } from '#features/media/mime-types.ts'
import { announceMedia } from '#features/media/server/announce.ts'
import { claimBlob, insertBlob } from '#features/media/server/blob-store.ts'
import type { Examined } from '#features/media/server/examine-bytes.ts'
import { type LibraryEdition, requireSameLibrary } from '#features/media/server/library-pause.ts'
import { indexMedia } from '#features/media/server/listing/search-documents.ts'
import { derivedKeys } from '#features/media/server/media-addresses.ts'
import { noRoom, remainingQuota, reserveQuota } from '#features/media/server/quota.ts'
import { insertMedia } from '#features/media/server/store.ts'
import type { MediaRow } from '#features/media/server/to-media.ts'
import { enqueueVideoWork } from '#features/media/server/video-work.ts'
import { AppError, tooLarge } from '#platform/errors.ts'
import type { Config } from '#platform/server/config.ts'
import type { Db, Tables } from '#platform/server/db/tables.ts'
import type { Events } from '#platform/server/events/events.ts'
import type { Jobs } from '#platform/server/jobs/jobs.ts'
import { sortKey } from '#shared/fold.ts'
import { countOnTheWay } from './bytes-on-the-way.ts'
import { examine } from './examine.ts'
import { recordStray } from './record-stray.ts'
import { sniffType } from './sniff-type.ts'

export type IngestServices = {
  db: Kysely<Tables>
  storage: Storage
  images: ImageEngine
  videos: VideoEngine
  jobs: Jobs
  events: Events
  config: Pick<Config, 'quotaBytes'>
}

type Incoming = {
  source: AsyncIterable<Uint8Array>
  filename: string
  /** Of what is made from an item that is there: room that it gives back. What comes from outside has none. */
  freedBytes?: number
}
/** Bytes in a temporary file, under the name that will be shown. */
export type Arrived = { arrival: Arrival; filename: string }
/** Bytes that were looked at and found good, and are not yet in the library. */
export type Candidate = Arrived & { examined: Examined }

type Acceptance = {
  filename: string
  enableAi: boolean
  /** The library in which its owner was looked up. */
  edition: LibraryEdition
  /** Given when it is not the present moment, see [Note: A selection keeps its order]. */
  createdAt?: number
  /** Whatever else belongs to the new item is written with it, or neither is. */
  complete?: (transaction: Db, media: MediaRow) => Promise<MediaRow>
  source?: { pageUrl?: string; address?: string; alt?: string; context?: string }
}

/**
 * [Note: One door for bytes]
 * Uploads, scraped pictures, addresses and conversions all come in here. The order survives a crash at any point: a
 * temporary file, hash and decode, fsync and rename, then row, quota and work to do in one transaction, then the answer.
 */
export async function receiveFile(
  { db, storage, config }: IngestServices,
  ownerId: number,
  file: Incoming,
): Promise<Arrived> {
  const { freedBytes } = file
  const roomBytes = (await remainingQuota(db, ownerId, config.quotaBytes)) + (freedBytes ?? 0)
  const maxBytes = Math.min(maxUploadBytes, roomBytes)
  const onTheWay = countOnTheWay(db, ownerId, roomBytes)
  try {
    const arrival = await storage.receive(file.source, {
      maxBytes,
      onBytes: freedBytes === undefined ? onTheWay.add : undefined,
      onHead: async (head) => void (await sniffType(head)),
    })
    const filename = fitExtension(file.filename, await sniffType(arrival.head))
    return { arrival: onTheWay.untilEndOf(arrival), filename }
  } catch (error) {
    onTheWay.end()
    const isTooLarge = error instanceof AppError && error.code === 'too-large' && !error.details.isOverQuota
    throw isTooLarge ? tooLargeInWords(maxBytes) : error
  }
}

export async function examineFile(services: IngestServices, { arrival, filename }: Arrived): Promise<Candidate> {
  try {
    return { arrival, filename, examined: await examine(services, arrival) }
  } catch (error) {
    await arrival.discard()
    throw error
  }
}

function tooLargeInWords(maxBytes: number) {
  return maxBytes === maxUploadBytes ? tooLarge('The file is larger than 500 MB.') : noRoom()
}

export async function discardCandidate({ arrival, examined }: Candidate) {
  await Promise.all([arrival.discard(), rm(examined.thumbnailPath, { force: true })])
}

/** The bytes and their thumbnail in their places, before any row points to them. */
export async function keepCandidate({ db, storage }: IngestServices, { arrival, examined }: Candidate) {
  await arrival.keep(await claimBlob(db, arrival.sha256))
  await storage.derived.write(derivedKeys.thumbnail(arrival.sha256), examined.thumbnailPath)
}

/** Takes a candidate into its owner's library; when this returns, it survives a power cut. */
export async function acceptCandidate(
  services: IngestServices,
  ownerId: number,
  candidate: Candidate,
  acceptance: Acceptance,
) {
  const { db, jobs, events, config } = services
  const { arrival } = candidate
  try {
    await keepCandidate(services, candidate)
    const row = await db.transaction().execute(async (transaction) => {
      await requireSameLibrary(transaction, acceptance.edition)
      await reserveQuota(transaction, ownerId, arrival.bytes, config.quotaBytes)
      await insertBlob(transaction, arrival.sha256, arrival.bytes)
      const inserted = await insertMedia(transaction, newRow(ownerId, candidate, acceptance))
      const media = (await acceptance.complete?.(transaction, inserted)) ?? inserted
      await indexMedia(transaction, [media.id])
      if (acceptance.enableAi)
        await jobs.enqueue(transaction, 'analyse-media', { mediaId: media.id }, { key: String(media.id), ownerId })
      await enqueueVideoWork(jobs, transaction, media)
      return media
    })
    await announceMedia(events, ownerId, [row.id])
    return row
  } catch (error) {
    // The bytes may lie in their place already.
    await recordStray(db, arrival)
    throw error
  } finally {
    await discardCandidate(candidate)
  }
}

function newRow(ownerId: number, { arrival, examined }: Candidate, acceptance: Acceptance) {
  const now = Date.now()
  const { filename, enableAi, source, createdAt = now } = acceptance
  return {
    ...examined.facts,
    owner_id: ownerId,
    filename,
    name_key: sortKey(filename),
    blob: arrival.sha256,
    size: arrival.bytes,
    status: 'ready' as const,
    ai_status: enableAi ? ('waiting' as const) : ('none' as const),
    source: source ? JSON.stringify(source) : null,
    created_at: createdAt,
    updated_at: now,
  } satisfies Partial<MediaRow>
}
