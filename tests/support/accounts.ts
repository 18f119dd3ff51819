import { hash } from '@node-rs/argon2'
import type { Kysely } from 'kysely'
import { openSession } from '#features/auth/server/sessions.ts'
import { insertVisitor } from '#features/auth/server/store.ts'
import type { Tables } from '#platform/server/db/tables.ts'

let passwordHash: Promise<string> | undefined

/**
 * Somebody signed in, with the password `correct horse`. Not by way of `/api/register`: a password that is slow to guess
 * is slow to set as well, and was a sixth of the time that all tests took.
 */
export async function addAccount(db: Kysely<Tables>, username: string) {
  passwordHash ??= hash('correct horse', { memoryCost: 8, timeCost: 1 })
  const account = { username, email: `${username}@example.com`, passwordHash: await passwordHash }
  const row = await db.transaction().execute((transaction) => insertVisitor(transaction, account, true))
  return { id: row!.id, sessionToken: (await openSession(db, row!))! }
}
