import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { peakPssMiB, pssMiBOf } from '../support/process-usage.ts'
import { makeVideos, padTo } from './make-videos.ts'
import { measureHere, measureInTurns, measureUsage, uploadFiles } from './product.ts'
import { mib, ms, type Row, times, wall } from './row.ts'

const fileBytes = 500_000_000
const turnsEach = 3

export const largeUpload: Row = async (workspace) => {
  const folder = await workspace.newFolder('large')
  const [small, ...large] = await makeVideos(folder, 1 + turnsEach, { width: 640, height: 360 })
  for (const path of large) await padTo(path, fileBytes)
  const product = await workspace.openProduct()
  try {
    // Starts the decoders, so that their start is not measured.
    await uploadFiles(product, [small!])
    const before = pssMiBOf(product.pid)
    const taken = {
      used: (turn: number) => measureUsage(product, () => uploadFiles(product, [large[turn]!])),
      bare: (turn: number) => measureHere(() => writeAndHash(large[turn]!, join(folder, `copy-${turn}`))),
    }
    const { result, peak } = await peakPssMiB(product.pid, () => measureInTurns(turnsEach, taken))
    const { used, bare } = result
    const ratio = used.cpuMs / bare.cpuMs
    return [
      {
        what: 'one 500 MB upload',
        context: `writing and hashing the same bytes: ${ms(bare.cpuMs)}`,
        figure: `${times(ratio)} CPU (${ms(used.cpuMs)}; ${wall(used.wallMs)}), memory +${mib(peak - before)}`,
        toReach: 'CPU at most 2x, memory at most +96 MiB',
        isReached: ratio <= 2 && peak - before <= 96,
      },
    ]
  } finally {
    await product.stop()
  }
}

/** The least work for storing bytes by their hash; reading the file stands for receiving it. */
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
