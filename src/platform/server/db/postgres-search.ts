import { type RawBuilder, sql } from 'kysely'
import type { SearchDocument, SearchIndex, SearchQuery } from './sql-dialect.ts'
import { isShortWord, wordBeginnings } from './word-beginnings.ts'

const documentsPerStatement = 100

export const postgresSearch: SearchIndex = {
  async replace(db, documents) {
    for (let start = 0; start < documents.length; start += documentsPerStatement) {
      const part = documents.slice(start, start + documentsPerStatement)
      await sql`
        INSERT INTO search_documents (media_id, owner_id, is_trashed, name, text, beginnings)
        VALUES ${sql.join(part.map(valuesOf))}
        ON CONFLICT (media_id) DO UPDATE SET is_trashed = excluded.is_trashed, name = excluded.name, text = excluded.text,
          beginnings = excluded.beginnings`.execute(db)
    }
  },

  async findIds(db, query) {
    const { order, limit, offset = 0 } = query
    const { rows } = order
      ? await sql<{ id: number }>`SELECT id FROM media
          WHERE id IN (SELECT media_id FROM search_documents WHERE ${conditionsOf(query)}
            ORDER BY media_id DESC LIMIT ${order.among})
          ORDER BY ${order.by} LIMIT ${limit} OFFSET ${offset}`.execute(db)
      : await sql<{ id: number }>`SELECT media_id AS id FROM search_documents WHERE ${conditionsOf(query)}
          ORDER BY media_id DESC LIMIT ${limit} OFFSET ${offset}`.execute(db)
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

function valuesOf({ mediaId, ownerId, isTrashed, name, text }: SearchDocument) {
  return sql`(${mediaId}, ${ownerId}, ${isTrashed ? 1 : 0}, ${name}, ${text}, ${wordBeginnings(`${name} ${text}`)})`
}

function conditionsOf({ ownerId, isTrashed, words, isNameOnly, filter, afterId }: SearchQuery) {
  const conditions: RawBuilder<unknown>[] = [sql`owner_id = ${ownerId}`, sql`is_trashed = ${isTrashed ? 1 : 0}`]
  for (const word of words) {
    if (isShortWord(word)) conditions.push(sql`beginnings @> ARRAY[${word}]`)
    else conditions.push(sql`(name || ' ' || text) LIKE ${pattern(word)}`)
    if (isNameOnly) conditions.push(isShortWord(word) ? beginsWordOfName(word) : sql`name LIKE ${pattern(word)}`)
  }
  if (afterId !== undefined) conditions.push(sql`media_id > ${afterId}`)
  if (filter?.type) conditions.push(sql`(SELECT type FROM media WHERE id = media_id) = ${filter.type}`)
  if (filter?.isFavorite) conditions.push(sql`(SELECT is_favorite FROM media WHERE id = media_id) = 1`)
  if (filter?.collectionId) {
    conditions.push(sql`EXISTS (SELECT 1 FROM collection_media AS member
      WHERE member.collection_id = ${filter.collectionId} AND member.media_id = search_documents.media_id)`)
  }
  return sql.join(conditions, sql` AND `)
}

/** Only among what the index has found already, so it may cost a look at the text. */
const beginsWordOfName = (word: string) =>
  sql`(' ' || translate(name, ${joints}, ${' '.repeat(joints.length)})) LIKE ${`% ${escapeLike(word)}%`}`
const joints = '_-.,;:!?()[]{}#+&=/\'"\n'

const escapeLike = (text: string) => text.replace(/[\\%_]/g, '\\$&')
const pattern = (word: string) => `%${escapeLike(word)}%`
