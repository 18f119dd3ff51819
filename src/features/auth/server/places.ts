import { hash } from 'node:crypto'
import type { Db } from '#platform/server/db/tables.ts'
import { nameKey } from './store.ts'

const rememberedMs = 30 * 24 * 3600_000

type Place = { username: string; address: string }

/** Nobody reads out of the database from where a person came. */
const markOf = ({ username, address }: Place) => `login:known:${hash('sha256', `${address} ${nameKey(username)}`)}`

/** [Note: Nobody is kept out by another's guesses] From here the name's owner came before, so what others try elsewhere does not count. */
export async function hasSignedInFrom(db: Db, place: Place) {
  const row = await db
    .selectFrom('attempts')
    .select('name')
    .where('name', '=', markOf(place))
    .where('resets_at', '>', Date.now())
    .executeTakeFirst()
  return row !== undefined
}

export async function rememberSignIn(db: Db, place: Place) {
  const resets_at = Date.now() + rememberedMs
  await db
    .insertInto('attempts')
    .values({ name: markOf(place), count: 0, resets_at })
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ resets_at }))
    .execute()
}
