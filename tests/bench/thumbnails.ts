import { startBare } from './bare.ts'
import { makePhotos } from './make-photos.ts'
import { measureInTurns, measureUsage, type Product, uploadFiles } from './product.ts'
import { type Row, wall } from './row.ts'

const pictures = 24
const requests = 8000
const turnsEach = 5
const atOnce = 8

export const thumbnail: Row = async (workspace) => {
  const product = await workspace.openProduct()
  const media = await uploadFiles(product, await makePhotos(await workspace.newFolder('photographs'), pictures))
  const addresses = media.map(({ thumbnailUrl }) => thumbnailUrl)
  const cookie = { cookie: product.cookie }
  const bare = await startBare(await workspace.newFolder('bare'), product.address + addresses[0], cookie)
  try {
    const addressOf = (turn: number) => addresses[turn % addresses.length]!
    for (const server of [bare, product]) await askAll(server, addressOf)
    const { limit, used } = await measureInTurns(turnsEach, {
      limit: () => measureUsage(bare, () => askAll(bare, addressOf)),
      used: () => measureUsage(product, () => askAll(product, addressOf)),
    })
    return [
      {
        what: 'thumbnail over HTTP with its access check',
        context: `bare Fastify sending the same bytes without a check: ${each(limit.cpuMs)} ms CPU`,
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
