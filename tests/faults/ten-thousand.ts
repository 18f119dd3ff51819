import assert from 'node:assert/strict'
import { join } from 'node:path'
import { openSqlite } from '#platform/server/db/sqlite.ts'
import { cpuMsOf } from '../support/process-usage.ts'
import { insertManyMedia } from '../support/seed-library.ts'
import { counted, type Fault, percentile, seconds } from './fault.ts'
import { openLibrary } from './library.ts'

const items = 10_000
const readyMs = 5000
const answerMs = 300

/** A library of 10,000 items: how soon it is back after a kill, and how soon it answers. */
export const tenThousandItems: Fault = async ({ rounds }) => {
  const starts = Math.min(5, rounds(5))
  await using library = await openLibrary()
  const { send } = library
  await library.server.kill()
  await fill(library.directory)
  const readyAfter: number[] = []
  const cpuUntilReady: number[] = []
  for (let count = 0; count < starts; count++) {
    readyAfter.push(await library.start())
    cpuUntilReady.push(cpuMsOf(library.server.pid))
    assert.equal((await send('GET', '/api/health')).status, 200)
    if (count < starts - 1) await library.server.kill()
  }
  const times: number[] = []
  const paths = [
    '/api/media?limit=50',
    '/api/media?limit=50&page=150',
    '/api/media?limit=50&sort=name',
    '/api/media?limit=50&search=photo',
    '/api/media?limit=50&search=photo%209999',
  ]
  for (let count = 0; count < rounds(40); count++) {
    for (const path of paths) {
      const begin = performance.now()
      const answer = await send('GET', path)
      await answer.arrayBuffer()
      assert.equal(answer.status, 200)
      times.push(performance.now() - begin)
    }
  }
  return [
    counted('restart after a kill with 10,000 items', {
      figure: `ready after ${seconds(Math.max(...readyAfter))} (slowest of ${starts}; ${seconds(Math.max(...cpuUntilReady))} of CPU time)`,
      toReach: 'ready within 5 s',
      isReached: Math.max(...readyAfter) <= readyMs,
    }),
    counted('lists and searches in a library of 10,000 items', {
      figure: `${times.length} answers, 95% within ${Math.round(percentile(times))} ms`,
      toReach: '95% within 300 ms',
      isReached: percentile(times) <= answerMs,
    }),
  ]
}

async function fill(directory: string) {
  const { db, close } = openSqlite(join(directory, 'albumen.db'))
  const { id } = await db.selectFrom('users').select('id').executeTakeFirstOrThrow()
  await insertManyMedia(db, id, items)
  await close()
}
