import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Kysely } from 'kysely'
import { beginChange, isLibraryPaused, libraryIsPaused } from '#features/media/server/library-pause.ts'
import type { Notifications } from '#platform/server/db/database.ts'
import { dialectOf } from '#platform/server/db/dialect.ts'
import type { Tables } from '#platform/server/db/tables.ts'

/**
 * [Note: Nothing is written while a restore runs]
 * What came in meanwhile would be lost with the old library, or would change the new one by numbers that mean somebody
 * else's items there. Every process keeps in memory whether a restore runs, and asks again whenever another one says a word;
 * so a read costs nothing, and a change is refused at once with 503. A word may be lost, so while the gate is closed or
 * nobody could be asked, it asks by itself. An import or a reset ends with its process, so it is no row: it holds the gate,
 * and keeps telling the other processes that it does.
 */
export type RestoreGate = Pick<ChangesInside, 'enter' | 'emptied'> & {
  isClosed(): boolean
  /** Another one whenever the gate was closed or opened: whoever came before meets another library. */
  turn(): number
  announce(): Promise<void>
  /** Closed until let go; refused while somebody else has it closed. */
  hold(): Promise<AsyncDisposable>
  close(): void
}

const repeatHeldMs = 2000
const lookAgainMs = 5000
/** A process that holds the gate and ends without a word keeps the others closed no longer than this. */
const believeHeldMs = 10_000

export async function createRestoreGate(db: Kysely<Tables>, notifications: Notifications): Promise<RestoreGate> {
  const self = randomUUID()
  let isRunning = false
  let isInDoubt = false
  let isHeld = false
  /** Until when each of the other processes is believed to hold the gate. */
  const heldElsewhere = new Map<string, number>()
  let turn = 0
  const isClosed = () => isRunning || isHeld || heldElsewhere.values().some((until) => until > Date.now())
  async function look() {
    isInDoubt = true
    const wasRunning = isRunning
    isRunning = await isLibraryPaused(db)
    isInDoubt = false
    if (isRunning !== wasRunning) turn++
  }
  const { enter, emptied, ...changes } = createChangesInside(db, notifications, look)
  // When the database is away, the next look asks again.
  const tryToLook = () => void look().catch(() => {})
  const unsubscribe = notifications.subscribe('restore', (word) => {
    const [what, who = ''] = word.split(' ')
    if (who === self) return
    if (what === 'held') heldElsewhere.set(who, Date.now() + believeHeldMs)
    if (what === 'changed') heldElsewhere.delete(who)
    turn++
    tryToLook()
  })
  const looking = setInterval(() => (isRunning || isInDoubt) && tryToLook(), lookAgainMs).unref()
  const tell = (what: 'held' | 'changed') => notifications.publish('restore', `${what} ${self}`)
  const announce = async () => {
    turn++
    await look()
    await tell('changed')
  }
  await look()
  return {
    isClosed,
    turn: () => turn,
    announce,
    enter,
    emptied,
    async hold() {
      if (isClosed()) throw libraryIsPaused()
      isHeld = true
      turn++
      const repeating = setInterval(() => void tell('held').catch(() => {}), repeatHeldMs).unref()
      const letGo = async () => {
        clearInterval(repeating)
        isHeld = false
        // When the database is away, the others stop believing by themselves.
        await announce().catch(() => {})
      }
      try {
        await tell('held')
        await emptied()
      } catch (error) {
        await letGo()
        throw error
      }
      return { [Symbol.asyncDispose]: letGo }
    },
    close() {
      clearInterval(looking)
      unsubscribe()
      changes.close()
    },
  }
}

/**
 * Asked when a change arrives, and when its body is here too: that may have taken longer than a whole restore. A change that
 * is let in ends before the rows are replaced: it has looked whose item it is, and what it writes after that would go to
 * whatever has that number in the next library.
 */
export function refuseWhileRestoring(
  app: FastifyInstance,
  { db, restoreGate: gate }: { db: Kysely<Tables>; restoreGate: Pick<RestoreGate, 'isClosed' | 'turn' | 'enter'> },
) {
  const turns = new WeakMap<FastifyRequest, number>()
  const leaving = new WeakMap<FastifyRequest, () => void>()
  const isChange = ({ method }: FastifyRequest) => method !== 'GET' && method !== 'HEAD'
  app.decorateRequest('changeCheck')
  app.addHook('onRequest', async (request) => {
    if (!isChange(request)) return
    turns.set(request, gate.turn())
    if (gate.isClosed()) throw libraryIsPaused()
    request.changeCheck = await beginChange(db)
  })
  app.addHook('preHandler', (request, _reply, done) => {
    const isLate = isChange(request) && (gate.isClosed() || turns.get(request) !== gate.turn())
    if (isChange(request) && !isLate && isWaitedFor(request)) leaving.set(request, gate.enter())
    done(isLate ? libraryIsPaused() : undefined)
  })
  app.addHook('onResponse', (request, _reply, done) => {
    leaving.get(request)?.()
    done()
  })
}

/** Files on their way are refused when they arrive in another library; an administrator who replaces it does not wait for themselves. */
const isWaitedFor = ({ url, headers }: FastifyRequest) =>
  !url.startsWith('/api/admin/') && !headers['content-type']?.startsWith('multipart/')

export type ChangesInside = {
  /** A change is let in; gives back how it leaves. */
  enter(): () => void
  /** Until all have left that any process let in before its gate was closed. */
  emptied(): Promise<void>
  close(): void
}

/** What takes longer than this was let in for an analysis or a run, which look by themselves whether it is still their library. */
const emptyWithinMs = 3000

/**
 * Changes that were let in and have not left yet. Whoever replaces the library asks all processes for theirs; each answers
 * when its gate is closed and the last one has left. One that does not answer is not waited for any longer than a slow change.
 */
export function createChangesInside(
  db: Kysely<Tables>,
  notifications: Notifications,
  closeGate: () => Promise<void>,
): ChangesInside {
  const self = randomUUID()
  const inside = new Set<Promise<void>>()

  async function answer(asker: string) {
    await closeGate()
    await Promise.all(inside)
    await notifications.publish('changes', `emptied ${self} ${asker}`)
  }
  const unsubscribe = notifications.subscribe('changes', (word) => {
    const [what, who] = word.split(' ')
    if (what === 'asked' && who && who !== self) void answer(who).catch(() => {})
  })

  async function emptiedElsewhere(patience: Promise<void>) {
    const others = (await dialectOf(db).countProcesses(db)) - 1
    if (others < 1) return
    const emptied = new Set<string>()
    const { promise, resolve } = Promise.withResolvers<void>()
    const stopListening = notifications.subscribe('changes', (word) => {
      const [what, who = '', asker] = word.split(' ')
      if (what === 'emptied' && asker === self && emptied.add(who).size >= others) resolve()
    })
    try {
      await notifications.publish('changes', `asked ${self}`)
      await Promise.race([promise, patience])
    } finally {
      stopListening()
    }
  }

  return {
    enter() {
      const { promise, resolve } = Promise.withResolvers<void>()
      inside.add(promise)
      return () => {
        inside.delete(promise)
        resolve()
      }
    },
    async emptied() {
      const patience = delay(emptyWithinMs, undefined, { ref: false })
      await Promise.all([Promise.race([Promise.all(inside), patience]), emptiedElsewhere(patience)])
    },
    close: unsubscribe,
  }
}
