import type { FastifyReply, FastifyRequest } from 'fastify'
import { isSecure } from '#platform/server/http/origin.ts'
import { sessionMs } from './sessions.ts'

/** Over https the name carries a promise that browsers keep: set by this host itself, for the whole host, securely. */
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
