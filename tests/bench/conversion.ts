import { join } from 'node:path'
import sharp from 'sharp'
import type { Media } from '#features/media/contract.ts'
import { makePhotos } from './make-photos.ts'
import { measureHere, measureInTurns, measureUsage, uploadFiles } from './product.ts'
import { ms, type Row, times, wall } from './row.ts'

const pictures = 6
const turnsEach = 3
const quality = 80

export const conversion: Row = async (workspace) => {
  const folder = await workspace.newFolder('photographs')
  const [first, ...photographs] = await makePhotos(folder, 1 + turnsEach * pictures)
  const product = await workspace.openProduct()
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
    const { used, bare } = await measureInTurns(turnsEach, {
      used: (turn) => measureUsage(product, () => convert(partOf(media, turn))),
      bare: (turn) => measureHere(() => convertBare(partOf(photographs, turn))),
    })
    const ratio = used.cpuMs / bare.cpuMs
    return [
      {
        what: `bulk WebP conversion of ${pictures} JPEGs, CPU`,
        context: `sharp with the same settings: ${ms(bare.cpuMs / pictures)} each`,
        figure: `${times(ratio)} (${ms(used.cpuMs / pictures)}; ${wall(used.wallMs / pictures)})`,
        toReach: 'at most 1.05x',
        isReached: ratio <= 1.05,
      },
    ]
  } finally {
    await product.stop()
  }
}
