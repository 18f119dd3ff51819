import { PassThrough } from 'node:stream'
import type { FastifyRequest } from 'fastify'
import type { User } from '#features/auth/contract.ts'
import { findVisitor } from '#features/auth/server/guards.ts'
import { handleFile, sendEventStream } from '#platform/server/http/handle.ts'
import type { Scope } from '#platform/server/http/scope.ts'
import { appApi } from '../../contract.ts'
import type { Services } from '../services.ts'

/** Often enough that no proxy takes the line for dead. */
const heartbeatMs = 20_000
/** Whoever takes in nothing for so long is let go; on connecting anew they are told to fetch again. */
const maxUnreadBytes = 256 * 1024

/** Of one person: far more than anybody has pages open, and a small part of what the server holds for all. */
export const mostLines = 200

export function eventRoutes(scope: Scope<User>, { events, db }: Pick<Services, 'events' | 'db'>) {
  /** What ends each line, and whose it is; the oldest first. */
  const open = new Map<() => void, number>()

  handleFile(scope, appApi.events, (_input, { user, request, reply }) => {
    const stream = new PassThrough()
    const say = (text: string) => {
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
    const lastEventId = request.headers['last-event-id']?.toString()
    const unsubscribe = events.subscribe(user.id, lastEventId, (id, event) =>
      say(`id: ${id}\ndata: ${JSON.stringify(event)}\n\n`),
    )
    // Without an id of its own, a line that is cut before anything happened could not say what it missed.
    say(`: connected\nid: ${events.latestId()}\n\n`)
    const heartbeat = setInterval(async () => {
      const mayListen = await isStill(user, request)
      if (!open.has(end)) return
      if (mayListen) say(': still here\n\n')
      else end()
    }, heartbeatMs)
    open.set(end, user.id)
    stream.once('close', stop)
    endOldest(user.id)
    return sendEventStream(reply, stream)
  })

  function endOldest(userId: number) {
    const own = [...open].filter(([, ownerId]) => ownerId === userId)
    for (const [end] of own.slice(0, -mostLines)) end()
  }

  /**
   * A line is no longer than its session: that may have ended with a logout, a new password or the account. After a restore
   * it may be of another account, and who had its number there is somebody else.
   */
  async function isStill({ id }: User, request: FastifyRequest) {
    try {
      return (await findVisitor(db, request))?.id === id
    } catch {
      // The database is away: whoever listens may still be who they were.
      return true
    }
  }

  // An orderly stop ends the streams; browsers connect again, to the next process.
  scope.app.addHook('preClose', async () => {
    for (const end of open.keys()) end()
  })
}
