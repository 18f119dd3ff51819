import { randomUUID } from 'node:crypto'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Kysely } from 'kysely'
import { isLibraryPaused, libraryIsPaused } from '#features/media/server/library-pause.ts'
import type { Notifications } from '#platform/server/db/database.ts'
import type { Tables } from '#platform/server/db/tables.ts'

/**
 * [Note: Nothing is written while a restore runs]
 * What came in meanwhile would be lost with the old library, or would change the new one by numbers that mean somebody
 * else's items there. Every process keeps in memory whether a restore runs, and asks again whenever another one says a word;
 * so a read costs nothing, and a change is refused at once with 503. An import or a reset ends with its process, so it is no
 * row: it holds the gate, and keeps telling the other processes that it does.
 */
export type RestoreGate = {
  isClosed(): boolean
  /** Another one whenever the gate was closed or opened: whoever came before meets another library. */
  turn(): number
  look(): Promise<void>
  announce(): Promise<void>
  /** Closed until let go; refused while somebody else has it closed. */
  hold(): Promise<AsyncDisposable>
  close(): void
}

const repeatHeldMs = 2000
/** A process that holds the gate and ends without a word keeps the others closed no longer than this. */
const believeHeldMs = 10_000

export async function createRestoreGate(db: Kysely<Tables>, notifications: Notifications): Promise<RestoreGate> {
  const self = randomUUID()
  let isRunning = false
  let isHeld = false
  let heldElsewhereUntil = 0
  let turn = 0
  const isClosed = () => isRunning || isHeld || heldElsewhereUntil > Date.now()
  const look = async () => {
    isRunning = await isLibraryPaused(db)
    turn++
  }
  const unsubscribe = notifications.subscribe('restore', (word) => {
    if (word.endsWith(self)) return
    heldElsewhereUntil = word.startsWith('held') ? Date.now() + believeHeldMs : 0
    // When the database is away, the next word or the next restore asks again.
    void look().catch(() => {})
  })
  const tell = (what: 'held' | 'changed') => notifications.publish('restore', `${what} ${self}`)
  const announce = async () => {
    await look()
    await tell('changed')
  }
  await look()
  return {
    isClosed,
    turn: () => turn,
    look,
    announce,
    async hold() {
      if (isClosed()) throw libraryIsPaused()
      await tell('held')
      isHeld = true
      turn++
      const repeating = setInterval(() => void tell('held').catch(() => {}), repeatHeldMs).unref()
      return {
        async [Symbol.asyncDispose]() {
          clearInterval(repeating)
          isHeld = false
          // When the database is away, the others stop believing by themselves.
          await announce().catch(() => {})
        },
      }
    },
    close: unsubscribe,
  }
}

/** Asked when a change arrives, and when its body is here too: that may have taken longer than a whole restore. */
export function refuseWhileRestoring(app: FastifyInstance, gate: Pick<RestoreGate, 'isClosed' | 'turn'>) {
  const turns = new WeakMap<FastifyRequest, number>()
  const isChange = ({ method }: FastifyRequest) => method !== 'GET' && method !== 'HEAD'
  app.addHook('onRequest', (request, _reply, done) => {
    if (isChange(request)) turns.set(request, gate.turn())
    done(isChange(request) && gate.isClosed() ? libraryIsPaused() : undefined)
  })
  app.addHook('preHandler', (request, _reply, done) => {
    const isLate = isChange(request) && (gate.isClosed() || turns.get(request) !== gate.turn())
    done(isLate ? libraryIsPaused() : undefined)
  })
}
