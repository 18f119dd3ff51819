import type { FastifyReply, FastifyRequest } from 'fastify'
import { sessionMs } from './sessions.ts'

declare module 'fastify' {
  interface FastifyInstance {
    publicUrl: string | undefined
  }
}

/**
 * A proxy with https whose word is not believed shows plain http; but who comes by the name of the public address came by
 * its protocol. At home, by another name, the same library may be reached without https.
 */
export function isSecure({ protocol, host, server }: FastifyRequest) {
  return protocol === 'https' || server.publicUrl === `https://${host}`
}

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

export function setSessionCookie(request: FastifyRequest, reply: FastifyReply, token: string) {
  reply.setCookie(cookieName(request), token, { ...cookieOptions(request), maxAge: sessionMs / 1000 })
}

export function clearSessionCookie(request: FastifyRequest, reply: FastifyReply) {
  reply.clearCookie(cookieName(request), cookieOptions(request))
}
