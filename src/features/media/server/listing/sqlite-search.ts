import { type RawBuilder, sql } from 'kysely'
import { chunksOf } from '#shared/chunks.ts'
import {
  duplicateIds,
  type IdsPart,
  newestFirst,
  type SearchDocument,
  type SearchIndex,
  type SearchQuery,
  type SearchSpace,
  type SearchWord,
} from './search-index.ts'
import { anyItem, type Mark } from './search-marks.ts'

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
      await sql`INSERT INTO search_documents (rowid, name, text, marks)
        VALUES ${sql.join(part.map(valuesOf))}`.execute(db)
    }
  },

  async survey(db, query, limits) {
    const start = spaceStart(query)
    const newestId = sql`(SELECT coalesce(max(id), 0) FROM media)`
    // FTS5 compares every match with the limits of the range, so these are computed first.
    const { rows } = await sql<{ newest: string; named: string; whole: string; counted: number; newest_id: number }>`
      WITH newest AS MATERIALIZED (
        SELECT matched.rowid AS row FROM ${matches({ ...query, matching: 'words' })}
        ORDER BY matched.rowid DESC LIMIT ${limits.newest} + 0
      ),
      edges AS MATERIALIZED (
        SELECT min(row) AS oldest, max(${start}, ${start} + ${newestId} - ${BigInt(limits.items - 1)}) AS counted_from
        FROM newest
      )
      SELECT
        (SELECT json_group_array(media.id ORDER BY ${newestFirst}) FROM newest
          JOIN media ON media.id = newest.row - ${start}) AS newest,
        ${namedIn(query, 'atStart')} AS named,
        ${namedIn(query, 'whole')} AS whole,
        (SELECT count(*) FROM (
          SELECT 1 FROM ${matches(query, { from: sql`(SELECT counted_from FROM edges)` })}
          LIMIT ${limits.counted} + 0)) AS counted,
        ${newestId} AS newest_id`.execute(db)
    const { newest, named, whole, counted, newest_id } = rows[0]!
    return {
      newestIds: JSON.parse(newest) as number[],
      namedIds: new Set(JSON.parse(named) as number[]),
      wholeIds: new Set(JSON.parse(whole) as number[]),
      counted,
      isCountWhole: newest_id <= limits.items,
    }
  },

  async findIds(db, query, { order, limit, offset = 0 }) {
    const found = sql`SELECT matched.rowid - ${spaceStart(query)} FROM ${matches(query)} ORDER BY matched.rowid DESC`
    const { rows } = order
      ? await sql<{ id: number }>`SELECT id FROM media WHERE id IN (${found}) ORDER BY ${order}
          LIMIT ${limit} + 0 OFFSET ${offset}`.execute(db)
      : await sql<{ id: number }>`SELECT id FROM media WHERE id IN (${found} LIMIT ${limit} + 0 OFFSET ${offset})
          ORDER BY ${newestFirst}`.execute(db)
    return rows.map(({ id }) => id)
  },

  selectIds,

  async count(db, query) {
    const { rows } = await sql<{ count: number }>`SELECT count(*) AS count FROM ${matches(query)}`.execute(db)
    return rows[0]!.count
  },
}

function selectIds(query: SearchQuery, { page, ids }: IdsPart = {}): RawBuilder<unknown> {
  const start = spaceStart(query)
  const found = sql`SELECT matched.rowid - ${start} FROM ${matches(query)}`
  if (page) return sql`${found} ORDER BY matched.rowid DESC LIMIT ${page.limit} + 0 OFFSET ${page.offset}`
  return ids ? sql`${found} AND matched.rowid IN (${sql.join(ids.map((id) => start + BigInt(id)))})` : found
}

/** Among the newest matches, the ids of those that match by name alone. */
const namedIn = (query: SearchQuery, form: 'atStart' | 'whole') =>
  query.words.length === 0
    ? sql`'[]'`
    : sql`(SELECT json_group_array(matched.rowid - ${spaceStart(query)})
        FROM ${matches(query, { from: sql`(SELECT oldest FROM edges)`, nameForm: form })})`

const rowOf = ({ mediaId, ...space }: Pick<SearchDocument, 'mediaId' | keyof SearchSpace>) =>
  spaceStart(space) + BigInt(mediaId)

function valuesOf(document: SearchDocument) {
  return sql`(${sql.join([rowOf(document), document.name, document.text, document.marks.map(asText).join('')])})`
}

/** Three characters, so a mark is one trigram: `#` and two private-use characters, each a digit of base 32,768. */
const asText = (mark: Mark) =>
  `#${String.fromCodePoint(0xf0000 + Math.floor(mark / 32_768), 0xf0000 + (mark % 32_768))}`

/** `from`: the lowest row number, if not the first of the library. `nameForm`: only what matches by name, in this form. */
type Part = { from?: RawBuilder<unknown>; nameForm?: keyof SearchWord }

function matches(query: SearchQuery, { from, nameForm }: Part = {}): RawBuilder<unknown> {
  const start = spaceStart(query)
  const range = sql`matched.rowid BETWEEN ${from ?? start} AND ${start + itemsPerSpace - 1n}`
  const conditions = [sql`matched.search_documents MATCH ${expressionOf(query, nameForm)}`, range]
  for (const isWanted of nameForm ? [] : query.duplicates) {
    // The sign keeps SQLite from looking up each of these rows in the index, which is faster only for a few.
    const row = sql.raw(isWanted && query.hasFewDuplicates ? 'matched.rowid' : '+matched.rowid')
    const rows = sql`SELECT id + ${start} FROM (${duplicateIds(query)})`
    conditions.push(sql`${row} ${sql.raw(isWanted ? 'IN' : 'NOT IN')} (${rows})`)
  }
  for (const { anyOf, isExcluded } of query.sets) {
    const ids = sql.join(
      anyOf.map((terms) => selectIds({ ...query, ...terms, matching: 'all' })),
      sql` UNION `,
    )
    conditions.push(sql`+matched.rowid - ${start} ${sql.raw(isExcluded ? 'NOT IN' : 'IN')} (${ids})`)
  }
  return sql`search_documents AS matched WHERE ${sql.join(conditions, sql` AND `)}`
}

/** Words and marks in one expression, so the index intersects them all. */
function expressionOf(query: SearchQuery, nameForm?: keyof SearchWord) {
  const { words, marks, excluded } = query
  // What is found by name is only compared with matches, so it need not be narrowed again.
  if (nameForm) return inName(query, nameForm)
  const wanted = [
    ...(words.length > 0 ? [wordsOf(query)] : []),
    ...marks.filter(({ isExcluded }) => !isExcluded).map(({ anyOf }) => inMarks(anyOf)),
  ]
  const unwanted = [
    ...excluded.map((word) => inTexts(word.atStart)),
    ...marks.filter(({ isExcluded, anyOf }) => isExcluded && anyOf.length > 0).map(({ anyOf }) => inMarks(anyOf)),
  ]
  const all = wanted.length > 0 ? wanted.join(' AND ') : inMarks([anyItem])
  return unwanted.length > 0 ? `(${all}) NOT (${unwanted.join(' OR ')})` : all
}

/** Without marks nothing matches. */
const inMarks = (marks: Mark[]) => `marks : ${anyOf(marks.length > 0 ? marks.map(asText) : ['\u0002\u0002\u0002'])}`

const inName = ({ words }: SearchQuery, form: keyof SearchWord) =>
  words.map((word) => `name : ${anyOf(word[form])}`).join(' AND ')

function wordsOf({ words, matching = 'all' }: SearchQuery) {
  const all = words.map(({ anywhere }) => inTexts(anywhere)).join(' AND ')
  if (matching === 'all') return all
  const atStart = words.map((word) => inTexts(word.atStart)).join(' AND ')
  return matching === 'words' ? atStart : `((${all}) NOT (${atStart}))`
}

/** Naming columns costs a third more, and only words with this character can be found among the marks. */
const inTexts = (words: string[]) =>
  words.some((word) => word.includes('#')) ? `{name text} : ${anyOf(words)}` : anyOf(words)

const anyOf = (words: string[]) => (words.length === 1 ? quoted(words[0]!) : `(${words.map(quoted).join(' OR ')})`)

const quoted = (word: string) => `"${word.replaceAll('"', '""')}"`
