import type { ColumnMetadata } from 'kysely'
import type { Db } from '#platform/server/db/tables.ts'
import { type LibraryTable, libraryTables } from './library-tables.ts'
import { findMeaninglessValue } from './meaningless-values.ts'

export type DatabaseRecord = Record<string, unknown>
type Kind = 'text' | 'whole' | 'number' | 'bytes'
export type Columns = Map<string, { kind: Kind; isRequired: boolean; isNullable: boolean }>
export type LibraryColumns = Map<string, { table: LibraryTable; columns: Columns }>

/** The columns as the database itself knows them, without those that it counts. */
export async function loadLibraryColumns(db: Db): Promise<LibraryColumns> {
  const tables = await db.introspection.getTables()
  return new Map(
    libraryTables.map((table) => {
      const found = tables.find(({ name }) => name === table.name)
      if (!found) throw new Error(`Expected a table ${table.name}, received none`)
      const own = found.columns.filter(({ name }) => !table.counted?.includes(name)).sort(byName)
      const columns = new Map(own.map((column) => [column.name, describe(column, table)]))
      return [table.name, { table, columns }]
    }),
  )
}

/** In the order in which a document holds them, whichever database it comes from. */
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

/** Says in words what is wrong with a record, or nothing. */
export function findFault(table: string, columns: Columns, record: unknown): string | null {
  if (typeof record !== 'object' || record === null || Array.isArray(record)) return 'a row should be an object'
  const row = record as DatabaseRecord
  for (const name of Object.keys(row)) if (!columns.has(name)) return `"${name.slice(0, 60)}" is no column of ${table}`
  for (const [name, { kind, isRequired, isNullable }] of columns) {
    const value = row[name]
    if (value === undefined) {
      if (isRequired) return `"${name}" is missing`
    } else if (value === null) {
      if (!isNullable) return `"${name}" must not be empty`
    } else if (!fits(value, kind)) return `"${name}" should be ${inWords[kind]}`
  }
  return findMeaninglessValue(table, row)
}

const inWords: Record<Kind, string> = {
  text: 'text',
  whole: 'a whole number',
  number: 'a number',
  bytes: 'bytes in base64',
}

function fits(value: unknown, kind: Kind) {
  if (kind === 'whole') return Number.isSafeInteger(value)
  if (kind === 'number') return typeof value === 'number'
  if (typeof value !== 'string' || value.includes('\0')) return false
  return kind === 'text' || /^[A-Za-z0-9+/]*={0,2}$/.test(value)
}

/** Bytes travel as base64. */
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
