import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

type Collect = (options: { type: 'minor' | 'major'; flavor: 'regular' | 'last-resort' }) => void
let collect: Collect | undefined

/**
 * [Note: Room to grow]
 * V8 begins to go over the whole heap once what is left below its limit is less than what the young objects may fill. A
 * server that rested has a limit a fifth above its 40 MB, which is less, so it would begin anew after every look at the young
 * ones: fourteen times for one archive of 350 MB, a third of the CPU that it took. Twice what is alive leaves room.
 * For the whole process, so only the server itself asks for it; until then the others below do nothing.
 */
export function tuneMemory() {
  setFlagsFromString('--heap-growing-percent=100')
  setFlagsFromString('--expose-gc')
  // The flag gives its function to new contexts only.
  collect = runInNewContext('gc')
}

/**
 * [Note: Spent buffers]
 * Every piece of an upload is a new buffer outside the heap, and garbage a moment later. V8 frees it with its young objects,
 * which cost about a millisecond to go over; but a stream makes so few of them that this is not due for hundreds of
 * megabytes, and V8 goes over the whole heap instead, after about every 30. So whoever takes in pieces tells how much is
 * spent, and the young ones are looked at in time: half the CPU for a large upload, and tens of megabytes less.
 */
export function countSpent(bytes: number) {
  spent += bytes
  if (spent < enough) return
  spent = 0
  collect?.({ type: 'minor', flavor: 'regular' })
}

const enough = 8 * 1024 * 1024
let spent = 0

/**
 * Reading all modules leaves some 75 MB behind that nobody needs again, and V8 keeps them until it is short of memory. Given
 * back once, when those who waited for the start have their first answer: a quarter less for a server that has little to do.
 */
export function forgetTheStart() {
  setTimeout(() => collect?.({ type: 'major', flavor: 'last-resort' }), afterStartMs).unref()
}

const afterStartMs = 5000
