import { addSpeedSample, type SpeedSample } from '#shared/transfer-speed.ts'
import { createListeners } from '#ui/listeners.ts'
import {
  addFiles,
  cancelItems,
  changeItem,
  emptyQueue,
  enqueue,
  hasUnknownProgress,
  isActive,
  isCancellable,
  nextToSend,
  removeItem,
  sentPercent,
  simulatedPercent,
  simulatedStep,
  type UploadItem,
  type UploadQueue,
  withoutDone,
} from './upload-queue.ts'

/** The result for one file: `failed` can be retried, `refused` cannot. */
export type UploadOutcome =
  | { status: 'done'; mediaId?: number; isDuplicate?: boolean }
  | { status: 'failed' | 'refused'; message: string }

export const connectionLost = {
  status: 'failed',
  message: 'The connection to the server was lost. Please try again.',
} as const satisfies UploadOutcome

export type SendFile = (
  file: File,
  fields: Record<string, string>,
  options: SendEvents & Target,
) => Promise<UploadOutcome & { collectionId?: number }>

/** `onBegun` is called when the file itself starts to upload, `onSent` with the bytes sent so far. */
export type SendEvents = { signal: AbortSignal; onBegun: () => void; onSent: (sentBytes: number) => void }

/** The file's index in its batch, and its collection. */
export type Target = { batch: Batch; index: number; collectionId?: number }

/** Shared by all files of a run: what `send` learned while it sent the first ones. */
type Batch = { beganAt?: Promise<number | undefined>; lostCollections: Set<number> }

/** Text fields that travel with a file; `sequence` is its number in the selection. */
type FieldsFor = (sequence: number) => Record<string, string>

/**
 * How a run ended, counted in files. `copyIds` are new items whose bytes were in the library already, `message` is the
 * server's first error message.
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

/** `run`: ids of the files that were started together; emptied when all of them have ended. */
export type UploadState = {
  queue: UploadQueue
  isUploading: boolean
  samples: readonly SpeedSample[]
  run: ReadonlySet<number>
}

type UploaderOptions = { send: SendFile; atOnce?: number; now?: () => number }

/** Sends the files of a queue, a few at a time, and reports progress. `send` does the request. */
export function createUploader({ send, atOnce = 3, now = () => performance.now() }: UploaderOptions) {
  let state: UploadState = { queue: emptyQueue, isUploading: false, samples: [], run: new Set() }
  let timer: ReturnType<typeof setInterval> | undefined
  let fieldsFor: FieldsFor = () => ({})
  /** The files of this run with their index in it; other files in the list wait for the next run. */
  const run = new Map<number, number>()
  let batch: Batch = { lostCollections: new Set() }
  const inFlight = new Map<number, AbortController>()
  const changes = createListeners()
  const ends = createListeners<UploadEnd>()
  const arrivals = createListeners()

  const change = (next: Partial<UploadState>) => {
    state = { ...state, ...next }
    changes.notify()
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
    timer ??= setInterval(tick, simulatedStep.everyMs)
    sendNext()
  }

  const sendNext = () => {
    for (const item of nextToSend(state.queue, atOnce)) void sendOne(item)
    if (!state.queue.items.some(isActive)) finish()
  }

  const sendOne = async ({ id, file, sequence = 1, collectionId }: UploadItem) => {
    const controller = new AbortController()
    inFlight.set(id, controller)
    changeQueue(changeItem(state.queue, id, { status: 'sending' }))
    const onBegun = () => changeQueue(changeItem(state.queue, id, { startedAtMs: now() }))
    const onSent = (sentBytes: number) => {
      if (controller.signal.aborted) return
      const percent = sentPercent(sentBytes, file.size)
      changeQueue(changeItem(state.queue, id, { sentBytes, percent, hasReportedBytes: true }))
    }
    const target = { batch, index: run.get(id)!, collectionId }
    const events = { signal: controller.signal, onBegun, onSent }
    const outcome = await send(file, fieldsFor(sequence), { ...events, ...target }).catch(
      (): UploadOutcome => ({ status: 'failed', message: 'Upload failed' }),
    )
    // Cancelled meanwhile: the queue has already been updated.
    if (controller.signal.aborted) return
    inFlight.delete(id)
    const isDone = outcome.status === 'done'
    changeQueue(changeItem(state.queue, id, isDone ? { ...outcome, percent: 100, sentBytes: file.size } : outcome))
    if (isDone) arrivals.notify()
    sendNext()
  }

  const tick = () => {
    const items = state.queue.items.map((item) =>
      hasUnknownProgress(item) ? { ...item, percent: simulatedPercent(item.percent) } : item,
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
    ends.notify({ result: summarise(items), items, hasLostCollection: batch.lostCollections.size > 0 })
  }

  const stopClock = () => {
    clearInterval(timer)
    timer = undefined
  }

  /** A file that the server has received completely is in the library already and is not cancelled. */
  const cancel = (items: readonly UploadItem[]) => {
    const ids = items.filter(isCancellable).map(({ id }) => id)
    for (const id of ids) {
      inFlight.get(id)?.abort()
      inFlight.delete(id)
    }
    changeQueue(cancelItems(state.queue, ids))
    sendNext()
  }

  return {
    state: () => state,
    subscribe: changes.subscribe,
    onFinished: ends.subscribe,
    /** Called for each file that reached the library. */
    onArrived: arrivals.subscribe,
    add: (files: readonly File[], collectionId?: number) => changeQueue(addFiles(state.queue, files, collectionId)),
    remove: (id: number) => changeQueue(removeItem(state.queue, id)),
    upload: (fields: FieldsFor) => start(fields),
    retry: (id: number, fields: FieldsFor) => start(fields, [id]),
    cancel: (id: number) => cancel(state.queue.items.filter((item) => item.id === id)),
    cancelAll: () => cancel(state.queue.items),
    /** Aborts everything and empties the list without a notice. */
    clear() {
      for (const controller of inFlight.values()) controller.abort()
      inFlight.clear()
      run.clear()
      stopClock()
      change({ queue: emptyQueue, isUploading: false, samples: [] })
    },
  }
}

export type Uploader = ReturnType<typeof createUploader>

function summarise(items: readonly UploadItem[]): UploadResult {
  const count = (status: UploadItem['status']) => items.filter((item) => item.status === status).length
  // A lost connection is shown in the file's row; the notice repeats what the server said.
  const message = items.find(({ message }) => message && message !== connectionLost.message)?.message
  return {
    done: count('done'),
    failed: count('failed'),
    refused: count('refused'),
    cancelled: count('cancelled'),
    copyIds: items.flatMap(({ mediaId, isDuplicate }) => (isDuplicate && mediaId !== undefined ? mediaId : [])),
    message,
  }
}
