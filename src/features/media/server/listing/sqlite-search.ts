import { type RawBuilder, sql } from 'kysely'
import { chunksOf } from '#shared/chunks.ts'
import { fold } from '#shared/fold.ts'
import {
  isShortWord,
  newestFirst,
  type SearchDocument,
  type SearchFilter,
  type SearchIndex,
  type SearchQuery,
  type SearchSpace,
  wordPrefixes,
} from './search-index.ts'

const itemsPerSpace = 2n ** 32n
const documentsPerStatement = 100

/**
 * [Note: A library is a range of row numbers]
 * FTS5 can limit a search to a range of row numbers without reading others. The row number is the space (owner, trash) times
 * 2^32 plus the item's id, so a search costs only as much as the owner's library. Row numbers are `bigint`, as node:sqlite
 * binds other numbers as REAL, which FTS5 ranges do not accept.
 */
const spaceStart = ({ ownerId, isTrashed }: SearchSpace) => BigInt(ownerId * 2 + (isTrashed ? 1 : 0)) * itemsPerSpace

export const sqliteSearch: SearchIndex = {
  async replace(db, documents) {
    for (const part of chunksOf(documents, documentsPerStatement)) {
      const rows = part.flatMap((document) => [rowOf(document), rowOf({ ...document, isTrashed: !document.isTrashed })])
      await sql`DELETE FROM search_documents WHERE rowid IN (${sql.join(rows)})`.execute(db)
      await sql`INSERT INTO search_documents (rowid, name, text, name_beginnings, text_beginnings, marks)
        VALUES ${sql.join(part.map(valuesOf))}`.execute(db)
    }
  },

  async survey(db, query, limits) {
    const start = spaceStart(query)
    const newestId = sql`(SELECT coalesce(max(id), 0) FROM media)`
    // FTS5 compares every match with the limits of the range, so these are computed first.
    const { rows } = await sql<{ newest: string; named: string; counted: number; newest_id: number }>`
      WITH newest AS MATERIALIZED (
        SELECT matched.rowid AS row FROM ${matches(query)} ORDER BY matched.rowid DESC LIMIT ${limits.newest} + 0
      ),
      edges AS MATERIALIZED (
        SELECT min(row) AS oldest, max(${start}, ${start} + ${newestId} - ${BigInt(limits.items - 1)}) AS counted_from,
          iif(count(*) = ${limits.newest}, ${limits.counted}, 0) AS counted
        FROM newest
      )
      SELECT
        (SELECT json_group_array(media.id ORDER BY ${newestFirst}) FROM newest
          JOIN media ON media.id = newest.row - ${start}) AS newest,
        (SELECT json_group_array(json_array(media.id, ${limits.readsNames ? nameTexts : sql`''`})) FROM media WHERE media.id IN (
          SELECT matched.rowid - ${start}
          FROM ${matches(query, { isNameOnly: true, from: sql`(SELECT oldest FROM edges)` })})) AS named,
        (SELECT count(*) FROM (
          SELECT 1 FROM ${matches(query, { from: sql`(SELECT counted_from FROM edges)` })}
          LIMIT (SELECT counted FROM edges))) AS counted,
        ${newestId} AS newest_id`.execute(db)
    const { newest, named, counted, newest_id } = rows[0]!
    return {
      newestIds: JSON.parse(newest) as number[],
      names: foldNames(JSON.parse(named) as NamedItem[]),
      counted,
      isCountWhole: newest_id <= limits.items,
    }
  },

  async findIds(db, query, { order, limit, offset = 0 }) {
    const found = sql`SELECT matched.rowid - ${spaceStart(query)} FROM ${matches(query)} ORDER BY matched.rowid DESC`
    const { rows } = order
      ? await sql<{ id: number }>`SELECT id FROM media WHERE id IN (${found} LIMIT ${order.among} + 0)
          ORDER BY ${order.by} LIMIT ${limit} + 0 OFFSET ${offset}`.execute(db)
      : await sql<{ id: number }>`SELECT id FROM media WHERE id IN (${found} LIMIT ${limit} + 0 OFFSET ${offset})
          ORDER BY ${newestFirst}`.execute(db)
    return rows.map(({ id }) => id)
  },

  async countUpTo(db, query, limit) {
    const { rows } = await sql<{ count: number }>`
      SELECT count(*) AS count FROM (SELECT 1 FROM ${matches(query)} LIMIT ${limit} + 0)`.execute(db)
    return rows[0]!.count
  },
}

/** The index does not store texts, so the names of the few ranked items are read from their tables. */
const nameTexts = sql`media.filename, (SELECT group_concat(tag, char(10)) FROM media_tags WHERE media_id = media.id)`
type NamedItem = [id: number, filename: string, tags?: string | null]

/** Folds all names as one text, joined by a character that no name contains; folding each takes twenty times as long. */
function foldNames(items: NamedItem[]) {
  const folded = fold(items.map(([, ...texts]) => texts.join('\n')).join('\0')).split('\0')
  return new Map(items.map(([id], index) => [id, folded[index]!]))
}

const rowOf = ({ mediaId, ...space }: Pick<SearchDocument, 'mediaId' | keyof SearchSpace>) =>
  spaceStart(space) + BigInt(mediaId)

function valuesOf(document: SearchDocument) {
  const { name, text } = document
  const prefixes = [wordPrefixes(name), wordPrefixes(text)].map((words) => words.map(asTrigram).join(' '))
  return sql`(${sql.join([rowOf(document), name, text, ...prefixes, marksOf(document).join(' ')])})`
}

const asTrigram = (prefix: string) => '^'.repeat(3 - [...prefix].length) + prefix

function marksOf({ type, isFavorite, collectionIds }: Pick<SearchDocument, 'type' | 'isFavorite' | 'collectionIds'>) {
  return [typeMarks[type], ...(isFavorite ? [favoriteMark] : []), ...collectionIds.map(collectionMark)]
}

const typeMarks = { image: '#im', video: '#vi' }
const favoriteMark = '#fa'

/** Three characters, so a collection is one trigram: `#` and two private-use characters, each a digit of base 4,096. */
const collectionMark = (id: number) => `#${String.fromCodePoint(0xe000 + Math.floor(id / 4096), 0xe000 + (id % 4096))}`

type Part = { isNameOnly?: boolean; from?: RawBuilder<unknown> }

/** `from`: the lowest row number, if not the first of the library. */
function matches(query: SearchQuery, { isNameOnly, from }: Part = {}): RawBuilder<unknown> {
  const start = spaceStart(query)
  return sql`search_documents AS matched WHERE matched.search_documents MATCH ${expressionOf(query, isNameOnly)}
    AND matched.rowid BETWEEN ${from ?? start} AND ${start + itemsPerSpace - 1n}`
}

/** One expression for words and filters, so the index intersects them all. */
function expressionOf({ words, filter }: SearchQuery, isNameOnly = false) {
  const texts = isNameOnly ? 'name : ' : '{name text} : '
  const prefixes = isNameOnly ? 'name_beginnings : ' : '{name_beginnings text_beginnings} : '
  const terms = words.map((word) => {
    if (isShortWord(word)) return prefixes + quoted(asTrigram(word))
    // Naming columns costs a third more, and only words with these characters could match in the other columns.
    return (isNameOnly || /[#^]/.test(word) ? texts : '') + quoted(word)
  })
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
