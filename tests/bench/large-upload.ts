import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { growTo, makeFilms } from './films.ts'
import { peakPssMiB, pssMiBOf } from './process-usage.ts'
import { inTurns, usedBy, usedHere } from './product.ts'
import { mib, ms, type Row, times, wall } from './row.ts'
import { uploadFiles } from './upload.ts'

const fileBytes = 500_000_000
const turnsEach = 3

export const largeUpload: Row = async (workshop) => {
  const folder = await workshop.newFolder('large')
  const [small, ...large] = await makeFilms(folder, 1 + turnsEach, { width: 640, height: 360 })
  for (const path of large) await growTo(path, fileBytes)
  const product = await workshop.openProduct()
  try {
    // Starts the decoders, which are not what is measured.
    await uploadFiles(product, [small!])
    const before = pssMiBOf(product.pid)
    const taken = {
      used: (turn: number) => usedBy(product, () => uploadFiles(product, [large[turn]!])),
      bare: (turn: number) => usedHere(() => writeAndHash(large[turn]!, join(folder, `copy-${turn}`))),
    }
    const { result, peak } = await peakPssMiB(product.pid, () => inTurns(turnsEach, taken))
    const { used, bare } = result
    const ratio = used.cpuMs / bare.cpuMs
    return [
      {
        what: 'one 500 MB upload',
        beside: `writing and hashing the same bytes: ${ms(bare.cpuMs)}`,
        figure: `${times(ratio)} CPU (${ms(used.cpuMs)}; ${wall(used.wallMs)}), memory +${mib(peak - before)}`,
        toReach: 'CPU at most 2x, memory at most +96 MiB',
        isReached: ratio <= 2 && peak - before <= 96,
      },
    ]
  } finally {
    await product.stop()
  }
}

/** What nobody can do without who keeps the bytes under their hash; reading them stands for receiving them. */
async function writeAndHash(from: string, to: string) {
  const hash = createHash('sha256')
  await using file = await open(to, 'wx')
  for await (const chunk of createReadStream(from, { highWaterMark: 1024 * 1024 })) {
    hash.update(chunk)
    await file.write(chunk)
  }
  await file.datasync()
  hash.digest('hex')
}
