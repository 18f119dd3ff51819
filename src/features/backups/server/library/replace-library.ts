import { setImmediate as nextTurn } from 'node:timers/promises'
import { sql } from 'kysely'
import { checkRestoredCss } from '#features/collections/server/checked-css.ts'
import { beginEdition } from '#features/media/server/library-pause.ts'
import { indexMedia } from '#features/media/server/listing/search-documents.ts'
import { recordTrashCheck } from '#features/media/server/trash.ts'
import { linkRestoredCompanies } from '#features/websites/server/company.ts'
import { invalid, withCause } from '#platform/errors.ts'
import { dialectOf } from '#platform/server/db/dialect.ts'
import type { Db, Row } from '#platform/server/db/tables.ts'
import { isDiskFull } from '#platform/server/system-errors.ts'
import {
  type Columns,
  type DatabaseRecord,
  fromRecord,
  type LibraryColumns,
  libraryTables,
} from './library-document.ts'
import type { LibraryRecord } from './read-document.ts'

type Replacement = {
  records: AsyncIterable<LibraryRecord>
  columns: LibraryColumns
  /** The account whose sessions survive the change; absent in a scratch database. */
  adminId?: number
  /** When the records were exported. */
  madeAt?: number
}

/**
 * Replaces the library's records in the caller's transaction, so readers see the old library or the new one. The `blobs`
 * rows of the files must exist already.
 */
export async function replaceLibrary(db: Db, { records, columns, adminId, madeAt }: Replacement) {
  const admin = adminId === undefined ? null : await rememberAdmin(db, adminId)
  await clearLibrary(db)
  const given = await insertRecords(db, records, columns)
  // The records are from before there were websites. In later ones, a company without a website has lost it.
  if (!given.has('collections.website_id')) await linkRestoredCompanies(db)
  await checkRestoredCss(db)
  await removeOrphanedViews(db)
  for (const [name, { table }] of columns) {
    if (table.key.length === 1 && table.key[0] === 'id') await dialectOf(db).resetIdSequence(db, name)
  }
  await indexAllMedia(db)
  if (madeAt !== undefined) await recordTrashCheck(db, madeAt)
  return admin && (await reinstateAdmin(db, admin))
}

/** View counts of deleted items must go, because a new item may get the same id. */
async function removeOrphanedViews(db: Db) {
  for (const [kind, table] of [
    ['media', 'media'],
    ['collection', 'collections'],
  ] as const) {
    await db
      .deleteFrom('share_views')
      .where('kind', '=', kind)
      .where('target_id', 'not in', (query) => query.selectFrom(table).select('id'))
      .execute()
  }
}

async function indexAllMedia(db: Db) {
  for (let last = 0; ; ) {
    const rows = await db.selectFrom('media').select('id').where('id', '>', last).orderBy('id').limit(500).execute()
    if (rows.length === 0) return
    await indexMedia(
      db,
      rows.map(({ id }) => id),
    )
    last = rows.at(-1)!.id
    await nextTurn()
  }
}

/** Deletes everything except the acting administrator's account. Backups are not part of the library. */
export async function emptyLibrary(db: Db, adminId: number) {
  const admin = await rememberAdmin(db, adminId)
  await clearLibrary(db)
  if (admin) await reinstateAdmin(db, admin)
}

const chunkRows = 500

/** Empties the library's tables in the caller's transaction. The janitor deletes unused files later. */
async function clearLibrary(db: Db) {
  await beginEdition(db)
  // Tags, memberships and search documents are deleted by cascade.
  for (const table of ['media', 'collections', 'users'] as const) await deleteInChunks(db, table)
  for (const { name } of libraryTables.toReversed()) await sql`DELETE FROM ${sql.table(name)}`.execute(db)
}

/** In chunks, since on SQLite every other query waits for a statement to end. */
async function deleteInChunks(db: Db, table: 'media' | 'collections' | 'users') {
  for (;;) {
    const last = await db
      .selectFrom(table)
      .select('id')
      .orderBy('id')
      .offset(chunkRows - 1)
      .limit(1)
      .executeTakeFirst()
    const rows = db.deleteFrom(table)
    await (last ? rows.where('id', '<=', last.id) : rows).execute()
    if (!last) return
    await nextTurn()
  }
}

type ActingAdmin = { user: Row<'users'>; sessions: Row<'sessions'>[] }

/** The administrator who replaces the library must stay signed in to see the result. */
async function rememberAdmin(db: Db, userId: number): Promise<ActingAdmin | null> {
  const user = await db.selectFrom('users').selectAll().where('id', '=', userId).executeTakeFirst()
  if (!user) return null
  const sessions = await db.selectFrom('sessions').selectAll().where('user_id', '=', userId).execute()
  return { user, sessions }
}

/**
 * Moves the sessions to the restored account with the same name or email, else to a re-created one. An account that was not
 * an administrator gets the acting administrator's password, since it may have belonged to another person.
 */
async function reinstateAdmin(db: Db, { user, sessions }: ActingAdmin) {
  const known = await findAccount(db, user)
  const id = known?.id ?? (await insertAccount(db, user))
  const { password_hash } = known?.is_admin === 1 ? known : user
  await db.updateTable('users').set({ is_admin: 1, password_hash }).where('id', '=', id).execute()
  if (sessions.length > 0) {
    await db
      .insertInto('sessions')
      .values(sessions.map((session) => ({ ...session, user_id: id })))
      .execute()
  }
  return id
}

async function findAccount(db: Db, { username_key, email_key }: Row<'users'>) {
  const accounts = await db
    .selectFrom('users')
    .select(['id', 'username_key', 'is_admin', 'password_hash'])
    .where((where) => where.or([where('username_key', '=', username_key), where('email_key', '=', email_key)]))
    .execute()
  return accounts.find((account) => account.username_key === username_key) ?? accounts[0]
}

async function insertAccount(db: Db, user: Row<'users'>) {
  const { id, username, username_key, email, email_key, password_hash, created_at } = user
  const isTaken = await db.selectFrom('users').select('id').where('id', '=', id).executeTakeFirst()
  const inserted = await db
    .insertInto('users')
    .values({ ...(!isTaken && { id }), username, username_key, email, email_key, password_hash, created_at })
    .returning('id')
    .executeTakeFirstOrThrow()
  return inserted.id
}

type Batch = { table: string; names: string[]; rows: { values: DatabaseRecord; line: number }[] }

/** Far below the limit of both databases for one statement. */
const maxParameters = 20_000
const maxRows = 500

/**
 * Inserts records in batches in the caller's transaction; an error names the line of the record. Returns the columns that
 * the records have, as "table.column".
 */
async function insertRecords(db: Db, records: AsyncIterable<LibraryRecord>, columns: LibraryColumns) {
  const given = new Set<string>()
  let batch: Batch | undefined
  for await (const { table, record, line } of records) {
    if (table === 'files') continue
    // A document may have columns that this version no longer has.
    const names = Object.keys(record).filter((name) => columns.get(table)!.columns.has(name))
    const fits = batch?.table === table && isSame(batch.names, names) && batch.rows.length < roomFor(names)
    if (batch && !fits) await flush(batch)
    if (!batch || !fits) batch = { table, names, rows: [] }
    batch.rows.push({ values: record as DatabaseRecord, line })
  }
  if (batch) await flush(batch)
  return given

  async function flush(full: Batch) {
    for (const name of full.names) given.add(`${full.table}.${name}`)
    await insertBatch(db, full, columns.get(full.table)!.columns)
    // On SQLite nothing else would run until the last row.
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
    // No row is at fault, and SQLite may have rolled back the transaction itself.
    if (isDiskFull(error)) throw error
    // PostgreSQL aborts a transaction at its first error, unless it is rolled back to a savepoint.
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
        : 'it refers to something missing'
      const sentence = `Line ${row.line}: this row of ${batch.table} cannot be imported: ${reason}.`
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
