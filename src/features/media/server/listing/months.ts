import { type Kysely, type RawBuilder, sql } from 'kysely'
import { dialectOf } from '#platform/server/db/dialect.ts'
import { prepareRows } from '#platform/server/db/prepared.ts'
import type { Tables } from '#platform/server/db/tables.ts'
import type { CountQuery, MediaQuery } from '../../contract.ts'
import type { Month, MonthsQuery } from '../../finding-contract.ts'
import { searchIndexOf } from './index-of-database.ts'
import { listedMedia, sortKeyOf } from './list-queries.ts'
import type { Cursor } from './page-cursors.ts'
import { toSearchQuery } from './search.ts'
import { readList } from './search-terms.ts'

type Connections = { db: Kysely<Tables>; slowReads: Kysely<Tables> }
type MonthCount = { month: string; count: number }

/** The months of a list in its order, and how many items are before each. */
export async function listMonths(
  { db, slowReads }: Connections,
  ownerId: number,
  query: MonthsQuery,
): Promise<Month[]> {
  const { by, direction } = query
  const counts = (await readCounts(db, ownerId, by, query)) ?? (await countAgain(slowReads, ownerId, query))
  return withOffsets(direction === 'asc' ? counts : counts.reverse())
}

function withOffsets(counts: MonthCount[]): Month[] {
  let offset = 0
  return counts.map(({ month, count }) => {
    offset += count
    return { month, count, offset: offset - count }
  })
}

const listCounts = prepareRows((db, ownerId: number, kind: 'taken' | 'added') =>
  db.selectFrom('media_months').selectAll().where('owner_id', '=', ownerId).where('kind', '=', kind).orderBy('month'),
)

/** The maintained counts, oldest first; undefined for a list that they do not know. */
async function readCounts(db: Kysely<Tables>, ownerId: number, kind: 'taken' | 'added', query: CountQuery) {
  const { type, favorite, trashed, collectionId, search } = query
  if (collectionId || search || [type, favorite, trashed].filter(Boolean).length > 1) return undefined
  const counts = (await listCounts(db, ownerId, kind)).map((row): MonthCount => {
    const { month, image_count: images, video_count: videos } = row
    if (trashed) return { month, count: row.trashed_count }
    if (favorite) return { month, count: row.favorite_count }
    return { month, count: type === 'image' ? images : type === 'video' ? videos : images + videos }
  })
  return counts.filter(({ count }) => count > 0)
}

/** Counts the items of any other list, oldest first. */
async function countAgain(db: Kysely<Tables>, ownerId: number, query: MonthsQuery): Promise<MonthCount[]> {
  const search = await readList(db, ownerId, query)
  const ids: RawBuilder<unknown> = search
    ? searchIndexOf(db).selectIds(toSearchQuery(ownerId, search.terms, query))
    : sql`${listedMedia(db, ownerId, query).select('id')}`
  const added = dialectOf(db).choose({
    sqlite: sql`strftime('%Y-%m', created_at / 1000, 'unixepoch')`,
    postgres: sql`month_added(created_at)`,
  })
  const month = query.by === 'taken' ? sql`substr(dated_at, 1, 7)` : added
  const { rows } = await sql<MonthCount>`SELECT ${month} AS month, count(*) AS count FROM media
    WHERE id IN (${ids}) GROUP BY 1 ORDER BY 1`.execute(db)
  return rows
}

/** Where the months of a list begin, as rows that pages can be read from, so that a jump skips one month at most. */
export async function monthCursors(db: Kysely<Tables>, ownerId: number, query: MediaQuery): Promise<Cursor[]> {
  const key = sortKeyOf(query)
  if (key?.column !== 'created_at' && key?.column !== 'dated_at') return []
  const counts = await readCounts(db, ownerId, key.column === 'dated_at' ? 'taken' : 'added', query)
  if (!counts) return []
  const startOf = (month: string) => (key.column === 'dated_at' ? month : Date.parse(`${month}-01T00:00:00Z`))
  const isDescending = key.direction === 'desc'
  // Backwards, a month begins after all its rows; no row has the id 0, so it is before all rows of its value.
  return withOffsets(isDescending ? counts.reverse() : counts).map(({ month, offset }) => ({
    position: offset,
    value: startOf(isDescending ? followingMonth(month) : month),
    id: 0,
  }))
}

function followingMonth(month: string) {
  const [year, number] = month.split('-').map(Number) as [number, number]
  return number === 12
    ? `${String(year + 1).padStart(4, '0')}-01`
    : `${month.slice(0, 5)}${String(number + 1).padStart(2, '0')}`
}
