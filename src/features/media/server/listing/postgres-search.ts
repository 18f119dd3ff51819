import { type RawBuilder, sql } from 'kysely'
import { chunksOf } from '#shared/chunks.ts'
import {
  duplicateIds,
  type IdsPart,
  newestFirst,
  type SearchDocument,
  type SearchIndex,
  type SearchQuery,
  type SearchWord,
} from './search-index.ts'

const documentsPerStatement = 100

export const postgresSearch: SearchIndex = {
  async replace(db, documents) {
    for (const part of chunksOf(documents, documentsPerStatement)) {
      await sql`
        INSERT INTO search_documents (media_id, owner_id, is_trashed, name, text, marks)
        VALUES ${sql.join(part.map(valuesOf))}
        ON CONFLICT (media_id) DO UPDATE SET is_trashed = excluded.is_trashed, name = excluded.name,
          text = excluded.text, marks = excluded.marks`.execute(db)
    }
  },

  async survey(db, query, limits) {
    const newestId = sql`(SELECT coalesce(max(id), 0) FROM media)`
    const { rows } = await sql<{ newest: Found[]; counted: number; newest_id: number }>`
      WITH newest AS MATERIALIZED (
        SELECT media_id, name FROM search_documents WHERE ${conditionsOf({ ...query, matching: 'words' })}
        ORDER BY media_id DESC LIMIT ${limits.newest}
      )
      SELECT
        (SELECT coalesce(json_agg(json_build_object('id', media.id, 'isNamed', ${inName(query, 'atStart')},
            'isWhole', ${inName(query, 'whole')}) ORDER BY ${newestFirst}), '[]')
          FROM newest JOIN media ON media.id = newest.media_id) AS newest,
        (SELECT count(*) FROM (
          SELECT 1 FROM search_documents
          WHERE ${conditionsOf(query)} AND media_id > ${newestId} - ${limits.items}
          LIMIT ${limits.counted}
        ) AS matching) AS counted,
        ${newestId} AS newest_id`.execute(db)
    const { newest, counted, newest_id } = rows[0]!
    const idsOf = (found: Found[]) => found.map(({ id }) => id)
    return {
      newestIds: idsOf(newest),
      namedIds: new Set(idsOf(newest.filter(({ isNamed }) => isNamed))),
      wholeIds: new Set(idsOf(newest.filter(({ isWhole }) => isWhole))),
      counted,
      isCountWhole: newest_id <= limits.items,
    }
  },

  async findIds(db, query, { order, limit, offset = 0 }) {
    const found = sql`SELECT media_id FROM search_documents WHERE ${conditionsOf(query)} ORDER BY media_id DESC`
    const { rows } = order
      ? await sql<{ id: number }>`SELECT id FROM media WHERE id IN (${found}) ORDER BY ${order}
          LIMIT ${limit} OFFSET ${offset}`.execute(db)
      : await sql<{ id: number }>`SELECT id FROM media WHERE id IN (${found} LIMIT ${limit} OFFSET ${offset})
          ORDER BY ${newestFirst}`.execute(db)
    return rows.map(({ id }) => id)
  },

  selectIds,

  async count(db, query) {
    const { rows } = await sql<{ count: number }>`
      SELECT count(*) AS count FROM search_documents WHERE ${conditionsOf(query)}`.execute(db)
    return rows[0]!.count
  },
}

function selectIds(query: SearchQuery, { page, ids }: IdsPart = {}): RawBuilder<unknown> {
  const found = sql`SELECT media_id FROM search_documents WHERE ${conditionsOf(query)}`
  if (page) return sql`${found} ORDER BY media_id DESC LIMIT ${page.limit} OFFSET ${page.offset}`
  return ids ? sql`${found} AND media_id IN (${sql.join(ids)})` : found
}

type Found = { id: number; isNamed: boolean; isWhole: boolean }

function valuesOf({ mediaId, ownerId, isTrashed, name, text, marks }: SearchDocument) {
  return sql`(${mediaId}, ${ownerId}, ${isTrashed ? 1 : 0}, ${name}, ${text}, ${marks}::int[])`
}

function conditionsOf({ words, excluded, marks, duplicates, sets, matching = 'all', ...space }: SearchQuery) {
  const conditions = [sql`owner_id = ${space.ownerId}`, sql`is_trashed = ${space.isTrashed ? 1 : 0}`]
  const atStart = words.map((word) => inTexts(word.atStart))
  if (matching === 'words') conditions.push(...atStart)
  else conditions.push(...words.map(({ anywhere }) => inTexts(anywhere)))
  if (matching === 'parts') conditions.push(sql`NOT (${sql.join(atStart, sql` AND `)})`)
  conditions.push(...excluded.map((word) => sql`NOT ${inTexts(word.atStart)}`))
  for (const { anyOf, isExcluded } of marks) {
    conditions.push(isExcluded ? sql`NOT (marks && ${anyOf}::int[])` : sql`marks && ${anyOf}::int[]`)
  }
  for (const isWanted of duplicates) {
    conditions.push(sql`media_id ${sql.raw(isWanted ? 'IN' : 'NOT IN')} (${duplicateIds(space)})`)
  }
  for (const { anyOf, isExcluded } of sets) {
    const ids = sql.join(
      anyOf.map((terms) => selectIds({ ...space, ...terms })),
      sql` UNION `,
    )
    conditions.push(sql`media_id ${sql.raw(isExcluded ? 'NOT IN' : 'IN')} (${ids})`)
  }
  return sql.join(conditions, sql` AND `)
}

/** The index has name and text as one, on two lines, so that no phrase begins in the one and ends in the other. */
const inTexts = (words: string[]) => anyOf(sql`(name || E'\\n' || text)`, words)

const inName = ({ words }: SearchQuery, form: keyof SearchWord) =>
  sql.join([sql`true`, ...words.map((word) => anyOf(sql`newest.name`, word[form]))], sql` AND `)

const anyOf = (text: RawBuilder<unknown>, words: string[]) =>
  sql`(${sql.join(
    words.map((word) => sql`${text} LIKE ${`%${escapeLike(word)}%`}`),
    sql` OR `,
  )})`

const escapeLike = (text: string) => text.replace(/[\\%_]/g, '\\$&')
