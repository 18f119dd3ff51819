import { execFile } from 'node:child_process'
import { mkdir } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { promisify } from 'node:util'
import type { Measurement } from '../support/measurements.ts'
import { downloadTo, restoreFrom } from './carry-archive.ts'
import { makePhotographs } from './photographs.ts'
import { peakPssMiB, pssMiBOf } from './process-usage.ts'
import { account, type Product, type Used, usedBy, usedByChild, usuallyUsedBy } from './product.ts'
import { mib, ms, type Row, times, wall } from './row.ts'
import { uploadFiles } from './upload.ts'
import type { Workshop } from './workshop.ts'

/** So many that what a backup costs in any case does not hide what it costs for each picture. */
const pictures = 500
const archivedPictures = 100
const perRequest = 10
const unchangedTurns = 5
const turnsEach = 4
const allowedGrowthMiB = 96

type Backup = { newBytes: number; size: number }

export const backup: Row = (workshop) =>
  withLibrary(workshop, pictures, async (product) => [await backupAgain(product)])

export const archive: Row = (workshop) =>
  withLibrary(workshop, archivedPictures, async (product, photographs) =>
    downloadAndRestore(product, { folder: await workshop.newFolder('archives'), photographs }),
  )

async function withLibrary(
  workshop: Workshop,
  count: number,
  measure: (product: Product, photographs: string[]) => Promise<Measurement[]>,
) {
  const photographs = await makePhotographs(await workshop.newFolder('photographs'), count)
  const product = await workshop.openProduct()
  try {
    for (let start = 0; start < count; start += perRequest) {
      await uploadFiles(product, photographs.slice(start, start + perRequest))
    }
    return await measure(product, photographs)
  } finally {
    await product.stop()
  }
}

async function backupAgain(product: Product) {
  let made: Backup = { newBytes: 0, size: 0 }
  const make = async () => {
    made = (await product.send<{ backup: Backup }>('POST', '/api/admin/backups/create')).backup
  }
  const first = { ...(await usedBy(product, make)), ...made }
  const middle = { ...(await usuallyUsedBy(product, unchangedTurns, make)), ...made }
  const bytes = middle.newBytes / first.newBytes
  const time = middle.cpuMs / first.cpuMs
  return {
    what: `backup of an unchanged library of ${pictures} pictures, the middle of ${unchangedTurns}`,
    beside: `its first backup: ${mib(first.newBytes / 2 ** 20)}, ${ms(first.cpuMs)} CPU, ${wall(first.wallMs)}`,
    figure: `${percent(bytes)} of the bytes, ${percent(time)} of the time (${ms(middle.cpuMs)}, ${wall(middle.wallMs)})`,
    toReach: 'at most 1% of the bytes, 5% of the time',
    isReached: bytes <= 0.01 && time <= 0.05,
  }
}

const percent = (share: number) => `${(share * 100).toFixed(1)}%`

type Copying = { folder: string; photographs: string[] }

/**
 * Bytes per second by the clock: `cp` lets the kernel do its work, so CPU time would compare two different things. Each
 * ends with the bytes on the disk, they take turns, and the best of each counts, because others use the machine too.
 */
async function downloadAndRestore(product: Product, { folder, photographs }: Copying) {
  const archive = join(folder, 'library.zip')
  const before = pssMiBOf(product.pid)
  const turns: { copied: Used; download: Used; restore: Used }[] = []
  const { peak } = await peakPssMiB(product.pid, async () => {
    for (let turn = 0; turn < turnsEach; turn++) {
      turns.push({
        copied: await usedByChild(() => copyTo(join(folder, `copies-${turn}`), photographs)),
        download: await usedBy(product, () => downloadTo(product, archive)),
        restore: await usedBy(product, () => restoreFrom(product, archive)),
      })
      await product.send('POST', '/api/login', { username: account.username, password: account.password })
    }
  })
  const best = (of: keyof (typeof turns)[number]) => turns.map((turn) => turn[of]).reduce(faster)
  const copied = best('copied')
  const isFlat = peak - before <= allowedGrowthMiB
  const row = (what: string, used: Used) => ({
    what: `${what}: bytes per second, best of ${turnsEach} turns`,
    beside: `cp and sync of the same bytes: ${wall(copied.wallMs)}, ${ms(copied.cpuMs)} CPU`,
    figure: `${times(copied.wallMs / used.wallMs)} of its rate (${wall(used.wallMs)}, ${ms(used.cpuMs)} CPU), memory +${mib(peak - before)}`,
    toReach: `at least 0.6 of its rate; memory at most +${mib(allowedGrowthMiB)}`,
    isReached: copied.wallMs / used.wallMs >= 0.6 && isFlat,
  })
  return [row('complete ZIP download', best('download')), row('restore from that ZIP', best('restore'))]
}

const faster = (one: Used, other: Used) => (other.wallMs < one.wallMs ? other : one)

async function copyTo(folder: string, files: string[]) {
  await mkdir(folder)
  await promisify(execFile)('cp', [...files, folder])
  await promisify(execFile)(
    'sync',
    files.map((file) => join(folder, basename(file))),
  )
}
