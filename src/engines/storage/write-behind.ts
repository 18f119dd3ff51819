import type { OpenFile } from './disk.ts'

/** Whoever sends more waits for the disk, and does not fill the memory; a small piece takes far more of it than its bytes. */
const maxWaitingBytes = 512 * 1024
const leastForPiece = 16 * 1024

/**
 * What comes while the disk writes waits, and is written together: each write costs the way to another thread and back, which
 * is longer than the piece of an upload takes to be written. The pieces must stay as they are.
 */
export function createWriteBehind(file: OpenFile) {
  let waiting: Uint8Array[] = []
  let waitingBytes = 0
  let writing: Promise<void> | undefined

  function writeNext() {
    const pieces = waiting
    waiting = []
    waitingBytes = 0
    writing = file.write(pieces).then(() => {
      writing = undefined
      if (waiting.length > 0) writeNext()
    })
    writing.catch(() => {}) // told by the next `write`, or at the end
  }

  return {
    /** Returns when there is room for the next piece. */
    async write(piece: Uint8Array) {
      waiting.push(piece)
      waitingBytes += Math.max(piece.length, leastForPiece)
      if (!writing) writeNext()
      while (writing && waitingBytes > maxWaitingBytes) await writing
    },
    async end() {
      while (writing) await writing
    },
  }
}
