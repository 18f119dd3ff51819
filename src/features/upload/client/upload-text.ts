import type { CollectionSummary } from '#features/collections/contract.ts'
import { formatBytes } from '#shared/bytes.ts'
import { countOf } from '#shared/count.ts'
import { averageSpeed, describeTransfer } from '#shared/transfer-speed.ts'
import type { ToastOptions } from '#ui/notices/toast.ts'
import { isSaving, itemsInProgress, type UploadItem } from './upload-queue.ts'
import type { UploadEnd, UploadResult, UploadState } from './uploader.ts'

/** The line under a file's name. */
export function itemText(item: UploadItem, nowMs: number): string {
  const size = formatBytes(item.file.size)
  if (item.status === 'waiting') return `${size} · Waiting`
  if (item.status === 'cancelled') return `${size} · Canceled`
  if (item.status === 'done') return `${size} · Uploaded`
  if (item.status === 'sending') return sendingText(item, nowMs)
  return item.message ?? size
}

function sendingText(item: UploadItem, nowMs: number): string {
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

/** The whole run: "12 of 40 · 3.1 MB/s · 20 s left". */
export function overallText({ queue, samples, run }: Omit<UploadState, 'isUploading'>): string {
  const inProgress = itemsInProgress(queue)
  const done = inProgress.filter(({ status }) => status === 'done').length
  // Files that were refused count as well.
  const all = queue.items.filter(({ id, status }) => run.has(id) && status !== 'cancelled').length
  const bytesLeft = inProgress.reduce((sum, { file, sentBytes }) => sum + file.size - sentBytes, 0)
  return [`${done} of ${all}`, describeTransfer(averageSpeed(samples), bytesLeft)].filter(Boolean).join(' · ')
}

const library = 'your library'

/** The notice at the end of a run; undefined when it was cancelled before a file was done. */
export function resultNotice(result: UploadResult, destination = library): ToastOptions | undefined {
  const { done, failed, refused, cancelled, copyIds, message } = result
  const added = `${countOf(done, 'file was', 'files were')} added to ${destination}`
  const copies = copyIds.length > 0 ? ` ${copiesOf(copyIds.length, done, destination)} already.` : ''
  if (failed > 0 || (refused > 0 && done === 0))
    return { title: 'Upload failed', description: message ?? 'Upload failed', tone: 'danger' }
  if (refused > 0)
    return {
      title: 'Upload complete',
      description: `${added}, ${countOf(refused, 'was', 'were')} not accepted.${copies}`,
    }
  if (cancelled > 0) return done > 0 ? { title: 'Upload canceled', description: `${added}.${copies}` } : undefined
  return { title: 'Upload complete', description: `${added}.${copies}`, tone: 'success' }
}

function copiesOf(copies: number, all: number, destination: string) {
  const were = copies < all ? countOf(copies, 'of them was', 'of them were') : all === 1 ? 'It was' : 'All of them were'
  return `${were} ${destination === library ? 'there' : `in ${library}`}`
}

type Names = readonly Pick<CollectionSummary, 'id' | 'name'>[]

/** The quoted names of the collections that these files go to; undefined when all go to the library alone. */
export function targetText(items: readonly Pick<UploadItem, 'collectionId'>[], names: Names): string | undefined {
  const nameOf = (wanted?: number) => names.find(({ id }) => id === wanted)?.name
  const targets = [...new Set(items.map(({ collectionId }) => nameOf(collectionId)))]
  if (targets.every((name) => name === undefined)) return undefined
  return targets.map((name) => (name === undefined ? 'your library' : `"${name}"`)).join(' and ')
}

/** Names where the files of a finished run are. */
export function destinationText({ items, hasLostCollection }: UploadEnd, names: Names): string | undefined {
  if (hasLostCollection) return 'your library; the collection no longer exists'
  return targetText(
    items.filter(({ status }) => status === 'done'),
    names,
  )
}
