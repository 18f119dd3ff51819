import { hash, randomBytes } from 'node:crypto'
import type { Kysely } from 'kysely'
import { unauthenticated } from '#platform/errors.ts'
import { dialectOf } from '#platform/server/db/dialect.ts'
import { prepareQuery } from '#platform/server/db/prepared.ts'
import type { Db, Row, Tables } from '#platform/server/db/tables.ts'
import type { User } from '../contract.ts'
import { requireAdmin, toUser } from './store.ts'

export const sessionMs = 30 * 24 * 3600_000
/** The maximum lifetime of an active session, which limits the use of a stolen one. */
const longestSessionMs = 365 * 24 * 3600_000
/** A session is extended at most this often, so that reading a page does not write. */
const extendAfterMs = 24 * 3600_000
/** Grace period of a replaced token, until the response with the new one has arrived. */
const gracePeriodMs = 10_000

/** Only the hash is stored, so a reader of the database cannot sign in with it. */
export const hashOf = (token: string) => hash('sha256', token)

/**
 * Opens a session for the account whose password was compared. Comparing takes a while, so the result is null if the
 * password was changed or the account deleted meanwhile.
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
    .select(['users.id', 'username', 'email', 'is_admin', 'preferences', 'users.created_at', 'expires_at'])
    .select('sessions.created_at as begun_at')
    .where('token_hash', '=', tokenHash)
    .where('expires_at', '>', now),
)

/** The session's owner, as a subquery. Sessions are deleted with their account. */
export const sessionOwner = (db: Kysely<Tables>, tokenHash: string, now: number) =>
  db.selectFrom('sessions').select('user_id').where('token_hash', '=', tokenHash).where('expires_at', '>', now)

/** The administrator who asks, and their session. */
export type Asking = { adminId: number; sessionHash: string }

/**
 * Checks again what the guard has checked, because a library may be replaced hours later, when its file has arrived.
 */
export async function requireStillAdmin(db: Kysely<Tables>, { adminId, sessionHash }: Asking) {
  const session = await sessionOwner(db, sessionHash, Date.now()).executeTakeFirst()
  if (session?.user_id !== adminId) throw unauthenticated()
  await requireAdmin(db, adminId)
}

type Session = { user: User; extendUntil: number | null }

/**
 * The user of a token, with the current admin flag. An active session is extended by 30 days, up to a year in all,
 * except in the grace period of a replaced token.
 */
export async function loadSession(db: Kysely<Tables>, token: string): Promise<Session | null> {
  const now = Date.now()
  const row = await findSession(db, hashOf(token), now)
  if (!row) return null
  const until = Math.min(now + sessionMs, row.begun_at + longestSessionMs)
  const isDue = until - row.expires_at > extendAfterMs && row.expires_at - now > gracePeriodMs
  return { user: toUser(row), extendUntil: isDue ? until : null }
}

export async function extendSession(db: Db, token: string, until: number) {
  await db
    .updateTable('sessions')
    .set({ expires_at: until })
    .where('token_hash', '=', hashOf(token))
    .where('expires_at', '>', Date.now() + gracePeriodMs)
    .execute()
}

export async function endSession(db: Db, token: string) {
  await db.deleteFrom('sessions').where('token_hash', '=', hashOf(token)).execute()
}

export async function endSessionsOf(db: Db, userId: number) {
  await db.deleteFrom('sessions').where('user_id', '=', userId).execute()
}

/** The asking session lives on for a moment, so that its page's running requests are not refused. */
export async function replaceSessionsOf(db: Db, userId: number, askingHash: string) {
  await db.deleteFrom('sessions').where('user_id', '=', userId).where('token_hash', '!=', askingHash).execute()
  await db
    .updateTable('sessions')
    .set({ expires_at: Date.now() + gracePeriodMs })
    .where('token_hash', '=', askingHash)
    .execute()
}

export async function removeExpiredSessions(db: Db) {
  await db.deleteFrom('sessions').where('expires_at', '<=', Date.now()).execute()
}
