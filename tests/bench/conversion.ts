import { join } from 'node:path'
import sharp from 'sharp'
import type { Media } from '#features/media/contract.ts'
import { makePhotographs } from './photographs.ts'
import { inTurns, usedBy, usedHere } from './product.ts'
import { ms, type Row, times, wall } from './row.ts'
import { uploadFiles } from './upload.ts'

const pictures = 6
const turnsEach = 3
const quality = 80

export const conversion: Row = async (workshop) => {
  const folder = await workshop.newFolder('photographs')
  const [first, ...photographs] = await makePhotographs(folder, 1 + turnsEach * pictures)
  const product = await workshop.openProduct()
  try {
    const [firstItem, ...media] = [
      ...(await uploadFiles(product, [first!])),
      ...(await uploadFiles(product, photographs)),
    ]
    const convert = (items: Media[]) => {
      const body = { mediaIds: items.map(({ id }) => id), quality, deleteOriginal: true }
      return product.send('POST', '/api/media/bulk-convert-webp', body)
    }
    const convertBare = async (paths: string[]) => {
      for (const path of paths) {
        const image = sharp(path).autoOrient().keepExif().webp({ quality, effort: 2 })
        await image.toFile(join(folder, 'bare.webp'))
      }
    }
    const partOf = <Item>(items: Item[], turn: number) => items.slice(turn * pictures, (turn + 1) * pictures)
    await convert([firstItem!])
    sharp.concurrency(1)
    const { used, bare } = await inTurns(turnsEach, {
      used: (turn) => usedBy(product, () => convert(partOf(media, turn))),
      bare: (turn) => usedHere(() => convertBare(partOf(photographs, turn))),
    })
    const ratio = used.cpuMs / bare.cpuMs
    return [
      {
        what: `bulk WebP conversion of ${pictures} JPEGs, CPU`,
        beside: `sharp with the same settings: ${ms(bare.cpuMs / pictures)} each`,
        figure: `${times(ratio)} (${ms(used.cpuMs / pictures)}; ${wall(used.wallMs / pictures)})`,
        toReach: 'at most 1.05x',
        isReached: ratio <= 1.05,
      },
    ]
  } finally {
    await product.stop()
  }
}
