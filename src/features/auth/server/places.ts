import { hash } from 'node:crypto'
import type { Db } from '#platform/server/db/tables.ts'
import { isSuccessRemembered, rememberSuccess } from '#platform/server/rate-limits.ts'
import { nameKey } from './store.ts'

const rememberedMs = 30 * 24 * 3600_000

type Place = { username: string; address: string }

/** Nobody reads out of the database from where a person came. */
const markOf = ({ username, address }: Place) => `login:known:${hash('sha256', `${address} ${nameKey(username)}`)}`

/** [Note: Nobody is kept out by another's guesses] From here the name's owner came before, so what others try elsewhere does not count. */
export const hasSignedInFrom = (db: Db, place: Place) => isSuccessRemembered(db, markOf(place))

export const rememberSignIn = (db: Db, place: Place) => rememberSuccess(db, markOf(place), rememberedMs)
