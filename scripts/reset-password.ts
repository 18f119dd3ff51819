import { randomInt } from 'node:crypto'
import { existsSync } from 'node:fs'
import { setPassword } from '#features/auth/server/accounts.ts'
import { hashPassword } from '#features/auth/server/passwords.ts'
import { findUserByName, listAdministrators } from '#features/auth/server/store.ts'
import { loadConfig } from '#platform/server/config.ts'
import { openDatabase, sqliteFile } from '#platform/server/db/open-database.ts'
import type { Db } from '#platform/server/db/tables.ts'
import { readEnvFile } from '#platform/server/env-file.ts'

/** `npm run reset-password -- <username>`: for an administrator who is locked out. The server may keep running. */
// A name may contain a space, also when it is typed without quotation marks.
const username = process.argv.slice(2).join(' ')
try {
  if (!username) throw new Error('Usage: npm run reset-password -- <username>')
  readEnvFile()
  const config = loadConfig()
  if (!config.databaseUrl && !existsSync(sqliteFile(config))) {
    throw new Error(`There is no library in ${config.dataDir}. Check that DATA_DIR is set as for the server.`)
  }
  const { db, close } = await openDatabase(config)
  try {
    const account = await findUserByName(db, username)
    if (!account) throw new Error(`There is no user ${username}. ${await describeAdministrators(db)}`)
    const password = newPassword()
    const passwordHash = await hashPassword(password)
    await db.transaction().execute((transaction) => setPassword(transaction, account.id, passwordHash))
    console.log(`${account.username} was signed out everywhere. The new password is: ${password}`)
  } finally {
    await close()
  }
} catch (error) {
  console.error(`No password was changed. ${(error as Error).message}`)
  process.exitCode = 1
}

async function describeAdministrators(db: Db) {
  return `Administrators: ${(await listAdministrators(db)).join(', ') || 'none yet'}.`
}

/** Four groups of letters and digits, without those that look alike. */
function newPassword() {
  const characters = 'abcdefghjkmnpqrstuvwxyz23456789'
  const group = () => Array.from({ length: 4 }, () => characters[randomInt(characters.length)]).join('')
  return Array.from({ length: 4 }, group).join('-')
}
