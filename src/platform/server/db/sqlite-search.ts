import { type RawBuilder, sql } from 'kysely'
import type { SearchFilter, SearchIndex, SearchQuery, SearchSpace } from './sql-dialect.ts'

const itemsPerSpace = 2 ** 32

/**
 * [Note: A library is a range of row numbers]
 * FTS5 answers "matches within these row numbers, newest first" without looking at anything outside the range. So the
 * row number of a document is its space (owner, trash) times 2^32 plus the item's id: a search costs what its own library costs.
 */
const spaceStart = ({ ownerId, isTrashed }: SearchSpace) => (ownerId * 2 + (isTrashed ? 1 : 0)) * itemsPerSpace

export const sqliteSearch: SearchIndex = {
  async replace(db, documents) {
    for (const { mediaId, name, text, ...space } of documents) {
      const row = spaceStart(space) + mediaId
      const otherRow = spaceStart({ ...space, isTrashed: !space.isTrashed }) + mediaId
      for (const table of [sql.table('search_documents'), sql.table('search_words')]) {
        await sql`DELETE FROM ${table} WHERE rowid IN (${row}, ${otherRow})`.execute(db)
        await sql`INSERT INTO ${table} (rowid, name, text) VALUES (${row}, ${name}, ${text})`.execute(db)
      }
    }
  },

  async findIds(db, query) {
    const start = spaceStart(query)
    const { rows } = await sql<{ id: number }>`
      SELECT matched.rowid - ${start} AS id FROM ${matches(query)}
      ORDER BY matched.rowid DESC LIMIT ${query.limit} OFFSET ${query.offset ?? 0}`.execute(db)
    return rows.map(({ id }) => id)
  },

  async countUpTo(db, query) {
    const { rows } = await sql<{ count: number }>`
      SELECT count(*) AS count FROM (SELECT 1 FROM ${matches(query)} LIMIT ${query.limit})`.execute(db)
    return rows[0]!.count
  },
}

function matches(query: SearchQuery): RawBuilder<unknown> {
  const start = spaceStart(query)
  const column = query.isNameOnly ? 'name : ' : ''
  const longWords = query.words.filter((word) => [...word].length >= 3)
  const shortWords = query.words.filter((word) => [...word].length < 3)
  const quote = (word: string) => `"${word.replaceAll('"', '""')}"`
  const table = longWords.length > 0 ? sql.table('search_documents') : sql.table('search_words')
  const expression =
    longWords.length > 0
      ? longWords.map(quote).join(' AND ')
      : shortWords.map((word) => `${quote(word)} *`).join(' AND ')
  const conditions = [
    sql`matched.${sql.ref(longWords.length > 0 ? 'search_documents' : 'search_words')} MATCH ${`${column}(${expression})`}`,
    sql`matched.rowid BETWEEN ${start} AND ${start + itemsPerSpace - 1}`,
    ...conditionsOf(query.filter, start),
  ]
  if (longWords.length > 0 && shortWords.length > 0) {
    const beginnings = `${column}(${shortWords.map((word) => `${quote(word)} *`).join(' AND ')})`
    conditions.push(sql`matched.rowid IN (SELECT rowid FROM search_words WHERE search_words MATCH ${beginnings}
      AND rowid BETWEEN ${start} AND ${start + itemsPerSpace - 1})`)
  }
  return sql`${table} AS matched WHERE ${sql.join(conditions, sql` AND `)}`
}

function conditionsOf(filter: SearchFilter | undefined, start: number) {
  const id = sql`matched.rowid - ${start}`
  const conditions: RawBuilder<unknown>[] = []
  if (filter?.type) conditions.push(sql`(SELECT type FROM media WHERE id = ${id}) = ${filter.type}`)
  if (filter?.isFavorite) conditions.push(sql`(SELECT is_favorite FROM media WHERE id = ${id}) = 1`)
  if (filter?.collectionId) {
    conditions.push(
      sql`EXISTS (SELECT 1 FROM collection_media WHERE collection_id = ${filter.collectionId} AND media_id = ${id})`,
    )
  }
  return conditions
}
