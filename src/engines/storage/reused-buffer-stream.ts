import type { FileHandle } from 'node:fs/promises'
import { Readable } from 'node:stream'

/** A chunk is valid until the next one is requested; then its memory is reused. */
export type ReusedChunks = AsyncGenerator<Buffer, void, void>

/**
 * [Note: Reused buffers]
 * A new buffer per chunk is garbage outside the heap, and V8 collects the whole heap after about every 30 MB of it. So large
 * files are read alternately into two buffers, reused once the response has written a chunk. Other readers get copies.
 */
export class ReusedBufferStream extends Readable {
  readonly #chunks: ReusedChunks
  readonly #close: () => unknown

  /** `close` releases the source of the chunks, even while one is awaited. */
  constructor(chunks: ReusedChunks, close: () => unknown) {
    super()
    this.#chunks = chunks
    this.#close = close
  }

  /** For a reader that is done with each chunk before it requests the next; this reader must destroy the stream. */
  reusedChunks() {
    return this.#chunks
  }

  override pipe<Destination extends NodeJS.WritableStream>(destination: Destination, options?: { end?: boolean }) {
    const isResponse = 'headersSent' in destination
    if (!isResponse) return super.pipe(destination, options)
    this.#send(destination, options?.end ?? true).catch((error) => this.destroy(error))
    return destination
  }

  async #send(response: NodeJS.WritableStream, isEnded: boolean) {
    for await (const chunk of this.#chunks) {
      if (!(await isWritten(response, chunk))) return this.destroy() // the client has closed the connection
    }
    if (isEnded) response.end()
    this.push(null)
    this.resume()
  }

  override _read() {
    this.#chunks.next().then(
      ({ value }) => this.push(value ? Buffer.from(value) : null),
      (error) => this.destroy(error),
    )
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void) {
    this.#close()
    this.#chunks.return().catch(() => {}) // the error that destroyed the stream has been reported
    done(error)
  }
}

function isWritten(response: NodeJS.WritableStream, chunk: Buffer) {
  return new Promise<boolean>((resolve) => {
    response.write(chunk, (error) => resolve(!error))
  })
}

const defaultChunkBytes = 128 * 1024
/**
 * For reading a whole library: each chunk costs a round trip to another thread and a write to the socket, more than the work on
 * it. Too much memory for each viewer of an image.
 */
export const largeChunkBytes = 1024 * 1024
/** Two buffers for each of the files that are read concurrently. */
const pool = new Map<number, { buffers: Buffer[]; max: number }>([
  [defaultChunkBytes, { buffers: [], max: 16 }],
  [largeChunkBytes, { buffers: [], max: 4 }],
])

/** Streams `bytes` bytes of a file from `start` and closes the file at the end. */
export function readWithReusedBuffers(handle: FileHandle, part: FileRange): ReusedBufferStream {
  return new ReusedBufferStream(readReusedChunks(handle, part), () => handle.close().catch(() => {}))
}

export type FileRange = { start: number; bytes: number; chunkBytes?: typeof largeChunkBytes }

/** Reads the next chunk while the caller uses the last one. */
export async function* readReusedChunks(
  handle: FileHandle,
  { start, bytes, chunkBytes = defaultChunkBytes }: FileRange,
): ReusedChunks {
  let [buffer, other] = [takeBuffer(bytes, chunkBytes), takeBuffer(bytes - chunkBytes, chunkBytes)]
  let left = bytes
  let nextLength = read(buffer)
  while (left > 0) {
    const length = await nextLength
    if (length === 0) throw new Error(`Expected ${bytes} bytes from ${start}, received ${bytes - left}`)
    left -= length
    if (left > 0) nextLength = read(other)
    yield buffer.subarray(0, length)
    ;[buffer, other] = [other, buffer]
  }
  // A generator that was closed early must not return its buffers: one may still be read into, the other be sent.
  releaseBuffer(buffer)
  releaseBuffer(other)

  function read(into: Buffer) {
    const reading = handle.read(into, 0, Math.min(left, into.length), start + bytes - left)
    const length = reading.then(({ bytesRead }) => bytesRead)
    length.catch(() => {}) // thrown when the chunk is awaited, which may never happen
    return length
  }
}

function takeBuffer(bytes: number, chunkBytes: number) {
  if (bytes < defaultChunkBytes) return Buffer.allocUnsafe(Math.max(bytes, 0))
  return pool.get(chunkBytes)?.buffers.pop() ?? Buffer.allocUnsafeSlow(chunkBytes)
}

function releaseBuffer(buffer: Buffer) {
  const pooled = pool.get(buffer.length)
  if (pooled && pooled.buffers.length < pooled.max) pooled.buffers.push(buffer)
}
