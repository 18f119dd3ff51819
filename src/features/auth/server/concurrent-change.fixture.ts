import { sql } from 'kysely'
import type { Db } from '#platform/server/db/tables.ts'
import { isOnPostgres } from '#tests/support/postgres.ts'

/**
 * Changes the account while its password is compared: a database trigger on the statement that resets the attempts
 * makes the change after the comparison and before the next step.
 */
export async function changeDuringPasswordCheck(
  db: Db,
  { id, username }: { id: number; username: string },
  change: string,
) {
  const isTheirs = `old.name = 'login:from:127.0.0.1 ${username}'`
  const rule = isOnPostgres
    ? `CREATE RULE meanwhile_${id} AS ON DELETE TO attempts WHERE ${isTheirs} DO ALSO ${change}`
    : `CREATE TRIGGER meanwhile_${id} AFTER DELETE ON attempts WHEN ${isTheirs} BEGIN ${change}; END`
  await sql.raw(rule).execute(db)
}
