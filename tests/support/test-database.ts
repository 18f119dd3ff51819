import { join } from 'node:path'
import type { TestContext } from 'node:test'
import type { Database } from '#platform/server/db/database.ts'
import { openPostgres } from '#platform/server/db/postgres.ts'
import { openSqlite } from '#platform/server/db/sqlite.ts'
import { createTestDatabase } from './postgres.ts'
import { layDatabase } from './sqlite-template.ts'
import { temporaryFolder } from './temporary-folder.ts'

export type TestDatabase = Database & {
  /** Settings under which another process finds the same database. */
  settings: Record<string, string>
  /** The database as another process sees it: a connection of its own on PostgreSQL, the one writer on SQLite. */
  another(): Promise<Database>
}

/** An empty database with its tables, without the rest of the product. */
export async function testDatabase(context: TestContext): Promise<TestDatabase> {
  const created = await createTestDatabase()
  const folder = await temporaryFolder(context)
  if (!created) await layDatabase(folder)
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
