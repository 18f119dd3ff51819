import { type RawBuilder, sql } from 'kysely'
import type { z } from 'zod'
import type { Flag } from '#platform/server/db/column-types.ts'
import { countRows } from '#platform/server/db/count-rows.ts'
import type { Db } from '#platform/server/db/tables.ts'
import type {
  CollectionRow,
  CollectionRowsQuery,
  DatabaseStats,
  MediaRow,
  MediaRowsQuery,
  RelationshipRow,
  RelationshipRowsQuery,
  UserRow,
  UserRowsQuery,
} from '../contract.ts'

export type Page<T> = { rows: T[]; total: number }

const iso = (time: number) => new Date(time).toISOString()

export async function loadStats(db: Db): Promise<DatabaseStats> {
  const users = await db
    .selectFrom('users')
    .select(({ fn }) => [
      fn.countAll<number>().as('count'),
      fn.sum<number | null>('is_admin').as('admins'),
      fn.sum<number | null>('media_count').as('media'),
      fn.sum<number | null>('storage_used').as('size'),
      fn.sum<number | null>('collection_count').as('collections'),
    ])
    .executeTakeFirstOrThrow()
  const shared = await countRows(db.selectFrom('collections').where('is_public', '=', 1))
  const fileTypes = await db
    .selectFrom('media')
    .select(({ fn }) => ['mime_type as type', fn.countAll<number>().as('count')])
    .groupBy('mime_type')
    .orderBy('count', 'desc')
    .orderBy('mime_type')
    .execute()
  return {
    mediaCount: users.media ?? 0,
    totalSize: users.size ?? 0,
    userCount: users.count,
    adminCount: users.admins ?? 0,
    collectionCount: users.collections ?? 0,
    publicCollectionCount: shared,
    fileTypes,
  }
}

type Query = { limit: number; offset: number; sort?: string; order: 'asc' | 'desc'; filter: string }

type Listing = {
  columns: RawBuilder<unknown>
  from: RawBuilder<unknown>
  /** Names that a caller may sort by, and what they stand for; nothing else reaches the SQL. */
  sortable: Record<string, string>
  /** Ends every order, so that pages neither skip nor repeat rows. */
  tieBreaker: string[]
  searched: string[]
}

async function list<T>(db: Db, listing: Listing, query: Query): Promise<Page<T>> {
  const { columns, from, sortable, tieBreaker, searched } = listing
  const pattern = `%${query.filter.toLowerCase().replace(/[\\%_]/g, '\\$&')}%`
  const matches = searched.map((name) => sql`lower(${sql.ref(name)}) LIKE ${pattern} ESCAPE '\\'`)
  const where = query.filter ? sql`WHERE (${sql.join(matches, sql` OR `)})` : sql``
  const direction = query.order === 'desc' ? sql`DESC` : sql`ASC`
  const order = [...new Set([...(query.sort ? [sortable[query.sort]!] : []), ...tieBreaker])]
  const orderBy = sql.join(order.map((name) => sql`${sql.ref(name)} ${direction}`))
  const limits = sql`LIMIT ${query.limit} OFFSET ${query.offset}`
  // Whole rows are wide: where there is an id, only ids are sorted, often in an index alone, and a page of rows is read.
  const isById = tieBreaker[0] === 'id'
  const page = isById
    ? sql`WHERE id IN (SELECT id FROM ${from} ${where} ORDER BY ${orderBy} ${limits}) ORDER BY ${orderBy}`
    : sql`${where} ORDER BY ${orderBy} ${limits}`
  const [rows, count] = await Promise.all([
    sql<T>`SELECT ${columns} FROM ${from} ${page}`.execute(db),
    sql<{ total: number }>`SELECT count(*) AS total FROM ${from} ${where}`.execute(db),
  ])
  return { rows: rows.rows, total: count.rows[0]!.total }
}

type Stored<T> = Omit<T, 'created_at' | 'is_admin' | 'is_public'> & {
  created_at: number
  is_admin: Flag
  is_public: Flag
}

export async function listMedia(db: Db, query: z.output<typeof MediaRowsQuery>): Promise<Page<MediaRow>> {
  const { rows, total } = await list<Stored<MediaRow>>(
    db,
    {
      columns: sql`id, filename, mime_type, type, size, width, height, owner_id AS user_id, created_at, ai_description, user_description`,
      from: sql`media`,
      sortable: { id: 'id', filename: 'filename', type: 'mime_type', size: 'size', created_at: 'created_at' },
      tieBreaker: ['id'],
      searched: ['filename', 'mime_type', 'ai_description', 'user_description'],
    },
    query,
  )
  return { rows: rows.map((row) => ({ ...row, created_at: iso(row.created_at) })), total }
}

export async function listUsers(db: Db, query: z.output<typeof UserRowsQuery>): Promise<Page<UserRow>> {
  const names = ['id', 'username', 'email', 'is_admin', 'storage_used', 'created_at']
  const { rows, total } = await list<Stored<UserRow>>(
    db,
    {
      columns: sql.join(names.map((name) => sql.ref(name))),
      from: sql`users`,
      sortable: Object.fromEntries(names.map((name) => [name, name])),
      tieBreaker: ['id'],
      searched: ['username', 'email'],
    },
    query,
  )
  return {
    rows: rows.map((row) => ({ ...row, is_admin: row.is_admin === 1, created_at: iso(row.created_at) })),
    total,
  }
}

export async function listCollections(
  db: Db,
  query: z.output<typeof CollectionRowsQuery>,
): Promise<Page<CollectionRow>> {
  const { rows, total } = await list<Stored<CollectionRow>>(
    db,
    {
      columns: sql`id, name, owner_id AS user_id, is_public, public_slug, view_count, created_at`,
      from: sql`collections`,
      sortable: {
        id: 'id',
        name: 'name',
        user_id: 'owner_id',
        is_public: 'is_public',
        view_count: 'view_count',
        created_at: 'created_at',
      },
      tieBreaker: ['id'],
      searched: ['name', 'public_slug'],
    },
    query,
  )
  return {
    rows: rows.map((row) => ({ ...row, is_public: row.is_public === 1, created_at: iso(row.created_at) })),
    total,
  }
}

export async function listRelationships(
  db: Db,
  query: z.output<typeof RelationshipRowsQuery>,
): Promise<Page<RelationshipRow>> {
  return list<RelationshipRow>(
    db,
    {
      columns: sql`media.id AS media_id, media.filename AS media_filename, collections.id AS collection_id, collections.name AS collection_name`,
      from: sql`collection_media JOIN media ON media.id = collection_media.media_id JOIN collections ON collections.id = collection_media.collection_id`,
      sortable: {
        media_id: 'collection_media.media_id',
        media_filename: 'media.filename',
        collection_id: 'collection_media.collection_id',
        collection_name: 'collections.name',
      },
      tieBreaker: ['collection_media.collection_id', 'collection_media.media_id'],
      searched: ['media.filename', 'collections.name'],
    },
    query,
  )
}
