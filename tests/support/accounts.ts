import { hash } from '@node-rs/argon2'
import type { Kysely } from 'kysely'
import { openSession } from '#features/auth/server/sessions.ts'
import { insertVisitor } from '#features/auth/server/store.ts'
import type { Tables } from '#platform/server/db/tables.ts'

let passwordHash: Promise<string> | undefined

/**
 * A signed-in user with the password `correct horse`. It bypasses `/api/register`, because hashing passwords at full
 * strength took a sixth of the time of all tests.
 */
export async function addAccount(db: Kysely<Tables>, username: string) {
  passwordHash ??= hash('correct horse', { memoryCost: 8, timeCost: 1 })
  const account = { username, email: `${username}@example.com`, passwordHash: await passwordHash }
  const row = await db.transaction().execute((transaction) => insertVisitor(transaction, account, true))
  return { id: row!.id, sessionToken: (await openSession(db, row!))! }
}
