import type { FastifyRequest } from 'fastify'

/** The address under which the product is reached: as configured, else as this request reached it. */
export function originOf(request: FastifyRequest, publicUrl?: string) {
  return publicUrl ?? `${request.protocol}://${request.host}`
}
