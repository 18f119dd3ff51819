import { type RawBuilder, sql } from 'kysely'
import type { SearchIndex, SearchQuery } from './sql-dialect.ts'

export const postgresSearch: SearchIndex = {
  async replace(db, documents) {
    for (const { mediaId, ownerId, isTrashed, name, text } of documents) {
      await sql`
        INSERT INTO search_documents (media_id, owner_id, is_trashed, name, text, beginnings)
        VALUES (${mediaId}, ${ownerId}, ${isTrashed ? 1 : 0}, ${name}, ${text}, ${beginningsOf(`${name} ${text}`)})
        ON CONFLICT (media_id) DO UPDATE SET is_trashed = excluded.is_trashed, name = excluded.name, text = excluded.text,
          beginnings = excluded.beginnings`.execute(db)
    }
  },

  async findIds(db, query) {
    const { rows } = await sql<{ id: number }>`
      SELECT media_id AS id FROM search_documents WHERE ${conditionsOf(query)}
      ORDER BY media_id DESC LIMIT ${query.limit} OFFSET ${query.offset ?? 0}`.execute(db)
    return rows.map(({ id }) => id)
  },

  async countUpTo(db, query) {
    const { rows } = await sql<{ count: number }>`
      SELECT count(*) AS count FROM (SELECT 1 FROM search_documents WHERE ${conditionsOf(query)} LIMIT ${query.limit}) AS counted`.execute(
      db,
    )
    return rows[0]!.count
  },
}

function beginningsOf(text: string) {
  const beginnings = new Set<string>()
  for (const word of text.split(/[^\p{L}\p{N}]+/u)) {
    const letters = [...word]
    for (const length of [1, 2]) if (letters.length >= length) beginnings.add(letters.slice(0, length).join(''))
  }
  return [...beginnings]
}

function conditionsOf({ ownerId, isTrashed, words, isNameOnly, filter }: SearchQuery) {
  const conditions: RawBuilder<unknown>[] = [sql`owner_id = ${ownerId}`, sql`is_trashed = ${isTrashed ? 1 : 0}`]
  for (const word of words) {
    if ([...word].length < 3) conditions.push(sql`beginnings @> ARRAY[${word}]`)
    else conditions.push(sql`(name || ' ' || text) LIKE ${pattern(word)}`)
    if (isNameOnly)
      conditions.push(
        [...word].length < 3 ? sql`(' ' || name) LIKE ${`% ${escapeLike(word)}%`}` : sql`name LIKE ${pattern(word)}`,
      )
  }
  if (filter?.type) conditions.push(sql`(SELECT type FROM media WHERE id = media_id) = ${filter.type}`)
  if (filter?.isFavorite) conditions.push(sql`(SELECT is_favorite FROM media WHERE id = media_id) = 1`)
  if (filter?.collectionId) {
    conditions.push(sql`EXISTS (SELECT 1 FROM collection_media AS member
      WHERE member.collection_id = ${filter.collectionId} AND member.media_id = search_documents.media_id)`)
  }
  return sql.join(conditions, sql` AND `)
}

const escapeLike = (text: string) => text.replace(/[\\%_]/g, '\\$&')
const pattern = (word: string) => `%${escapeLike(word)}%`
