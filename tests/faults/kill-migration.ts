import assert from 'node:assert/strict'
import { cp, mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { fileURLToPath } from 'node:url'
import { hashPassword } from '#features/auth/server/passwords.ts'
import { listMigrations, migrate } from '#platform/server/db/migrate.ts'
import { openSqlite } from '#platform/server/db/sqlite.ts'
import { counted, type Fault } from './fault.ts'
import { createClient, startServer } from './killable-server.ts'
import { addUp, inLanes } from './lanes.ts'
import { askCopy } from './rows-at-rest.ts'

const password = 'correct horse'
const preload = new URL('./preloads/die-at-statement.ts', import.meta.url)
const root = fileURLToPath(new URL('../..', import.meta.url))

const dialect = { dialect: 'sqlite' as const, types: { ID: '', TIME: '', LONG: '', DOUBLE: '', BYTES: '' } }
const version = listMigrations(dialect).at(-1)!.version
/** Migrations after the last one, so that the process can be killed between two of them. */
const nextMigrations = [
  'ALTER TABLE users ADD COLUMN nickname TEXT;',
  "UPDATE users SET nickname = username || '!';",
  'CREATE TABLE pets (\n  id ID,\n  born_at TIME NOT NULL\n);\nINSERT INTO pets (born_at) SELECT created_at FROM users;',
]
const nextVersion = version + nextMigrations.length

/** The queries of a start: one for the lock, two to open the database, three to begin, two per migration, and COMMIT. */
const commit = 1 + 2 + 3 + 2 * nextMigrations.length + 1

/** A newer version migrates a library and is killed after each step, starting with the last one. */
export const killMigration: Fault = async ({ eachRound }) => {
  const folder = await mkdtemp(join(tmpdir(), 'albumen-faults-'))
  const passwordHash = await hashPassword(password)
  try {
    const program = await makeNextVersion(join(folder, 'program'))
    const expected = await schemaOfNew(join(folder, 'new'), program)
    const { halfWay, done } = addUp(
      await inLanes(eachRound(commit), (rounds) => killAfterSteps(rounds, { program, expected })),
    )
    const total = halfWay + done
    return [
      counted('kill -9 after each step of a database migration: the next start completes it', {
        figure: `${total} of ${total} completed (${halfWay} died half-way, ${done} at the end), 0 rows lost`,
        toReach: `0 failures in ${commit} rounds`,
        isReached: halfWay > 0 && done > 0,
      }),
    ]
  } finally {
    await rm(folder, { recursive: true, force: true })
  }

  async function killAfterSteps(
    rounds: Iterable<number>,
    { program, expected }: { program: string; expected: unknown },
  ) {
    const outcome = { halfWay: 0, done: 0 }
    for (const round of rounds) {
      const directory = join(folder, String(round))
      await makeLibrary(directory, passwordHash)
      const settings = settingsOf(directory)
      const dying = startServer({ ...settings, DIE_AT_STATEMENT: String(commit - round) }, { preload, program })
      await assert.rejects(dying, /Expected the server to start/)
      const [left] = await askCopy<{ version: number }>(directory, 'SELECT version FROM schema_version')
      assert.equal(left!.version, round === 0 ? nextVersion : version, `after step ${commit - round}`)
      outcome[round === 0 ? 'done' : 'halfWay']++
      const server = await startServer(settings, { program })
      try {
        const send = createClient(() => server.url)
        assert.equal((await send('POST', '/api/login', { username: 'ann', password })).status, 200)
      } finally {
        await server.kill()
      }
      assert.deepEqual(schemaOf(directory), expected, 'the tables are those of a new library')
      assert.deepEqual(query(directory, 'SELECT username, nickname FROM users'), [['ann', 'ann!']])
      assert.deepEqual(query(directory, 'SELECT born_at FROM pets'), [[1]], 'each migration ran once')
      await rm(directory, { recursive: true })
    }
    return outcome
  }
}

const settingsOf = (directory: string) => ({ PORT: '0', DATA_DIR: directory, AI_LOCAL: '0', LOG_LEVEL: 'error' })

/** A copy of the program with more migrations, as in a later release. */
async function makeNextVersion(program: string) {
  await mkdir(program)
  for (const name of await readdir(root)) if (name !== 'src') await symlink(join(root, name), join(program, name))
  await cp(join(root, 'src'), join(program, 'src'), { recursive: true })
  for (const [index, sql] of nextMigrations.entries()) {
    const number = String(version + 1 + index).padStart(3, '0')
    await writeFile(join(program, `src/platform/server/db/migrations/${number}-made-up.sql`), `${sql}\n`)
  }
  return program
}

async function makeLibrary(directory: string, passwordHash: string) {
  await mkdir(directory)
  const database = openSqlite(join(directory, 'albumen.db'))
  await migrate(database.migrations)
  await database.db
    .insertInto('users')
    .values({
      username: 'ann',
      username_key: 'ann',
      email: 'ann@example.com',
      email_key: 'ann@example.com',
      password_hash: passwordHash,
      is_admin: 1,
      created_at: 1,
    })
    .execute()
  await database.close()
}

async function schemaOfNew(directory: string, program: string) {
  await mkdir(directory)
  const server = await startServer(settingsOf(directory), { program })
  await server.kill()
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
