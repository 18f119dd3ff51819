import { invalid } from '#platform/errors.ts'
import type { Db } from '#platform/server/db/tables.ts'
import { scanDocument } from './document-scanner.ts'
import {
  type DatabaseRecord,
  findFault,
  type LibraryColumns,
  libraryTables,
  loadLibraryColumns,
} from './library-tables.ts'
import {
  type DocumentCounts,
  documentFormat,
  documentVersion,
  type FileRecord,
  loadSchemaVersion,
} from './write-document.ts'

export type LibraryRecord =
  | { table: 'files'; record: FileRecord; line: number }
  | { table: string; record: DatabaseRecord; line: number }

const order = ['files', ...libraryTables.map(({ name }) => name)]

export type Known = {
  schema: number
  /** Absent for documents that this installation wrote itself and whose hash matches; their rows need no validation. */
  columns?: LibraryColumns
}

/** The schema that an imported document is validated against. */
export async function loadKnown(db: Db): Promise<Required<Known>> {
  return { schema: await loadSchemaVersion(db), columns: await loadLibraryColumns(db) }
}

/** Yields a document's records in order, each validated by itself; the first invalid one throws with its line. */
export async function* readDocument(
  chunks: AsyncIterable<Uint8Array>,
  { columns, schema }: Known,
): AsyncGenerator<LibraryRecord> {
  const fields = new Map<string, unknown>()
  let latest = -1
  for await (const { table, name, value, line } of scanDocument(chunks)) {
    const fault = (message: string) => invalid(`Line ${line}: ${message}.`, { line })
    if (table === null) {
      fields.set(name, value)
      continue
    }
    if (latest < 0) requireHeader(fields, schema)
    const position = order.indexOf(table)
    if (position < 0) throw fault(`"${table.slice(0, 60)}" is not a table of a library`)
    if (position < latest) throw fault(`${table} should stand before ${order[latest]}`)
    latest = position
    const problem = columns && findRecordFault(columns, table, value)
    if (problem) throw fault(problem)
    yield { table, record: value as DatabaseRecord, line }
  }
  requireHeader(fields, schema)
}

const findRecordFault = (columns: LibraryColumns, table: string, value: unknown) =>
  table === 'files' ? findFileFault(value) : findFault(table, columns.get(table)!.columns, value)

/** The file records, which come first in a document. */
export async function* filesOf(records: AsyncIterable<LibraryRecord>): AsyncGenerator<FileRecord> {
  for await (const { table, record } of records) {
    if (table !== 'files') return
    yield record as FileRecord
  }
}

/** When the document was written, or undefined. */
export async function readTimeOf(chunks: AsyncIterable<Uint8Array>) {
  for await (const { table, name, value } of scanDocument(chunks)) {
    if (table !== null) break
    if (name === 'createdAt') return Date.parse(String(value)) || undefined
  }
}

function requireHeader(fields: Map<string, unknown>, schema: number) {
  if (fields.get('format') !== documentFormat) throw invalid('Line 1: this is not an Albumen database.', { line: 1 })
  const isNewer = Number(fields.get('version')) > documentVersion || Number(fields.get('schema')) > schema
  if (isNewer)
    throw invalid('Line 1: this was written by a newer version of Albumen. Please update first.', { line: 1 })
  if (fields.get('version') !== documentVersion) throw invalid('Line 1: "version" should be 1.', { line: 1 })
}

export function findFileFault(value: unknown) {
  const { sha256, bytes } = (value ?? {}) as Partial<FileRecord>
  if (typeof sha256 !== 'string' || !/^[0-9a-f]{64}$/.test(sha256)) return '"sha256" should be a sha256'
  return Number.isSafeInteger(bytes) && bytes! >= 0 ? null : '"bytes" should be a whole number'
}

/** Validates a whole document without changing anything, and counts its records. */
export async function checkDocument(
  records: AsyncIterable<LibraryRecord>,
  onFile: (file: FileRecord) => void = () => {},
): Promise<DocumentCounts> {
  const counts = { users: 0, media: 0, collections: 0, files: 0 }
  const files = new Set<string>()
  const findFault = createReferenceCheck()
  let hasAdmin = false
  for await (const { table, record, line } of records) {
    if (table in counts) counts[table as keyof typeof counts]++
    const problem = table === 'files' ? null : findFault(table, record as DatabaseRecord)
    if (problem) throw invalid(`Line ${line}: ${problem}.`, { line })
    if (table === 'files') {
      const file = record as FileRecord
      if (files.has(file.sha256)) throw invalid(`Line ${line}: this file is listed twice.`, { line })
      files.add(file.sha256)
      onFile(file)
    } else if (table === 'media' && !files.has(String((record as DatabaseRecord).blob))) {
      throw invalid(`Line ${line}: the file of this item is not listed.`, { line })
    } else if (table === 'users' && (record as DatabaseRecord).is_admin === 1) hasAdmin = true
  }
  if (counts.users > 0 && !hasAdmin) throw invalid('This database has no administrator.')
  return counts
}

/** The table that a column refers to. */
const references: Record<string, string> = {
  owner_id: 'users',
  media_id: 'media',
  collection_id: 'collections',
  run_id: 'runs',
}
const unique: Record<string, string[]> = {
  users: ['id', 'username_key', 'email_key'],
  media: ['id', 'public_slug'],
  collections: ['id', 'public_slug'],
  runs: ['id', 'key'],
}

/** Checks, for records in order, that references point to earlier records and that unique values do not repeat. */
function createReferenceCheck() {
  const seen = new Map<string, Set<unknown>>()
  const valuesOf = (table: string, column: string) => {
    const key = `${table}.${column}`
    const values = seen.get(key) ?? new Set()
    seen.set(key, values)
    return values
  }

  return function findFault(table: string, record: DatabaseRecord): string | null {
    for (const [column, target] of Object.entries(references)) {
      const value = record[column]
      if (value !== undefined && value !== null && !valuesOf(target, 'id').has(value)) {
        return `this row of ${table} refers to a missing row of ${target}`
      }
    }
    for (const column of unique[table] ?? []) {
      const value = record[column]
      if (value === undefined || value === null) continue
      const values = valuesOf(table, column)
      if (values.has(value)) return `another row has the same name or number ("${column}")`
      values.add(value)
    }
    return null
  }
}
