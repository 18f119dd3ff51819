import { invalid } from '#platform/errors.ts'
import type { Db } from '#platform/server/db/tables.ts'
import {
  type DatabaseRecord,
  type DocumentCounts,
  documentFormat,
  documentVersion,
  type FileRecord,
  type LibraryColumns,
  libraryTables,
  loadLibraryColumns,
  loadSchemaVersion,
} from './library-document.ts'
import { findFault, findFileFault } from './record-faults.ts'

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
    } else if (withFiles.has(table) && !files.has(String((record as DatabaseRecord).blob))) {
      throw invalid(`Line ${line}: the file of this item is not listed.`, { line })
    } else if (table === 'users' && (record as DatabaseRecord).is_admin === 1) hasAdmin = true
  }
  if (counts.users > 0 && !hasAdmin) throw invalid('This database has no administrator.')
  return counts
}

const withFiles = new Set(['media', 'media_versions'])

/** The table that a column refers to. */
const references: Record<string, string> = {
  owner_id: 'users',
  media_id: 'media',
  collection_id: 'collections',
  website_id: 'websites',
  run_id: 'runs',
}
const unique: Record<string, string[]> = {
  users: ['id', 'username_key', 'email_key'],
  media: ['id', 'public_slug'],
  websites: ['id'],
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

/** One value of the document: a record of a table or a header field. */
type DocumentPart = { table: string | null; name: string; value: unknown; line: number }

/** Far above any real record; a file with one endless value is refused before it fills the memory. */
const maxValueLength = 16 * 1024 * 1024

type Capture = { text: string; line: number; depth: number; isInString: boolean; isEscaped: boolean }

type Expected = 'document' | 'key' | 'colon' | 'value' | 'comma' | 'nothing'

/**
 * Reads `{ "format": …, "tables": { "users": [ {…}, … ], … } }` piece by piece, in any layout, and never holds more than
 * one record. What is not JSON, or not of this form, is refused with its line.
 */
function createDocumentScanner() {
  let line = 1
  let expected: Expected = 'document'
  /** What the scanner is inside of. */
  let level: 'document' | 'tables' | 'table' = 'document'
  let isFirst = true
  let table: string | null = null
  let name = ''
  let capture: Capture | null = null

  const fault = (message = 'this is not valid JSON', at = line) => invalid(`Line ${at}: ${message}.`, { line: at })

  function parse(text: string, at: number): unknown {
    try {
      return JSON.parse(text)
    } catch {
      throw fault(undefined, at)
    }
  }

  function* finishValue(text: string, at: number): Generator<DocumentPart> {
    capture = null
    const value = parse(text, at)
    if (expected === 'key') {
      if (typeof value !== 'string') throw fault()
      name = value
      expected = 'colon'
      return
    }
    expected = 'comma'
    yield { table: level === 'table' ? table : null, name, value, line: at }
  }

  function open(character: string) {
    if (expected === 'value' && level === 'document' && name === 'tables') {
      if (character !== '{') throw fault('"tables" should hold the tables by name')
      level = 'tables'
    } else if (expected === 'value' && level === 'tables') {
      if (character !== '[') throw fault(`"${name.slice(0, 60)}" should hold a list of rows`)
      level = 'table'
      table = name
    } else return false
    expected = level === 'table' ? 'value' : 'key'
    isFirst = true
    return true
  }

  function close(character: string) {
    const isDue = expected === 'comma' || isFirst
    if (!isDue || character !== (level === 'table' ? ']' : '}')) throw fault()
    if (level === 'document') expected = 'nothing'
    else {
      level = level === 'table' ? 'tables' : 'document'
      expected = 'comma'
    }
    isFirst = false
  }

  /** A single character outside of any value. */
  function take(character: string) {
    if (expected === 'document') {
      if (character !== '{') throw fault('this is not an Albumen database')
      expected = 'key'
      return
    }
    if (expected === 'nothing') throw fault('something follows the end of the document')
    if (character === '}' || character === ']') return close(character)
    if (expected === 'colon' || expected === 'comma') {
      if (character !== (expected === 'colon' ? ':' : ',')) throw fault()
      expected = expected === 'comma' && level !== 'table' ? 'key' : 'value'
      return
    }
    isFirst = false
    if (open(character)) return
    if (expected === 'key' && character !== '"') throw fault()
    capture = { text: '', line, depth: 0, isInString: false, isEscaped: false }
  }

  function* push(text: string): Generator<DocumentPart> {
    let start = 0
    for (let index = 0; index < text.length; index++) {
      if (capture) index = nextRelevantIndex(text, index, capture)
      const character = text[index]
      if (character === undefined) break
      if (character === '\n') line++
      if (!capture) {
        if (character === ' ' || character === '\n' || character === '\r' || character === '\t') continue
        // Some editors write a byte order mark first.
        if (character === '\uFEFF' && expected === 'document') continue
        take(character)
        if (!capture) continue
        start = index
      }
      const value: Capture = capture
      if (value.isInString) {
        if (value.isEscaped) value.isEscaped = false
        else if (character === '\\') value.isEscaped = true
        else if (character === '"') value.isInString = false
        if (value.isInString || value.depth > 0) continue
        yield* finishValue(value.text + text.slice(start, index + 1), value.line)
      } else if (character === '"') {
        value.isInString = true
      } else if (character === '{' || character === '[') {
        value.depth++
      } else if (character === '}' || character === ']') {
        if (value.depth > 0) value.depth--
        else {
          yield* finishValue(value.text + text.slice(start, index), value.line)
          close(character)
          continue
        }
        if (value.depth === 0) yield* finishValue(value.text + text.slice(start, index + 1), value.line)
      } else if (character === ',' && value.depth === 0) {
        yield* finishValue(value.text + text.slice(start, index), value.line)
        take(character)
      }
    }
    if (!capture) return
    capture.text += text.slice(start)
    if (capture.text.length > maxValueLength) throw fault('this row is too long', capture.line)
  }

  function end() {
    if (expected !== 'nothing') throw fault('the file ends here, in the middle of the document')
  }

  return { push, end, lineNumber: () => line }
}

const relevantCharacters = { text: /["\\\n]/g, record: /["{}[\]\n]/g, value: /["{}[\],\n]/g }

/** Skips characters that cannot end the value. */
function nextRelevantIndex(text: string, from: number, { depth, isInString, isEscaped }: Capture) {
  if (isEscaped) return from
  const pattern = isInString
    ? relevantCharacters.text
    : depth > 0
      ? relevantCharacters.record
      : relevantCharacters.value
  pattern.lastIndex = from
  return pattern.test(text) ? pattern.lastIndex - 1 : text.length
}

export async function* scanDocument(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<DocumentPart> {
  const scanner = createDocumentScanner()
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
  for await (const chunk of chunks) yield* scanner.push(decode(chunk, { stream: true }))
  yield* scanner.push(decode(new Uint8Array(), {}))
  scanner.end()

  function decode(chunk: Uint8Array, options: TextDecodeOptions) {
    try {
      return decoder.decode(chunk, options)
    } catch {
      throw invalid(`Line ${scanner.lineNumber()}: this is not text.`, { line: scanner.lineNumber() })
    }
  }
}
