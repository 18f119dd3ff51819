import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdir, rm } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { promisify } from 'node:util'
import type { Measurement } from '../support/measurements.ts'
import { peakPssMiB, pssMiBOf } from '../support/process-usage.ts'
import { downloadTo, restoreFrom } from './archive-transfer.ts'
import { startBareReceiver } from './bare.ts'
import { makePhotos } from './make-photos.ts'
import { account, measureChild, measureMedian, measureUsage, type Product, type Usage, uploadFiles } from './product.ts'
import { mib, ms, type Row, times, wall } from './row.ts'
import type { Workspace } from './workspace.ts'

/** Enough that the fixed cost of a backup does not hide the cost per picture. */
const pictures = 500
const archivedPictures = 100
const perRequest = 10
const unchangedTurns = 5
const turnsEach = 4
const allowedGrowthMiB = 96

type Backup = { newBytes: number; size: number }

export const backup: Row = (workspace) =>
  withLibrary(workspace, pictures, async (product) => [await backupAgain(product)])

export const archive: Row = (workspace) =>
  withLibrary(workspace, archivedPictures, (product, photographs) =>
    downloadAndRestore(workspace, product, photographs),
  )

async function withLibrary(
  workspace: Workspace,
  count: number,
  measure: (product: Product, photographs: string[]) => Promise<Measurement[]>,
) {
  const photographs = await makePhotos(await workspace.newFolder('photographs'), count)
  const product = await workspace.openProduct()
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
  const first = { ...(await measureUsage(product, make)), ...made }
  const middle = { ...(await measureMedian(product, unchangedTurns, make)), ...made }
  const bytes = middle.newBytes / first.newBytes
  const time = middle.cpuMs / first.cpuMs
  return {
    what: `backup of an unchanged library of ${pictures} pictures, the median of ${unchangedTurns}`,
    context: `its first backup: ${mib(first.newBytes / 2 ** 20)}, ${ms(first.cpuMs)} CPU, ${wall(first.wallMs)}`,
    figure: `${percent(bytes)} of the bytes, ${percent(time)} of the time (${ms(middle.cpuMs)}, ${wall(middle.wallMs)})`,
    toReach: 'at most 1% of the bytes, 5% of the time',
    isReached: bytes <= 0.01 && time <= 0.05,
  }
}

const percent = (share: number) => `${(share * 100).toFixed(1)}%`

/**
 * Bytes per second of wall time, because `cp` works in the kernel. All end with the bytes synced to disk, alternate, and are
 * judged by their best turn. Each restore goes into an empty library.
 */
async function downloadAndRestore(workspace: Workspace, product: Product, photographs: string[]) {
  const folder = await workspace.newFolder('archives')
  const copied: Usage[] = []
  const received: Usage[] = []
  const downloads: Transfer[] = []
  const restores: Transfer[] = []
  // The daily backup would have read the files before.
  await product.send('POST', '/api/admin/backups/create')
  for (let turn = 0; turn < turnsEach; turn++) {
    const [copies, archive] = [join(folder, 'copies'), join(folder, 'library.zip')]
    copied.push(await measureChild(() => copyTo(copies, photographs)))
    downloads.push(await measureTransfer(product, () => downloadTo(product, archive)))
    received.push(await measureBareReceiver(await workspace.newFolder('received'), archive))
    const other = await workspace.openProduct()
    try {
      restores.push(await measureTransfer(other, () => restoreFrom(other, archive)))
      await other.send('POST', '/api/login', { username: account.username, password: account.password })
      const { pagination } = await other.send<{ pagination: { totalCount: number } }>('GET', '/api/media')
      assert.equal(pagination.totalCount, photographs.length)
    } finally {
      await other.stop()
    }
    // Reused memory and disk blocks are cheaper than new ones, so each turn starts without these files.
    for (const path of [copies, archive]) await rm(path, { recursive: true })
  }
  const row = (what: string, { turns, limit, comparison, share }: Judged) => {
    const best = turns.reduce(faster)
    const rate = limit.wallMs / best.wallMs
    const grown = Math.max(...turns.map(({ grownMiB }) => grownMiB))
    return {
      what: `${what}: bytes per second, best of ${turnsEach} runs`,
      context: `${comparison}: ${wall(limit.wallMs)}, ${ms(limit.cpuMs)} CPU`,
      figure: `${times(rate)} of its rate (${wall(best.wallMs)}, ${ms(best.cpuMs)} CPU), memory +${mib(grown)}`,
      toReach: `at least ${share} of its rate; memory at most +${mib(allowedGrowthMiB)}`,
      isReached: rate >= share && grown <= allowedGrowthMiB,
    }
  }
  return [
    row('complete ZIP download', {
      turns: downloads,
      limit: copied.reduce(faster),
      comparison: 'cp and sync of the same bytes',
      share: 0.6,
    }),
    row('restore from that ZIP into an empty library', {
      turns: restores,
      limit: received.reduce(faster),
      comparison: 'a bare server that receives, hashes and syncs the same bytes',
      share: 0.9,
    }),
  ]
}

/** The goal is `share` of the rate of `limit`. */
type Judged = { turns: Transfer[]; limit: Usage; comparison: string; share: number }

async function measureBareReceiver(folder: string, archive: string) {
  const receiver = await startBareReceiver(folder)
  try {
    return await measureUsage(receiver, () => restoreFrom(receiver, archive))
  } finally {
    await receiver.stop()
    await rm(folder, { recursive: true })
  }
}

type Transfer = Usage & { grownMiB: number }

async function measureTransfer(product: Product, work: () => Promise<unknown>): Promise<Transfer> {
  const before = pssMiBOf(product.pid)
  const { result, peak } = await peakPssMiB(product.pid, () => measureUsage(product, work))
  return { ...result, grownMiB: peak - before }
}

const faster = <T extends Usage>(one: T, other: T) => (other.wallMs < one.wallMs ? other : one)

async function copyTo(folder: string, files: string[]) {
  await mkdir(folder)
  await promisify(execFile)('cp', [...files, folder])
  await promisify(execFile)(
    'sync',
    files.map((file) => join(folder, basename(file))),
  )
}
