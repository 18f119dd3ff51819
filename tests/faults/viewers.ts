import assert from 'node:assert/strict'
import { makeJpeg } from '../support/pictures.ts'
import { cpuMsOf } from '../support/process-usage.ts'
import { counted, type Fault, mebibytes, percentile } from './fault.ts'
import { openLibrary, upload } from './library.ts'
import { watchMemory } from './process-tree.ts'
import { visitAll } from './visitor-load.ts'

const visitors = 1000
const pictures = 50
const memoryBytes = 600 * 2 ** 20
const perSecond = 1500
const answerMs = 1500
/** A look at the memory holds up the process that is looked at. */
const rarely = 500

/** A thousand visitors open a public collection at once: the page and all of its pictures. */
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

  const [cpuBefore, ownBefore, begin] = [cpuMsOf(server.pid), process.cpuUsage(), performance.now()]
  const { highest, result } = await watchMemory(server.pid, () => visitAll(server.url, addresses, total), rarely)
  const took = performance.now() - begin
  const [cpuMs, own] = [cpuMsOf(server.pid) - cpuBefore, process.cpuUsage(ownBefore)]
  const { times, statuses } = result
  const rate = (times.length / took) * 1000
  const each = (ms: number) => `${(ms / times.length).toFixed(2)} ms`
  const failed = [...statuses].filter(([status]) => status !== 200)
  const p95Ms = percentile(times)
  return [
    counted('1,000 visitors of a public collection at once, a page and 50 pictures each', {
      figure: `${times.length} answers, ${failed.length === 0 ? '0 refused' : JSON.stringify(failed)}; ${Math.round(rate)}/s, 95% within ${Math.round(p95Ms)} ms; ${mebibytes(highest)}; CPU each: product ${each(cpuMs)}, visitors ${each((own.user + own.system) / 1000)}`,
      toReach: '1,500/s, 95% within 1.5 s, 0 × 5xx, 600 MiB',
      isReached:
        failed.length === 0 &&
        times.length === total * addresses.length &&
        rate >= perSecond &&
        p95Ms <= answerMs &&
        highest <= memoryBytes,
    }),
  ]
}
