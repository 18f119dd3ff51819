import type { Db, Row } from '#platform/server/db/tables.ts'

type ActingAdmin = { user: Row<'users'>; sessions: Row<'sessions'>[] }

/** Who asks for everything to be replaced must still be signed in afterwards, to see what came of it. */
export async function rememberAdmin(db: Db, userId: number): Promise<ActingAdmin | null> {
  const user = await db.selectFrom('users').selectAll().where('id', '=', userId).executeTakeFirst()
  if (!user) return null
  const sessions = await db.selectFrom('sessions').selectAll().where('user_id', '=', userId).execute()
  return { user, sessions }
}

/**
 * The account of that name, else of that address, else the one there was; its sessions go on, all others have ended. One that
 * was no administrator's gets the password of who asks: the name or address may have been another person's.
 */
export async function reinstateAdmin(db: Db, { user, sessions }: ActingAdmin) {
  const known = await findAccount(db, user)
  const id = known?.id ?? (await insertAccount(db, user))
  const { password_hash } = known?.is_admin === 1 ? known : user
  await db.updateTable('users').set({ is_admin: 1, password_hash }).where('id', '=', id).execute()
  if (sessions.length > 0) {
    await db
      .insertInto('sessions')
      .values(sessions.map((session) => ({ ...session, user_id: id })))
      .execute()
  }
  return id
}

async function findAccount(db: Db, { username_key, email_key }: Row<'users'>) {
  const accounts = await db
    .selectFrom('users')
    .select(['id', 'username_key', 'is_admin', 'password_hash'])
    .where((where) => where.or([where('username_key', '=', username_key), where('email_key', '=', email_key)]))
    .execute()
  return accounts.find((account) => account.username_key === username_key) ?? accounts[0]
}

async function insertAccount(db: Db, user: Row<'users'>) {
  const { id, username, username_key, email, email_key, password_hash, created_at } = user
  const isTaken = await db.selectFrom('users').select('id').where('id', '=', id).executeTakeFirst()
  const inserted = await db
    .insertInto('users')
    .values({ ...(!isTaken && { id }), username, username_key, email, email_key, password_hash, created_at })
    .returning('id')
    .executeTakeFirstOrThrow()
  return inserted.id
}
