import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Notifications } from '../db/database.ts'
import { createEvents } from './events.ts'

const log = { warn() {} }

/** Words that arrive at once, and a line that can be cut. */
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

test('the memory is bounded: who missed more than it holds is told to fetch', async () => {
  const { notifications } = directNotifications()
  const events = createEvents(notifications, log)
  const watcher = listener(events, 1)
  for (let count = 0; count < 1002; count++) await events.publish(1, { type: 'news' })
  assert.equal(listener(events, 1, watcher.ids[0]).types.join(), 'reset')
  assert.equal(listener(events, 1, watcher.ids[1]).types.length, 1000)
})

test('who has seen everything is told nothing', async () => {
  const { notifications } = directNotifications()
  const events = createEvents(notifications, log)
  const watcher = listener(events, 1)
  await events.publish(1, { type: 'news' })
  await events.publish(2, { type: 'news of another' })
  assert.deepEqual(listener(events, 1, watcher.ids[0]).types, [])
})

test('who was away while the line between processes was cut is told to fetch, also without any later event', async () => {
  const { notifications, cutLine } = directNotifications()
  const events = createEvents(notifications, log)
  const watcher = listener(events, 1)
  await events.publish(1, { type: 'news' })
  watcher.hangUp()
  cutLine()
  assert.deepEqual(listener(events, 1, watcher.ids[0]).types, ['reset'])
})

test('who listens while the line is cut is told once, and is up to date from then on', async () => {
  const { notifications, cutLine } = directNotifications()
  const events = createEvents(notifications, log)
  const watcher = listener(events, 1)
  await events.publish(1, { type: 'news' })
  cutLine()
  assert.deepEqual(watcher.types, ['news', 'reset'])
  assert.deepEqual(listener(events, 1, watcher.ids[1]).types, [])
})

test('who hung up hears nothing more, and a closed product listens no more', async () => {
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

test('a word that cannot be said to the others harms nobody, and is heard here', async () => {
  const { notifications } = directNotifications()
  const events = createEvents({ ...notifications, publish: () => Promise.reject(new Error('no connection')) }, log)
  const page = listener(events, 1)
  await events.publish(1, { type: 'news' })
  assert.deepEqual(page.types, ['news'])
})
