import { sql } from 'kysely'
import type { Db } from '#platform/server/db/tables.ts'
import { isOnPostgres } from '#tests/support/postgres.ts'

/**
 * What somebody else does to the account while its password is compared: the database does it with the very statement
 * that forgets the attempts, between the comparison and whatever it allows.
 */
export async function whileCompared(db: Db, { id, username }: { id: number; username: string }, change: string) {
  const isTheirs = `old.name = 'login:from:127.0.0.1 ${username}'`
  const rule = isOnPostgres
    ? `CREATE RULE meanwhile_${id} AS ON DELETE TO attempts WHERE ${isTheirs} DO ALSO ${change}`
    : `CREATE TRIGGER meanwhile_${id} AFTER DELETE ON attempts WHEN ${isTheirs} BEGIN ${change}; END`
  await sql.raw(rule).execute(db)
}
