/** Where a chosen file stands. Failed and cancelled ones can be tried again; a refused one would only be refused again. */
type UploadStatus = 'selected' | 'waiting' | 'sending' | 'done' | 'failed' | 'refused' | 'cancelled'

export type UploadItem = {
  id: number
  file: File
  status: UploadStatus
  percent: number
  sentBytes: number
  /** False until the browser has reported bytes; some never do. */
  hasReportedBytes: boolean
  /** When it began to leave. */
  startedAtMs?: number
  /** Its number in the selection, for custom naming; a second try keeps it. */
  sequence?: number
  /** What the server said about it. */
  message?: string
  /** The collection that it was given to; absent for the library alone. */
  collectionId?: number
  /** The item that it has become. */
  mediaId?: number
  /** The library had its bytes already. */
  wasThere?: boolean
}

export type UploadQueue = { items: readonly UploadItem[]; lastId: number; lastSequence: number }

export const emptyQueue: UploadQueue = { items: [], lastId: 0, lastSequence: 0 }

const uploadable: readonly UploadStatus[] = ['selected', 'failed', 'cancelled']
const active: readonly UploadStatus[] = ['waiting', 'sending']

export const isUploadable = ({ status }: UploadItem) => uploadable.includes(status)
export const isActive = ({ status }: UploadItem) => active.includes(status)
/** On its way, and the browser does not say how far. */
export const isLeavingUnseen = ({ status, startedAtMs, hasReportedBytes }: UploadItem) =>
  status === 'sending' && startedAtMs !== undefined && !hasReportedBytes
/** All bytes are there; the server looks at them. Nothing is left to be cancelled. */
export const isSaving = ({ status, sentBytes, file }: UploadItem) => status === 'sending' && sentBytes >= file.size
export const isCancellable = (item: UploadItem) => isActive(item) && !isSaving(item)

/** The files that are on their way or have just arrived. */
export function itemsUnderWay({ items }: UploadQueue): UploadItem[] {
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

/** Puts the given files, or all that can be uploaded, in line, and numbers those that have no number yet. */
export function enqueue(queue: UploadQueue, ids?: readonly number[]): UploadQueue {
  let { lastSequence } = queue
  const items = queue.items.map((item): UploadItem => {
    if (!isUploadable(item) || (ids && !ids.includes(item.id))) return item
    return { ...item, ...untouched, status: 'waiting', message: undefined, sequence: item.sequence ?? ++lastSequence }
  })
  return { ...queue, items, lastSequence }
}

/** Who may start now, first come first served. */
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

/** What has arrived makes room at the top for what is on its way. */
export function doneLast(items: readonly UploadItem[]): UploadItem[] {
  const isDone = ({ status }: UploadItem) => status === 'done'
  return [...items.filter((item) => !isDone(item)), ...items.filter(isDone)]
}

/** What is left when a run is over: everything that did not arrive. */
export function withoutDone(queue: UploadQueue): UploadQueue {
  return { ...queue, items: queue.items.filter(({ status }) => status !== 'done') }
}

export function countByStatus({ items }: UploadQueue): Record<UploadStatus, number> {
  const counts = { selected: 0, waiting: 0, sending: 0, done: 0, failed: 0, refused: 0, cancelled: 0 }
  for (const { status } of items) counts[status]++
  return counts
}
