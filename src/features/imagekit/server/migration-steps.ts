import { setTimeout as delay } from 'node:timers/promises'
import type { StorageWithRemoteFiles } from '#engines/storage/remote-files.ts'
import { findMedia } from '#features/media/server/store.ts'
import type { MediaRow } from '#features/media/server/to-media.ts'
import { AppError } from '#platform/errors.ts'
import type { Db } from '#platform/server/db/tables.ts'
import type { MigrationDirection } from '../contract.ts'
import { isShown, type ObjectServices, sendOriginal, sendPublicCopy } from './objects.ts'
import {
  findNameOf,
  findOriginal,
  findOriginalAfter,
  findWithoutCopy,
  markOnly,
  type RemoteObject,
  tellCopiesToLeave,
  tellToLeave,
} from './store.ts'

/** `move` returns whether there was anything to do. */
type Step = { label(): Promise<string>; move(): Promise<boolean> }

type Direction = {
  begin?(services: ObjectServices): Promise<void>
  /** The input of the next item after the one with this input, or after none. */
  findNext(db: Db, after: string | null): Promise<string | undefined>
  load(services: ObjectServices, input: string): Promise<Step | undefined>
}

/** Each goes file by file, may be interrupted anywhere and started again, and never removes the only copy of a file. */
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
    begin: ({ db }) => tellCopiesToLeave(db),
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
  // The upload may have taken long, and the item may be private by now.
  const current = await findMedia(services.db, media.id)
  if (current && isShown(current)) await sendPublicCopy(services, current)
  return true
}

/** A backup or a decoder reads a file for seconds; whoever waits for it need not ask again. */
const turnsForReaders = 5
const readerMs = 10_000

/** The bytes there are read once more; then those here go, while nobody can tell those there to leave. */
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
    if (turn === turnsForReaders) {
      throw new AppError('in-use', 409, 'The file is in use, so it was kept. Please try again.')
    }
    await Promise.race([storage.waitUntilUnread(object.blob), delay(readerMs, undefined, { ref: false })])
  }
}

async function removeBytesHere({ db, storage }: ObjectServices, { blob, folder }: RemoteObject) {
  return db.transaction().execute(async (transaction) => {
    if (!(await markOnly(transaction, folder, true))) return 'leaving'
    if (await storage.removePrimary(blob)) return 'removed'
    // Another process is at the same files, and was here first.
    if (!(await storage.primary.stat(blob))) return 'gone'
    // The mark goes with the answer: nothing else was changed here.
    await markOnly(transaction, folder, false)
    return 'in-use'
  })
}

/** The bytes here are whole before those there are told to leave, and nobody can remove them in between. */
async function bringBack({ db, storage }: ObjectServices, object: RemoteObject) {
  if (!(await storage.primary.verify(object.blob))) await fetchBytes(storage, object)
  return db.transaction().execute(async (transaction) => {
    if (!(await markOnly(transaction, object.folder, false))) return false
    const facts = await storage.primary.stat(object.blob)
    if (facts?.bytes !== object.bytes)
      throw new AppError('conflict', 409, 'The local file was removed at the same time.')
    await tellToLeave(transaction, object.folder)
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
    stream.on('error', () => {}) // nobody reads what is left of it
    stream.destroy() // and its connection would stay open for ever
  }
}
