import { randomUUID } from 'node:crypto'
import pg from 'pg'

const server = process.env.TEST_POSTGRES_URL

/** True when this run proves the product on PostgreSQL. */
export const isOnPostgres = Boolean(server)

/** A database of one's own on the server that the test run started; null when the run is on SQLite. */
export async function createTestDatabase() {
  if (!server) return null
  const name = `test_${randomUUID().replaceAll('-', '')}`
  await asAdministrator(`CREATE DATABASE ${name}`)
  const url = new URL(server)
  url.pathname = `/${name}`
  return {
    settings: { DATABASE_URL: url.href },
    drop: () => asAdministrator(`DROP DATABASE ${name} WITH (FORCE)`),
  }
}

async function asAdministrator(sql: string) {
  const client = new pg.Client({ connectionString: server })
  await client.connect()
  try {
    await client.query(sql)
  } finally {
    await client.end()
  }
}
