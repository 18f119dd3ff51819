import { setTimeout as delay } from 'node:timers/promises'
import type { StorageWithRemoteFiles } from '#engines/storage/remote-files.ts'
import { findMedia } from '#features/media/server/store.ts'
import type { MediaRow } from '#features/media/server/to-media.ts'
import { AppError } from '#platform/errors.ts'
import type { Db } from '#platform/server/db/tables.ts'
import type { MigrationDirection } from '../contract.ts'
import { isPublic, type ObjectServices, sendOriginal, sendPublicCopy } from './objects.ts'
import {
  findNameOf,
  findOriginal,
  findOriginalAfter,
  findWithoutCopy,
  markCopiesForRemoval,
  markForRemoval,
  markOnly,
  type RemoteObject,
} from './store.ts'

/** `move` returns false if there was nothing to do. */
type Step = { label(): Promise<string>; move(): Promise<boolean> }

type Direction = {
  begin?(services: ObjectServices): Promise<void>
  /** The input of the item after the one with this input, or of the first item for null. */
  findNext(db: Db, after: string | null): Promise<string | undefined>
  load(services: ObjectServices, input: string): Promise<Step | undefined>
}

/**
 * Each direction works file by file, can be interrupted and restarted at any point, and never removes the only copy of a
 * file.
 */
export const directions: Record<MigrationDirection, Direction> = {
  out: {
    async findNext(db, after) {
      const media = await findWithoutCopy(db, Number(after ?? 0))
      return media && String(media.id)
    },
    async load(services, input) {
      const media = await findWithoutCopy(services.db, Number(input) - 1)
      if (media?.id !== Number(input)) return undefined
      return { label: async () => media.filename, move: () => copyOut(services, media) }
    },
  },
  free: { findNext: findNextOriginal, load: (services, input) => loadOriginal(services, input, freePrimary) },
  back: {
    begin: ({ db }) => markCopiesForRemoval(db),
    findNext: findNextOriginal,
    load: (services, input) => loadOriginal(services, input, bringBack),
  },
}

async function findNextOriginal(db: Db, after: string | null) {
  return (await findOriginalAfter(db, after ?? ''))?.blob
}

async function loadOriginal(
  services: ObjectServices,
  blob: string,
  move: (services: ObjectServices, object: RemoteObject) => Promise<boolean>,
): Promise<Step | undefined> {
  const object = await findOriginal(services.db, blob)
  if (!object) return undefined
  return {
    label: async () => (await findNameOf(services.db, blob)) ?? 'A file without an item',
    move: () => move(services, object),
  }
}

async function copyOut(services: ObjectServices, media: MediaRow) {
  if (!(await findOriginal(services.db, media.blob))) await sendOriginal(services, media)
  // The item may have become private during a long upload.
  const current = await findMedia(services.db, media.id)
  if (current && isPublic(current)) await sendPublicCopy(services, current)
  return true
}

/** A backup or a decoder may be reading the file for a few seconds, so the removal is tried several times. */
const maxReaderWaits = 5
const readerMs = 10_000

/**
 * Verifies the remote bytes, then removes the local ones. The row lock prevents the remote file from being marked for removal
 * meanwhile.
 */
async function freePrimary(services: ObjectServices, object: RemoteObject) {
  const { db, storage, imageKit } = services
  if (!(await storage.primary.stat(object.blob))) {
    await markOnly(db, object.folder, true)
    return false
  }
  if ((await imageKit.hash(object.file_path))?.sha256 !== object.blob) {
    throw new AppError('imagekit-damaged', 502, 'The copy at ImageKit does not match the file, so the file was kept.')
  }
  for (let turn = 1; ; turn++) {
    const outcome = await removeBytesHere(services, object)
    if (outcome !== 'in-use') return outcome === 'removed'
    if (turn === maxReaderWaits) {
      throw new AppError('in-use', 409, 'The file is in use, so it was kept. Please try again.')
    }
    await Promise.race([storage.waitUntilUnread(object.blob), delay(readerMs, undefined, { ref: false })])
  }
}

async function removeBytesHere({ db, storage }: ObjectServices, { blob, folder }: RemoteObject) {
  return db.transaction().execute(async (transaction) => {
    if (!(await markOnly(transaction, folder, true))) return 'leaving'
    if (await storage.removePrimary(blob)) return 'removed'
    // Another process has already removed the file.
    if (!(await storage.primary.stat(blob))) return 'gone'
    // Nothing was removed, so the mark is reset.
    await markOnly(transaction, folder, false)
    return 'in-use'
  })
}

/** Verifies the local bytes before marking the remote file for removal. The row lock prevents their removal in between. */
async function bringBack({ db, storage }: ObjectServices, object: RemoteObject) {
  if (!(await storage.primary.verify(object.blob))) await fetchBytes(storage, object)
  return db.transaction().execute(async (transaction) => {
    if (!(await markOnly(transaction, object.folder, false))) return false
    const facts = await storage.primary.stat(object.blob)
    if (facts?.bytes !== object.bytes)
      throw new AppError('conflict', 409, 'The local file was removed at the same time.')
    await markForRemoval(transaction, object.folder)
    return true
  })
}

async function fetchBytes(storage: StorageWithRemoteFiles, { blob, bytes }: RemoteObject) {
  const { stream } = await storage.openRemote(blob)
  try {
    await using arrival = await storage.primary.receive(stream, { maxBytes: bytes })
    if (arrival.sha256 !== blob) {
      throw new AppError(
        'imagekit-damaged',
        502,
        'The download from ImageKit does not match the file, so it was kept there.',
      )
    }
    await arrival.commit({ replaceExisting: true })
  } finally {
    stream.on('error', () => {}) // the rest of the stream is not read
    stream.destroy() // otherwise its connection would stay open
  }
}
