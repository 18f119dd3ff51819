import { addSpeedSample, type SpeedSample } from '#shared/transfer-speed.ts'
import { createListeners } from '#ui/listeners.ts'
import { connectionLost, type UploadOutcome } from './upload-outcome.ts'
import { sentPercent, simulatedPercent, simulatedStep } from './upload-progress.ts'
import {
  addFiles,
  cancelItems,
  changeItem,
  emptyQueue,
  enqueue,
  isActive,
  isCancellable,
  isLeavingUnseen,
  nextToSend,
  removeItem,
  type UploadItem,
  type UploadQueue,
  withoutDone,
} from './upload-queue.ts'

export type SendFile = (
  file: File,
  fields: Record<string, string>,
  options: Travel & Place,
) => Promise<UploadOutcome & { collectionId?: number }>

/** `onBegun`: the file leaves; what is asked before that is no progress. `onSent`: so much of it has left. */
export type Travel = { signal: AbortSignal; onBegun: () => void; onSent: (sentBytes: number) => void }

/** Where a file belongs: at its place among those that are sent together, and into a collection. */
export type Place = { batch: Batch; index: number; collectionId?: number }

/** One for all files of a run; whoever sends them keeps here what it knows of them all. */
type Batch = { beganAt?: Promise<number | undefined>; lostCollections: Set<number> }

/** Text fields that travel with a file; `sequence` is its number in the selection. */
type FieldsFor = (sequence: number) => Record<string, string>

/**
 * How a run ended, counted in files. `copyIds` are the new items whose bytes were in the library already, `message` is the first
 * sentence that the server had against a file.
 */
export type UploadResult = {
  done: number
  failed: number
  refused: number
  cancelled: number
  copyIds: readonly number[]
  message?: string
}

/** The files of the run as they were at its end. */
export type UploadEnd = { result: UploadResult; items: readonly UploadItem[]; hasLostCollection: boolean }

/** `run`: the files that were sent off together and are not all through yet. */
export type UploadState = {
  queue: UploadQueue
  isUploading: boolean
  samples: readonly SpeedSample[]
  run: ReadonlySet<number>
}

type UploaderOptions = { send: SendFile; atOnce?: number; now?: () => number }

/** Sends the files of a queue, a few at a time, and tells what happens. Knows nothing of how a file travels. */
export function createUploader({ send, atOnce = 3, now = () => performance.now() }: UploaderOptions) {
  let state: UploadState = { queue: emptyQueue, isUploading: false, samples: [], run: new Set() }
  let timer: ReturnType<typeof setInterval> | undefined
  let fieldsFor: FieldsFor = () => ({})
  /** The files of this run with their places in it; others in the list wait for theirs. */
  const run = new Map<number, number>()
  let batch: Batch = { lostCollections: new Set() }
  const travelling = new Map<number, AbortController>()
  const changes = createListeners()
  const ends = createListeners<UploadEnd>()
  const arrivals = createListeners()

  const change = (next: Partial<UploadState>) => {
    state = { ...state, ...next }
    changes.tell()
  }
  const changeQueue = (queue: UploadQueue) => change({ queue })
  const sentSoFar = () => state.queue.items.reduce((sum, { sentBytes }) => sum + sentBytes, 0)

  const start = (fields: FieldsFor, ids?: readonly number[]) => {
    const queue = enqueue(state.queue, ids)
    if (!queue.items.some(isActive)) return
    fieldsFor = fields
    if (!state.isUploading) batch = { lostCollections: new Set() }
    for (const { id } of queue.items.filter(isActive)) run.set(id, run.get(id) ?? run.size)
    const samples = state.isUploading ? state.samples : [{ atMs: now(), bytes: sentSoFar() }]
    change({ queue, isUploading: true, samples, run: new Set(run.keys()) })
    timer ??= setInterval(passTime, simulatedStep.everyMs)
    sendNext()
  }

  const sendNext = () => {
    for (const item of nextToSend(state.queue, atOnce)) void sendOne(item)
    if (!state.queue.items.some(isActive)) finish()
  }

  const sendOne = async ({ id, file, sequence = 1, collectionId }: UploadItem) => {
    const controller = new AbortController()
    travelling.set(id, controller)
    changeQueue(changeItem(state.queue, id, { status: 'sending' }))
    const onBegun = () => changeQueue(changeItem(state.queue, id, { startedAtMs: now() }))
    const onSent = (sentBytes: number) => {
      if (controller.signal.aborted) return
      const percent = sentPercent(sentBytes, file.size)
      changeQueue(changeItem(state.queue, id, { sentBytes, percent, hasReportedBytes: true }))
    }
    const place = { batch, index: run.get(id)!, collectionId }
    const travel = { signal: controller.signal, onBegun, onSent }
    const outcome = await send(file, fieldsFor(sequence), { ...travel, ...place }).catch(
      (): UploadOutcome => ({ status: 'failed', message: 'Upload failed' }),
    )
    // Cancelled meanwhile: the queue has moved on without it.
    if (controller.signal.aborted) return
    travelling.delete(id)
    const isDone = outcome.status === 'done'
    changeQueue(changeItem(state.queue, id, isDone ? { ...outcome, percent: 100, sentBytes: file.size } : outcome))
    if (isDone) arrivals.tell()
    sendNext()
  }

  const passTime = () => {
    const items = state.queue.items.map((item) =>
      isLeavingUnseen(item) ? { ...item, percent: simulatedPercent(item.percent) } : item,
    )
    change({
      queue: { ...state.queue, items },
      samples: addSpeedSample(state.samples, { atMs: now(), bytes: sentSoFar() }),
    })
  }

  const finish = () => {
    if (!state.isUploading) return
    stopClock()
    const items = state.queue.items.filter(({ id }) => run.has(id))
    run.clear()
    change({ queue: withoutDone(state.queue), isUploading: false, samples: [] })
    ends.tell({ result: summarise(items), items, hasLostCollection: batch.lostCollections.size > 0 })
  }

  const stopClock = () => {
    clearInterval(timer)
    timer = undefined
  }

  /** What the server has whole is in the library anyway, and is waited for. */
  const cancel = (items: readonly UploadItem[]) => {
    const ids = items.filter(isCancellable).map(({ id }) => id)
    for (const id of ids) {
      travelling.get(id)?.abort()
      travelling.delete(id)
    }
    changeQueue(cancelItems(state.queue, ids))
    sendNext()
  }

  return {
    state: () => state,
    subscribe: changes.subscribe,
    onFinished: ends.subscribe,
    /** A file is in the library. */
    onArrived: arrivals.subscribe,
    add: (files: readonly File[], collectionId?: number) => changeQueue(addFiles(state.queue, files, collectionId)),
    remove: (id: number) => changeQueue(removeItem(state.queue, id)),
    upload: (fields: FieldsFor) => start(fields),
    retry: (id: number, fields: FieldsFor) => start(fields, [id]),
    cancel: (id: number) => cancel(state.queue.items.filter((item) => item.id === id)),
    cancelAll: () => cancel(state.queue.items),
    /** Stops everything and forgets the files, without a word. */
    clear() {
      for (const controller of travelling.values()) controller.abort()
      travelling.clear()
      run.clear()
      stopClock()
      change({ queue: emptyQueue, isUploading: false, samples: [] })
    },
  }
}

export type Uploader = ReturnType<typeof createUploader>

function summarise(items: readonly UploadItem[]): UploadResult {
  const count = (status: UploadItem['status']) => items.filter((item) => item.status === status).length
  // A lost connection is told in the file's line; the notice passes on what the server said.
  const message = items.find(({ message }) => message && message !== connectionLost.message)?.message
  return {
    done: count('done'),
    failed: count('failed'),
    refused: count('refused'),
    cancelled: count('cancelled'),
    copyIds: items.flatMap(({ mediaId, wasThere }) => (wasThere && mediaId !== undefined ? mediaId : [])),
    message,
  }
}
