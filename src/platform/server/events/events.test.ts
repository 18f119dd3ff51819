import assert from 'node:assert/strict'
import { AsyncLocalStorage } from 'node:async_hooks'
import { test } from 'node:test'
import type { Notifications } from '../db/database.ts'
import { createEvents } from './events.ts'
import { waitFor } from './wait-for.ts'

const log = { warn() {} }

/** Notifications that arrive at once, on a connection that can be interrupted. */
function directNotifications() {
  const listeners = new Set<(payload: string) => void>()
  const speak = (payload: string) => {
    for (const listener of listeners) listener(payload)
  }
  const notifications: Notifications = {
    publish: async (_channel, payload) => speak(payload),
    subscribe: (_channel, listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
  return { notifications, cutLine: () => speak(''), listeners }
}

function listener(events: ReturnType<typeof createEvents>, userId: number, lastEventId?: string) {
  const types: string[] = []
  const ids: string[] = []
  const hangUp = events.subscribe(userId, lastEventId, (id, { type }) => {
    ids.push(id)
    types.push(type)
  })
  return { types, ids, hangUp }
}

test('a subscriber that missed more than the history holds is told to reset', async () => {
  const { notifications } = directNotifications()
  const events = createEvents(notifications, log)
  const watcher = listener(events, 1)
  for (let count = 0; count < 1002; count++) await events.publish(1, { type: 'news' })
  assert.equal(listener(events, 1, watcher.ids[0]).types.join(), 'reset')
  assert.equal(listener(events, 1, watcher.ids[1]).types.length, 1000)
})

test('a subscriber that has seen everything receives nothing', async () => {
  const { notifications } = directNotifications()
  const events = createEvents(notifications, log)
  const watcher = listener(events, 1)
  await events.publish(1, { type: 'news' })
  await events.publish(2, { type: 'news of another' })
  assert.deepEqual(listener(events, 1, watcher.ids[0]).types, [])
})

test('a subscriber that was away while the connection between processes was lost is told to reset, even without a later event', async () => {
  const { notifications, cutLine } = directNotifications()
  const events = createEvents(notifications, log)
  const watcher = listener(events, 1)
  await events.publish(1, { type: 'news' })
  watcher.hangUp()
  cutLine()
  assert.deepEqual(listener(events, 1, watcher.ids[0]).types, ['reset'])
})

test('a subscriber that is connected while the connection between processes is lost is reset once', async () => {
  const { notifications, cutLine } = directNotifications()
  const events = createEvents(notifications, log)
  const watcher = listener(events, 1)
  await events.publish(1, { type: 'news' })
  cutLine()
  assert.deepEqual(watcher.types, ['news', 'reset'])
  assert.deepEqual(listener(events, 1, watcher.ids[1]).types, [])
})

test('an unsubscribed listener receives nothing, and a closed instance unsubscribes', async () => {
  const { notifications, listeners } = directNotifications()
  const events = createEvents(notifications, log)
  const gone = listener(events, 1)
  const stays = listener(events, 1)
  gone.hangUp()
  gone.hangUp()
  await events.publish(1, { type: 'news' })
  assert.deepEqual([gone.types, stays.types], [[], ['news']])
  events.close()
  assert.equal(listeners.size, 0)
})

test('an event that cannot be broadcast is still delivered in this process', async () => {
  const { notifications } = directNotifications()
  const events = createEvents({ ...notifications, publish: () => Promise.reject(new Error('no connection')) }, log)
  const page = listener(events, 1)
  await events.publish(1, { type: 'news' })
  assert.deepEqual(page.types, ['news'])
})

test('a condition is checked in the context of the request that waits, also when another one publishes the event', async () => {
  const { notifications } = directNotifications()
  const events = createEvents(notifications, log)
  const request = new AsyncLocalStorage<string>()
  const contexts: (string | undefined)[] = []
  let isOver = false
  const waited = request.run('who waits', () =>
    waitFor({ events, ownerId: 1 }, async () => {
      contexts.push(request.getStore())
      return isOver
    }),
  )
  isOver = true
  await request.run('who publishes', () => events.publish(1, { type: 'news' }))
  await waited
  assert.deepEqual(contexts, ['who waits', 'who waits'])
})
