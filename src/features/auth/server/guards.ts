import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Kysely } from 'kysely'
import { forbidden, unauthenticated } from '#platform/errors.ts'
import type { Tables } from '#platform/server/db/tables.ts'
import { isSecure } from '#platform/server/http/origin.ts'
import type { BoundRoute, Scope } from '#platform/server/http/scope.ts'
import type { User } from '../contract.ts'
import { extendSession, hashOf, loadSession, sessionMs } from './sessions.ts'

type Context = { db: Kysely<Tables>; routes: BoundRoute[] }

const users = new WeakMap<FastifyRequest, User>()

function signedInUser(request: FastifyRequest): User {
  const user = users.get(request)
  if (!user) throw unauthenticated()
  return user
}

/** The signed-in user, if any, for pages that show more to their owner. */
export async function findVisitor(db: Kysely<Tables>, request: FastifyRequest): Promise<User | null> {
  const token = sessionTokenOf(request)
  return token ? ((await loadSession(db, token))?.user ?? null) : null
}

/** The value that `sessionOwner` looks up; without a token it matches no session. */
export function sessionHashOf(request: FastifyRequest) {
  const token = sessionTokenOf(request)
  return token ? hashOf(token) : ''
}

export function openScope(app: FastifyInstance, { routes }: Context): Scope<null> {
  return { app, access: 'open', callerOf: () => null, routes }
}

export function signedInScope(app: FastifyInstance, { db, routes }: Context): Scope<User> {
  requireSession(app, db, () => true)
  return { app, access: 'signed-in', callerOf: signedInUser, routes }
}

export function adminScope(app: FastifyInstance, { db, routes }: Context): Scope<User> {
  requireSession(app, db, ({ isAdmin }) => isAdmin)
  return { app, access: 'admin', callerOf: signedInUser, routes }
}

/** Large enough for thousands of ids or a page of text. */
const knownBodyBytes = 1024 * 1024
/** Most requests arrive within this time; for slower ones the session is checked again at their end. */
const atOnceMs = 1000

function requireSession(app: FastifyInstance, db: Kysely<Tables>, mayEnter: (user: User) => boolean) {
  const cameAt = new WeakMap<FastifyRequest, number>()
  app.addHook('onRoute', (route) => {
    route.bodyLimit = knownBodyBytes
  })
  app.addHook('onRequest', async (request, reply) => {
    cameAt.set(request, Date.now())
    const { token, session } = await admit(request)
    if (session.extendUntil === null) return
    await extendSession(db, token, session.extendUntil)
    setSessionCookie(request, reply, token, session.extendUntil)
  })
  app.addHook('preHandler', (request, _reply, done) => {
    if (Date.now() - cameAt.get(request)! <= atOnceMs) return done()
    admit(request).then(() => done(), done)
  })

  async function admit(request: FastifyRequest) {
    const token = sessionTokenOf(request)
    const session = token ? await loadSession(db, token) : null
    if (!token || !session) throw unauthenticated()
    if (!mayEnter(session.user)) throw forbidden()
    users.set(request, session.user)
    return { token, session }
  }
}

/** Over https the `__Host-` prefix makes browsers require a secure cookie of this host for all paths. */
const cookieName = (request: FastifyRequest) => (isSecure(request) ? '__Host-albumen_session' : 'albumen_session')

const cookieOptions = (request: FastifyRequest) => ({
  path: '/',
  httpOnly: true,
  sameSite: 'lax' as const,
  secure: isSecure(request),
})

export function sessionTokenOf(request: FastifyRequest) {
  return request.cookies[cookieName(request)]
}

export function setSessionCookie(
  request: FastifyRequest,
  reply: FastifyReply,
  token: string,
  until = Date.now() + sessionMs,
) {
  const maxAge = Math.round((until - Date.now()) / 1000)
  reply.setCookie(cookieName(request), token, { ...cookieOptions(request), maxAge })
}

export function clearSessionCookie(request: FastifyRequest, reply: FastifyReply) {
  reply.clearCookie(cookieName(request), cookieOptions(request))
}
