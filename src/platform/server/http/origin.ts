import type { FastifyRequest } from 'fastify'

declare module 'fastify' {
  interface FastifyInstance {
    publicUrl: string | undefined
  }
}

/** The address under which the product is reached: as configured, else as this request reached it. */
export function originOf({ protocol, host, server }: FastifyRequest) {
  return server.publicUrl ?? `${protocol}://${host}`
}

/**
 * A proxy with https whose word is not believed shows plain http; but who comes by the name of the public address came by
 * its protocol. At home, by another name, the same library may be reached without https.
 */
export function isSecure({ protocol, host, server }: FastifyRequest) {
  return protocol === 'https' || server.publicUrl === `https://${host}`
}
