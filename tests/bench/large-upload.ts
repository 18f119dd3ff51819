import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { appendFile, open, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { createClipMaker } from '#engines/video/testing/clips.ts'
import { peakPssMiB, pssMiBOf } from './process-usage.ts'
import { usedBy, usedHere } from './product.ts'
import { mib, ms, type Row, times, wall } from './row.ts'
import { uploadFiles } from './upload.ts'

const fileBytes = 500_000_000
const pieceBytes = 10_000_000

export const largeUpload: Row = async (workshop) => {
  const folder = await workshop.newFolder('large')
  const clips = createClipMaker(folder)
  const small = await clips.make({ width: 640, height: 360, index: 'first' })
  const large = await clips.make({ width: 640, height: 360, index: 'first', frames: 30 })
  await clips.close()
  await growTo(large, fileBytes)
  const product = await workshop.openProduct()
  try {
    // Starts the decoders, which are not what is measured.
    await uploadFiles(product, [small])
    const before = pssMiBOf(product.pid)
    let used = { cpuMs: 0, wallMs: 0 }
    const peak = await peakPssMiB(product.pid, async () => {
      used = await usedBy(product, () => uploadFiles(product, [large]))
    })
    const bare = await usedHere(() => writeAndHash(large, join(folder, 'copy')))
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

/** A film's file may carry a box of anything behind its pictures; that makes a small one as long as is wanted. */
async function growTo(path: string, bytes: number) {
  const rest = bytes - (await stat(path)).size
  const header = Buffer.alloc(8)
  header.writeUInt32BE(rest)
  header.write('free', 4)
  await appendFile(path, header)
  let left = rest - header.length
  for (let seed = 1; left > 0; seed++) {
    const piece = createHash('shake256', { outputLength: Math.min(pieceBytes, left) })
      .update(String(seed))
      .digest()
    await appendFile(path, piece)
    left -= piece.length
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
