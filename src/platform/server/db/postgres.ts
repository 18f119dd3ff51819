import { type Kysely, PostgresDialect, sql } from 'kysely'
import pg from 'pg'
import { ConfigError } from '../config.ts'
import { CheckedKysely } from './change.ts'
import type { Database, Snapshot } from './database.ts'
import type { MigrationTarget } from './migrate.ts'
import { listenToPostgres } from './postgres-notifications.ts'
import type { Tables } from './tables.ts'

/** BIGINT, and the NUMERIC that summing BIGINTs makes. */
const wholeNumberTypes = [20, 1700]
/** Any number will do, as long as every Albumen process takes the same one. */
const migrationLock = 4_221_001

const transactionPooling =
  'DATABASE_URL leads to a pooler that lends connections for one transaction each (PgBouncer calls that transaction pooling), ' +
  'over which processes cannot hear each other: please name the database itself, or let the pooler lend them for a session'

/** Our ids, sizes and times stay far below 2^53, so they travel as numbers on both databases. */
const types: pg.CustomTypesConfig = {
  getTypeParser: ((oid: number, format?: 'text' | 'binary') =>
    wholeNumberTypes.includes(oid)
      ? Number
      : pg.types.getTypeParser(oid, format as 'text')) as typeof pg.types.getTypeParser,
}

export async function openPostgres(given: string): Promise<Database> {
  const url = withCheckedCertificate(given)
  const pool = new pg.Pool({
    connectionString: url,
    max: 10,
    types,
    connectionTimeoutMillis: 10_000,
    onConnect: useReadCommitted,
  })
  // An idle connection that the server closes is replaced at the next query; without a listener it would end the process.
  pool.on('error', () => {})
  // When a connection is lost during a transaction, its caller learns of it from the failed query.
  pool.on('connect', (client) => client.on('error', () => {}))
  const db = new CheckedKysely({ dialect: new PostgresDialect({ pool }) })
  const notifications = await listenToPostgres(url, db).catch((error) => {
    throw new ConfigError(
      `DATABASE_URL names a database that cannot be opened (${reasonOf(error)})${adviceAbout(error)}`,
    )
  })
  const close = async () => {
    await notifications.close()
    await db.destroy()
  }
  try {
    await requireUnicode(db)
    if (!(await notifications.receivesOwn())) throw new ConfigError(transactionPooling)
  } catch (error) {
    await close()
    throw error
  }
  return {
    db,
    slowReads: db,
    migrations: migrationTarget(url),
    notifications,
    openSnapshot: () => openSnapshot(db),
    readVersion: () => undefined,
    close,
  }
}

/**
 * Under a stricter level, which a role or database may have as its default, concurrent writes to one row fail. The pool sets
 * it and not Kysely, which would never release a connection that is lost during this query.
 */
async function useReadCommitted(client: pg.ClientBase) {
  await client.query('SET SESSION CHARACTERISTICS AS TRANSACTION ISOLATION LEVEL READ COMMITTED')
}

/** Another encoding would fail at the first name with a character that it cannot represent. */
async function requireUnicode(db: Kysely<Tables>) {
  const { rows } = await sql<{ server_encoding: string }>`SHOW server_encoding`.execute(db)
  const encoding = rows[0]!.server_encoding
  if (encoding !== 'UTF8')
    throw new ConfigError(`DATABASE_URL names a database in ${encoding}: it must be made in UTF8`)
}

async function openSnapshot(db: Kysely<Tables>): Promise<Snapshot> {
  const transaction = await db
    .startTransaction()
    .setIsolationLevel('repeatable read')
    .setAccessMode('read only')
    .execute()
  // PostgreSQL takes the snapshot at the first read.
  await sql`SELECT version FROM schema_version`.execute(transaction)
  return { db: transaction, [Symbol.asyncDispose]: () => transaction.rollback().execute() }
}

/**
 * `pg` treats all of these modes as `verify-full` and warns that a later version will not. Naming `verify-full` keeps the
 * meaning and avoids the warning.
 */
function withCheckedCertificate(url: string) {
  return url.includes('uselibpqcompat=')
    ? url
    : url.replace(/(?<=[?&]sslmode=)(?:prefer|require|verify-ca)(?=&|$)/, 'verify-full')
}

/** A host with several addresses fails once for each of them. */
function reasonOf(error: Error): string {
  if (error instanceof AggregateError) return error.errors.map(reasonOf).join(', ')
  // After the semicolon Node suggests a command-line flag, which users of the server cannot set.
  return isUntrusted(error) ? error.message.split(';')[0]! : error.message
}

const untrusted = ['DEPTH_ZERO_SELF_SIGNED_CERT', 'SELF_SIGNED_CERT_IN_CHAIN', 'UNABLE_TO_VERIFY_LEAF_SIGNATURE']
const isUntrusted = (error: unknown) => untrusted.includes((error as NodeJS.ErrnoException).code ?? '')

function adviceAbout(error: unknown) {
  if (!isUntrusted(error)) return ''
  return ': add "sslrootcert=" and the path of its certificate to the address, or "sslmode=no-verify" to trust it unseen'
}

function migrationTarget(url: string): MigrationTarget {
  return {
    dialect: 'postgres',
    types: {
      ID: 'BIGINT GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY',
      TIME: 'BIGINT',
      LONG: 'BIGINT',
      DOUBLE: 'DOUBLE PRECISION',
      BYTES: 'BYTEA',
    },
    async underLock(change) {
      const client = new pg.Client({ connectionString: url, types })
      client.on('error', () => {})
      await client.connect()
      try {
        await client.query('BEGIN')
        await client.query(`SELECT pg_advisory_xact_lock(${migrationLock})`)
        await client.query('CREATE TABLE IF NOT EXISTS schema_version (version INTEGER NOT NULL)')
        await client.query('INSERT INTO schema_version SELECT 0 WHERE NOT EXISTS (SELECT 1 FROM schema_version)')
        const { rows } = await client.query<{ version: number }>('SELECT version FROM schema_version')
        await change({ version: rows[0]!.version, exec: async (sql) => void (await client.query(sql)) })
        await client.query('COMMIT')
      } finally {
        // Closing the connection rolls back what was not committed.
        await client.end()
      }
    },
  }
}
