import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import sharp from 'sharp'
import { peakPssMiB } from '../support/process-usage.ts'
import { makePhotos } from './make-photos.ts'
import { measureHere, measureInTurns, measureUsage, type Product, type Usage, uploadFiles } from './product.ts'
import { mib, ms, type Row, times, wall } from './row.ts'

const pictures = 500
const turnsEach = 5
/** The bare work needs fewer pictures, because it has nothing to warm up. */
const bareShare = 5
const perRequest = 10
const perTurn = pictures / turnsEach / 2

export const ingest: Row = async (workspace) => {
  const photographs = await makePhotos(await workspace.newFolder('photographs'), pictures + perRequest)
  const product = await workspace.openProduct()
  try {
    // The first uploads start the decoders.
    await uploadFiles(product, photographs.splice(0, perRequest))
    const outputPath = `${await workspace.newFolder('bare')}/thumbnail.webp`
    sharp.concurrency(1)
    const partOf = (turn: number) => photographs.slice(turn * perTurn, (turn + 1) * perTurn)
    const [together, alone] = [partOf, (turn: number) => partOf(turn + turnsEach)]
    const { result, peak } = await peakPssMiB(product.pid, () =>
      measureInTurns(turnsEach, {
        together: (turn) => measureUsage(product, () => uploadAll(product, together(turn), perRequest)),
        alone: (turn) => measureUsage(product, () => uploadAll(product, alone(turn), 1)),
        bare: (turn) => measureHere(() => makeAll(together(turn).slice(0, perTurn / bareShare), outputPath)),
      }),
    )
    const barePerPicture = result.bare.cpuMs / (perTurn / bareShare)
    const row = (what: string, used: Usage) => {
      const perPicture = used.cpuMs / perTurn
      const ratio = perPicture / barePerPicture
      return {
        what: `ingest, ${what}: CPU per 12-megapixel JPEG until its thumbnail is ready`,
        context: `sharp making the same thumbnail, and sha256: ${ms(barePerPicture)}`,
        figure: `${times(ratio)} (${ms(perPicture)}; ${wall(used.wallMs / perTurn)})`,
        toReach: 'at most 1.25x',
        isReached: ratio <= 1.25,
      }
    }
    return [
      row(`${perRequest} files per request`, result.together),
      row('one file per request, as the page sends them', result.alone),
      {
        what: `memory while ingesting ${pictures} pictures (PSS, all processes, AI off)`,
        context: '',
        figure: mib(peak),
        toReach: 'at most 400 MB',
        isReached: peak * 1.048576 <= 400,
      },
    ]
  } finally {
    await product.stop()
  }
}

async function uploadAll(product: Product, paths: string[], count: number) {
  for (let start = 0; start < paths.length; start += count) {
    await uploadFiles(product, paths.slice(start, start + count))
  }
}

async function makeAll(paths: string[], outputPath: string) {
  for (const path of paths) await makeThumbnailAndHash(path, outputPath)
}

/** The least work that makes this thumbnail and this hash with sharp. */
async function makeThumbnailAndHash(path: string, outputPath: string) {
  await sharp(path)
    .autoOrient()
    .resize(400, 400, { fit: 'outside', withoutEnlargement: true })
    .webp({ quality: 75, effort: 2 })
    .toFile(outputPath)
  const hash = createHash('sha256')
  await pipeline(createReadStream(path), hash)
  hash.digest('hex')
}
