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
      await sql`INSERT INTO search_documents (rowid, name, text, name_beginnings, text_beginnings, marks)
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
  const beginnings = [wordBeginnings(name), wordBeginnings(text)].map((words) => words.map(asTrigram).join(' '))
  return sql`(${sql.join([rowOf(document), name, text, ...beginnings, marksOf(document).join(' ')])})`
}

const asTrigram = (beginning: string) => '^'.repeat(3 - [...beginning].length) + beginning

function marksOf({ type, isFavorite, collectionIds }: Pick<SearchDocument, 'type' | 'isFavorite' | 'collectionIds'>) {
  return [typeMarks[type], ...(isFavorite ? [favoriteMark] : []), ...collectionIds.map(collectionMark)]
}

const typeMarks = { image: '#im', video: '#vi' }
const favoriteMark = '#fa'

/** Three characters, so that a collection is one entry of the index: two digits of 4,096 values each, as private characters. */
const collectionMark = (id: number) => `#${String.fromCodePoint(0xe000 + Math.floor(id / 4096), 0xe000 + (id % 4096))}`

type Question = Omit<SearchQuery, 'limit' | 'offset' | 'order'>

function matches(query: Question): RawBuilder<unknown> {
  const start = spaceStart(query)
  // A number that node:sqlite binds is a REAL, and FTS5 takes only an INTEGER for the edge of a range.
  return sql`search_documents AS matched WHERE matched.search_documents MATCH ${expressionOf(query)}
    AND matched.rowid BETWEEN CAST(${start + (query.afterId ?? -1) + 1} AS INTEGER)
      AND CAST(${start + itemsPerSpace - 1} AS INTEGER)`
}

/** One expression for words and filters: the index then looks only at what all of them have in common. */
function expressionOf({ words, isNameOnly, filter }: Question) {
  const texts = isNameOnly ? 'name' : '{name text}'
  const beginnings = isNameOnly ? 'name_beginnings' : '{name_beginnings text_beginnings}'
  const terms = words.map((word) =>
    isShortWord(word) ? `${beginnings} : ${quoted(asTrigram(word))}` : `${texts} : ${quoted(word)}`,
  )
  return [...terms, ...filterMarks(filter).map((mark) => `marks : ${quoted(mark)}`)].join(' AND ')
}

const quoted = (word: string) => `"${word.replaceAll('"', '""')}"`

function filterMarks({ type, isFavorite, collectionId }: SearchFilter = {}) {
  return [
    ...(type ? [typeMarks[type]] : []),
    ...(isFavorite ? [favoriteMark] : []),
    ...(collectionId ? [collectionMark(collectionId)] : []),
  ]
}
