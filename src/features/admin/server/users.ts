import type { Kysely } from 'kysely'
import type { Registration, User } from '#features/auth/contract.ts'
import { namingTakenField, setPassword } from '#features/auth/server/accounts.ts'
import { hashPassword } from '#features/auth/server/passwords.ts'
import { endSessionsOf } from '#features/auth/server/sessions.ts'
import { insertUser, requireAdmin } from '#features/auth/server/store.ts'
import { deleteMediaRows } from '#features/media/server/store.ts'
import { invalid, notFound } from '#platform/errors.ts'
import type { Db, Tables } from '#platform/server/db/tables.ts'
import { deleteAccount, findUser, listMediaIds, lockAdministration, updateAdmin } from './store.ts'

type Database = Kysely<Tables>

/** Items per transaction, so that other writers do not wait long. */
const chunk = 500

/** Works while registration is closed, and without its rate limits, because an administrator asks. */
export async function addUser(db: Database, admin: User, draft: Registration) {
  const passwordHash = await hashPassword(draft.password)
  return namingTakenField(db, draft, () =>
    asAdmin(db, admin, (transaction) => insertUser(transaction, { ...draft, passwordHash })),
  )
}

/** Administrators cannot change themselves, and the role is checked under lock, so at least one remains. */
export async function setAdmin(db: Database, admin: User, userId: number, shouldBeAdmin: boolean) {
  return changeOther(db, admin, userId, async (transaction, account) => {
    await updateAdmin(transaction, account.id, shouldBeAdmin ? 1 : 0)
    return account
  })
}

export async function resetPassword(db: Database, admin: User, userId: number, newPassword: string) {
  const passwordHash = await hashPassword(newPassword)
  return changeOther(db, admin, userId, async (transaction, account) => {
    await setPassword(transaction, account.id, passwordHash)
    return account
  })
}

/** Items are deleted in batches; after a crash in between, the account can be deleted again. */
export async function deleteUser(db: Database, admin: User, userId: number) {
  const account = await changeOther(db, admin, userId, async (transaction, found) => {
    await endSessionsOf(transaction, found.id)
    return found
  })
  for (;;) {
    const ids = await listMediaIds(db, account.id, chunk)
    if (ids.length > 0) await db.transaction().execute((transaction) => deleteMediaRows(transaction, ids))
    // Requests that were running when the sessions ended may still add items.
    else if (await changeOther(db, admin, userId, (transaction, { id }) => deleteAccount(transaction, id))) break
  }
  return account
}

async function changeOther<T>(
  db: Database,
  admin: User,
  userId: number,
  change: (transaction: Db, account: NonNullable<Awaited<ReturnType<typeof findUser>>>) => Promise<T>,
) {
  if (userId === admin.id) throw invalid('You cannot do this to your own account.')
  return asAdmin(db, admin, async (transaction) => {
    const account = await findUser(transaction, userId)
    if (!account) throw notFound('User')
    return change(transaction, account)
  })
}

function asAdmin<T>(db: Database, admin: User, work: (transaction: Db) => Promise<T>) {
  return db.transaction().execute(async (transaction) => {
    await lockAdministration(transaction)
    await requireAdmin(transaction, admin.id)
    return work(transaction)
  })
}
