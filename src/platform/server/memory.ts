import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

type Collect = (options: { type: 'minor' | 'major'; flavor: 'regular' | 'last-resort' }) => void
let collect: Collect | undefined

/**
 * [Note: Room to grow]
 * V8 starts a full garbage collection when less room is left below the heap's limit than the young generation may fill. An
 * idle server of 40 MB has a limit only a fifth above that, so each young collection would start a full one: fourteen times
 * for an archive of 350 MB, a third of its CPU. A limit of twice the live heap avoids this. The flags apply to the whole
 * process, so only the server sets them; without this call the functions below do nothing.
 */
export function tuneGarbageCollection() {
  setFlagsFromString('--heap-growing-percent=100')
  setFlagsFromString('--expose-gc')
  // V8 exposes `gc` only in contexts created after the flag was set.
  collect = runInNewContext('gc')
}

/**
 * [Note: Spent buffers]
 * Each chunk of an upload is a buffer outside the heap, and garbage soon after. A young collection frees it in about a
 * millisecond, but a stream creates so few objects that none is due for hundreds of megabytes, and V8 runs a full collection
 * every 30 MB instead. Code that reads streams reports the bytes here, and a young collection runs in time: a large upload
 * takes half the CPU and tens of megabytes less.
 */
export function countReleasedBytes(bytes: number) {
  releasedBytes += bytes
  if (releasedBytes < collectEveryBytes) return
  releasedBytes = 0
  collect?.({ type: 'minor', flavor: 'regular' })
}

const collectEveryBytes = 8 * 1024 * 1024
let releasedBytes = 0

/**
 * Loading all modules leaves some 75 MB of garbage, which V8 keeps until memory is short. One collection, after the first
 * requests have been served, makes an idle server a quarter smaller.
 */
export function collectAfterStart() {
  setTimeout(() => collect?.({ type: 'major', flavor: 'last-resort' }), afterStartMs).unref()
}

const afterStartMs = 5000
