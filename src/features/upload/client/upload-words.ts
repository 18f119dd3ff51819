import { formatBytes } from '#shared/bytes.ts'
import { countOf } from '#shared/count.ts'
import { averageSpeed, describeTransfer } from '#shared/transfer-speed.ts'
import type { ToastOptions } from '#ui/notices/toast.ts'
import { isSaving, itemsUnderWay, type UploadItem } from './upload-queue.ts'
import type { UploadResult, UploadState } from './uploader.ts'

/** The line under a file's name. */
export function itemWords(item: UploadItem, nowMs: number): string {
  const size = formatBytes(item.file.size)
  if (item.status === 'waiting') return `${size} · Waiting`
  if (item.status === 'cancelled') return `${size} · Cancelled`
  if (item.status === 'done') return `${size} · Uploaded`
  if (item.status === 'sending') return sendingWords(item, nowMs)
  return item.message ?? size
}

function sendingWords(item: UploadItem, nowMs: number): string {
  const { file, sentBytes, startedAtMs = nowMs, hasReportedBytes } = item
  const size = formatBytes(file.size)
  if (!hasReportedBytes) return `${size} · Uploading`
  if (isSaving(item)) return `${size} · Saving`
  const speed = averageSpeed([
    { atMs: startedAtMs, bytes: 0 },
    { atMs: nowMs, bytes: sentBytes },
  ])
  return [`${formatBytes(sentBytes)} of ${size}`, describeTransfer(speed, file.size - sentBytes)]
    .filter(Boolean)
    .join(' · ')
}

/** All files together: "12 of 40 · 3.1 MB/s · 20 s left". */
export function overallWords({ queue, samples, run }: Omit<UploadState, 'isUploading'>): string {
  const wanted = itemsUnderWay(queue)
  const done = wanted.filter(({ status }) => status === 'done').length
  // What was refused on the way was one of them too.
  const all = queue.items.filter(({ id, status }) => run.has(id) && status !== 'cancelled').length
  const bytesLeft = wanted.reduce((sum, { file, sentBytes }) => sum + file.size - sentBytes, 0)
  return [`${done} of ${all}`, describeTransfer(averageSpeed(samples), bytesLeft)].filter(Boolean).join(' · ')
}

const library = 'your library'

/** What is told at the end of a run; nothing when it was only stopped. */
export function resultNotice(result: UploadResult, place = library): ToastOptions | undefined {
  const { done, failed, refused, cancelled, copyIds, message } = result
  const added = `${countOf(done, 'file was', 'files were')} added to ${place}`
  const copies = copyIds.length > 0 ? ` ${copiesOf(copyIds.length, done, place)} already.` : ''
  if (failed > 0 || (refused > 0 && done === 0))
    return { title: 'Upload failed', description: message ?? 'Upload failed', tone: 'danger' }
  if (refused > 0)
    return {
      title: 'Upload complete',
      description: `${added}, ${countOf(refused, 'was', 'were')} not accepted.${copies}`,
    }
  if (cancelled > 0) return done > 0 ? { title: 'Upload cancelled', description: `${added}.${copies}` } : undefined
  return { title: 'Upload complete', description: `${added}.${copies}`, tone: 'success' }
}

function copiesOf(copies: number, all: number, place: string) {
  const were = copies < all ? countOf(copies, 'of them was', 'of them were') : all === 1 ? 'It was' : 'All of them were'
  return `${were} ${place === library ? 'there' : `in ${library}`}`
}
