import { type RawBuilder, sql } from 'kysely'
import { chunksOf } from '#shared/chunks.ts'
import {
  isShortWord,
  newestFirst,
  type SearchDocument,
  type SearchIndex,
  type SearchQuery,
  wordPrefixes,
} from './search-index.ts'

const documentsPerStatement = 100

export const postgresSearch: SearchIndex = {
  async replace(db, documents) {
    for (const part of chunksOf(documents, documentsPerStatement)) {
      await sql`
        INSERT INTO search_documents (media_id, owner_id, is_trashed, name, text, beginnings)
        VALUES ${sql.join(part.map(valuesOf))}
        ON CONFLICT (media_id) DO UPDATE SET is_trashed = excluded.is_trashed, name = excluded.name, text = excluded.text,
          beginnings = excluded.beginnings`.execute(db)
    }
  },

  async survey(db, query, limits) {
    const newestId = sql`(SELECT coalesce(max(id), 0) FROM media)`
    const { rows } = await sql<{ newest: number[]; named: NamedItem[]; counted: number; newest_id: number }>`
      WITH newest AS MATERIALIZED (
        SELECT media_id, name FROM search_documents WHERE ${conditionsOf(query)}
        ORDER BY media_id DESC LIMIT ${limits.newest}
      )
      SELECT
        (SELECT coalesce(json_agg(media.id ORDER BY ${newestFirst}), '[]') FROM newest
          JOIN media ON media.id = newest.media_id) AS newest,
        (SELECT coalesce(json_agg(json_build_object('id', media_id, 'name', name)), '[]') FROM newest
          WHERE ${namePart(query)}) AS named,
        (SELECT count(*) FROM (
          SELECT 1 FROM search_documents
          WHERE ${conditionsOf(query)} AND media_id > ${newestId} - ${limits.items}
          LIMIT (SELECT CASE count(*) WHEN ${limits.newest} THEN ${sql.lit(limits.counted)} ELSE 0 END FROM newest)
        ) AS matching) AS counted,
        ${newestId} AS newest_id`.execute(db)
    const { newest, named, counted, newest_id } = rows[0]!
    return {
      newestIds: newest,
      names: new Map(named.filter(({ name }) => isNamed(name, query)).map(({ id, name }) => [id, name])),
      counted,
      isCountWhole: newest_id <= limits.items,
    }
  },

  async findIds(db, query, { order, limit, offset = 0 }) {
    const found = sql`SELECT media_id FROM search_documents WHERE ${conditionsOf(query)} ORDER BY media_id DESC`
    const { rows } = order
      ? await sql<{ id: number }>`SELECT id FROM media WHERE id IN (${found} LIMIT ${order.among})
          ORDER BY ${order.by} LIMIT ${limit} OFFSET ${offset}`.execute(db)
      : await sql<{ id: number }>`SELECT id FROM media WHERE id IN (${found} LIMIT ${limit} OFFSET ${offset})
          ORDER BY ${newestFirst}`.execute(db)
    return rows.map(({ id }) => id)
  },

  async countUpTo(db, query, limit) {
    const matching = sql`SELECT 1 FROM search_documents WHERE ${conditionsOf(query)} LIMIT ${limit}`
    const { rows } = await sql<{ count: number }>`SELECT count(*) AS count FROM (${matching}) AS matching`.execute(db)
    return rows[0]!.count
  },
}

function valuesOf({ mediaId, ownerId, isTrashed, name, text }: SearchDocument) {
  return sql`(${mediaId}, ${ownerId}, ${isTrashed ? 1 : 0}, ${name}, ${text}, ${wordPrefixes(`${name} ${text}`)})`
}

function conditionsOf({ ownerId, isTrashed, words, filter }: SearchQuery) {
  const conditions: RawBuilder<unknown>[] = [sql`owner_id = ${ownerId}`, sql`is_trashed = ${isTrashed ? 1 : 0}`]
  for (const word of words) {
    if (isShortWord(word)) conditions.push(sql`beginnings @> ARRAY[${word}]`)
    else conditions.push(sql`(name || ' ' || text) LIKE ${pattern(word)}`)
    // The index stores both as one text, so a phrase could start in the name and end in the text.
    if (word.includes(' ')) conditions.push(sql`(name LIKE ${pattern(word)} OR text LIKE ${pattern(word)})`)
  }
  if (filter?.type) conditions.push(sql`(SELECT type FROM media WHERE id = media_id) = ${filter.type}`)
  if (filter?.isFavorite) conditions.push(sql`(SELECT is_favorite FROM media WHERE id = media_id) = 1`)
  if (filter?.collectionId) {
    conditions.push(sql`EXISTS (SELECT 1 FROM collection_media AS member
      WHERE member.collection_id = ${filter.collectionId} AND member.media_id = search_documents.media_id)`)
  }
  return sql.join(conditions, sql` AND `)
}

type NamedItem = { id: number; name: string }

/** Applied only to rows that the index has found, so it may read the text. */
const namePart = ({ words }: SearchQuery) =>
  sql.join(
    words.map((word) => sql`name LIKE ${pattern(word)}`),
    sql` AND `,
  )

/** Uses `wordPrefixes`, because what the database considers a letter depends on its locale. */
function isNamed(name: string, { words }: SearchQuery) {
  const short = words.filter(isShortWord)
  if (short.length === 0) return true
  const prefixes = new Set(wordPrefixes(name))
  return short.every((word) => prefixes.has(word))
}

const escapeLike = (text: string) => text.replace(/[\\%_]/g, '\\$&')
const pattern = (word: string) => `%${escapeLike(word)}%`
