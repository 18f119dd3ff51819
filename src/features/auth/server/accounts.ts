import { hash } from 'node:crypto'
import type { Kysely } from 'kysely'
import { AppError, conflict, forbidden, invalid } from '#platform/errors.ts'
import { dialectOf } from '#platform/server/db/dialect.ts'
import type { Db, Row, Tables } from '#platform/server/db/tables.ts'
import {
  checkRateLimits,
  consumeRateLimits,
  isSuccessRemembered,
  type Limit,
  refundRateLimit,
  rememberSuccess,
  resetRateLimit,
} from '#platform/server/rate-limits.ts'
import { limitConcurrency } from '#shared/concurrency.ts'
import type { Credentials, PasswordChange, Registration, User } from '../contract.ts'
import { hashPassword, verifyPassword } from './passwords.ts'
import { endSessionsOf, replaceSessionsOf } from './sessions.ts'
import {
  findUserByName,
  hasAccounts,
  insertVisitor,
  isNameTaken,
  nameKey,
  replacePasswordHash,
  updatePasswordHash,
} from './store.ts'

const quarterHourMs = 15 * 60_000

/** For all names, and ten tries for this one. */
const limitsHere = (username: string, address: string): Limit[] => [
  { name: `login:address:${address}`, max: 100, windowMs: quarterHourMs },
  { name: `login:from:${address} ${nameKey(username)}`, max: 10, windowMs: quarterHourMs },
]
/** A name as a whole holds out against many addresses. */
const limitEverywhere = (username: string): Limit => ({
  name: `login:user:${nameKey(username)}`,
  max: 100,
  windowMs: quarterHourMs,
})
/** With a session the current password may be guessed from any address, too. */
const limitOfSessions = (userId: number): Limit => ({ name: `password:${userId}`, max: 10, windowMs: quarterHourMs })

/** A registration tells whether a name is taken: nobody asks about one again and again from ever new addresses. */
const registrationLimits = (username: string, address: string): Limit[] => [
  { name: `register:${address}`, max: 100, windowMs: 60 * 60_000 },
  { name: `register:user:${nameKey(username)}`, max: 10, windowMs: quarterHourMs },
]

/** A password takes a good part of a core to compare: of a thousand at the same moment, the others wait for their turn. */
const amongFew = limitConcurrency(4)

export const wrongCredentials = () => new AppError('wrong-credentials', 401, 'The username or password is incorrect.')

type Account = Row<'users'>

/** The answer to a wrong name and to a wrong password is the same, in text and in time. */
export async function logIn(db: Kysely<Tables>, credentials: Credentials, address: string): Promise<Account> {
  const from = { username: credentials.username, address }
  const elsewhere = (await hasSignedInFrom(db, from)) ? [] : [limitEverywhere(credentials.username)]
  const account = await findProven(db, credentials, address, elsewhere)
  if (!account) throw wrongCredentials()
  await rememberSignIn(db, from)
  return account
}

/**
 * Ends every session of the account, this one in a moment: whoever changes a password may have been robbed of one. A wrong
 * current password is a guess like one at the login, and no 401, which would tell the page that nobody is signed in.
 */
export async function changePassword(
  db: Kysely<Tables>,
  {
    user,
    address,
    sessionHash,
    currentPassword,
    newPassword,
  }: PasswordChange & { user: User; address: string; sessionHash: string },
): Promise<Account> {
  const wrongPassword = invalid('The current password is incorrect.', { field: 'currentPassword' })
  const credentials = { username: user.username, password: currentPassword }
  const ofSessions = limitOfSessions(user.id)
  const account = await findProven(db, credentials, address, [ofSessions])
  if (account?.id !== user.id) throw wrongPassword
  await resetRateLimit(db, ofSessions.name)
  const passwordHash = await hashPassword(newPassword)
  await db.transaction().execute(async (transaction) => {
    // It was reset, or changed by somebody else, while this one was compared.
    if (!(await replacePasswordHash(transaction, account, passwordHash))) throw wrongPassword
    await replaceSessionsOf(transaction, account.id, sessionHash)
  })
  return { ...account, password_hash: passwordHash }
}

/** The account whose name and password these are; what is wrong counts towards the limits. */
function findProven(db: Kysely<Tables>, { username, password }: Credentials, address: string, elsewhere: Limit[]) {
  const [ofAddress, ofNameHere] = limitsHere(username, address) as [Limit, Limit]
  const limits = [ofNameHere, ...elsewhere, ofAddress]
  return amongFew(async (): Promise<Account | null> => {
    // Who is refused here is not counted: a closed name does not close its visitors' address.
    await checkRateLimits(db, limits)
    await consumeRateLimits(db, limits)
    const account = await findUserByName(db, username)
    if (!(await verifyPassword(password, account?.password_hash)) || !account) return null
    await resetRateLimit(db, ofNameHere.name)
    for (const limit of [...elsewhere, ofAddress]) await refundRateLimit(db, limit)
    return account
  })
}

/** By somebody who may: whoever is signed in with the old one is no more. */
export async function setPassword(transaction: Db, userId: number, passwordHash: string) {
  await updatePasswordHash(transaction, userId, passwordHash)
  await endSessionsOf(transaction, userId)
}

/** Whoever comes first may register in any case, and becomes the administrator; `insertVisitor` holds to it. */
export async function describeRegistration(db: Kysely<Tables>, isOpen: boolean) {
  const isFirst = !(await hasAccounts(db))
  return { isFirst, isOpen: isFirst || isOpen }
}

export async function register(
  db: Kysely<Tables>,
  draft: Registration,
  { address, isOpen }: { address: string; isOpen: boolean },
): Promise<Account> {
  const limits = registrationLimits(draft.username, address)
  await consumeRateLimits(db, limits)
  const passwordHash = await hashPassword(draft.password)
  const row = await tellingWhatIsTaken(db, draft, () =>
    db.transaction().execute((transaction) => insertVisitor(transaction, { ...draft, passwordHash }, isOpen)),
  )
  if (!row) throw forbidden('Registration is closed. Please ask an administrator for an account.')
  return row
}

export async function tellingWhatIsTaken<T>(db: Kysely<Tables>, { username }: Registration, insert: () => Promise<T>) {
  try {
    return await insert()
  } catch (error) {
    if (!dialectOf(db).isUniqueViolation(error)) throw error
    throw (await isNameTaken(db, username))
      ? conflict('This username is already taken.', { field: 'username' })
      : conflict('An account with this email address already exists.', { field: 'email' })
  }
}

const rememberedMs = 30 * 24 * 3600_000

type Place = { username: string; address: string }

/** Nobody reads out of the database from where a person came. */
const markOf = ({ username, address }: Place) => `login:known:${hash('sha256', `${address} ${nameKey(username)}`)}`

/** [Note: Nobody is kept out by another's guesses] From here the name's owner came before, so what others try elsewhere does not count. */
const hasSignedInFrom = (db: Db, place: Place) => isSuccessRemembered(db, markOf(place))

const rememberSignIn = (db: Db, place: Place) => rememberSuccess(db, markOf(place), rememberedMs)
