import { cp, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import pg from 'pg'

type Row = { filename: string; blob: string }
const query = 'SELECT filename, blob FROM media'

/** What a dead process left in its database, before the next start mends anything: each item as "name hash". */
export async function rowsAtRest({ DATABASE_URL, DATA_DIR }: Record<string, string>) {
  const rows = DATABASE_URL ? await askPostgres(DATABASE_URL) : await askCopy<Row>(DATA_DIR!, query)
  return rows.map(({ filename, blob }) => `${filename} ${blob}`).sort()
}

async function askPostgres(url: string) {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query<Row>(query)).rows
  } finally {
    await client.end()
  }
}

/** The files of SQLite are looked at in a copy, since opening them already tidies up after the dead. */
export async function askCopy<T>(directory: string, question: string) {
  const copy = await mkdtemp(join(tmpdir(), 'albumen-faults-copy-'))
  try {
    const files = (await readdir(directory)).filter((name) => name.startsWith('albumen.db'))
    for (const name of files) await cp(join(directory, name), join(copy, name))
    using database = new DatabaseSync(join(copy, 'albumen.db'))
    return database.prepare(question).all() as T[]
  } finally {
    await rm(copy, { recursive: true })
  }
}
