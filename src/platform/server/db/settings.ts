import { dialectOf } from './dialect.ts'
import type { Db } from './tables.ts'

/** Settings that the server stores for itself, one text per name. The module that owns a rule also owns its name. */
export async function loadSetting(db: Db, name: string): Promise<string | undefined> {
  return (await db.selectFrom('settings').select('value').where('name', '=', name).executeTakeFirst())?.value
}

export async function saveSetting(db: Db, name: string, value: string) {
  await db
    .insertInto('settings')
    .values({ name, value })
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ value }))
    .execute()
}

/** Stores the value unless another process has done so already, and returns the stored one. */
export async function claimSetting(db: Db, name: string, value: string): Promise<string> {
  await saveIfMissing(db, name, value)
  return (await loadSetting(db, name))!
}

/** Reads and writes the value under a lock that lasts until the transaction ends. Returns the previous value. */
export async function changeSetting(
  transaction: Db,
  { name, initial }: { name: string; initial: string },
  change: (value: string) => string,
): Promise<string> {
  await saveIfMissing(transaction, name, initial)
  const row = transaction.selectFrom('settings').select('value').where('name', '=', name)
  const { value } = await dialectOf(transaction).lockRows(row).executeTakeFirstOrThrow()
  await saveSetting(transaction, name, change(value))
  return value
}

async function saveIfMissing(db: Db, name: string, value: string) {
  await db
    .insertInto('settings')
    .values({ name, value })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}
