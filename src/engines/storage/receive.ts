import { createHash } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { tooLarge } from '#platform/errors.ts'
import { countReleasedBytes } from '#platform/server/memory.ts'
import { type Disk, explainDiskError, type OpenFile } from './disk.ts'
import { type Arrival, headBytes, type KeepOptions, type ReceiveOptions } from './storage.ts'

/** A temporary file with all the bytes in it, still open so that the descriptor that wrote can sync. */
export type Received = { path: string; file: OpenFile; sha256: string; bytes: number }

type Reception = {
  disk: Disk
  path: string
  /** Makes the bytes part of the library and takes the temporary file away; `file` is closed either way. */
  keep(received: Received, options: KeepOptions): Promise<void>
}

export async function receive(
  source: AsyncIterable<Uint8Array>,
  options: ReceiveOptions,
  { disk, path, keep }: Reception,
): Promise<Arrival> {
  let file: OpenFile | undefined
  try {
    file = await disk.create(path)
    const written = await writeAll(source, file, options)
    return createArrival({ path, file, ...written }, keep)
  } catch (error) {
    await file?.close().catch(() => {}) // the first fault is the one to tell
    await rm(path, { force: true })
    throw explainDiskError(error)
  }
}

async function writeAll(source: AsyncIterable<Uint8Array>, file: OpenFile, options: ReceiveOptions) {
  const { maxBytes, onBytes, onHead } = options
  const hash = createHash('sha256')
  const behind = createWriteBehind(file)
  let bytes = 0
  let head = Buffer.alloc(0)
  let isHeadTold = false

  // What is refused midway may have a rest that its owner skips.
  const chunks = source instanceof Readable ? source.iterator({ destroyOnReturn: false }) : source
  for await (const chunk of chunks) {
    bytes += chunk.length
    if (bytes > maxBytes) throw tooLarge('The file is larger than allowed.', { maxBytes })
    onBytes?.(chunk.length)
    if (head.length < headBytes) head = Buffer.concat([head, chunk.subarray(0, headBytes - head.length)])
    if (head.length === headBytes && !isHeadTold) {
      isHeadTold = true
      await onHead?.(head)
    }
    const taken = behind.write(chunk)
    hash.update(chunk) // while the disk writes
    await taken
    countReleasedBytes(chunk.length)
  }
  await behind.end()
  if (!isHeadTold) await onHead?.(head)
  return { sha256: hash.digest('hex'), bytes, head }
}

function createArrival({ head, ...received }: Received & { head: Uint8Array }, keep: Reception['keep']): Arrival {
  let ending: 'kept' | 'discarded' | undefined
  let keeping: Promise<void> | undefined

  async function keepOnce(options: KeepOptions) {
    if (ending) throw new Error('Expected an arrival that waits, received one that was discarded')
    try {
      await keep(received, options)
      ending = 'kept'
    } catch (error) {
      ending = 'discarded'
      await rm(received.path, { force: true })
      throw explainDiskError(error)
    }
  }

  async function discard() {
    await keeping?.catch(() => {}) // told to the one who asked to keep
    if (ending) return
    ending = 'discarded'
    await received.file.close()
    await rm(received.path, { force: true })
  }

  return {
    path: received.path,
    sha256: received.sha256,
    bytes: received.bytes,
    head,
    keep(options = {}) {
      keeping ??= keepOnce(options)
      return keeping
    },
    discard,
    [Symbol.asyncDispose]: discard,
  }
}

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
