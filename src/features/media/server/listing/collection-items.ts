import { type Kysely, type SelectQueryBuilder, sql } from 'kysely'
import { prepareRows } from '#platform/server/db/prepared.ts'
import type { Db, Row, Tables } from '#platform/server/db/tables.ts'
import { hasWords } from '#shared/word-forms.ts'
import { isShared } from '../when-shared.ts'
import { searchIndexOf } from './index-of-database.ts'
import { newestFirst, type SearchIndex, type SearchQuery } from './search-index.ts'
import { type CollectionSource, listNames, readSaved } from './search-terms.ts'

type ItemRows = SelectQueryBuilder<Tables, 'media', object>
type Page = { limit: number; offset?: number }

type CollectionItems = {
  /** Those outside the trash: in the owner's order, or newest first in a smart collection. */
  inOrder(page?: Page): ItemRows
  /** Those of the given ids, at most a few hundred, in the same order. */
  among(ids: number[]): ItemRows
}

/** The items of a collection, see [Note: Items of a collection]. */
export async function itemsOf(db: Db, collection: CollectionSource): Promise<CollectionItems> {
  if (collection.query === null) return memberRows(db, collection.id)
  return matchingRows(db, searchIndexOf(db), await toQuery(db, collection))
}

function memberRows(db: Db, collectionId: number): CollectionItems {
  const members = db
    .selectFrom('collection_media as member')
    .innerJoin('media', 'media.id', 'member.media_id')
    .where('member.collection_id', '=', collectionId)
    .where('media.is_trashed', '=', 0)
    .orderBy('member.position')
    .orderBy('member.media_id')
  // Callers use the columns of `media` only.
  const rows = members as unknown as ItemRows
  return {
    inOrder: (page) => (page ? rows.limit(page.limit).offset(page.offset ?? 0) : rows),
    among: (ids) => rows.where('media.id', 'in', ids),
  }
}

function matchingRows(db: Db, index: SearchIndex, query: SearchQuery): CollectionItems {
  // The signs keep these conditions from being looked up in an index of the whole library.
  const rows = (part: Parameters<SearchIndex['selectIds']>[1]) =>
    db
      .selectFrom('media')
      .where(sql<boolean>`media.id IN (${index.selectIds(query, part)})`)
      .where(sql<boolean>`+media.owner_id = ${query.ownerId}`)
      .where(sql<boolean>`+media.is_trashed = 0`)
      .orderBy(newestFirst)
  return {
    inOrder: (page) => rows(page && { page: { offset: 0, ...page } }),
    among: (ids) => rows({ ids }),
  }
}

async function toQuery(db: Db, collection: CollectionSource): Promise<SearchQuery> {
  return { ...(await readSaved(db, collection)).terms, ownerId: collection.owner_id, isTrashed: false }
}

/** Rows of collections whose count is that of their items now. */
export async function withCounts<T extends CollectionSource & { media_count: number }>(db: Db, rows: T[]) {
  const counted: T[] = []
  for (const row of rows) {
    const isSmart = row.query !== null
    counted.push(isSmart ? { ...row, media_count: await searchIndexOf(db).count(db, await toQuery(db, row)) } : row)
  }
  return counted
}

const shownCollections = 12

/** The newest collections whose names match the words of a search. */
export async function findCollections(db: Db, ownerId: number, text: string) {
  const matching = (await listNames(db, ownerId)).filter(({ name }) => hasWords(name, text))
  const shown = await withCounts(db, matching.slice(0, shownCollections))
  return shown.map(({ id, name, media_count }) => ({ id, name, mediaCount: media_count }))
}

const smartColumns = [
  'id',
  'owner_id',
  'query',
  'website_id',
  'is_public',
  'share_expires_at',
  'password_hash',
  'allows_download',
] as const
type SmartCollection = Pick<Row<'collections'>, (typeof smartColumns)[number]>

/** Runs for every picture of a public page. */
const listSmart = prepareRows((db, mediaId: number) =>
  db
    .selectFrom('media')
    .innerJoin('collections', 'collections.owner_id', 'media.owner_id')
    .select(smartColumns.map((column) => `collections.${column}` as const))
    .where('media.id', '=', mediaId)
    .where('collections.query', 'is not', null)
    .orderBy('collections.id'),
)

/** The owner's smart collections that contain each of a few hundred items. */
export async function listSmartCollectionsOf(db: Db, ownerId: number, mediaIds: number[]) {
  const smart = await db
    .selectFrom('collections')
    .select(['id', 'owner_id', 'name', 'query', 'is_public', 'share_expires_at'])
    .where('owner_id', '=', ownerId)
    .where('query', 'is not', null)
    .orderBy('id')
    .execute()
  const found: { mediaId: number; id: number; name: string; isPublic: boolean }[] = []
  for (const collection of smart) {
    const isPublic = isShared(collection, Date.now())
    const items = await (await itemsOf(db, collection)).among(mediaIds).select('media.id').execute()
    for (const item of items) found.push({ mediaId: item.id, id: collection.id, name: collection.name, isPublic })
  }
  return Map.groupBy(found, ({ mediaId }) => mediaId)
}

/** The smart collections that contain the item now, among those that the caller asks for. */
export async function* findHolders(
  db: Kysely<Tables>,
  mediaId: number,
  isWanted: (collection: SmartCollection) => boolean,
): AsyncGenerator<SmartCollection> {
  for (const collection of (await listSmart(db, mediaId)).filter(isWanted)) {
    const [found] = await (await itemsOf(db, collection)).among([mediaId]).select('media.id').execute()
    if (found) yield collection
  }
}
