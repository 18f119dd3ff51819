import type { Kysely } from 'kysely'
import type { Config } from '#platform/server/config.ts'
import type { Tables } from '#platform/server/db/tables.ts'
import { handle } from '#platform/server/http/handle.ts'
import type { Scope } from '#platform/server/http/scope.ts'
import { authApi, type User } from '../contract.ts'
import { logIn, register } from './accounts.ts'
import { addressGroup } from './address-group.ts'
import { clearSessionCookie, sessionTokenOf, setSessionCookie } from './session-cookie.ts'
import { endSession, openSession } from './sessions.ts'
import { loadStorage } from './store.ts'

type Services = { db: Kysely<Tables>; config: Pick<Config, 'isRegistrationOpen' | 'quotaBytes'> }

export function openAuthRoutes(scope: Scope<null>, { db, config }: Services) {
  handle(scope, authApi.login, async ({ body }, { request, reply }) => {
    const user = await logIn(db, body, addressGroup(request.ip))
    await startSession(user)
    return user

    async function startSession({ id }: User) {
      // A new sign-in never continues an old session: whoever planted that token gains nothing.
      const earlier = sessionTokenOf(request)
      if (earlier) await endSession(db, earlier)
      setSessionCookie(request, reply, await openSession(db, id))
    }
  })
  handle(scope, authApi.register, async ({ body }, { request, reply }) => {
    const user = await register(db, body, { address: addressGroup(request.ip), isOpen: config.isRegistrationOpen })
    setSessionCookie(request, reply, await openSession(db, user.id))
    return user
  })
  handle(scope, authApi.logout, async (_input, { request, reply }) => {
    const token = sessionTokenOf(request)
    if (token) await endSession(db, token)
    clearSessionCookie(request, reply)
    return { message: 'You have been logged out.' }
  })
}

export function authRoutes(scope: Scope<User>, { db, config }: Services) {
  handle(scope, authApi.currentUser, (_input, { user }) => user)
  handle(scope, authApi.storage, async (_input, { user }) => {
    const { storage_used, media_count } = await loadStorage(db, user.id)
    return { usedBytes: storage_used, totalFiles: media_count, quotaBytes: config.quotaBytes }
  })
}
