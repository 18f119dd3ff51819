import assert from 'node:assert/strict'
import { Pool } from 'undici'
import { makeJpeg } from '../support/pictures.ts'
import { counted, type Fault, mebibytes, percentile } from './fault.ts'
import { openLibrary, upload } from './library.ts'
import { watchMemory } from './process-tree.ts'

const visitors = 1000
const pictures = 50
const memoryBytes = 600 * 2 ** 20

/** A thousand people open a public collection at the same moment: the page, and every picture on it. */
export const viewers: Fault = async ({ rounds }) => {
  const total = rounds(visitors)
  await using library = await openLibrary()
  const { send, server } = library
  const files = await Promise.all(
    Array.from({ length: pictures }, async (_, index) => ({ name: `${index}.jpg`, bytes: await makeJpeg() })),
  )
  const media = await upload(send, files)
  const { id } = (await (await send('POST', '/api/collections', { name: 'Shown' })).json()) as { id: number }
  for (const item of media) assert.equal((await send('POST', `/api/collections/${id}/media/${item.id}`)).status, 201)
  const shared = await send('PATCH', `/api/collections/${id}/visibility`, { isPublic: true })
  const { publicUrl } = (await shared.json()) as { publicUrl: string }
  const page = new URL(publicUrl).pathname
  const addresses = [page, ...media.map(({ thumbnailUrl }) => new URL(thumbnailUrl, server.url).pathname)]

  const pool = new Pool(server.url, { connections: total, pipelining: 1, headersTimeout: 0, bodyTimeout: 0 })
  const times: number[] = []
  const statuses = new Map<number, number>()
  const begin = performance.now()
  try {
    const { highest } = await watchMemory(server.pid, () => Promise.all(Array.from({ length: total }, visit)))
    const took = (performance.now() - begin) / 1000
    const failed = [...statuses].filter(([status]) => status !== 200)
    return [
      counted('1,000 visitors of a public collection at once, a page and 50 pictures each', {
        figure: `${times.length} answers, ${failed.length === 0 ? '0 refused' : JSON.stringify(failed)}; ${Math.round(times.length / took)}/s, 95% within ${Math.round(percentile(times))} ms; ${mebibytes(highest)}`,
        toReach: '0 × 5xx, 600 MiB (1,500/s on a machine of its own)',
        isReached: failed.length === 0 && times.length === total * addresses.length && highest <= memoryBytes,
      }),
    ]
  } finally {
    await pool.destroy()
  }

  /** As a browser does: the page first, then its pictures, one after the other over one connection. */
  async function visit() {
    for (const path of addresses) {
      const asked = performance.now()
      const { statusCode, body } = await pool.request({ path, method: 'GET' })
      await body.dump({ limit: Number.MAX_SAFE_INTEGER })
      times.push(performance.now() - asked)
      statuses.set(statusCode, (statuses.get(statusCode) ?? 0) + 1)
    }
  }
}
