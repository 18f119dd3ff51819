import type { ColumnMetadata } from 'kysely'
import { z } from 'zod'
import { nameKey } from '#features/auth/server/store.ts'
import { Change } from '#features/bulk-actions/contract.ts'
import { MediaDetails, TagOrigin } from '#features/media/contract.ts'
import { isMediaMimeType } from '#features/media/mime-types.ts'
import type { Db } from '#platform/server/db/tables.ts'

export type LibraryTable = {
  name: string
  /** The columns by which its rows are read in order. */
  key: string[]
  /** Columns that the database computes when rows are written. */
  counted?: string[]
  /** Which rows belong to the library, when not all do; as SQL. */
  only?: string
}

/** Rows about bytes belong to the library while an item has those bytes. */
const hasItem = (table: string) => `EXISTS (SELECT 1 FROM media WHERE media.blob = ${table}.sha256)`
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
  { name: 'media', key: ['id'] },
  { name: 'media_tags', key: ['media_id', 'tag'] },
  { name: 'removed_tags', key: ['media_id', 'tag'] },
  { name: 'different_media', key: ['media_a', 'media_b'] },
  { name: 'collections', key: ['id'], counted: ['media_count'] },
  { name: 'collection_media', key: ['collection_id', 'media_id'] },
  { name: 'slugs', key: ['kind', 'slug'] },
  { name: 'share_views', key: ['kind', 'target_id', 'day'] },
  { name: 'scraped_sources', key: ['owner_id', 'address_key', 'media_id'] },
  { name: 'ai_results', key: ['sha256', 'provider', 'model', 'version'], only: hasItem('ai_results') },
  { name: 'embeddings', key: ['sha256'], only: hasItem('embeddings') },
  { name: 'meanings', key: ['media_id'] },
  // A restore assigns new ids, because processes that cache the sketches load only rows with a higher id.
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
  ai_runs: 'work, not data',
  ai_run_items: 'work, not data',
  ai_claims: 'expires within a minute',
  ai_usage: 'costs of this installation',
  scrape_finds: 'expires within a day',
  backups: 'are in the backup folder themselves',
  restores: 'a log of this installation',
  search_documents: 'rebuilt from the media',
}

export type DatabaseRecord = Record<string, unknown>
type Kind = 'text' | 'whole' | 'number' | 'bytes'
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

/** A message about what is wrong with a record, or null. */
export function findFault(table: string, columns: Columns, record: unknown): string | null {
  if (typeof record !== 'object' || record === null || Array.isArray(record)) return 'a row should be an object'
  const row = record as DatabaseRecord
  for (const name of Object.keys(row))
    if (!columns.has(name)) return `"${name.slice(0, 60)}" is not a column of ${table}`
  for (const [name, { kind, isRequired, isNullable }] of columns) {
    const value = row[name]
    if (value === undefined) {
      if (isRequired) return `"${name}" is missing`
    } else if (value === null) {
      if (!isNullable) return `"${name}" must not be empty`
    } else if (!isOfKind(value, kind)) return `"${name}" should be ${kindNames[kind]}`
  }
  return findInvalidValue(table, row)
}

const kindNames: Record<Kind, string> = {
  text: 'text',
  whole: 'a whole number',
  number: 'a number',
  bytes: 'bytes in base64',
}

function isOfKind(value: unknown, kind: Kind) {
  if (kind === 'whole') return Number.isSafeInteger(value)
  if (kind === 'number') return typeof value === 'number'
  if (typeof value !== 'string' || value.includes('\0')) return false
  return kind === 'text' || /^[A-Za-z0-9+/]*={0,2}$/.test(value)
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

type Check = (value: unknown) => boolean

const matches =
  (shape: z.ZodType): Check =>
  (value) =>
    shape.safeParse(value).success

/** For columns with JSON text. */
const isJsonOf =
  (shape: z.ZodType): Check =>
  (value) => {
    try {
      return shape.safeParse(JSON.parse(String(value))).success
    } catch {
      return false
    }
  }

/** Verifying a password costs what its hash says, so a hostile hash could ask for gigabytes and minutes. */
const maxHashCost = { m: 262_144, t: 10, p: 16 }

const isPasswordHash: Check = (value) => {
  const cost = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$[\w+/]+\$[\w+/]+$/.exec(String(value))
  return (
    cost !== null &&
    Number(cost[1]) <= maxHashCost.m &&
    Number(cost[2]) <= maxHashCost.t &&
    Number(cost[3]) <= maxHashCost.p
  )
}

const shape = MediaDetails.shape
const argon2id = 'should be an argon2id hash'

/** Checks of column values: an invalid value would break every page that shows its row. */
const columnChecks: Record<string, Record<string, [isValid: Check, message: string]>> = {
  users: { password_hash: [isPasswordHash, argon2id] },
  media: {
    blob: [matches(z.string().regex(/^[0-9a-f]{64}$/)), 'should be a sha256'],
    type: [matches(shape.type), 'should be image or video'],
    // Files are served with this content type.
    mime_type: [(value) => isMediaMimeType(String(value)), 'should be of a picture or video'],
    size: [matches(z.number().nonnegative()), 'should not be negative'],
    playback: [matches(shape.playback), 'is unknown'],
    ai_status: [matches(shape.aiStatus), 'is unknown'],
    colours: [isJsonOf(shape.colours), 'is not valid JSON of colours'],
    exif: [isJsonOf(shape.exif), 'is not valid JSON of EXIF'],
    sprite: [isJsonOf(shape.sprite.unwrap().omit({ url: true })), 'is not valid JSON of a strip of frames'],
    source: [isJsonOf(z.object({ alt: z.string().optional(), context: z.string().optional() })), 'is not valid JSON'],
  },
  media_tags: { source: [matches(TagOrigin.shape.source), 'is unknown'] },
  collections: {
    branding: [isJsonOf(z.unknown()), 'is not valid JSON'],
    password_hash: [isPasswordHash, argon2id],
  },
  runs: {
    kind: [matches(Change.shape.kind), 'is unknown'],
    status: [matches(z.literal('ended')), 'should be ended'],
    options: [isJsonOf(z.object({})), 'is not valid JSON'],
  },
  run_items: { state: [matches(z.enum(['done', 'undone'])), 'is unknown'] },
}

/** The latest time that a Date can hold. */
const latestMs = 8.64e15
const isTime = (name: string, value: unknown) =>
  !name.endsWith('_at') || typeof value !== 'number' || Math.abs(value) <= latestMs

/** Finds a value of the right type that would still break the app later. */
function findInvalidValue(table: string, row: Record<string, unknown>) {
  for (const [name, value] of Object.entries(row)) {
    if (value === null) continue
    if (!isTime(name, value)) return `"${name}" should be a time`
    const [isValid, message] = columnChecks[table]?.[name] ?? []
    if (isValid && !isValid(value)) return `"${name}" ${message}`
  }
  if (table !== 'users') return null
  if (row.username_key !== nameKey(String(row.username))) return '"username_key" does not fit "username"'
  return row.email_key === nameKey(String(row.email)) ? null : '"email_key" does not fit "email"'
}
