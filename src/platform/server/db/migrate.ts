import { readdirSync, readFileSync } from 'node:fs'

/** What a dialect offers to the migrations: a lock, a number that says how far it is, and plain SQL. */
export type MigrationTarget = {
  dialect: 'sqlite' | 'postgres'
  types: Record<'ID' | 'TIME' | 'LONG' | 'DOUBLE' | 'BYTES', string>
  /** Runs `change` alone: no second process migrates meanwhile. */
  underLock(change: (database: { version: number; exec(sql: string): Promise<void> }) => Promise<void>): Promise<void>
}

type Migration = { version: number; name: string; sql: string }

const folder = new URL('./migrations/', import.meta.url)

/** `NNN-name.sql` serves both dialects; `NNN-name.sqlite.sql` and `NNN-name.postgres.sql` serve one. */
export function listMigrations(target: Pick<MigrationTarget, 'dialect' | 'types'>): Migration[] {
  return readdirSync(folder)
    .filter((file) => file.endsWith('.sql'))
    .filter((file) => !/\.(sqlite|postgres)\.sql$/.test(file) || file.endsWith(`.${target.dialect}.sql`))
    .sort()
    .map((file) => ({ version: Number(file.slice(0, 3)), name: file, sql: translate(file, target.types) }))
}

function translate(file: string, types: MigrationTarget['types']) {
  // Comments go first: one of them may contain a semicolon or the name of a type.
  const text = readFileSync(new URL(file, folder), 'utf8').replace(/^\s*--.*$/gm, '')
  return text.replace(/\b(ID|TIME|LONG|DOUBLE|BYTES)\b/g, (word) => types[word as keyof typeof types])
}

export class NewerDatabaseError extends Error {
  override name = 'NewerDatabaseError'
}

export async function migrate(target: MigrationTarget, migrations = listMigrations(target)) {
  const newest = migrations.at(-1)?.version ?? 0
  await target.underLock(async ({ version, exec }) => {
    if (version > newest) {
      throw new NewerDatabaseError(
        `The database is at version ${version}, but this version of Albumen supports only ${newest}. Start the newer version that wrote it, or restore an older backup into an empty library (see docs/moving.md)`,
      )
    }
    for (const migration of migrations.filter((candidate) => candidate.version > version)) {
      await exec(migration.sql)
      await exec(`UPDATE schema_version SET version = ${migration.version}`)
    }
  })
}
