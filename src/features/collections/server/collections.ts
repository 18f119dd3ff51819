import type { Kysely } from 'kysely'
import type { Owned } from '#features/media/server/owned.ts'
import { indexMedia } from '#features/media/server/search-documents.ts'
import { suggestSlug, takeSlug } from '#features/media/server/slugs.ts'
import { holdMedia } from '#features/media/server/store.ts'
import type { MediaRow } from '#features/media/server/to-media.ts'
import { conflict, notFound } from '#platform/errors.ts'
import type { Db, Tables } from '#platform/server/db/tables.ts'
import type { Branding, CollectionDraft } from '../contract.ts'
import {
  brandingOf,
  type CollectionRow,
  deleteCollection,
  deleteMembership,
  findFollower,
  holdCollection,
  holdOwner,
  insertMembership,
  isMember,
  listMemberIds,
  updateCollection,
} from './store.ts'

type Database = Kysely<Tables>
type Changes = Partial<CollectionDraft> & { coverMediaId?: number | null }

/** A collection's name is part of what its members are found by. */
export async function changeCollection(db: Database, collection: Owned<CollectionRow>, changes: Changes) {
  const isRenamed = changes.name !== undefined && changes.name !== collection.name
  return db.transaction().execute(async (transaction) => {
    if (isRenamed) await holdMedia(transaction, await listMemberIds(transaction, collection.id))
    const row = await updateCollection(transaction, collection.id, {
      ...(changes.name !== undefined && { name: changes.name }),
      ...(changes.description !== undefined && { description: changes.description || null }),
      ...(changes.company !== undefined && { company: changes.company || null }),
      ...(changes.coverMediaId !== undefined && { cover_media_id: changes.coverMediaId }),
    })
    // Listed again: until the collection's own row was written, somebody may have added to it.
    if (isRenamed) await indexMedia(transaction, await listMemberIds(transaction, collection.id))
    return row
  })
}

/** The media stay; they are only no longer found by the collection's name. */
export async function removeCollection(db: Database, collection: Owned<CollectionRow>) {
  await db.transaction().execute(async (transaction) => {
    const members = await holdMedia(transaction, await listMemberIds(transaction, collection.id))
    await holdOwner(transaction, collection)
    await deleteCollection(transaction, collection.id)
    await indexMedia(transaction, members)
  })
}

/** A cover is one of the collection's own pictures. */
export async function requireMember(db: Database, collection: Owned<CollectionRow>, mediaId: number) {
  if (!(await isMember(db, collection.id, mediaId))) throw notFound('Media')
}

export async function addMedia(db: Database, collection: Owned<CollectionRow>, media: Owned<MediaRow>) {
  await db.transaction().execute(async (transaction) => {
    const [isThere] = await holdMedia(transaction, [media.id])
    if (!isThere) throw notFound('Media')
    await holdCollection(transaction, collection.id)
    const isNew = await insertMembership(transaction, collection.id, media)
    if (!isNew) throw conflict(`"${media.filename}" is already in this collection.`, { isDuplicate: true })
    await indexMedia(transaction, [media.id])
  })
}

/** For an item that this transaction has made, and indexes at its end. */
export async function addNewMedia(transaction: Db, collection: Owned<CollectionRow>, media: MediaRow) {
  await holdCollection(transaction, collection.id)
  await insertMembership(transaction, collection.id, media)
  return media
}

/** Gives back which item followed it, so that an undo finds the place again. */
export async function removeMedia(db: Database, collection: Owned<CollectionRow>, mediaId: number) {
  return db.transaction().execute(async (transaction) => {
    await holdMedia(transaction, [mediaId])
    const followerId = await findFollower(transaction, collection.id, mediaId)
    if (!(await deleteMembership(transaction, collection.id, mediaId))) throw notFound('Media')
    await indexMedia(transaction, [mediaId])
    return followerId
  })
}

export async function renameUrl(db: Database, collection: Owned<CollectionRow>, slug: string) {
  return db.transaction().execute(async (transaction) => {
    await holdCollection(transaction, collection.id)
    await takeSlug(transaction, 'collection', slug, collection.id)
    return updateCollection(transaction, collection.id, { public_slug: slug })
  })
}

/** The first time it goes public a collection gets its address, and keeps it when it is private again. */
export async function setVisibility(db: Database, collection: Owned<CollectionRow>, isPublic: boolean) {
  return db.transaction().execute(async (transaction) => {
    const { name, public_slug } = await holdCollection(transaction, collection.id)
    const slug = public_slug ?? (isPublic ? suggestSlug(name) : null)
    if (slug && !public_slug) await takeSlug(transaction, 'collection', slug, collection.id)
    return updateCollection(transaction, collection.id, { is_public: isPublic ? 1 : 0, public_slug: slug })
  })
}

export async function brandCollection(db: Database, collection: Owned<CollectionRow>, branding: Branding) {
  return db.transaction().execute(async (transaction) => {
    const merged = { ...brandingOf(await holdCollection(transaction, collection.id)), ...branding }
    return updateCollection(transaction, collection.id, { branding: JSON.stringify(merged) })
  })
}
