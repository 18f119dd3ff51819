import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import sharp from 'sharp'
import { makePhotographs } from './photographs.ts'
import { peakPssMiB } from './process-usage.ts'
import { inTurns, type Product, usedBy, usedHere } from './product.ts'
import { mib, ms, type Row, times, wall } from './row.ts'
import { uploadFiles } from './upload.ts'

const pictures = 500
const turnsEach = 5
/** The bare limit needs fewer: it has nothing to warm up. */
const bareShare = 10
const perRequest = 10

export const ingest: Row = async (workshop) => {
  const photographs = await makePhotographs(await workshop.newFolder('photographs'), pictures + perRequest)
  const product = await workshop.openProduct()
  try {
    // The first ones start the decoders.
    await uploadFiles(product, photographs.splice(0, perRequest))
    const outputPath = `${await workshop.newFolder('bare')}/thumbnail.webp`
    sharp.concurrency(1)
    const perTurn = pictures / turnsEach
    const partOf = (turn: number) => photographs.slice(turn * perTurn, (turn + 1) * perTurn)
    const { result, peak } = await peakPssMiB(product.pid, () =>
      inTurns(turnsEach, {
        used: (turn) => usedBy(product, () => uploadAll(product, partOf(turn))),
        bare: (turn) => usedHere(() => makeAll(partOf(turn).slice(0, perTurn / bareShare), outputPath)),
      }),
    )
    const { used, bare } = result
    const [perPicture, barePerPicture] = [used.cpuMs / perTurn, bare.cpuMs / (perTurn / bareShare)]
    const ratio = perPicture / barePerPicture
    return [
      {
        what: 'ingest: CPU per 12-megapixel JPEG until its thumbnail is ready',
        beside: `sharp making the same thumbnail, and sha256: ${ms(barePerPicture)}`,
        figure: `${times(ratio)} (${ms(perPicture)}; ${wall(used.wallMs / perTurn)})`,
        toReach: 'at most 1.25x',
        isReached: ratio <= 1.25,
      },
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

async function uploadAll(product: Product, paths: string[]) {
  for (let start = 0; start < paths.length; start += perRequest) {
    await uploadFiles(product, paths.slice(start, start + perRequest))
  }
}

async function makeAll(paths: string[], outputPath: string) {
  for (const path of paths) await makeThumbnailAndHash(path, outputPath)
}

/** The least that anybody could do with sharp who wants this thumbnail and this hash. */
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
