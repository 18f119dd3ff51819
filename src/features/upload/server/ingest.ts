import { rm } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'
import type { Kysely } from 'kysely'
import type { ImageEngine } from '#engines/images/image-engine.ts'
import type { StagedFile, Storage } from '#engines/storage/storage.ts'
import type { VideoEngine } from '#engines/video/video-engine.ts'
import { maxUploadBytes } from '#features/media/limits.ts'
import { canBeUploaded, fitExtension, type MediaMimeType } from '#features/media/mime-types.ts'
import { announceMedia } from '#features/media/server/announce.ts'
import { type BlobClaim, claimBlob, insertBlob } from '#features/media/server/blob-store.ts'
import type { Examined } from '#features/media/server/examine-bytes.ts'
import { addFileWords } from '#features/media/server/file-words.ts'
import { indexMedia } from '#features/media/server/listing/search-documents.ts'
import { derivedKeys } from '#features/media/server/media-addresses.ts'
import { asOwned } from '#features/media/server/owned.ts'
import { overQuota, remainingQuota, reserveQuota } from '#features/media/server/quota.ts'
import { insertMedia } from '#features/media/server/store.ts'
import type { MediaRow } from '#features/media/server/to-media.ts'
import { enqueueVideoWork } from '#features/media/server/video-work.ts'
import { AppError, tooLarge } from '#platform/errors.ts'
import type { Config } from '#platform/server/config.ts'
import type { Db, Tables } from '#platform/server/db/tables.ts'
import type { Events } from '#platform/server/events/events.ts'
import type { Jobs } from '#platform/server/jobs/jobs.ts'
import { sortKey } from '#shared/fold.ts'
import { examineArrival, notSupported, sniffType } from './examine-arrival.ts'

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
  /** The size of the item that this smaller one replaces; absent for files from outside. */
  replacedBytes?: number
  /** Written by the program itself, which also makes types that cannot be uploaded. */
  isOwnWork?: boolean
  /** Called with the first bytes, before the others arrive; throws if this is not a wanted type. */
  checkType?: (type: MediaMimeType) => void
}
/** The bytes lie in a temporary file; `filename` is the name that users will see. */
export type Arrived = { arrival: StagedFile; filename: string }
/** A file that passed the checks and is not yet in the library. */
export type Candidate = Arrived & { examined: Examined }

type Acceptance = {
  filename: string
  /** Chooses another name in the transaction, in which no other file of the owner enters the library. */
  chooseName?: (transaction: Db) => Promise<string>
  enableAi: boolean
  /** Defaults to now, see [Note: A selection keeps its order]. */
  createdAt?: number
  /** Writes more rows of the new item in the same transaction. */
  complete?: (transaction: Db, media: MediaRow) => Promise<MediaRow>
  source?: { pageUrl?: string; address?: string; alt?: string; context?: string }
}

/**
 * [Note: One door for bytes]
 * Uploads, scraped images, URLs, conversions and edits all enter the library here. The order survives a crash at any point: a
 * temporary file, hash and decode, fsync and rename, then row, quota and jobs in one transaction, then the response.
 */
export async function receiveFile(
  { db, storage, config }: IngestServices,
  ownerId: number,
  file: Incoming,
): Promise<Arrived> {
  const { replacedBytes } = file
  const roomBytes = (await remainingQuota(db, ownerId, config.quotaBytes)) + (replacedBytes ?? 0)
  const maxBytes = Math.min(maxUploadBytes, roomBytes)
  const pending = countPendingBytes(db, ownerId, roomBytes)
  try {
    const arrival = await storage.receive(file.source, {
      maxBytes,
      onBytes: replacedBytes === undefined ? pending.add : undefined,
      onHead: async (head) => {
        const type = await sniffType(head)
        if (!file.isOwnWork && !canBeUploaded(type)) throw notSupported()
        file.checkType?.(type)
      },
    })
    const filename = fitExtension(file.filename, await sniffType(arrival.head))
    return { arrival: pending.releaseWith(arrival), filename }
  } catch (error) {
    pending.release()
    const isTooLarge = error instanceof AppError && error.code === 'too-large' && !error.details.isOverQuota
    throw isTooLarge ? tooLargeError(maxBytes) : error
  }
}

export async function examineFile(services: IngestServices, { arrival, filename }: Arrived): Promise<Candidate> {
  try {
    return { arrival, filename, examined: await examineArrival(services, arrival) }
  } catch (error) {
    await arrival.discard()
    throw error
  }
}

function tooLargeError(maxBytes: number) {
  return maxBytes === maxUploadBytes ? tooLarge('The file is larger than 500 MB.') : overQuota()
}

export async function discardCandidate({ arrival, examined }: Candidate) {
  await Promise.all([arrival.discard(), rm(examined.thumbnailPath, { force: true })])
}

/**
 * Moves the bytes and their thumbnail to their storage keys before `record` points a row to them in one transaction. If that
 * fails, the janitor removes the bytes.
 */
export async function storeCandidate<T>(
  { db, storage }: IngestServices,
  candidate: Candidate,
  record: (transaction: Db) => Promise<T>,
): Promise<T> {
  const { arrival, examined } = candidate
  let claim: BlobClaim | undefined
  try {
    claim = await claimBlob(db, arrival.sha256)
    const { replaceExisting, release } = claim
    await arrival.commit({ replaceExisting })
    await storage.derived.write(derivedKeys.thumbnail(arrival.sha256), examined.thumbnailPath)
    return await db.transaction().execute(async (transaction) => {
      const recorded = await record(transaction)
      await release(transaction)
      return recorded
    })
  } catch (error) {
    // The bytes may have reached their storage key already.
    await recordStray(db, arrival)
    await claim?.release(db).catch(() => {}) // it expires within an hour
    throw error
  } finally {
    await discardCandidate(candidate)
  }
}

/** Adds a candidate to its owner's library; when this returns, the item survives a power cut. */
export async function acceptCandidate(
  services: IngestServices,
  ownerId: number,
  candidate: Candidate,
  acceptance: Acceptance,
) {
  const { jobs, events, config } = services
  const { arrival } = candidate
  const row = await storeCandidate(services, candidate, async (transaction) => {
    const { sha256, bytes } = arrival
    await reserveQuota(transaction, ownerId, { sha256, bytes, quotaBytes: config.quotaBytes })
    await insertBlob(transaction, arrival.sha256, arrival.bytes)
    const filename = (await acceptance.chooseName?.(transaction)) ?? acceptance.filename
    const row = newRow(ownerId, candidate, { ...acceptance, filename })
    const inserted = asOwned(await insertMedia(transaction, row))
    const described = await addFileWords(transaction, inserted, candidate.examined.words)
    const media = (await acceptance.complete?.(transaction, described)) ?? described
    await indexMedia(transaction, [media.id])
    if (acceptance.enableAi)
      await jobs.enqueue(transaction, 'analyze-media', { mediaId: media.id }, { key: String(media.id), ownerId })
    await enqueueVideoWork(jobs, transaction, media)
    return media
  })
  await announceMedia(events, ownerId, [row.id])
  return row
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
    ai_status: enableAi ? ('waiting' as const) : ('none' as const),
    source: source ? JSON.stringify(source) : null,
    created_at: createdAt,
    updated_at: now,
  } satisfies Partial<MediaRow>
}

type PendingBytes = Map<number, number>
const pendingByDatabase = new WeakMap<Kysely<Tables>, PendingBytes>()

/**
 * [Note: Pending bytes count against the quota]
 * Bytes lie on the disk before their row counts in the owner's quota. Uploads that run at the same time, in any number of
 * requests, share the owner's remaining room; otherwise one user could fill the disk for everyone.
 */
function countPendingBytes(db: Kysely<Tables>, ownerId: number, roomBytes: number) {
  const pendingOf = pendingByDatabase.get(db) ?? new Map<number, number>()
  pendingByDatabase.set(db, pendingOf)
  let counted = 0

  function change(bytes: number) {
    const all = (pendingOf.get(ownerId) ?? 0) + bytes
    counted += bytes
    if (all > 0) pendingOf.set(ownerId, all)
    else pendingOf.delete(ownerId)
    return all
  }

  const release = () => void change(-counted)
  return {
    add(bytes: number) {
      if (change(bytes) <= roomBytes) return
      // Released now and not when the connection closes, or smaller uploads that still fit would be refused too.
      release()
      throw overQuota()
    },
    release,
    /** Bytes stop being pending when the file is committed or discarded. */
    releaseWith(arrival: StagedFile): StagedFile {
      const commit: StagedFile['commit'] = (options) => {
        release()
        return arrival.commit(options)
      }
      const discard = () => {
        release()
        return arrival.discard()
      }
      return { ...arrival, commit, discard, [Symbol.asyncDispose]: discard }
    },
  }
}

type Stray = { sha256: string; bytes: number }

/** A full disk is seldom full for an hour; after that the janitor's daily check finds the bytes as well. */
const retryDelaysMs = [1000, 10_000, 60_000, 600_000, 3600_000]

/**
 * Records bytes that were stored for an item that failed: the janitor deletes blobs that no item points to. If that row
 * cannot be written either, it is retried in the background and the caller does not wait.
 */
export async function recordStray(db: Db, stray: Stray) {
  if (!(await tryToRecord(db, stray))) void recordLater(db, stray)
}

async function recordLater(db: Db, stray: Stray) {
  for (const delayMs of retryDelaysMs) {
    await delay(delayMs, undefined, { ref: false })
    if (await tryToRecord(db, stray)) return
  }
}

/** An existing row stays as it is: it may say that the bytes are missing, and it is unknown whether they were stored. */
async function tryToRecord(db: Db, { sha256, bytes }: Stray) {
  try {
    await db
      .insertInto('blobs')
      .values({ sha256, bytes, created_at: Date.now() })
      .onConflict((conflict) => conflict.doNothing())
      .execute()
    await db.insertInto('loose_blobs').values({ sha256, is_released: 1 }).execute()
    return true
  } catch {
    return false // it is retried
  }
}
