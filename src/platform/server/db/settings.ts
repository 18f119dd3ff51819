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
