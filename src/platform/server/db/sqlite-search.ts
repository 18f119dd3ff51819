import { type RawBuilder, sql } from 'kysely'
import { chunksOf } from '#shared/chunks.ts'
import { fold } from '#shared/fold.ts'
import {
  newestFirst,
  type SearchDocument,
  type SearchFilter,
  type SearchIndex,
  type SearchQuestion,
  type SearchSpace,
} from './sql-dialect.ts'
import { isShortWord, wordBeginnings } from './word-beginnings.ts'

const itemsPerSpace = 2n ** 32n
const documentsPerStatement = 100

/**
 * [Note: A library is a range of row numbers]
 * FTS5 answers "matches within these row numbers, newest first" without looking at anything outside the range. So the
 * row number of a document is its space (owner, trash) times 2^32 plus the item's id: a search costs what its own library costs.
 * These numbers are `bigint`: node:sqlite binds any other as a REAL, and FTS5 takes only an INTEGER for the edge of a range.
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

  async survey(db, question, bounds) {
    const start = spaceStart(question)
    const newestId = sql`(SELECT coalesce(max(id), 0) FROM media)`
    // FTS5 compares every match with the edges of its range once more, so these are worked out before.
    const { rows } = await sql<{ newest: string; named: string; counted: number; newest_id: number }>`
      WITH newest AS MATERIALIZED (
        SELECT matched.rowid AS row FROM ${matches(question)} ORDER BY matched.rowid DESC LIMIT ${bounds.newest} + 0
      ),
      edges AS MATERIALIZED (
        SELECT min(row) AS oldest, max(${start}, ${start} + ${newestId} - ${BigInt(bounds.items - 1)}) AS counted_from,
          iif(count(*) = ${bounds.newest}, ${bounds.counted}, 0) AS counted
        FROM newest
      )
      SELECT
        (SELECT json_group_array(media.id ORDER BY ${newestFirst}) FROM newest
          JOIN media ON media.id = newest.row - ${start}) AS newest,
        (SELECT json_group_array(json_array(media.id, ${bounds.readsNames ? nameTexts : sql`''`})) FROM media WHERE media.id IN (
          SELECT matched.rowid - ${start}
          FROM ${matches(question, { isNameOnly: true, from: sql`(SELECT oldest FROM edges)` })})) AS named,
        (SELECT count(*) FROM (
          SELECT 1 FROM ${matches(question, { from: sql`(SELECT counted_from FROM edges)` })}
          LIMIT (SELECT counted FROM edges))) AS counted,
        ${newestId} AS newest_id`.execute(db)
    const { newest, named, counted, newest_id } = rows[0]!
    return {
      newestIds: JSON.parse(newest) as number[],
      names: foldNames(JSON.parse(named) as NamedItem[]),
      counted,
      isCountWhole: newest_id <= bounds.items,
    }
  },

  async findIds(db, question, { order, limit, offset = 0 }) {
    const found = sql`SELECT matched.rowid - ${spaceStart(question)} FROM ${matches(question)} ORDER BY matched.rowid DESC`
    const { rows } = order
      ? await sql<{ id: number }>`SELECT id FROM media WHERE id IN (${found} LIMIT ${order.among} + 0)
          ORDER BY ${order.by} LIMIT ${limit} + 0 OFFSET ${offset}`.execute(db)
      : await sql<{ id: number }>`SELECT id FROM media WHERE id IN (${found} LIMIT ${limit} + 0 OFFSET ${offset})
          ORDER BY ${newestFirst}`.execute(db)
    return rows.map(({ id }) => id)
  },

  async countUpTo(db, question, limit) {
    const { rows } = await sql<{ count: number }>`
      SELECT count(*) AS count FROM (SELECT 1 FROM ${matches(question)} LIMIT ${limit} + 0)`.execute(db)
    return rows[0]!.count
  },
}

/** The index finds texts and keeps none, so those of the few that are ranked are read where they stand. */
const nameTexts = sql`media.filename, (SELECT group_concat(tag, char(10)) FROM media_tags WHERE media_id = media.id)`
type NamedItem = [id: number, filename: string, tags?: string | null]

/** All at once, around a sign that no text has: folding each would take twenty times as long. */
function foldNames(items: NamedItem[]) {
  const folded = fold(items.map(([, ...texts]) => texts.join('\n')).join('\0')).split('\0')
  return new Map(items.map(([id], index) => [id, folded[index]!]))
}

const rowOf = ({ mediaId, ...space }: Pick<SearchDocument, 'mediaId' | keyof SearchSpace>) =>
  spaceStart(space) + BigInt(mediaId)

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

type Part = { isNameOnly?: boolean; from?: RawBuilder<unknown> }

/** `from`: the row number to begin at, where that of the library's beginning is too early. */
function matches(question: SearchQuestion, { isNameOnly, from }: Part = {}): RawBuilder<unknown> {
  const start = spaceStart(question)
  return sql`search_documents AS matched WHERE matched.search_documents MATCH ${expressionOf(question, isNameOnly)}
    AND matched.rowid BETWEEN ${from ?? start} AND ${start + itemsPerSpace - 1n}`
}

/** One expression for words and filters: the index then looks only at what all of them have in common. */
function expressionOf({ words, filter }: SearchQuestion, isNameOnly = false) {
  const texts = isNameOnly ? 'name : ' : '{name text} : '
  const beginnings = isNameOnly ? 'name_beginnings : ' : '{name_beginnings text_beginnings} : '
  const terms = words.map((word) => {
    if (isShortWord(word)) return beginnings + quoted(asTrigram(word))
    // Looking into some columns costs a third more than into all, and only words with these signs could be found elsewhere.
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
