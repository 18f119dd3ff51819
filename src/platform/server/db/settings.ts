import { dialectOf } from './dialect.ts'
import type { Db } from './tables.ts'

/** What the product remembers of itself, a word under a name; whoever has the rule has the name. */
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

/** Whoever comes first gives it; all are told what it is. */
export async function claimSetting(db: Db, name: string, value: string): Promise<string> {
  await saveIfMissing(db, name, value)
  return (await loadSetting(db, name))!
}

/** Read and written as one: held from here to the end of the transaction. Gives what it was before. */
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
