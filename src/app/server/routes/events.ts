import { PassThrough } from 'node:stream'
import type { FastifyRequest } from 'fastify'
import type { User } from '#features/auth/contract.ts'
import { findVisitor } from '#features/auth/server/guards.ts'
import { handleFile, sendEventStream } from '#platform/server/http/handle.ts'
import type { Scope } from '#platform/server/http/scope.ts'
import { appApi } from '../../contract.ts'
import type { Services } from '../services.ts'

/** Often enough that no proxy closes the connection as idle. */
const heartbeatMs = 20_000
/** A client that leaves this much unread is disconnected; when it reconnects it is told to refetch. */
const maxUnreadBytes = 256 * 1024

/** Per user: far more than the pages that one user has open, and a small part of what the server can hold. */
export const maxStreamsPerUser = 200

export function eventRoutes(scope: Scope<User>, { events, db }: Pick<Services, 'events' | 'db'>) {
  /** The function that ends each open stream, with the id of its user; the oldest first. */
  const open = new Map<() => void, number>()

  handleFile(scope, appApi.events, ({ query }, { user, request, reply }) => {
    const stream = new PassThrough()
    const write = (text: string) => {
      if (stream.writableLength > maxUnreadBytes) stream.destroy()
      else stream.write(text)
    }
    const stop = () => {
      open.delete(end)
      clearInterval(heartbeat)
      unsubscribe()
    }
    const end = () => {
      stop()
      stream.end()
    }
    // The browser's own reconnect repeats the URL, but its header is newer.
    const lastEventId = request.headers['last-event-id']?.toString() ?? query.since
    const unsubscribe = events.subscribe(user.id, lastEventId, (id, event) =>
      write(`id: ${id}\ndata: ${JSON.stringify(event)}\n\n`),
    )
    // The initial id lets a client that is cut off before the first event say what it missed.
    write(`: connected\nid: ${events.latestId()}\n\n`)
    const heartbeat = setInterval(async () => {
      const isSignedIn = await isStillSignedIn(user, request)
      if (!open.has(end)) return
      if (isSignedIn) write(': still here\n\n')
      else end()
    }, heartbeatMs)
    open.set(end, user.id)
    stream.once('close', stop)
    endOldest(user.id)
    return sendEventStream(reply, stream)
  })

  function endOldest(userId: number) {
    const own = [...open].filter(([, ownerId]) => ownerId === userId)
    for (const [end] of own.slice(0, -maxStreamsPerUser)) end()
  }

  /**
   * A stream must not outlive its session, which ends with a logout, a new password or a deleted account. After a restore
   * the session may also belong to a different account.
   */
  async function isStillSignedIn({ id }: User, request: FastifyRequest) {
    try {
      return (await findVisitor(db, request))?.id === id
    } catch {
      // While the database is unreachable the session may still be valid.
      return true
    }
  }

  // An orderly stop ends the streams; browsers reconnect to the next process.
  scope.app.addHook('preClose', async () => {
    for (const end of open.keys()) end()
  })
}
