import { setImmediate as nextTurn } from 'node:timers/promises'
import { type ColumnMetadata, type RawBuilder, sql } from 'kysely'
import { Change } from '#features/bulk-actions/contract.ts'
import { hasItem } from '#features/media/server/blob-store.ts'
import type { Db } from '#platform/server/db/tables.ts'
import { version } from '#shared/version.ts'

type LibraryTable = {
  name: string
  /** The columns by which its rows are read in order. */
  key: string[]
  /** Columns that are computed from the others when rows are written. */
  counted?: string[]
  /** Which rows belong to the library, when not all do; as SQL. */
  only?: string
}

/** Rows about bytes belong to the library while an item or a version of one has those bytes. */
const ofItems = (table: string) =>
  `(EXISTS (SELECT 1 FROM media WHERE media.blob = ${table}.sha256)
    OR EXISTS (SELECT 1 FROM media_versions WHERE media_versions.blob = ${table}.sha256))`
/** A change in the history, which can be undone. */
const isChange = `runs.kind IN (${Change.shape.kind.options.map((kind) => `'${kind}'`)})`

/**
 * [Note: What belongs to the library]
 * A backup contains and a restore replaces these tables; each follows the tables that it refers to. Every other table is
 * listed in `leftOut` with a reason, and a test fails for a table in neither list.
 */
export const libraryTables: LibraryTable[] = [
  {
    name: 'users',
    key: ['id'],
    counted: [
      'storage_used',
      'media_count',
      'trashed_count',
      'collection_count',
      'image_count',
      'video_count',
      'favorite_count',
    ],
  },
  { name: 'media', key: ['id'], counted: ['dated_at'] },
  { name: 'media_versions', key: ['id'] },
  { name: 'media_tags', key: ['media_id', 'tag'] },
  { name: 'removed_tags', key: ['media_id', 'tag'] },
  { name: 'tag_settings', key: ['owner_id', 'tag'] },
  { name: 'different_tags', key: ['owner_id', 'tag_a', 'tag_b'] },
  { name: 'different_media', key: ['media_a', 'media_b'] },
  { name: 'websites', key: ['id'] },
  { name: 'collections', key: ['id'], counted: ['media_count', 'checked_css'] },
  { name: 'collection_media', key: ['collection_id', 'media_id'] },
  { name: 'delivery_settings', key: ['owner_id'] },
  { name: 'slugs', key: ['kind', 'slug'] },
  { name: 'share_views', key: ['kind', 'target_id', 'day'] },
  { name: 'scraped_sources', key: ['owner_id', 'address_key', 'media_id'] },
  { name: 'ai_results', key: ['sha256', 'provider', 'model', 'version'], only: ofItems('ai_results') },
  { name: 'embeddings', key: ['sha256'], only: ofItems('embeddings') },
  { name: 'seen', key: ['sha256'], counted: ['id'], only: ofItems('seen') },
  { name: 'meanings', key: ['media_id'] },
  // A restore assigns new ids, because processes that cache sketches or what was seen load only rows with a higher id.
  { name: 'sketches', key: ['media_id', 'kind'], counted: ['id'] },
  { name: 'media_analyses', key: ['id'] },
  { name: 'ai_failures', key: ['media_id'] },
  // Other runs are work, not data.
  { name: 'runs', key: ['id'], only: isChange },
  {
    name: 'run_items',
    key: ['run_id', 'position'],
    only: `EXISTS (SELECT 1 FROM runs WHERE runs.id = run_items.run_id AND ${isChange})`,
  },
]

export const leftOut: Record<string, string> = {
  blobs: 'storage of this installation; a backup lists its own files',
  loose_blobs: 'derived from blobs by triggers',
  blob_claims: 'expires within an hour',
  sessions: 'secrets of this installation',
  settings: 'belongs to this installation',
  schema_version: 'belongs to this installation',
  imagekit_objects: 'remote copies of this installation; a backup contains the bytes themselves',
  attempts: 'sign-in attempts at this installation',
  share_visitors: 'expires within an hour',
  jobs: 'work, not data',
  schedules: 'work, not data',
  request_outcomes: 'answers to requests of this installation',
  prepared_downloads: 'gone within the hour',
  ai_claims: 'expires within a minute',
  ai_usage: 'costs of this installation',
  scrape_finds: 'expires within a day',
  backups: 'are in the backup folder themselves',
  restores: 'a log of this installation',
  media_months: 'counted from the media by triggers',
  media_looks: 'counted from the media by triggers',
  facets: 'counted from the media and their tags by triggers',
  search_documents: 'rebuilt from the media',
}

export type DatabaseRecord = Record<string, unknown>
export type Kind = 'text' | 'whole' | 'number' | 'bytes'
export type Columns = Map<string, { kind: Kind; isRequired: boolean; isNullable: boolean }>
export type LibraryColumns = Map<string, { table: LibraryTable; columns: Columns }>

/** The columns of each table from the database's own schema, without computed ones. */
export async function loadLibraryColumns(db: Db): Promise<LibraryColumns> {
  const tables = await db.introspection.getTables()
  return new Map(
    libraryTables.map((table) => {
      const schema = tables.find(({ name }) => name === table.name)
      if (!schema) throw new Error(`Expected a table ${table.name}, received none`)
      const own = schema.columns.filter(({ name }) => !table.counted?.includes(name)).sort(byName)
      const columns = new Map(own.map((column) => [column.name, describe(column, table)]))
      return [table.name, { table, columns }]
    }),
  )
}

/** A document's column order is the same for both databases. */
const byName = (one: ColumnMetadata, other: ColumnMetadata) => (one.name < other.name ? -1 : 1)

function describe(column: ColumnMetadata, { key }: LibraryTable) {
  const isKey = key.includes(column.name)
  return {
    kind: kindOf(column.dataType.toLowerCase()),
    isRequired: isKey || (!column.isNullable && !column.hasDefaultValue),
    isNullable: column.isNullable && !isKey,
  }
}

function kindOf(type: string): Kind {
  if (type === 'text' || type === 'varchar') return 'text'
  if (/^int|^bigint/.test(type)) return 'whole'
  if (/^real|^float|^double/.test(type)) return 'number'
  if (type === 'blob' || type === 'bytea') return 'bytes'
  throw new Error(`Expected a column type of ours, received ${type}`)
}

/** Bytes are encoded as base64. */
export function toRecord(row: DatabaseRecord, columns: Columns): DatabaseRecord {
  const record: DatabaseRecord = {}
  for (const name of columns.keys()) record[name] = asText(row[name])
  return record
}

const asText = (value: unknown) => (value instanceof Uint8Array ? Buffer.from(value).toString('base64') : value)

export function fromRecord(record: DatabaseRecord, columns: Columns): DatabaseRecord {
  const entries = Object.entries(record).map(([name, value]) => {
    const isBytes = columns.get(name)?.kind === 'bytes' && typeof value === 'string'
    return [name, isBytes ? Buffer.from(value, 'base64') : value]
  })
  return Object.fromEntries(entries)
}

export const documentFormat = 'albumen-database'
export const documentVersion = 1

/** A file that the rows refer to. A file missing or damaged at backup time is listed as missing. */
export type FileRecord = { sha256: string; bytes: number; isMissing?: boolean }

export type DocumentCounts = { users: number; media: number; collections: number; files: number }

const pageRows = 500

/**
 * The whole library as JSON, one record per line, read page by page. `describeFiles` may change each page of file records.
 * Pass the connection of a snapshot transaction, so that the tables are consistent.
 */
export async function* writeDocument(
  db: Db,
  describeFiles: (files: FileRecord[]) => Promise<FileRecord[]> | FileRecord[] = (files) => files,
): AsyncGenerator<string, DocumentCounts> {
  const counts: Record<string, number> = {}
  const header = {
    format: documentFormat,
    version: documentVersion,
    schema: await loadSchemaVersion(db),
    app: version,
    createdAt: new Date().toISOString(),
  }
  yield `${JSON.stringify(header).slice(0, -1)},"tables":{\n"files":[`
  yield* list('files', pages(filesPage(db)), (rows) => describeFiles(rows as FileRecord[]))
  for (const [name, { table, columns }] of await loadLibraryColumns(db)) {
    yield `,\n"${name}":[`
    yield* list(name, pages(tablePage(db, table)), (rows) => rows.map((row) => toRecord(row, columns)))
  }
  yield '\n}}\n'
  return {
    users: counts.users ?? 0,
    media: counts.media ?? 0,
    collections: counts.collections ?? 0,
    files: counts.files ?? 0,
  }

  async function* list(
    name: string,
    rows: AsyncIterable<DatabaseRecord[]>,
    toRecords: (page: DatabaseRecord[]) => Promise<object[]> | object[],
  ) {
    let count = 0
    for await (const page of rows) {
      const records = await toRecords(page)
      yield records.map((record) => `${count++ === 0 ? '' : ','}\n${JSON.stringify(record)}`).join('')
    }
    counts[name] = count
    yield '\n]'
  }
}

export async function loadSchemaVersion(db: Db) {
  const { rows } = await sql<{ version: number }>`SELECT version FROM schema_version`.execute(db)
  return rows[0]!.version
}

type Page = (after: DatabaseRecord | undefined) => Promise<DatabaseRecord[]>

async function* pages(page: Page) {
  for (let last: DatabaseRecord | undefined; ; ) {
    const rows = await page(last)
    if (rows.length > 0) yield rows
    if (rows.length < pageRows) return
    last = rows.at(-1)
    // On SQLite nothing else would run until the last page.
    await nextTurn()
  }
}

const tablePage =
  (db: Db, { name, key, only = '1 = 1' }: LibraryTable): Page =>
  async (after) => {
    const order = sql.join(key.map((column) => sql.ref(column)))
    const rest = after ? sql`(${order}) > (${sql.join(key.map((column) => after[column]))})` : sql`1 = 1`
    return rowsOf(
      db,
      sql`SELECT * FROM ${sql.table(name)} WHERE ${rest} AND ${sql.raw(only)} ORDER BY ${order} LIMIT ${pageRows}`,
    )
  }

/** Only files that belong to an item. */
const filesPage =
  (db: Db): Page =>
  (after) =>
    rowsOf(
      db,
      sql`SELECT sha256, bytes FROM blobs WHERE sha256 > ${after?.sha256 ?? ''}
        AND ${hasItem('blobs.sha256')} ORDER BY sha256 LIMIT ${pageRows}`,
    )

async function rowsOf(db: Db, query: RawBuilder<unknown>) {
  return (await query.execute(db)).rows as DatabaseRecord[]
}
