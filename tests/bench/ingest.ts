import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import sharp from 'sharp'
import { makePhotographs } from './photographs.ts'
import { peakPssMiB } from './process-usage.ts'
import { inTurns, type Product, type Used, usedBy, usedHere } from './product.ts'
import { mib, ms, type Row, times, wall } from './row.ts'
import { uploadFiles } from './upload.ts'

const pictures = 500
const turnsEach = 5
/** The bare limit needs fewer pictures: it has nothing to warm up. */
const bareShare = 5
const perRequest = 10
const perTurn = pictures / turnsEach / 2

export const ingest: Row = async (workshop) => {
  const photographs = await makePhotographs(await workshop.newFolder('photographs'), pictures + perRequest)
  const product = await workshop.openProduct()
  try {
    // The first ones start the decoders.
    await uploadFiles(product, photographs.splice(0, perRequest))
    const outputPath = `${await workshop.newFolder('bare')}/thumbnail.webp`
    sharp.concurrency(1)
    const partOf = (turn: number) => photographs.slice(turn * perTurn, (turn + 1) * perTurn)
    const [together, alone] = [partOf, (turn: number) => partOf(turn + turnsEach)]
    const { result, peak } = await peakPssMiB(product.pid, () =>
      inTurns(turnsEach, {
        together: (turn) => usedBy(product, () => uploadAll(product, together(turn), perRequest)),
        alone: (turn) => usedBy(product, () => uploadAll(product, alone(turn), 1)),
        bare: (turn) => usedHere(() => makeAll(together(turn).slice(0, perTurn / bareShare), outputPath)),
      }),
    )
    const barePerPicture = result.bare.cpuMs / (perTurn / bareShare)
    const row = (what: string, used: Used) => {
      const perPicture = used.cpuMs / perTurn
      const ratio = perPicture / barePerPicture
      return {
        what: `ingest, ${what}: CPU per 12-megapixel JPEG until its thumbnail is ready`,
        beside: `sharp making the same thumbnail, and sha256: ${ms(barePerPicture)}`,
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
        beside: '',
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
