import { startBare } from './bare.ts'
import { makePhotographs } from './photographs.ts'
import { type Product, usuallyUsedBy } from './product.ts'
import { type Row, wall } from './row.ts'
import { uploadFiles } from './upload.ts'

const pictures = 24
const requests = 8000
const turnsEach = 5
const atOnce = 8

export const thumbnail: Row = async (workshop) => {
  const product = await workshop.openProduct()
  const media = await uploadFiles(product, await makePhotographs(await workshop.newFolder('photographs'), pictures))
  const addresses = media.map(({ thumbnailUrl }) => thumbnailUrl)
  const cookie = { cookie: product.cookie }
  const bare = await startBare(await workshop.newFolder('bare'), product.address + addresses[0], cookie)
  try {
    const limit = await costOf(bare, addresses)
    const used = await costOf(product, addresses)
    return [
      {
        what: 'thumbnail over HTTP with its access check',
        beside: `bare Fastify sending the same bytes to anybody: ${limit.cpuMs.toFixed(3)} ms CPU`,
        figure: `${used.cpuMs.toFixed(3)} ms CPU (${wall(used.wallMs)})`,
        toReach: 'at most 0.1 ms CPU',
        isReached: used.cpuMs <= 0.1,
      },
    ]
  } finally {
    await Promise.all([product.stop(), bare.stop()])
  }
}

/** What one thumbnail costs a server that has been asked for many. */
async function costOf(server: Product, addresses: string[]) {
  const ask = async () => {
    let turn = 0
    const askOn = async () => {
      while (turn < requests) await server.ask(addresses[turn++ % addresses.length]!)
    }
    await Promise.all(Array.from({ length: atOnce }, askOn))
  }
  await ask()
  const { cpuMs, wallMs } = await usuallyUsedBy(server, turnsEach, ask)
  return { cpuMs: cpuMs / requests, wallMs: wallMs / requests }
}
