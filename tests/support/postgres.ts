import { createHash, randomUUID } from 'node:crypto'
import { type TestContext, test } from 'node:test'
import { sql } from 'kysely'
import pg from 'pg'
import { listMigrations, migrate } from '#platform/server/db/migrate.ts'
import { openPostgres } from '#platform/server/db/postgres.ts'
import type { Db } from '#platform/server/db/tables.ts'

const server = process.env.TEST_POSTGRES_URL
/** An arbitrary number that is the same in every test process. */
const templateLock = 4_221_002

/** True when this run uses PostgreSQL. */
export const isOnPostgres = Boolean(server)

/** Runs a slow test that does not depend on the database on SQLite only. */
export function onOneDatabase(name: string, story: (context: TestContext) => Promise<void>) {
  if (!isOnPostgres) test(name, story)
}

/** The number of connections waiting for a lock in this database. */
export async function countBlocked(db: Db) {
  const waiting = sql`SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`
  return (await waiting.execute(db)).rows.length
}

/**
 * A new database on the server of the test run, or null when the run uses SQLite. It has all tables, unless it is to be
 * empty (as before a first start) or in another encoding.
 */
export async function createTestDatabase({ isEmpty = false, encoding = '' } = {}) {
  if (!server) return null
  const name = `test_${randomUUID().replaceAll('-', '')}`
  await asAdministrator(async (client) => {
    const bare = encoding && ` TEMPLATE template0 ENCODING '${encoding}' LOCALE 'C' LOCALE_PROVIDER libc`
    // Copying the files costs half of the default, which copies and logs each block.
    const made = isEmpty || encoding ? bare : ` TEMPLATE ${await prepareTemplate(client)} STRATEGY FILE_COPY`
    await client.query(`CREATE DATABASE ${name}${made}`)
  })
  return {
    settings: { DATABASE_URL: addressOf(name) },
    drop: () => asAdministrator((client) => client.query(`DROP DATABASE ${name} WITH (FORCE)`)),
  }
}

let template: string | undefined

/** A migrated database, created once per server by the first process; copying it costs a fraction of the migrations. */
async function prepareTemplate(client: pg.Client) {
  if (template) return template
  const name = `template_${fingerprintOfMigrations()}`
  await client.query(`SELECT pg_advisory_lock(${templateLock})`)
  try {
    const { rowCount } = await client.query('SELECT 1 FROM pg_database WHERE datname = $1', [name])
    if (rowCount === 0) await makeTemplate(client, name)
  } finally {
    await client.query(`SELECT pg_advisory_unlock(${templateLock})`)
  }
  template = name
  return name
}

async function makeTemplate(client: pg.Client, name: string) {
  const draft = `draft_${randomUUID().replaceAll('-', '')}`
  await client.query(`CREATE DATABASE ${draft}`)
  const database = await openPostgres(addressOf(draft))
  await migrate(database.migrations).finally(database.close)
  // It gets the name only when it is complete, so that no process copies an unfinished one.
  await client.query(`ALTER DATABASE ${draft} RENAME TO ${name}`)
}

/** A shared server outlives a test run, so changed migrations need a template with another name. */
function fingerprintOfMigrations() {
  const types = { ID: 'ID', TIME: 'TIME', LONG: 'LONG', DOUBLE: 'DOUBLE', BYTES: 'BYTES' }
  const migrations = listMigrations({ dialect: 'postgres', types })
  return createHash('sha256').update(JSON.stringify(migrations)).digest('hex').slice(0, 16)
}

function addressOf(database: string) {
  const url = new URL(server!)
  url.pathname = `/${database}`
  return url.href
}

async function asAdministrator<T>(work: (client: pg.Client) => Promise<T>) {
  const client = new pg.Client({ connectionString: server })
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}
