import { create as contentDisposition } from 'content-disposition'
import type { FastifyReply } from 'fastify'

/** Announces something to be saved that belongs to whoever asks: no cache on the way may keep it. */
export function sendAsFile(reply: FastifyReply, name: string, type = 'application/zip') {
  return reply.headers({
    'content-type': type,
    'content-disposition': contentDisposition(name),
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
  })
}
