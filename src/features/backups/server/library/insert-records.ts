import { setImmediate as nextTurn } from 'node:timers/promises'
import { sql } from 'kysely'
import { invalid, withCause } from '#platform/errors.ts'
import { dialectOf } from '#platform/server/db/dialect.ts'
import type { Db } from '#platform/server/db/tables.ts'
import { isDiskFull } from '#platform/server/disk-faults.ts'
import { type Columns, type DatabaseRecord, fromRecord, type LibraryColumns } from './columns.ts'
import type { LibraryRecord } from './read-document.ts'

type Batch = { table: string; names: string[]; rows: { values: DatabaseRecord; line: number }[] }

/** Far below what either database takes in one statement. */
const maxParameters = 20_000
const maxRows = 500

/** Writes records in batches, within the caller's transaction; a record that the database refuses is named by its line. */
export async function insertRecords(db: Db, records: AsyncIterable<LibraryRecord>, columns: LibraryColumns) {
  let batch: Batch | undefined
  for await (const { table, record, line } of records) {
    if (table === 'files') continue
    // A backup of an earlier version may still have a column that is gone.
    const names = Object.keys(record).filter((name) => columns.get(table)!.columns.has(name))
    const fits = batch?.table === table && isSame(batch.names, names) && batch.rows.length < roomFor(names)
    if (batch && !fits) await flush(batch)
    if (!batch || !fits) batch = { table, names, rows: [] }
    batch.rows.push({ values: record as DatabaseRecord, line })
  }
  if (batch) await flush(batch)

  async function flush(full: Batch) {
    await insertBatch(db, full, columns.get(full.table)!.columns)
    // On SQLite nothing else would have its turn until the last row.
    await nextTurn()
  }
}

const roomFor = (names: string[]) => Math.min(maxRows, Math.floor(maxParameters / Math.max(1, names.length)))
const isSame = (some: string[], others: string[]) =>
  some.length === others.length && some.every((name, index) => name === others[index])

async function insertBatch(db: Db, batch: Batch, columns: Columns) {
  await sql`SAVEPOINT batch`.execute(db)
  try {
    await insertRows(db, batch, columns)
  } catch (error) {
    // No row is to blame, and SQLite may have ended the transaction by itself.
    if (isDiskFull(error)) throw error
    // PostgreSQL ends a transaction at its first fault, unless it is taken back to before it.
    await sql`ROLLBACK TO SAVEPOINT batch`.execute(db)
    await insertOneByOne(db, batch, columns)
  }
  await sql`RELEASE SAVEPOINT batch`.execute(db)
}

async function insertOneByOne(db: Db, batch: Batch, columns: Columns) {
  for (const row of batch.rows) {
    try {
      await insertRows(db, { ...batch, rows: [row] }, columns)
    } catch (error) {
      const reason = dialectOf(db).isUniqueViolation(error)
        ? 'another row has the same name or number'
        : 'it points to something that is not there'
      const sentence = `Line ${row.line}: this row of ${batch.table} cannot be taken in: ${reason}.`
      throw withCause(invalid(sentence, { line: row.line }), error)
    }
  }
}

async function insertRows(db: Db, { table, names, rows }: Batch, columns: Columns) {
  const tuples = rows.map(({ values }) => {
    const row = fromRecord(values, columns)
    return sql`(${sql.join(names.map((name) => row[name]))})`
  })
  await sql`INSERT INTO ${sql.table(table)} (${sql.join(names.map((name) => sql.ref(name)))})
    VALUES ${sql.join(tuples)}`.execute(db)
}
