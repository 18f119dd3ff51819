import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { createWriteStream, openAsBlob } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { ReadableStream as NodeReadableStream } from 'node:stream/web'
import { promisify } from 'node:util'
import { makePhotographs } from './photographs.ts'
import { peakPssMiB, pssMiBOf } from './process-usage.ts'
import { type Product, usedBy, usedByChild } from './product.ts'
import { mib, ms, type Row, times, wall } from './row.ts'
import { uploadFiles } from './upload.ts'

const pictures = 100
const perRequest = 10
const allowedGrowthMiB = 96

type Backup = { newBytes: number; size: number }

export const backup: Row = async (workshop) => {
  const photographs = await makePhotographs(await workshop.newFolder('photographs'), pictures)
  const product = await workshop.openProduct()
  try {
    for (let start = 0; start < pictures; start += perRequest) {
      await uploadFiles(product, photographs.slice(start, start + perRequest))
    }
    const folder = await workshop.newFolder('archives')
    return [await backupTwice(product), ...(await downloadAndRestore(product, { folder, photographs }))]
  } finally {
    await product.stop()
  }
}

async function backupTwice(product: Product) {
  const make = async () => (await product.send<{ backup: Backup }>('POST', '/api/admin/backups/create')).backup
  const made: Backup[] = []
  const usedFirst = await usedBy(product, async () => made.push(await make()))
  const usedSecond = await usedBy(product, async () => made.push(await make()))
  const [first, second] = made
  const bytes = second!.newBytes / first!.newBytes
  const time = usedSecond.cpuMs / usedFirst.cpuMs
  return {
    what: `backup of an unchanged library of ${pictures} pictures`,
    beside: `its first backup: ${mib(first!.newBytes / 2 ** 20)}, ${ms(usedFirst.cpuMs)} CPU, ${wall(usedFirst.wallMs)}`,
    figure: `${percent(bytes)} of the bytes, ${percent(time)} of the time (${ms(usedSecond.cpuMs)}, ${wall(usedSecond.wallMs)})`,
    toReach: 'at most 1% of the bytes, 5% of the time',
    isReached: bytes <= 0.01 && time <= 0.05,
  }
}

const percent = (share: number) => `${(share * 100).toFixed(1)}%`

async function downloadAndRestore(
  product: Product,
  { folder, photographs }: { folder: string; photographs: string[] },
) {
  const copies = join(folder, 'copies')
  await mkdir(copies)
  // A process of its own, which is what the operating system offers for copying; its CPU time is read when it has ended.
  const copied = await usedByChild(() => promisify(execFile)('cp', [...photographs, copies]))
  const archive = join(folder, 'library.zip')
  const before = pssMiBOf(product.pid)
  let [download, restore] = [nothing, nothing]
  const peak = await peakPssMiB(product.pid, async () => {
    download = await usedBy(product, () => downloadTo(product, archive))
    restore = await usedBy(product, () => restoreFrom(product, archive))
  })
  const [downloadRate, restoreRate] = [copied.cpuMs / download.cpuMs, copied.cpuMs / restore.cpuMs]
  const growth = `memory +${mib(peak - before)}`
  const isFlat = peak - before <= allowedGrowthMiB
  return [
    {
      what: 'complete ZIP download: bytes per second of CPU',
      beside: `cp of the same bytes: ${ms(copied.cpuMs)} CPU, ${wall(copied.wallMs)}`,
      figure: `${times(downloadRate)} of its rate (${ms(download.cpuMs)} CPU, ${wall(download.wallMs)}), ${growth}`,
      toReach: `at least 0.6 of its rate; memory at most +${mib(allowedGrowthMiB)}`,
      isReached: downloadRate >= 0.6 && isFlat,
    },
    {
      what: 'restore from that ZIP: bytes per second of CPU',
      beside: `cp of the same bytes: ${ms(copied.cpuMs)} CPU, ${wall(copied.wallMs)}`,
      figure: `${times(restoreRate)} of its rate (${ms(restore.cpuMs)} CPU, ${wall(restore.wallMs)}), ${growth}`,
      toReach: `at least 0.6 of its rate; memory at most +${mib(allowedGrowthMiB)}`,
      isReached: restoreRate >= 0.6 && isFlat,
    },
  ]
}

const nothing = { cpuMs: 0, wallMs: 0 }

async function downloadTo({ address, cookie }: Product, path: string) {
  const answer = await fetch(`${address}/api/admin/backup/download`, { headers: { cookie } })
  assert.equal(answer.status, 200)
  await pipeline(Readable.fromWeb(answer.body as NodeReadableStream), createWriteStream(path))
}

async function restoreFrom({ address, cookie }: Product, path: string) {
  const form = new FormData()
  form.append('backup', await openAsBlob(path), 'library.zip')
  const answer = await fetch(`${address}/api/admin/backup/upload`, { method: 'POST', headers: { cookie }, body: form })
  assert.equal(answer.status, 200, await answer.text())
}
