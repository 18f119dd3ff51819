import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { migrate } from '#platform/server/db/migrate.ts'
import { openSqlite } from '#platform/server/db/sqlite.ts'

const name = 'albumen.db'
let template: Promise<Buffer> | undefined

/** Migrated once per process; a copy of it costs a fraction of the migrations. */
export async function layDatabase(folder: string) {
  template ??= makeTemplate()
  await writeFile(join(folder, name), await template)
}

async function makeTemplate() {
  const folder = await mkdtemp(join(tmpdir(), 'albumen-template-'))
  try {
    const database = openSqlite(join(folder, name))
    await migrate(database.migrations).finally(database.close)
    return await readFile(join(folder, name))
  } finally {
    await rm(folder, { recursive: true })
  }
}
