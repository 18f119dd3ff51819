import assert from 'node:assert/strict'
import { setTimeout as delay } from 'node:timers/promises'
import { multipart } from '../support/multipart.ts'
import { makeJpeg } from '../support/pictures.ts'
import { type Person, processCount } from './cluster.ts'
import { counted, ms, percentile, type Row } from './row.ts'

const uploads = 30
const patienceMs = 10_000
const allowedMs = 500

/** Each picture is uploaded to one process; open pages on the other processes must receive the event. */
export const liveEvents: Row = async (cluster) => {
  const person = await cluster.register()
  const pages = await Promise.all(Array.from({ length: processCount }, (_, index) => openPage(person, index)))
  const waits: number[] = []
  try {
    for (let turn = 0; turn < uploads; turn++) {
      const from = turn % processCount
      const begin = performance.now()
      const file = { name: `live-${turn}.jpg`, bytes: await makeJpeg() }
      const answer = await person.at(from)('POST', '/api/upload', multipart([file], { enableAi: 'false' }))
      assert.equal(answer.status, 201)
      const { media } = (await answer.json()) as { media: { id: number }[] }
      const answeredMs = performance.now() - begin
      const others = pages.filter((_, index) => index !== from)
      for (const heardAt of await Promise.all(others.map((page) => page.heard(media[0]!.id)))) {
        // An event that arrives before the response counts as 0 ms.
        if (heardAt !== null) waits.push(Math.max(0, heardAt - begin - answeredMs))
      }
    }
  } finally {
    for (const page of pages) page.close()
  }
  const total = uploads * (processCount - 1)
  const slowest = percentile(waits, 0.95)
  return [
    counted('live events of an upload arrive on the other processes', {
      figure: `${waits.length} of ${total} received, 95% within ${ms(slowest)} of the answer`,
      toReach: `all, ${allowedMs} ms`,
      isReached: waits.length === total && slowest <= allowedMs,
    }),
  ]
}

async function openPage(person: Person, index: number) {
  const answer = await person.at(index)('GET', '/api/events')
  const times = new Map<number, number>()
  const reader = answer.body!.getReader()
  void listen().catch(() => {})

  async function listen() {
    const decoder = new TextDecoder()
    for (let pending = ''; ; ) {
      const { value, done } = await reader.read()
      if (done) return
      const blocks = (pending + decoder.decode(value, { stream: true })).split('\n\n')
      pending = blocks.pop()!
      for (const block of blocks) note(/^data: (.*)$/m.exec(block)?.[1])
    }
  }

  function note(data: string | undefined) {
    const { ids = [] } = data ? (JSON.parse(data) as { ids?: number[] }) : {}
    for (const id of ids) if (!times.has(id)) times.set(id, performance.now())
  }

  return {
    /** When the page received the item's event; null if it never did. */
    async heard(id: number) {
      for (const end = Date.now() + patienceMs; !times.has(id) && Date.now() < end; ) await delay(1)
      return times.get(id) ?? null
    },
    close: () => void reader.cancel().catch(() => {}),
  }
}
