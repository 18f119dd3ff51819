import type { Kysely, Transaction } from 'kysely'
import { forbidden, invalid, unauthenticated } from '#platform/errors.ts'
import { dialectOf } from '#platform/server/db/dialect.ts'
import { saveSetting } from '#platform/server/db/settings.ts'
import type { Db, Row, Tables } from '#platform/server/db/tables.ts'
import { canonicalLanguage } from '#shared/languages.ts'
import { maxPreferences, type Preferences, type User } from '../contract.ts'

/** Names that differ only in case or Unicode composition are the same. */
export const nameKey = (name: string) => name.normalize('NFKC').toLowerCase()

export function toUser(
  row: Pick<Row<'users'>, 'id' | 'username' | 'email' | 'is_admin' | 'preferences' | 'created_at'>,
): User {
  return {
    id: row.id,
    username: row.username,
    email: row.email,
    isAdmin: row.is_admin === 1,
    preferences: JSON.parse(row.preferences),
    createdAt: new Date(row.created_at).toISOString(),
  }
}

export async function findUserByName(db: Db, username: string) {
  return db.selectFrom('users').selectAll().where('username_key', '=', nameKey(username)).executeTakeFirst()
}

/** Locks the account until the transaction ends, so that its counters stay consistent. */
export async function holdUser(db: Db, id: number) {
  await dialectOf(db)
    .lockRows(db.selectFrom('users').select('id').where('id', '=', id))
    .execute()
}

export async function changePreferences(db: Kysely<Tables>, id: number, changes: Preferences): Promise<Preferences> {
  return db.transaction().execute(async (transaction) => {
    await holdUser(transaction, id)
    const user = transaction.selectFrom('users').select('preferences').where('id', '=', id)
    const row = await user.executeTakeFirst()
    // The account was deleted since its session was read.
    if (!row) throw unauthenticated()
    const preferences = { ...JSON.parse(row.preferences), ...changes }
    if (Object.keys(preferences).length > maxPreferences)
      throw invalid(`At most ${maxPreferences} preferences can be stored.`)
    await transaction
      .updateTable('users')
      .set({ preferences: JSON.stringify(preferences) })
      .where('id', '=', id)
      .execute()
    return preferences
  })
}

/** The language that the user chose for what the AI writes; undefined if it is the server's. */
export async function findAiLanguage(db: Db, id: number): Promise<string | undefined> {
  const row = await db.selectFrom('users').select('preferences').where('id', '=', id).executeTakeFirst()
  const { aiLanguage } = JSON.parse(row?.preferences ?? '{}') as Preferences
  return typeof aiLanguage === 'string' ? canonicalLanguage(aiLanguage) : undefined
}

type NewAccount = { username: string; email: string; passwordHash: string }

/** Returns null when registration is closed; an empty library always accepts its first account. */
export async function insertVisitor(db: Transaction<Tables>, account: NewAccount, isOpen: boolean) {
  const isFirst = await claimFirstAccount(db)
  return isFirst || isOpen ? insertUser(db, account, isFirst) : null
}

export async function insertUser(db: Db, { username, email, passwordHash }: NewAccount, isAdmin = false) {
  return db
    .insertInto('users')
    .values({
      username,
      username_key: nameKey(username),
      email,
      email_key: nameKey(email),
      password_hash: passwordHash,
      is_admin: isAdmin ? 1 : 0,
      created_at: Date.now(),
    })
    .returningAll()
    .executeTakeFirstOrThrow()
}

/** Of two concurrent first registrations, one waits for this row and is then not the first. */
async function claimFirstAccount(db: Transaction<Tables>) {
  if (await hasAccounts(db)) return false
  await saveSetting(db, 'first-account', 'taken')
  return !(await hasAccounts(db))
}

export async function hasAccounts(db: Db) {
  return Boolean(await db.selectFrom('users').select('id').limit(1).executeTakeFirst())
}

export async function listAdministrators(db: Db) {
  const rows = await db.selectFrom('users').select('username').where('is_admin', '=', 1).orderBy('id').execute()
  return rows.map(({ username }) => username)
}

export async function isNameTaken(db: Db, username: string) {
  return Boolean(
    await db.selectFrom('users').select('id').where('username_key', '=', nameKey(username)).executeTakeFirst(),
  )
}

export async function updatePasswordHash(db: Db, userId: number, passwordHash: string) {
  await db.updateTable('users').set({ password_hash: passwordHash }).where('id', '=', userId).execute()
}

/** Returns false when the password was changed or the account deleted meanwhile. */
export async function replacePasswordHash(db: Db, account: Pick<Row<'users'>, 'id' | 'password_hash'>, next: string) {
  const changed = await db
    .updateTable('users')
    .set({ password_hash: next })
    .where('id', '=', account.id)
    .where('password_hash', '=', account.password_hash)
    .returning('id')
    .executeTakeFirst()
  return changed !== undefined
}

/** Checks the role again within a transaction. */
export async function requireAdmin(db: Db, userId: number) {
  const account = await db.selectFrom('users').select('is_admin').where('id', '=', userId).executeTakeFirst()
  if (account?.is_admin !== 1) throw forbidden()
}

export async function loadStorage(db: Db, userId: number) {
  const account = await db
    .selectFrom('users')
    .select(['storage_used', 'media_count', 'trashed_count'])
    .where('id', '=', userId)
    .executeTakeFirst()
  // The account may be deleted after its session was read.
  if (!account) throw unauthenticated()
  return account
}
