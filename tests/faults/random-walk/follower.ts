import assert from 'node:assert/strict'
import { setTimeout as delay } from 'node:timers/promises'
import type { Person } from './model.ts'
import { read } from './reading.ts'
import type { World } from './world.ts'

const list = '/api/media?limit=200'

/** An open page: it loads everything once, and refetches after events, as the client does. */
export async function follow(world: World, person: Person) {
  const send = person.sessions.at(-1)!
  const look = (path: string) => read(world, send, path)
  let isStale = true
  let seen: unknown
  let isOver = false
  const answer = await send('GET', '/api/events')
  assert.equal(answer.status, 200)
  const reader = answer.body!.getReader()
  const listening = (async () => {
    const decoder = new TextDecoder()
    let text = ''
    for (;;) {
      const { value, done } = await reader.read()
      if (done) return
      text += decoder.decode(value, { stream: true })
      const blocks = text.split('\n\n')
      text = blocks.pop()!
      for (const type of blocks.map((block) => /"type":"([\w-]+)"/.exec(block)?.[1]))
        if (['media', 'collections', 'reset'].includes(type ?? '')) isStale = true
    }
  })().catch(() => {
    // After a kill of the server a new page is opened.
  })
  const refreshing = (async () => {
    while (!isOver) {
      if (isStale) {
        isStale = false
        seen = await readAll()
      }
      await delay(50)
    }
  })()
  refreshing.catch(() => {
    // `check` throws this error; the handler only prevents an unhandled rejection until then.
  })

  async function readAll() {
    const [shown, trashed] = [await look(list), await look(`${list}&trashed=true`)]
    const collections = await look('/api/collections')
    const storage = await look('/api/user/storage')
    const everything = JSON.stringify({ shown, trashed, collections, storage })
    // Counting a view sends no event.
    return JSON.parse(everything, (field, value) => (field === 'viewCount' ? undefined : value))
  }

  return {
    /** At a quiet moment: what it shows is the truth. */
    async check() {
      for (let calm = 0; calm < 6; calm++) {
        if (isStale) calm = 0
        await Promise.race([delay(50), refreshing])
      }
      assert.deepEqual(seen, await readAll(), `an open page of ${person.username} shows what is`)
    },
    async close() {
      isOver = true
      await reader.cancel().catch(() => {})
      await Promise.allSettled([listening, refreshing])
    },
  }
}
