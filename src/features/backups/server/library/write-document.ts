import { setImmediate as nextTurn } from 'node:timers/promises'
import { type RawBuilder, sql } from 'kysely'
import type { Db } from '#platform/server/db/tables.ts'
import { version } from '#shared/version.ts'
import type { LibraryTable } from './library-tables.ts'
import { type DatabaseRecord, loadLibraryColumns, toRecord } from './library-tables.ts'

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
        AND EXISTS (SELECT 1 FROM media WHERE media.blob = blobs.sha256) ORDER BY sha256 LIMIT ${pageRows}`,
    )

async function rowsOf(db: Db, query: RawBuilder<unknown>) {
  return (await query.execute(db)).rows as DatabaseRecord[]
}
