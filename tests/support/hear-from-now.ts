import type { Events, LiveEvent } from '#platform/server/events/events.ts'

/** What this person is told from now on. On PostgreSQL a word of before may be on its way still: it is waited for, and left out. */
export async function hearFromNow(events: Events, userId: number): Promise<LiveEvent[]> {
  const heard: LiveEvent[] = []
  const { promise, resolve } = Promise.withResolvers<void>()
  const now = { type: 'now' }
  events.subscribe(userId, undefined, (_id, event) => {
    heard.push(event)
    if (event.type !== now.type) return
    heard.length = 0
    resolve()
  })
  await events.publish(userId, now)
  await promise
  return heard
}
