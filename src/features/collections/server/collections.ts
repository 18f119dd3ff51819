import type { Kysely } from 'kysely'
import { holdUser } from '#features/auth/server/store.ts'
import { itemsOf } from '#features/media/server/listing/collection-items.ts'
import { indexLater } from '#features/media/server/listing/rebuild-search.ts'
import { indexMedia } from '#features/media/server/listing/search-documents.ts'
import type { Owned } from '#features/media/server/owned.ts'
import { endEarlierSlugs, findSlugTarget, isReservedSlug, takeSlug } from '#features/media/server/slugs.ts'
import { lockItem, lockMedia } from '#features/media/server/store.ts'
import type { MediaRow } from '#features/media/server/to-media.ts'
import type { Branding } from '#features/websites/branding.ts'
import { brandingOf } from '#features/websites/server/branding.ts'
import { websiteOfCompany } from '#features/websites/server/company.ts'
import { conflict, notFound } from '#platform/errors.ts'
import type { Db, Tables } from '#platform/server/db/tables.ts'
import type { Jobs } from '#platform/server/jobs/jobs.ts'
import { maxSlugLength, minSlugLength, suggestSlug, toSlugInput } from '#shared/slug.ts'
import type { CollectionDraft } from '../contract.ts'
import { checkedCssOf } from './checked-css.ts'
import { lookOfCompany } from './look.ts'
import { checkQuery } from './smart.ts'
import {
  type CollectionRow,
  deleteCollection,
  deleteMemberships,
  findFollower,
  holdCollection,
  holdForMembers,
  insertCollection,
  insertMembership,
  listMembers,
  requireByHand,
  updateCollection,
} from './store.ts'

type Database = Kysely<Tables>
type Changes = Partial<CollectionDraft> & { coverMediaId?: number | null }

export async function changeCollection(db: Database, collection: Owned<CollectionRow>, changes: Changes) {
  requireSameKind(collection, changes.query)
  checkQuery(changes.query ?? collection.query, changes.name ?? collection.name)
  const columns = {
    // A client sends the name with every change; an unchanged one must not undo a concurrent rename.
    ...(changes.name !== undefined && changes.name !== collection.name && { name: changes.name }),
    ...(changes.description !== undefined && { description: changes.description || null }),
    ...(changes.company !== undefined && { company: changes.company || null }),
    ...(changes.query && { query: changes.query }),
    ...(changes.coverMediaId !== undefined && { cover_media_id: changes.coverMediaId }),
  }
  // A client sends the company with every change; an unchanged one must not bring back a deleted website.
  if (changes.company === undefined || (changes.company || null) === collection.company)
    return updateCollection(db, collection.id, columns)
  return db.transaction().execute(async (transaction) => {
    await holdUser(transaction, collection.owner_id)
    const website_id = await websiteOfCompany(transaction, collection.owner_id, changes.company)
    return updateCollection(transaction, collection.id, { ...columns, website_id })
  })
}

/** A client may send the whole collection back, so an unchanged query is accepted. */
function requireSameKind({ name, query }: CollectionRow, changed: string | null | undefined) {
  if (changed === undefined || (changed === null) === (query === null)) return
  if (query === null) throw conflict(`"${name}" has items of its own. Save the search as a new collection instead.`)
  throw conflict(`"${name}" is a smart collection. Freeze it to keep the items that match its search now.`)
}

/** A new collection begins with the branding of its website. */
export async function createCollection(db: Database, ownerId: number, draft: CollectionDraft) {
  checkQuery(draft.query, draft.name)
  const look = await lookOfCompany(db, ownerId, draft.company)
  return db.transaction().execute(async (transaction) => {
    // The user row is locked before the website is looked for; see [Note: Companies are websites].
    await holdUser(transaction, ownerId)
    const website_id = await websiteOfCompany(transaction, ownerId, draft.company)
    return insertCollection(transaction, ownerId, draft, { website_id, ...look })
  })
}

const indexedAtOnce = 500

/**
 * The media stay. A search tells items that are in no collection from the others, so they are indexed again: those of a
 * usual collection at once, and more by a job, as the transaction blocks every other writer.
 */
export async function removeCollection({ db, jobs }: { db: Database; jobs: Jobs }, collection: Owned<CollectionRow>) {
  await db.transaction().execute(async (transaction) => {
    const members = await listMembers(transaction, collection.id)
    const held = new Set(await lockMedia(transaction, members.slice(0, indexedAtOnce)))
    // The user row is locked before the collection, because it counts the collections.
    await holdUser(transaction, collection.owner_id)
    await holdCollection(transaction, collection.id)
    const others = (await listMembers(transaction, collection.id)).filter((id) => !held.has(id))
    await deleteCollection(transaction, collection.id)
    await indexMedia(transaction, [...held])
    if (others.length > 0) await indexLater(jobs, transaction, others)
  })
}

/** A cover must be one of the collection's own images. */
export async function requireMember(db: Database, collection: Owned<CollectionRow>, mediaId: number) {
  const items = (await itemsOf(db, collection)).among([mediaId])
  if (!(await items.select('media.id').executeTakeFirst())) throw notFound('Media')
}

export async function addMedia(db: Database, collection: Owned<CollectionRow>, media: Owned<MediaRow>) {
  await db.transaction().execute(async (transaction) => {
    await lockItem(transaction, media)
    await holdForMembers(transaction, collection.id)
    const isNew = await insertMembership(transaction, collection.id, media)
    if (!isNew) throw conflict(`"${media.filename}" is already in this collection.`, { isDuplicate: true })
    await indexMedia(transaction, [media.id])
  })
}

/** For an item that this transaction has created, and indexes at its end. */
export async function addNewMedia(transaction: Db, collection: Owned<CollectionRow>, media: MediaRow) {
  await holdForMembers(transaction, collection.id)
  await insertMembership(transaction, collection.id, media)
  return media
}

/** Returns the item that followed it, so that an undo restores the position. */
export async function removeMedia(db: Database, collection: Owned<CollectionRow>, mediaId: number) {
  requireByHand(collection)
  return db.transaction().execute(async (transaction) => {
    await lockMedia(transaction, [mediaId])
    const followerId = await findFollower(transaction, collection.id, mediaId)
    const [place] = await deleteMemberships(transaction, collection.id, [mediaId])
    if (!place) throw notFound('Media')
    await indexMedia(transaction, [mediaId])
    return followerId
  })
}

type NewUrl = { slug: string; endsEarlierUrls?: boolean }

export async function renameUrl(db: Database, collection: Owned<CollectionRow>, { slug, endsEarlierUrls }: NewUrl) {
  return db.transaction().execute(async (transaction) => {
    await holdCollection(transaction, collection.id)
    await takeSlug(transaction, 'collection', slug, collection.id)
    if (endsEarlierUrls) await endEarlierSlugs(transaction, 'collection', collection.id, slug)
    return updateCollection(transaction, collection.id, { public_slug: slug })
  })
}

/** A collection gets its address when it is first published, and keeps it when it is private again. */
export async function setVisibility(db: Database, collection: Owned<CollectionRow>, isPublic: boolean) {
  return db.transaction().execute(async (transaction) => {
    const { name, public_slug } = await holdCollection(transaction, collection.id)
    const slug = public_slug ?? (isPublic ? suggestSlug(name) : null)
    if (slug && !public_slug) await takeSlug(transaction, 'collection', slug, collection.id)
    return updateCollection(transaction, collection.id, { is_public: isPublic ? 1 : 0, public_slug: slug })
  })
}

export async function brandCollection(db: Database, collection: Owned<CollectionRow>, branding: Branding) {
  const checked = branding.customCss === undefined ? {} : { checked_css: await checkedCssOf(branding) }
  return db.transaction().execute(async (transaction) => {
    const merged = { ...brandingOf(await holdCollection(transaction, collection.id)), ...branding }
    return updateCollection(transaction, collection.id, { branding: JSON.stringify(merged), ...checked })
  })
}

/** Advice for the field while the user types; only taking the address decides. */
export async function checkUrl(db: Db, collection: Owned<CollectionRow>, text: string) {
  const slug = toSlugInput(text).slice(0, maxSlugLength)
  const answer = (isAvailable: boolean, message: string) => ({ slug, isAvailable, message })
  if (slug.length < minSlugLength) return answer(false, `At least ${minSlugLength} letters, digits or hyphens.`)
  if (isReservedSlug(slug)) return answer(false, 'This URL is reserved.')
  if (slug === collection.public_slug) return answer(true, 'This is the current URL.')
  const holder = await findSlugTarget(db, 'collection', slug)
  if (holder === undefined) return answer(true, 'This URL is available.')
  return holder === collection.id
    ? answer(true, 'This is an earlier URL of this collection.')
    : answer(false, 'This URL is already taken.')
}
