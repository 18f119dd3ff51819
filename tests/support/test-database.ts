import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import type { Database } from '#platform/server/db/database.ts'
import { migrate } from '#platform/server/db/migrate.ts'
import { openPostgres } from '#platform/server/db/postgres.ts'
import { openSqlite } from '#platform/server/db/sqlite.ts'
import { createTestDatabase } from './postgres.ts'
import { temporaryFolder } from './temporary-folder.ts'

export type TestDatabase = Database & {
  /** Settings for another process to open the same database. */
  settings: Record<string, string>
  /** The database as another process sees it: a new connection on PostgreSQL, the same writer on SQLite. */
  another(): Promise<Database>
}

/** A database with empty tables, without the rest of the product. */
export async function testDatabase(context: TestContext): Promise<TestDatabase> {
  const created = await createTestDatabase()
  const folder = await temporaryFolder(context)
  if (!created) await copyTemplateDatabase(folder)
  const open = () => (created ? openPostgres(created.settings.DATABASE_URL) : openSqlite(join(folder, 'albumen.db')))
  const opened: Database[] = []
  context.after(async () => {
    for (const database of opened) await database.close()
    await created?.drop()
  })
  const first = await open()
  opened.push(first)
  return {
    ...first,
    settings: { DATA_DIR: folder, ...created?.settings },
    async another() {
      if (!created) return first
      const next = await open()
      opened.push(next)
      return next
    },
  }
}

const name = 'albumen.db'
let template: Promise<Buffer> | undefined

/** Copies a database that is migrated once per process; that costs a fraction of the migrations. */
export async function copyTemplateDatabase(folder: string) {
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
