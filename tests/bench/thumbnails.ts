import { makePhotographs } from './photographs.ts'
import { usedBy } from './product.ts'
import { type Row, wall } from './row.ts'
import { uploadFiles } from './upload.ts'

const pictures = 24
const requests = 8000
const atOnce = 8

/** nginx is no package of npm; where it is installed, it says what sending the same files costs without any check. */
export const thumbnail: Row = async (workshop) => {
  const product = await workshop.openProduct()
  try {
    const media = await uploadFiles(product, await makePhotographs(await workshop.newFolder('photographs'), pictures))
    const addresses = media.map(({ thumbnailUrl }) => thumbnailUrl)
    const ask = async (count: number) => {
      let turn = 0
      const askOn = async () => {
        while (turn < count) await product.ask(addresses[turn++ % pictures]!)
      }
      await Promise.all(Array.from({ length: atOnce }, askOn))
    }
    await ask(requests)
    const used = await usedBy(product, () => ask(requests))
    const perRequest = used.cpuMs / requests
    return [
      {
        what: 'thumbnail over HTTP with its access check',
        beside: '',
        figure: `${perRequest.toFixed(3)} ms CPU (${wall(used.wallMs / requests)})`,
        toReach: 'at most 0.1 ms CPU',
        isReached: perRequest <= 0.1,
      },
    ]
  } finally {
    await product.stop()
  }
}
