import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import type { Kysely } from 'kysely'
import type { Notifications } from '#platform/server/db/database.ts'
import { dialectOf } from '#platform/server/db/dialect.ts'
import type { Tables } from '#platform/server/db/tables.ts'

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
