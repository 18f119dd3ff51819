import { hash, randomBytes } from 'node:crypto'
import type { Kysely } from 'kysely'
import { unauthenticated } from '#platform/errors.ts'
import { dialectOf } from '#platform/server/db/dialect.ts'
import { prepareQuery } from '#platform/server/db/prepared.ts'
import type { Db, Row, Tables } from '#platform/server/db/tables.ts'
import type { User } from '../contract.ts'
import { requireAdmin, toUser } from './store.ts'

export const sessionMs = 30 * 24 * 3600_000
/** However often it is used: whoever got hold of it does not keep it for ever. */
const longestSessionMs = 365 * 24 * 3600_000
/** A session is extended at most this often, so that reading a page does not write. */
const extendAfterMs = 24 * 3600_000
/** How long the answer with a new token may be on its way. */
const lastMomentMs = 10_000

/** Only the hash is stored: who reads the database cannot sign in with what is there. */
export const hashOf = (token: string) => hash('sha256', token)

/**
 * For the account as it was when its password was compared, which takes a while: null if it has another one since, or is
 * gone. Whoever sets a new one ends the sessions, and this would come after.
 */
export async function openSession(
  db: Kysely<Tables>,
  { id, password_hash }: Pick<Row<'users'>, 'id' | 'password_hash'>,
) {
  const token = randomBytes(32).toString('base64url')
  const now = Date.now()
  return db.transaction().execute(async (transaction) => {
    const unchanged = transaction
      .selectFrom('users')
      .select('id')
      .where('id', '=', id)
      .where('password_hash', '=', password_hash)
    if (!(await dialectOf(transaction).lockRows(unchanged).executeTakeFirst())) return null
    await transaction
      .insertInto('sessions')
      .values({ token_hash: hashOf(token), user_id: id, created_at: now, expires_at: now + sessionMs })
      .execute()
    return token
  })
}

const findSession = prepareQuery((db, tokenHash: string, now: number) =>
  db
    .selectFrom('sessions')
    .innerJoin('users', 'users.id', 'sessions.user_id')
    .select(['users.id', 'username', 'email', 'is_admin', 'users.created_at', 'expires_at'])
    .select('sessions.created_at as begun_at')
    .where('token_hash', '=', tokenHash)
    .where('expires_at', '>', now),
)

/** Whose session it is, for a query that reads something else and this with it. Sessions go with their account. */
export const sessionOwner = (db: Kysely<Tables>, tokenHash: string, now: number) =>
  db.selectFrom('sessions').select('user_id').where('token_hash', '=', tokenHash).where('expires_at', '>', now)

/** Who asks, and with which session. */
export type Asking = { adminId: number; sessionHash: string }

/** Once more, for what comes long after the guard let somebody in: a library is replaced when a file of hours has arrived. */
export async function requireStillAdmin(db: Kysely<Tables>, { adminId, sessionHash }: Asking) {
  const session = await sessionOwner(db, sessionHash, Date.now()).executeTakeFirst()
  if (session?.user_id !== adminId) throw unauthenticated()
  await requireAdmin(db, adminId)
}

type Session = { user: User; extendUntil: number | null }

/**
 * Reads who a token belongs to; the admin flag comes from the account's row each time. A session that is used lasts
 * another 30 days, but for its last moment, in which another token takes its place, and no longer than a year in all.
 */
export async function loadSession(db: Kysely<Tables>, token: string): Promise<Session | null> {
  const now = Date.now()
  const row = await findSession(db, hashOf(token), now)
  if (!row) return null
  const until = Math.min(now + sessionMs, row.begun_at + longestSessionMs)
  const isDue = until - row.expires_at > extendAfterMs && row.expires_at - now > lastMomentMs
  return { user: toUser(row), extendUntil: isDue ? until : null }
}

export async function extendSession(db: Db, token: string, until: number) {
  await db
    .updateTable('sessions')
    .set({ expires_at: until })
    .where('token_hash', '=', hashOf(token))
    .where('expires_at', '>', Date.now() + lastMomentMs)
    .execute()
}

export async function endSession(db: Db, token: string) {
  await db.deleteFrom('sessions').where('token_hash', '=', hashOf(token)).execute()
}

export async function endSessionsOf(db: Db, userId: number) {
  await db.deleteFrom('sessions').where('user_id', '=', userId).execute()
}

/** The one that asks lives on for a moment: what its page asks before it has the new token is not refused. */
export async function replaceSessionsOf(db: Db, userId: number, askingHash: string) {
  await db.deleteFrom('sessions').where('user_id', '=', userId).where('token_hash', '!=', askingHash).execute()
  await db
    .updateTable('sessions')
    .set({ expires_at: Date.now() + lastMomentMs })
    .where('token_hash', '=', askingHash)
    .execute()
}

export async function removeExpiredSessions(db: Db) {
  await db.deleteFrom('sessions').where('expires_at', '<=', Date.now()).execute()
}
