import { isIP } from 'node:net'
import type { FastifyRequest } from 'fastify'
import type { Kysely } from 'kysely'
import { isPublicAddress } from '#engines/web/web-address.ts'
import { forbidden } from '#platform/errors.ts'
import type { Config } from '#platform/server/config.ts'
import type { Row, Tables } from '#platform/server/db/tables.ts'
import { type Call, handle } from '#platform/server/http/handle.ts'
import type { Scope } from '#platform/server/http/scope.ts'
import { authApi, type User } from '../contract.ts'
import { changePassword, describeRegistration, logIn, register, wrongCredentials } from './accounts.ts'
import { addressGroup } from './address-group.ts'
import { clearSessionCookie, sessionHashOf, sessionTokenOf, setSessionCookie } from './guards.ts'
import { endSession, openSession } from './sessions.ts'
import { changePreferences, hasAccounts, loadStorage, toUser } from './store.ts'

type Services = {
  db: Kysely<Tables>
  config: Pick<Config, 'isRegistrationOpen' | 'quotaBytes' | 'publicUrl' | 'trustProxy'>
}

export function openAuthRoutes(scope: Scope<null>, { db, config }: Services) {
  handle(scope, authApi.login, async ({ body }, call) => {
    const account = await logIn(db, body, addressGroup(call.request.ip))
    return startSession(db, account, call)
  })
  handle(scope, authApi.registration, () => describeRegistration(db, config.isRegistrationOpen))
  handle(scope, authApi.register, async ({ body }, call) => {
    const { isRegistrationOpen: isOpen } = config
    if (mayBeRebound(call.request, config) && !(await hasAccounts(db))) throw forbidden(firstAccountRefusal)
    const account = await register(db, body, { address: addressGroup(call.request.ip), isOpen })
    return startSession(db, account, call)
  })
  handle(scope, authApi.logout, async (_input, { request, reply }) => {
    const token = sessionTokenOf(request)
    if (token) await endSession(db, token)
    clearSessionCookie(request, reply)
    return { message: 'You have been signed out.' }
  })
}

export function authRoutes(scope: Scope<User>, { db, config }: Services) {
  handle(scope, authApi.currentUser, (_input, { user }) => user)
  handle(scope, authApi.changePassword, async ({ body }, { user, request, reply }) => {
    const asking = { user, address: addressGroup(request.ip), sessionHash: sessionHashOf(request) }
    const account = await changePassword(db, { ...body, ...asking })
    setSessionCookie(request, reply, await newToken(db, account))
    return toUser(account)
  })
  handle(scope, authApi.changePreferences, ({ body }, { user }) => changePreferences(db, user.id, body))
  handle(scope, authApi.storage, async (_input, { user }) => {
    const { storage_used, media_count } = await loadStorage(db, user.id)
    return { usedBytes: storage_used, totalFiles: media_count, quotaBytes: config.quotaBytes }
  })
}

/** A new sign-in never continues an old session, so a planted token gains nothing. */
async function startSession(
  db: Kysely<Tables>,
  account: Row<'users'>,
  { request, reply }: Pick<Call<unknown>, 'request' | 'reply'>,
) {
  const token = await newToken(db, account)
  const earlier = sessionTokenOf(request)
  if (earlier) await endSession(db, earlier)
  setSessionCookie(request, reply, token)
  return toUser(account)
}

async function newToken(db: Kysely<Tables>, account: Row<'users'>) {
  const token = await openSession(db, account)
  if (!token) throw wrongCredentials()
  return token
}

/** Names that cannot be registered on the internet and pointed at this machine. */
const localName =
  /^[^.]+$|\.(localhost|local|lan|home|internal|intranet|private|corp|home\.arpa|fritz\.box|test|example)$/

const firstAccountRefusal =
  'The first account, the administrator, cannot be created at this address. Open the library at localhost or the IP address of its machine, or set PUBLIC_URL to this address and restart the server.'

/**
 * [Note: The first account is made at home] With DNS rebinding a foreign page could register the first account. So a
 * local browser at an internet name is refused, unless a setting names the library's address. Over https the request
 * came through a proxy, since this server does not speak it, and a page cannot forge that.
 */
function mayBeRebound(
  { headers, hostname, ip }: FastifyRequest,
  { publicUrl, trustProxy }: Pick<Config, 'publicUrl' | 'trustProxy'>,
) {
  if (publicUrl || trustProxy.length > 0) return false
  const { origin } = headers
  if (origin?.startsWith('https://')) return false
  const isBrowser = origin !== undefined || headers['sec-fetch-site'] !== undefined
  return isBrowser && !isPublicAddress(ip) && isInternetName(hostname)
}

function isInternetName(hostname: string) {
  const name = hostname.toLowerCase().replace(/\.$/, '')
  return !isIP(name) && !name.startsWith('[') && !localName.test(name)
}
