/** Failed and cancelled files can be retried; refused ones cannot. */
type UploadStatus = 'selected' | 'waiting' | 'sending' | 'done' | 'failed' | 'refused' | 'cancelled'

export type UploadItem = {
  id: number
  file: File
  status: UploadStatus
  percent: number
  sentBytes: number
  /** False until the browser has reported bytes; some never do. */
  hasReportedBytes: boolean
  /** When its upload started. */
  startedAtMs?: number
  /** Its number in the selection, for custom naming; a retry keeps it. */
  sequence?: number
  /** The server's error message. */
  message?: string
  /** The collection that it is added to, if any. */
  collectionId?: number
  /** The id of the new item. */
  mediaId?: number
  /** The library already had an item with the same bytes. */
  isDuplicate?: boolean
}

export type UploadQueue = { items: readonly UploadItem[]; lastId: number; lastSequence: number }

export const emptyQueue: UploadQueue = { items: [], lastId: 0, lastSequence: 0 }

const uploadable: readonly UploadStatus[] = ['selected', 'failed', 'cancelled']
const active: readonly UploadStatus[] = ['waiting', 'sending']

export const isUploadable = ({ status }: UploadItem) => uploadable.includes(status)
export const isActive = ({ status }: UploadItem) => active.includes(status)
/** Sending, and the browser reports no progress. */
export const hasUnknownProgress = ({ status, startedAtMs, hasReportedBytes }: UploadItem) =>
  status === 'sending' && startedAtMs !== undefined && !hasReportedBytes
/** All bytes are sent and the server is processing them, so it can no longer be cancelled. */
export const isSaving = ({ status, sentBytes, file }: UploadItem) => status === 'sending' && sentBytes >= file.size
export const isCancellable = (item: UploadItem) => isActive(item) && !isSaving(item)

/** Files of the current run: sending, waiting or done. */
export function itemsInProgress({ items }: UploadQueue): UploadItem[] {
  return items.filter((item) => isActive(item) || item.status === 'done')
}

/** A file that is already in the list is not added again. */
export function addFiles(queue: UploadQueue, files: readonly File[], collectionId?: number): UploadQueue {
  const known = new Set(queue.items.map(({ file }) => fingerprint(file)))
  const fresh = files.filter((file) => {
    const isNew = !known.has(fingerprint(file))
    known.add(fingerprint(file))
    return isNew
  })
  const items = fresh.map(
    (file, index): UploadItem => ({ id: queue.lastId + 1 + index, file, collectionId, ...untouched }),
  )
  return { ...queue, items: [...queue.items, ...items], lastId: queue.lastId + items.length }
}

const untouched = {
  status: 'selected',
  percent: 0,
  sentBytes: 0,
  hasReportedBytes: false,
  startedAtMs: undefined,
} as const

const fingerprint = ({ name, size, lastModified, webkitRelativePath }: File) =>
  [webkitRelativePath, name, size, lastModified].join('\n')

export function removeItem(queue: UploadQueue, id: number): UploadQueue {
  return { ...queue, items: queue.items.filter((item) => item.id !== id) }
}

/**
 * Queues the given files, or all that can be uploaded, and numbers those without a number. Numbers start at 1 unless an
 * upload is under way or has files to retry.
 */
export function enqueue(queue: UploadQueue, ids?: readonly number[]): UploadQueue {
  const isChosen = (item: UploadItem) => isUploadable(item) && (!ids || ids.includes(item.id))
  const isRetry = (item: UploadItem) => isChosen(item) && item.sequence !== undefined
  let lastSequence = queue.items.some((item) => isActive(item) || isRetry(item)) ? queue.lastSequence : 0
  const items = queue.items.map((item): UploadItem => {
    if (!isChosen(item)) return item
    return { ...item, ...untouched, status: 'waiting', message: undefined, sequence: item.sequence ?? ++lastSequence }
  })
  return { ...queue, items, lastSequence }
}

/** The next files to send, in order. */
export function nextToSend({ items }: UploadQueue, atOnce: number): UploadItem[] {
  const sending = items.filter(({ status }) => status === 'sending').length
  return items.filter(({ status }) => status === 'waiting').slice(0, Math.max(0, atOnce - sending))
}

export function changeItem(queue: UploadQueue, id: number, change: Partial<UploadItem>): UploadQueue {
  return { ...queue, items: queue.items.map((item) => (item.id === id ? { ...item, ...change } : item)) }
}

export function cancelItems(queue: UploadQueue, ids: readonly number[]): UploadQueue {
  const wanted = new Set(ids)
  const items = queue.items.map(
    (item): UploadItem =>
      wanted.has(item.id) && isCancellable(item) ? { ...item, ...untouched, status: 'cancelled' } : item,
  )
  return { ...queue, items }
}

/** Files in progress first, uploaded ones last. */
export function doneLast(items: readonly UploadItem[]): UploadItem[] {
  const isDone = ({ status }: UploadItem) => status === 'done'
  return [...items.filter((item) => !isDone(item)), ...items.filter(isDone)]
}

/** The list after a run: every file that was not uploaded. */
export function withoutDone(queue: UploadQueue): UploadQueue {
  return { ...queue, items: queue.items.filter(({ status }) => status !== 'done') }
}

export function countByStatus({ items }: UploadQueue): Record<UploadStatus, number> {
  const counts = { selected: 0, waiting: 0, sending: 0, done: 0, failed: 0, refused: 0, cancelled: 0 }
  for (const { status } of items) counts[status]++
  return counts
}

/** The bar stops here until the server has responded. */
const maxSendingPercent = 90
export const simulatedStep = { percent: 10, everyMs: 200 }

/** Progress by bytes sent, capped below 100. */
export function sentPercent(sentBytes: number, totalBytes: number): number {
  if (totalBytes <= 0) return maxSendingPercent
  return Math.min(maxSendingPercent, (sentBytes / totalBytes) * 100)
}

/** Progress by time, where the browser reports no bytes. */
export function simulatedPercent(percent: number): number {
  return Math.min(maxSendingPercent, percent + simulatedStep.percent)
}

type Part = { percent: number; file: { size: number } }

/** Overall progress, weighted by file size. */
export function overallPercent(parts: readonly Part[]): number {
  const weightOf = ({ file }: Part) => Math.max(1, file.size)
  const total = parts.reduce((sum, part) => sum + weightOf(part), 0)
  if (total === 0) return 0
  return parts.reduce((sum, part) => sum + part.percent * weightOf(part), 0) / total
}
