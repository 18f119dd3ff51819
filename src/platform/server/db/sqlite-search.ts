import { type RawBuilder, sql } from 'kysely'
import type { SearchDocument, SearchFilter, SearchIndex, SearchQuery, SearchSpace } from './sql-dialect.ts'
import { isShortWord, wordBeginnings } from './word-beginnings.ts'

const itemsPerSpace = 2 ** 32
const documentsPerStatement = 100

/**
 * [Note: A library is a range of row numbers]
 * FTS5 answers "matches within these row numbers, newest first" without looking at anything outside the range. So the
 * row number of a document is its space (owner, trash) times 2^32 plus the item's id: a search costs what its own library costs.
 */
const spaceStart = ({ ownerId, isTrashed }: SearchSpace) => (ownerId * 2 + (isTrashed ? 1 : 0)) * itemsPerSpace

export const sqliteSearch: SearchIndex = {
  async replace(db, documents) {
    for (let start = 0; start < documents.length; start += documentsPerStatement) {
      const part = documents.slice(start, start + documentsPerStatement)
      const rows = part.flatMap((document) => [rowOf(document), rowOf({ ...document, isTrashed: !document.isTrashed })])
      await sql`DELETE FROM search_documents WHERE rowid IN (${sql.join(rows)})`.execute(db)
      await sql`INSERT INTO search_documents (rowid, name, text, name_beginnings, text_beginnings)
        VALUES ${sql.join(part.map(valuesOf))}`.execute(db)
    }
  },

  async findIds(db, { order, limit, offset = 0, ...query }) {
    const { rows } = order
      ? await sql<{ id: number }>`SELECT id FROM media
          WHERE id IN (SELECT matched.rowid - ${spaceStart(query)} FROM ${matches(query)}
            ORDER BY matched.rowid DESC LIMIT ${order.among})
          ORDER BY ${order.by} LIMIT ${limit} OFFSET ${offset}`.execute(db)
      : await sql<{ id: number }>`SELECT matched.rowid - ${spaceStart(query)} AS id FROM ${matches(query)}
          ORDER BY matched.rowid DESC LIMIT ${limit} OFFSET ${offset}`.execute(db)
    return rows.map(({ id }) => id)
  },

  async countUpTo(db, { limit, ...query }) {
    const { rows } = await sql<{ count: number }>`
      SELECT count(*) AS count FROM (SELECT 1 FROM ${matches(query)} LIMIT ${limit})`.execute(db)
    return rows[0]!.count
  },
}

const rowOf = ({ mediaId, ...space }: Pick<SearchDocument, 'mediaId' | keyof SearchSpace>) =>
  spaceStart(space) + mediaId

function valuesOf(document: SearchDocument) {
  const { name, text } = document
  return sql`(${rowOf(document)}, ${name}, ${text}, ${marked(wordBeginnings(name))}, ${marked(wordBeginnings(text))})`
}

const marked = (beginnings: string[]) => beginnings.map((beginning) => beginning.padStart(3, '^')).join(' ')

type Question = Omit<SearchQuery, 'limit' | 'offset' | 'order'>

function matches(query: Question): RawBuilder<unknown> {
  const start = spaceStart(query)
  // A number that node:sqlite binds is a REAL, and FTS5 takes only an INTEGER for the edge of a range.
  const conditions = [
    sql`matched.search_documents MATCH ${expressionOf(query)}`,
    sql`matched.rowid BETWEEN CAST(${start} AS INTEGER) AND CAST(${start + itemsPerSpace - 1} AS INTEGER)`,
    ...conditionsOf(query.filter, start),
  ]
  return sql`search_documents AS matched WHERE ${sql.join(conditions, sql` AND `)}`
}

/** One expression for all words: the index then looks only at what several of them have in common. */
function expressionOf({ words, isNameOnly }: Question) {
  const texts = isNameOnly ? 'name' : '{name text}'
  const beginnings = isNameOnly ? 'name_beginnings' : '{name_beginnings text_beginnings}'
  return words
    .map((word) =>
      isShortWord(word) ? `${beginnings} : ${quoted(word.padStart(3, '^'))}` : `${texts} : ${quoted(word)}`,
    )
    .join(' AND ')
}

const quoted = (word: string) => `"${word.replaceAll('"', '""')}"`

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
