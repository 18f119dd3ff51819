import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Kysely } from 'kysely'
import { beginChange, isLibraryPaused, libraryIsPaused } from '#features/media/server/library-pause.ts'
import type { Notifications } from '#platform/server/db/database.ts'
import { dialectOf } from '#platform/server/db/dialect.ts'
import type { Tables } from '#platform/server/db/tables.ts'

/**
 * [Note: Nothing is written while a restore runs] A change would be lost, or would hit another user's item in the new
 * library. Each process caches whether a restore runs, and polls while the gate is closed or its state unknown, since a
 * notification can get lost. An import or a reset has no row in the database: its process repeats that it holds the gate.
 */
export type RestoreGate = {
  isClosed(): boolean
  /** Increases whenever the gate closes or opens: a change from before belongs to another library. */
  epoch(): number
  /** Reads the state again and lets the other processes do so. */
  announce(): Promise<void>
  /** Closes the gate until the result is disposed; refused while it is closed. */
  hold(): Promise<AsyncDisposable>
  /** Counts a change as in flight; the result ends that. */
  enter(): () => void
  /** Waits until no process has a change in flight that it admitted before its gate closed. */
  drain(): Promise<void>
  close(): void
}

const repeatHeldMs = 2000
const pollMs = 5000
/** Other processes stay closed no longer than this after a process that holds the gate has crashed. */
const heldTimeoutMs = 10_000

export async function createRestoreGate(db: Kysely<Tables>, notifications: Notifications): Promise<RestoreGate> {
  const self = randomUUID()
  let isRunning = false
  let isUnknown = false
  let isHeld = false
  /** When the hold of each other process times out. */
  const heldElsewhere = new Map<string, number>()
  let epoch = 0
  const isClosed = () => isRunning || isHeld || heldElsewhere.values().some((until) => until > Date.now())
  async function refresh() {
    isUnknown = true
    const wasRunning = isRunning
    isRunning = await isLibraryPaused(db)
    isUnknown = false
    if (isRunning !== wasRunning) epoch++
  }
  const changes = trackChanges(db, notifications, refresh)
  // If the database cannot be reached, the next poll tries again.
  const tryToRefresh = () => void refresh().catch(() => {})
  const unsubscribe = notifications.subscribe('restore', (message) => {
    const [what, sender = ''] = message.split(' ')
    if (sender === self) return
    if (what === 'held') heldElsewhere.set(sender, Date.now() + heldTimeoutMs)
    if (what === 'changed') heldElsewhere.delete(sender)
    epoch++
    tryToRefresh()
  })
  const polling = setInterval(() => (isRunning || isUnknown) && tryToRefresh(), pollMs).unref()
  const notify = (what: 'held' | 'changed') => notifications.publish('restore', `${what} ${self}`)
  const announce = async () => {
    epoch++
    await refresh()
    await notify('changed')
  }
  await refresh()
  return {
    isClosed,
    epoch: () => epoch,
    announce,
    enter: changes.enter,
    drain: changes.drain,
    async hold() {
      if (isClosed()) throw libraryIsPaused()
      isHeld = true
      epoch++
      const repeating = setInterval(() => void notify('held').catch(() => {}), repeatHeldMs).unref()
      const release = async () => {
        clearInterval(repeating)
        isHeld = false
        // Without the database the other processes open after the timeout.
        await announce().catch(() => {})
      }
      try {
        await notify('held')
        await changes.drain()
      } catch (error) {
        await release()
        throw error
      }
      return { [Symbol.asyncDispose]: release }
    },
    close() {
      clearInterval(polling)
      unsubscribe()
      changes.close()
    },
  }
}

/** Longer changes belong to an analysis or a run, which check by themselves whether it is still their library. */
const drainWithinMs = 3000

/**
 * A process that drains asks the others to drain too; each answers when its gate is closed and its changes have ended.
 */
function trackChanges(db: Kysely<Tables>, notifications: Notifications, closeGate: () => Promise<void>) {
  const self = randomUUID()
  const inFlight = new Set<Promise<void>>()

  async function answer(asker: string) {
    await closeGate()
    await Promise.all(inFlight)
    await notifications.publish('changes', `drained ${self} ${asker}`)
  }
  const close = notifications.subscribe('changes', (message) => {
    const [what, sender] = message.split(' ')
    if (what === 'drain' && sender && sender !== self) void answer(sender).catch(() => {})
  })

  function enter() {
    const { promise, resolve } = Promise.withResolvers<void>()
    inFlight.add(promise)
    return () => {
      inFlight.delete(promise)
      resolve()
    }
  }

  async function drain() {
    const timeout = delay(drainWithinMs, undefined, { ref: false })
    await Promise.all([Promise.race([Promise.all(inFlight), timeout]), drainOthers(timeout)])
  }

  async function drainOthers(timeout: Promise<void>) {
    const others = (await dialectOf(db).countProcesses(db)) - 1
    if (others < 1) return
    const drained = new Set<string>()
    const { promise, resolve } = Promise.withResolvers<void>()
    const unsubscribe = notifications.subscribe('changes', (message) => {
      const [what, sender = '', asker] = message.split(' ')
      if (what === 'drained' && asker === self && drained.add(sender).size >= others) resolve()
    })
    try {
      await notifications.publish('changes', `drain ${self}`)
      await Promise.race([promise, timeout])
    } finally {
      unsubscribe()
    }
  }

  return { enter, drain, close }
}

/**
 * Refuses changes when they arrive and again when their body has arrived, which may take longer than a whole restore.
 * An admitted change ends before the rows are replaced, because it has already checked whose item it changes.
 */
export function refuseWhileRestoring(
  app: FastifyInstance,
  { db, restoreGate: gate }: { db: Kysely<Tables>; restoreGate: Pick<RestoreGate, 'isClosed' | 'epoch' | 'enter'> },
) {
  const epochs = new WeakMap<FastifyRequest, number>()
  const leaving = new WeakMap<FastifyRequest, () => void>()
  const isChange = ({ method }: FastifyRequest) => method !== 'GET' && method !== 'HEAD'
  app.decorateRequest('changeCheck')
  app.addHook('onRequest', async (request) => {
    if (!isChange(request)) return
    epochs.set(request, gate.epoch())
    if (gate.isClosed()) throw libraryIsPaused()
    request.changeCheck = await beginChange(db)
  })
  app.addHook('preHandler', (request, _reply, done) => {
    const isLate = isChange(request) && (gate.isClosed() || epochs.get(request) !== gate.epoch())
    if (isChange(request) && !isLate && isShort(request)) leaving.set(request, gate.enter())
    done(isLate ? libraryIsPaused() : undefined)
  })
  app.addHook('onResponse', (request, _reply, done) => {
    leaving.get(request)?.()
    done()
  })
}

/** Excludes uploads, which are checked when they are complete, and the request that replaces the library itself. */
const isShort = ({ url, headers }: FastifyRequest) =>
  !url.startsWith('/api/admin/') && !headers['content-type']?.startsWith('multipart/')
