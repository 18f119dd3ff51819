import type { FastifyReply } from 'fastify'
import { AppError } from '#platform/errors.ts'

/** Fires when the person who asked has gone before the answer. */
export function leaving({ raw }: FastifyReply): AbortSignal {
  const gone = new AbortController()
  raw.once('close', () => raw.writableFinished || gone.abort(new AppError('gone', 499, 'The request was given up.')))
  return gone.signal
}
