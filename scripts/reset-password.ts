import { randomInt } from 'node:crypto'
import { existsSync } from 'node:fs'
import { setPassword } from '#features/auth/server/accounts.ts'
import { hashPassword } from '#features/auth/server/passwords.ts'
import { findUserByName, listAdministrators } from '#features/auth/server/store.ts'
import { loadConfig } from '#platform/server/config.ts'
import { openDatabase, sqliteFile } from '#platform/server/db/open-database.ts'
import type { Db } from '#platform/server/db/tables.ts'
import { readEnvFile } from '#platform/server/env-file.ts'

/** `npm run reset-password -- <username>`: the way back in for whoever has no administrator to ask. The library may run meanwhile. */
// A name may have a space in it, and whoever types it without quotation marks means no other person.
const username = process.argv.slice(2).join(' ')
try {
  if (!username) throw new Error('Please say whose: npm run reset-password -- <username>')
  readEnvFile()
  const config = loadConfig()
  if (!config.databaseUrl && !existsSync(sqliteFile(config))) {
    throw new Error(`There is no library in ${config.dataDir}. Is DATA_DIR set as it is when the library runs?`)
  }
  const { db, close } = await openDatabase(config)
  try {
    const account = await findUserByName(db, username)
    if (!account) throw new Error(`Nobody is called ${username}. ${await administratorsInWords(db)}`)
    const password = newPassword()
    const passwordHash = await hashPassword(password)
    await db.transaction().execute((transaction) => setPassword(transaction, account.id, passwordHash))
    console.log(`${account.username} is signed out everywhere and signs in with this password now: ${password}`)
  } finally {
    await close()
  }
} catch (error) {
  console.error(`No password was changed. ${(error as Error).message}`)
  process.exitCode = 1
}

async function administratorsInWords(db: Db) {
  return `Administrators: ${(await listAdministrators(db)).join(', ') || 'none yet'}.`
}

/** Four groups of letters and digits that nobody takes for each other. */
function newPassword() {
  const signs = 'abcdefghjkmnpqrstuvwxyz23456789'
  const group = () => Array.from({ length: 4 }, () => signs[randomInt(signs.length)]).join('')
  return Array.from({ length: 4 }, group).join('-')
}
