import { join } from 'node:path'
import sharp from 'sharp'
import { makePhotographs } from './photographs.ts'
import { usedBy, usedHere } from './product.ts'
import { ms, type Row, times, wall } from './row.ts'
import { uploadFiles } from './upload.ts'

const pictures = 6
const quality = 80

export const conversion: Row = async (workshop) => {
  const folder = await workshop.newFolder('photographs')
  const photographs = await makePhotographs(folder, pictures + 1)
  const product = await workshop.openProduct()
  try {
    const media = await uploadFiles(product, photographs)
    const convert = (mediaIds: number[]) =>
      product.send<{ summary: { successful: number } }>('POST', '/api/media/bulk-convert-webp', {
        ...{ mediaIds, quality, deleteOriginal: true },
      })
    const [first, ...others] = media.map(({ id }) => id)
    await convert([first!])
    const used = await usedBy(product, () => convert(others))
    sharp.concurrency(1)
    const bare = await usedHere(async () => {
      for (const path of photographs.slice(1)) {
        const image = sharp(path).autoOrient().keepExif().webp({ quality, effort: 2 })
        await image.toFile(join(folder, 'bare.webp'))
      }
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
