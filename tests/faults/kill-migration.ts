import assert from 'node:assert/strict'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { hashPassword } from '#features/auth/server/passwords.ts'
import { listMigrations, migrate } from '#platform/server/db/migrate.ts'
import { openSqlite } from '#platform/server/db/sqlite.ts'
import { counted, type Fault } from './fault.ts'
import { createClient, startServer } from './killable-server.ts'
import { addUp, inLanes } from './lanes.ts'
import { askCopy } from './rows-at-rest.ts'

/** The first version that has accounts and media in it; everything after it is still to come. */
const oldVersion = 3
const password = 'correct horse'
const preload = new URL('./preloads/die-at-statement.ts', import.meta.url)

/** What a start executes: one to be alone, two to open the database, three to begin, two for each migration, and COMMIT. */
const dialect = { dialect: 'sqlite' as const, types: { ID: '', TIME: '', LONG: '', DOUBLE: '', BYTES: '' } }
const versions = listMigrations(dialect).map(({ version }) => version)
const commit = 1 + 2 + 3 + 2 * versions.filter((version) => version > oldVersion).length + 1

/** A library of an old version is brought forward, and the process dies after every step of that, the last one first. */
export const killMigration: Fault = async ({ eachRound }) => {
  const root = await mkdtemp(join(tmpdir(), 'albumen-faults-'))
  const passwordHash = await hashPassword(password)
  try {
    const expected = await schemaOfNew(join(root, 'new'))
    const { halfWay, done } = addUp(await inLanes(eachRound(commit), (rounds) => killAfterSteps(rounds, expected)))
    const total = halfWay + done
    return [
      counted('kill -9 after each step of a database migration: the next start completes it', {
        figure: `${total} of ${total} completed (${halfWay} died half-way, ${done} at the end), 0 rows lost`,
        toReach: `0 failures in ${commit} rounds`,
        isReached: halfWay > 0 && done > 0,
      }),
    ]
  } finally {
    await rm(root, { recursive: true, force: true })
  }

  async function killAfterSteps(rounds: Iterable<number>, expected: unknown) {
    const outcome = { halfWay: 0, done: 0 }
    for (const round of rounds) {
      const directory = join(root, String(round))
      await makeOld(directory, passwordHash)
      const settings = { PORT: '0', DATA_DIR: directory, AI_LOCAL: '0', LOG_LEVEL: 'error' }
      const dying = startServer({ ...settings, DIE_AT_STATEMENT: String(commit - round) }, { preload })
      await assert.rejects(dying, /Expected the server to start/)
      const [left] = await askCopy<{ version: number }>(directory, 'SELECT version FROM schema_version')
      assert.equal(left!.version, round === 0 ? versions.at(-1) : oldVersion, `after step ${commit - round}`)
      outcome[round === 0 ? 'done' : 'halfWay']++
      const server = await startServer(settings)
      try {
        const send = createClient(() => server.url)
        assert.equal((await send('POST', '/api/login', { username: 'ann', password })).status, 200)
      } finally {
        await server.kill()
      }
      assert.deepEqual(schemaOf(directory), expected, 'the tables are those of a new library')
      assert.deepEqual(rowsOf(directory), ['ann'], 'nothing of the old library is lost')
      await rm(directory, { recursive: true })
    }
    return outcome
  }
}

async function makeOld(directory: string, passwordHash: string) {
  await mkdir(directory)
  const database = openSqlite(join(directory, 'albumen.db'))
  await database.migrations.underLock(async ({ exec }) => {
    for (const { version, sql } of listMigrations(database.migrations).filter(({ version }) => version <= oldVersion)) {
      await exec(sql)
      await exec(`UPDATE schema_version SET version = ${version}`)
    }
    await exec(
      `INSERT INTO users (username, username_key, email, email_key, password_hash, is_admin, created_at)
       VALUES ('ann', 'ann', 'ann@example.com', 'ann@example.com', '${passwordHash}', 1, 1)`,
    )
  })
  await database.close()
}

async function schemaOfNew(directory: string) {
  await mkdir(directory)
  const database = openSqlite(join(directory, 'albumen.db'))
  await migrate(database.migrations)
  await database.close()
  return schemaOf(directory)
}

function query(directory: string, sql: string) {
  const database = new DatabaseSync(join(directory, 'albumen.db'))
  try {
    assert.deepEqual(database.prepare('PRAGMA integrity_check').all().map(Object.values), [['ok']])
    return database.prepare(sql).all().map(Object.values)
  } finally {
    database.close()
  }
}

const schemaOf = (directory: string) => query(directory, 'SELECT type, name, sql FROM sqlite_schema ORDER BY name')
const rowsOf = (directory: string) => query(directory, 'SELECT username FROM users').flat()
