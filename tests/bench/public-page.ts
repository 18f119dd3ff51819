import assert from 'node:assert/strict'
import { Client } from 'undici'
import { peakPssMiB, pssMiBOf } from '../support/process-usage.ts'
import { startBare } from './bare.ts'
import { makePhotos } from './make-photos.ts'
import { measureInTurns, measureUsage, type Product, shareAll, uploadFiles } from './product.ts'
import { mib, type Row, times, wall } from './row.ts'

const visitors = 1000
const pagesEach = 10
const warmUp = 10_000
const turnsEach = 5
const pictures = 30
const allowedGrowthMiB = 128

export const publicPage: Row = async (workspace) => {
  const product = await workspace.openProduct()
  const media = await uploadFiles(product, await makePhotos(await workspace.newFolder('photographs'), pictures))
  const path = await shareAll(product, media)
  const bare = await startBare(await workspace.newFolder('bare'), product.address + path, asBrowser)
  try {
    await visit(bare.address, path, { count: warmUp })
    await visit(product.address, path, { count: warmUp })
    const before = pssMiBOf(product.pid)
    const visitAll = (server: Product, turn: number) =>
      measureUsage(server, () => visit(server.address, path, { count: visitors * pagesEach, turn }))
    const taken = {
      limit: (turn: number) => visitAll(bare, turn + 1),
      used: (turn: number) => visitAll(product, turn + 1),
    }
    const { result, peak } = await peakPssMiB(product.pid, () => measureInTurns(turnsEach, taken))
    const [shared] = await product.send<{ viewCount: number }[]>('GET', '/api/collections')
    assert.ok(
      shared!.viewCount > visitors * turnsEach,
      `Expected new views in each turn, received ${shared!.viewCount}`,
    )
    const { limit, used } = result
    const rate = limit.cpuMs / used.cpuMs
    const growth = peak - before
    return [
      {
        what: `public collection page, ${visitors.toLocaleString('en')} visitors at once: pages per second of CPU`,
        context: `bare Fastify sending the same bytes: ${perSecond(limit.cpuMs)}`,
        figure: `${times(rate)} (${perSecond(used.cpuMs)}; ${wall(used.wallMs / visitors / pagesEach)}), memory +${mib(growth)}`,
        toReach: `at least 0.6 of its rate, every answer 200, memory at most +${mib(allowedGrowthMiB)}`,
        isReached: rate >= 0.6 && growth <= allowedGrowthMiB,
      },
    ]
  } finally {
    await Promise.all([product.stop(), bare.stop()])
  }
}

const perSecond = (cpuMs: number) => `${((visitors * pagesEach * 1000) / cpuMs).toFixed(0)} a second`

const asBrowser = {
  'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
  'accept-encoding': 'gzip, deflate, br, zstd',
}

/** Every visitor of every turn has another address, so that each view counts; on Linux all of 127.0.0.0/8 is local. */
const addressOf = (visitor: number) => `127.1.${visitor >> 8}.${visitor & 255}`

/** Each visitor has a connection; all send requests at the same time. */
async function visit(address: string, path: string, { count, turn = 0 }: { count: number; turn?: number }) {
  let asked = 0
  const sendRequests = async (_: unknown, visitor: number) => {
    const client = new Client(address, { localAddress: addressOf(turn * visitors + visitor) })
    while (asked++ < count) {
      const { statusCode, body } = await client.request({ path, method: 'GET', headers: asBrowser })
      await body.dump({ limit: Number.MAX_SAFE_INTEGER })
      assert.equal(statusCode, 200)
    }
    await client.close()
  }
  await Promise.all(Array.from({ length: visitors }, sendRequests))
}
