import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdir, rm } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { promisify } from 'node:util'
import type { Measurement } from '../support/measurements.ts'
import { startBareReceiver } from './bare.ts'
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
  withLibrary(workshop, archivedPictures, (product, photographs) => downloadAndRestore(workshop, product, photographs))

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

/**
 * Bytes per second by the clock, because `cp` lets the kernel do its work. Each ends with the bytes on the disk; they take
 * turns, and the best of each counts. Each restore goes into an Albumen that has none of the files.
 */
async function downloadAndRestore(workshop: Workshop, product: Product, photographs: string[]) {
  const folder = await workshop.newFolder('archives')
  const copied: Used[] = []
  const received: Used[] = []
  const downloads: Carried[] = []
  const restores: Carried[] = []
  // The backup of every day has read the files before.
  await product.send('POST', '/api/admin/backups/create')
  for (let turn = 0; turn < turnsEach; turn++) {
    const [copies, archive] = [join(folder, 'copies'), join(folder, 'library.zip')]
    copied.push(await usedByChild(() => copyTo(copies, photographs)))
    downloads.push(await carried(product, () => downloadTo(product, archive)))
    received.push(await receivedBare(await workshop.newFolder('received'), archive))
    const other = await workshop.openProduct()
    try {
      restores.push(await carried(other, () => restoreFrom(other, archive)))
      await other.send('POST', '/api/login', { username: account.username, password: account.password })
      const { pagination } = await other.send<{ pagination: { totalCount: number } }>('GET', '/api/media')
      assert.equal(pagination.totalCount, photographs.length)
    } finally {
      await other.stop()
    }
    // Memory and room that were in use a moment ago are cheaper than new ones: each turn finds the same.
    for (const path of [copies, archive]) await rm(path, { recursive: true })
  }
  const row = (what: string, { turns, limit, beside, share }: Judged) => {
    const best = turns.reduce(faster)
    const rate = limit.wallMs / best.wallMs
    const grown = Math.max(...turns.map(({ grownMiB }) => grownMiB))
    return {
      what: `${what}: bytes per second, best of ${turnsEach} turns`,
      beside: `${beside}: ${wall(limit.wallMs)}, ${ms(limit.cpuMs)} CPU`,
      figure: `${times(rate)} of its rate (${wall(best.wallMs)}, ${ms(best.cpuMs)} CPU), memory +${mib(grown)}`,
      toReach: `at least ${share} of its rate; memory at most +${mib(allowedGrowthMiB)}`,
      isReached: rate >= share && grown <= allowedGrowthMiB,
    }
  }
  return [
    row('complete ZIP download', {
      turns: downloads,
      limit: copied.reduce(faster),
      beside: 'cp and sync of the same bytes',
      share: 0.6,
    }),
    row('restore from that ZIP into an empty library', {
      turns: restores,
      limit: received.reduce(faster),
      beside: 'a bare server that receives, hashes and syncs the same bytes',
      share: 0.9,
    }),
  ]
}

/** `share` of the rate of `limit` is to be reached. */
type Judged = { turns: Carried[]; limit: Used; beside: string; share: number }

async function receivedBare(folder: string, archive: string) {
  const receiver = await startBareReceiver(folder)
  try {
    return await usedBy(receiver, () => restoreFrom(receiver, archive))
  } finally {
    await receiver.stop()
    await rm(folder, { recursive: true })
  }
}

type Carried = Used & { grownMiB: number }

async function carried(product: Product, work: () => Promise<unknown>): Promise<Carried> {
  const before = pssMiBOf(product.pid)
  const { result, peak } = await peakPssMiB(product.pid, () => usedBy(product, work))
  return { ...result, grownMiB: peak - before }
}

const faster = <T extends Used>(one: T, other: T) => (other.wallMs < one.wallMs ? other : one)

async function copyTo(folder: string, files: string[]) {
  await mkdir(folder)
  await promisify(execFile)('cp', [...files, folder])
  await promisify(execFile)(
    'sync',
    files.map((file) => join(folder, basename(file))),
  )
}
