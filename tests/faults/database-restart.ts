import assert from 'node:assert/strict'
import { setTimeout as delay } from 'node:timers/promises'
import { startPostgres } from '../support/embedded-postgres.ts'
import { multipart } from '../support/multipart.ts'
import { makeJpeg } from '../support/pictures.ts'
import { until } from '../support/until.ts'
import { counted, type Fault, seconds } from './fault.ts'
import { checkCounters, deliveredHash, type Library, type Listed, listAll, openLibrary } from './library.ts'

const recoversWithinMs = 5000
const downMs = 3000

/** Restarts PostgreSQL while users read and upload. */
export const databaseRestart: Fault = async ({ rounds }) => {
  const total = rounds(3)
  const postgres = await startPostgres()
  try {
    await using library = await openLibrary({ settings: { DATABASE_URL: postgres.url } })
    const { send, server } = library
    const load = startLoad(library)
    let slowestMs = 0
    for (let round = 0; round < total; round++) {
      await delay(2000)
      await postgres.restart(downMs)
      const begin = performance.now()
      await untilHealthy(library)
      slowestMs = Math.max(slowestMs, performance.now() - begin)
    }
    await delay(2000)
    assert.equal(server.child.exitCode, null, `the server ended: ${server.printed()}`)
    const { acknowledged, answered, refused, lateRefusals } = await load.stop()
    const listed = await listAll(send)
    const ids = new Set(listed.map(({ id }) => id))
    for (const id of acknowledged) assert.ok(ids.has(id), `item ${id} was acknowledged and is gone`)
    for (const media of listed) await deliveredHash(send, media)
    await checkCounters(send, listed)
    return [
      counted('database restarted under load', {
        figure: `${total} restarts: ${answered} answers, ${refused} refused while away, ${lateRefusals} later; ready after ${seconds(slowestMs)}; 0 of ${acknowledged.size} uploads lost, 0 exits`,
        toReach: 'errors only while away, ready within 5 s, 0 exits',
        isReached: slowestMs <= recoversWithinMs && lateRefusals === 0,
      }),
    ]

    function startLoad({ send: ask }: Library) {
      const seen = { acknowledged: new Set<number>(), answered: 0, refused: 0, lateRefusals: 0 }
      let isOver = false
      const working = Promise.all([read(), read(), write(), write()])
      working.catch(() => {
        // `stop` throws this error; the handler only prevents an unhandled rejection until then.
      })
      return {
        async stop() {
          isOver = true
          await working
          return seen
        },
      }

      async function read() {
        while (!isOver) await count(await ask('GET', '/api/media?limit=20'))
      }

      async function write() {
        while (!isOver) {
          const file = { name: 'picture.jpg', bytes: await makeJpeg() }
          const answer = await ask('POST', '/api/upload', multipart([file], { enableAi: 'false' }))
          const body = await count(answer)
          if (answer.status === 201) for (const { id } of (body as { media: Listed[] }).media) seen.acknowledged.add(id)
        }
      }

      async function count(answer: Response) {
        const body = (await answer.json()) as { message?: string }
        if (answer.ok) seen.answered++
        else {
          assert.ok(body.message, 'a refusal says why')
          if (postgres.isAway() || performance.now() < postgres.backSince() + recoversWithinMs) seen.refused++
          else seen.lateRefusals++
          await delay(50)
        }
        return body
      }
    }
  } finally {
    await postgres.stop()
  }
}

async function untilHealthy({ send }: Library) {
  await until('it is healthy again', async () => (await send('GET', '/api/health')).status === 200)
}
