import { join } from 'node:path'
import sharp from 'sharp'
import { makePhotos } from './make-photos.ts'
import { measureHere, measureInTurns, measureUsage, uploadFiles } from './product.ts'
import { ms, type Row, times, wall } from './row.ts'

const pictures = 6
const turnsEach = 3
const requests = 4000
const atOnce = 8
const width = 1280

/** A resized picture for a website: made at the first request, and then read. */
export const delivery: Row = async (workspace) => {
  const folder = await workspace.newFolder('photographs')
  const [first, ...photographs] = await makePhotos(folder, 1 + turnsEach * pictures)
  const product = await workspace.openProduct()
  try {
    const [firstItem, ...media] = [
      ...(await uploadFiles(product, [first!])),
      ...(await uploadFiles(product, photographs)),
    ]
    const publish = async ({ id }: { id: number }) => {
      const { publicUrlSlug } = await product.send<{ publicUrlSlug: string }>('POST', `/api/media/${id}/public`)
      return `/i/${publicUrlSlug}.webp?w=${width}`
    }
    const addresses = await Promise.all(media.map(publish))
    const resizeBare = async (paths: string[]) => {
      for (const path of paths) {
        const image = sharp(path).autoOrient().resize({ width }).toColourspace('srgb').webp({ quality: 78, effort: 2 })
        await image.toFile(join(folder, 'bare.webp'))
      }
    }
    const askAll = async (paths: string[]) => {
      for (const path of paths) await product.ask(path)
    }
    const partOf = <Item>(items: Item[], turn: number) => items.slice(turn * pictures, (turn + 1) * pictures)
    await product.ask(await publish(firstItem!))
    sharp.concurrency(1)
    const { used, bare } = await measureInTurns(turnsEach, {
      used: (turn) => measureUsage(product, () => askAll(partOf(addresses, turn))),
      bare: (turn) => measureHere(() => resizeBare(partOf(photographs, turn))),
    })
    const ratio = used.cpuMs / bare.cpuMs

    const thumbnails = media.map(({ thumbnailUrl }) => thumbnailUrl)
    const askMany = (paths: string[]) => {
      let turn = 0
      const askOn = async () => {
        while (turn < requests) await product.ask(paths[turn++ % paths.length]!)
      }
      return Promise.all(Array.from({ length: atOnce }, askOn))
    }
    for (const paths of [addresses, thumbnails]) await askMany(paths)
    const { resized, thumbnail } = await measureInTurns(turnsEach, {
      resized: () => measureUsage(product, () => askMany(addresses)),
      thumbnail: () => measureUsage(product, () => askMany(thumbnails)),
    })
    const each = (cpuMs: number) => (cpuMs / requests).toFixed(3)
    return [
      {
        what: 'resized picture for a website, made at the first request, CPU',
        context: `sharp with the same settings: ${ms(bare.cpuMs / pictures)} each`,
        figure: `${times(ratio)} (${ms(used.cpuMs / pictures)}; ${wall(used.wallMs / pictures)})`,
        toReach: 'at most 1.25x',
        isReached: ratio <= 1.25,
      },
      {
        what: 'resized picture for a website, made before',
        context: `a thumbnail: ${each(thumbnail.cpuMs)} ms CPU`,
        figure: `${each(resized.cpuMs)} ms CPU (${wall(resized.wallMs / requests)})`,
        toReach: 'at most 0.4 ms CPU',
        isReached: resized.cpuMs / requests <= 0.4,
      },
    ]
  } finally {
    await product.stop()
  }
}
