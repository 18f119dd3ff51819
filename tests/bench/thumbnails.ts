import { startBare } from './bare.ts'
import { makePhotographs } from './photographs.ts'
import { inTurns, type Product, usedBy } from './product.ts'
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
    const addressOf = (turn: number) => addresses[turn % addresses.length]!
    for (const server of [bare, product]) await askAll(server, addressOf)
    const { limit, used } = await inTurns(turnsEach, {
      limit: () => usedBy(bare, () => askAll(bare, addressOf)),
      used: () => usedBy(product, () => askAll(product, addressOf)),
    })
    return [
      {
        what: 'thumbnail over HTTP with its access check',
        beside: `bare Fastify sending the same bytes without a check: ${each(limit.cpuMs)} ms CPU`,
        figure: `${each(used.cpuMs)} ms CPU (${wall(used.wallMs / requests)})`,
        toReach: 'at most 0.2 ms CPU',
        isReached: used.cpuMs / requests <= 0.2,
      },
    ]
  } finally {
    await Promise.all([product.stop(), bare.stop()])
  }
}

const each = (cpuMs: number) => (cpuMs / requests).toFixed(3)

async function askAll(server: Product, addressOf: (turn: number) => string) {
  let turn = 0
  const askOn = async () => {
    while (turn < requests) await server.ask(addressOf(turn++))
  }
  await Promise.all(Array.from({ length: atOnce }, askOn))
}
