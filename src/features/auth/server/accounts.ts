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

/** Per IP address: one limit for all names, and ten attempts per name. */
const addressLimits = (username: string, address: string): Limit[] => [
  { name: `login:address:${address}`, max: 100, windowMs: quarterHourMs },
  { name: `login:from:${address} ${nameKey(username)}`, max: 10, windowMs: quarterHourMs },
]
/** A limit per name protects it against guesses from many addresses. */
const usernameLimit = (username: string): Limit => ({
  name: `login:user:${nameKey(username)}`,
  max: 100,
  windowMs: quarterHourMs,
})
/** With a session, the current password could be guessed from many addresses. */
const limitOfSessions = (userId: number): Limit => ({ name: `password:${userId}`, max: 10, windowMs: quarterHourMs })

/** A registration reveals whether a name is taken, so queries for one name are limited across addresses. */
const registrationLimits = (username: string, address: string): Limit[] => [
  { name: `register:${address}`, max: 100, windowMs: 60 * 60_000 },
  { name: `register:user:${nameKey(username)}`, max: 10, windowMs: quarterHourMs },
]

/** Verifying a password is expensive, so concurrent sign-ins are queued. */
const limitConcurrentChecks = limitConcurrency(4)

export const wrongCredentials = () => new AppError('wrong-credentials', 401, 'The username or password is incorrect.')

type Account = Row<'users'>

/** A wrong name and a wrong password have the same response, in content and in time. */
export async function logIn(db: Kysely<Tables>, credentials: Credentials, address: string): Promise<Account> {
  const from = { username: credentials.username, address }
  const elsewhere = (await hasSignedInFrom(db, from)) ? [] : [usernameLimit(credentials.username)]
  const account = await findByPassword(db, credentials, address, elsewhere)
  if (!account) throw wrongCredentials()
  await rememberSignIn(db, from)
  return account
}

/**
 * Ends all sessions of the account, this one after a moment, because one of them may be stolen. A wrong current
 * password counts as a failed sign-in; it is not a 401, which would make the page show the sign-in form.
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
  const account = await findByPassword(db, credentials, address, [ofSessions])
  if (account?.id !== user.id) throw wrongPassword
  await resetRateLimit(db, ofSessions.name)
  const passwordHash = await hashPassword(newPassword)
  await db.transaction().execute(async (transaction) => {
    // The password was changed meanwhile, by a reset or another session.
    if (!(await replacePasswordHash(transaction, account, passwordHash))) throw wrongPassword
    await replaceSessionsOf(transaction, account.id, sessionHash)
  })
  return { ...account, password_hash: passwordHash }
}

/** The account with this name and password; failures count towards the limits. */
function findByPassword(db: Kysely<Tables>, { username, password }: Credentials, address: string, elsewhere: Limit[]) {
  const [ofAddress, ofNameHere] = addressLimits(username, address) as [Limit, Limit]
  const limits = [ofNameHere, ...elsewhere, ofAddress]
  return limitConcurrentChecks(async (): Promise<Account | null> => {
    // A refused attempt is not counted, so a locked name does not lock its visitors' address.
    await checkRateLimits(db, limits)
    await consumeRateLimits(db, limits)
    const account = await findUserByName(db, username)
    if (!(await verifyPassword(password, account?.password_hash)) || !account) return null
    await resetRateLimit(db, ofNameHere.name)
    for (const limit of [...elsewhere, ofAddress]) await refundRateLimit(db, limit)
    return account
  })
}

/** For callers that have checked permission. Sessions with the old password end. */
export async function setPassword(transaction: Db, userId: number, passwordHash: string) {
  await updatePasswordHash(transaction, userId, passwordHash)
  await endSessionsOf(transaction, userId)
}

/** The first visitor may always register and becomes the administrator; `insertVisitor` enforces both. */
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
  const row = await namingTakenField(db, draft, () =>
    db.transaction().execute((transaction) => insertVisitor(transaction, { ...draft, passwordHash }, isOpen)),
  )
  if (!row) throw forbidden('Registration is closed. Please ask an administrator for an account.')
  return row
}

export async function namingTakenField<T>(db: Kysely<Tables>, { username }: Registration, insert: () => Promise<T>) {
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

type SignInOrigin = { username: string; address: string }

/** Hashed, so that the database does not reveal a user's addresses. */
const signInKey = ({ username, address }: SignInOrigin) =>
  `login:known:${hash('sha256', `${address} ${nameKey(username)}`)}`

/** [Note: Guesses do not lock users out] After a sign-in from this address, failures elsewhere do not count here. */
const hasSignedInFrom = (db: Db, origin: SignInOrigin) => isSuccessRemembered(db, signInKey(origin))

const rememberSignIn = (db: Db, origin: SignInOrigin) => rememberSuccess(db, signInKey(origin), rememberedMs)
