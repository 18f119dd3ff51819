import { createHash, randomUUID } from 'node:crypto'
import { type TestContext, test } from 'node:test'
import { sql } from 'kysely'
import pg from 'pg'
import { listMigrations, migrate } from '#platform/server/db/migrate.ts'
import { openPostgres } from '#platform/server/db/postgres.ts'
import type { Db } from '#platform/server/db/tables.ts'

const server = process.env.TEST_POSTGRES_URL
/** Any number will do, as long as every test process takes the same one. */
const templateLock = 4_221_002

/** True when this run proves the product on PostgreSQL. */
export const isOnPostgres = Boolean(server)

/** Told on one database: the story is dear, and what it is about knows nothing of databases. */
export function onOneDatabase(name: string, story: (context: TestContext) => Promise<void>) {
  if (!isOnPostgres) test(name, story)
}

/** How many who ask for a lock have to wait for another, in this database: others have tests in theirs. */
export async function countBlocked(db: Db) {
  const waiting = sql`SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`
  return (await waiting.execute(db)).rows.length
}

/**
 * A database of one's own on the server that the test run started; null when the run is on SQLite. Its tables are there
 * already, unless it is to be as empty as the one that a first start finds, or in another encoding.
 */
export async function createTestDatabase({ isEmpty = false, encoding = '' } = {}) {
  if (!server) return null
  const name = `test_${randomUUID().replaceAll('-', '')}`
  await asAdministrator(async (client) => {
    const bare = encoding && ` TEMPLATE template0 ENCODING '${encoding}' LOCALE 'C' LOCALE_PROVIDER libc`
    // By its files: read and logged block by block, as is usual, it costs twice as much.
    const made = isEmpty || encoding ? bare : ` TEMPLATE ${await prepareTemplate(client)} STRATEGY FILE_COPY`
    await client.query(`CREATE DATABASE ${name}${made}`)
  })
  return {
    settings: { DATABASE_URL: addressOf(name) },
    drop: () => asAdministrator((client) => client.query(`DROP DATABASE ${name} WITH (FORCE)`)),
  }
}

let template: string | undefined

/** Migrated once per server, by the process that comes first; a copy of it costs a fraction of the migrations. */
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
  // Only a finished one gets the name: a process that is stopped half-way leaves nothing that others would copy.
  await client.query(`ALTER DATABASE ${draft} RENAME TO ${name}`)
}

/** A server outlives a test run when it is shared; whoever changes a migration gets a template of their own. */
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
