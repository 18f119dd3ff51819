import type { FileHandle } from 'node:fs/promises'
import { Readable } from 'node:stream'

/** A piece is the reader's until it asks for the next one; then its memory holds other bytes. */
export type LentPieces = AsyncGenerator<Buffer, void, void>

/**
 * [Note: Lent memory]
 * A buffer for every piece of a file is garbage once it is sent, and such memory lies outside the heap: V8 goes over the
 * whole heap after about every 30 MB of it. So large files are read into two buffers in turn, and an answer says of each
 * piece when the kernel has it. Whoever reads the stream in another way may keep what it reads, and gets copies.
 */
export class LentStream extends Readable {
  readonly #pieces: LentPieces
  readonly #close: () => unknown

  /** `close` lets go of what the pieces are read from, also while one is being waited for. */
  constructor(pieces: LentPieces, close: () => unknown) {
    super()
    this.#pieces = pieces
    this.#close = close
  }

  /** For whoever is done with a piece before it asks for the next; the stream is then to be destroyed by them. */
  lend() {
    return this.#pieces
  }

  override pipe<Destination extends NodeJS.WritableStream>(destination: Destination, options?: { end?: boolean }) {
    const isAnswer = 'headersSent' in destination
    if (!isAnswer) return super.pipe(destination, options)
    this.#send(destination, options?.end ?? true).catch((error) => this.destroy(error))
    return destination
  }

  async #send(answer: NodeJS.WritableStream, isEnded: boolean) {
    for await (const piece of this.#pieces) {
      if (!(await isTaken(answer, piece))) return this.destroy() // nobody waits for the answer any more
    }
    if (isEnded) answer.end()
    this.push(null)
    this.resume()
  }

  override _read() {
    this.#pieces.next().then(
      ({ value }) => this.push(value ? Buffer.from(value) : null),
      (error) => this.destroy(error),
    )
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void) {
    this.#close()
    this.#pieces.return().catch(() => {}) // its own fault is the one that was told
    done(error)
  }
}

function isTaken(answer: NodeJS.WritableStream, piece: Buffer) {
  return new Promise<boolean>((resolve) => {
    answer.write(piece, (error) => resolve(!error))
  })
}

const usualPieceBytes = 128 * 1024
/**
 * For a whole library: each piece costs the way to another thread and back, and a write to the socket, which is more than what
 * is done with it. Too much to lend to everybody who looks at a picture.
 */
export const largePieceBytes = 1024 * 1024
/** Two for each of some files that are read at the same moment. */
const spare = new Map<number, { buffers: Buffer[]; most: number }>([
  [usualPieceBytes, { buffers: [], most: 16 }],
  [largePieceBytes, { buffers: [], most: 4 }],
])

/** So many bytes of a file from `start`, which is closed with them. */
export function readLent(handle: FileHandle, part: FilePart): LentStream {
  return new LentStream(lentPieces(handle, part), () => handle.close().catch(() => {}))
}

export type FilePart = { start: number; bytes: number; pieceBytes?: typeof largePieceBytes }

/** The next piece is read while the last one is looked at. */
export async function* lentPieces(
  handle: FileHandle,
  { start, bytes, pieceBytes = usualPieceBytes }: FilePart,
): LentPieces {
  let [buffer, other] = [takeBuffer(bytes, pieceBytes), takeBuffer(bytes - pieceBytes, pieceBytes)]
  let left = bytes
  let coming = read(buffer)
  while (left > 0) {
    const length = await coming
    if (length === 0) throw new Error(`Expected ${bytes} bytes from ${start}, received ${bytes - left}`)
    left -= length
    if (left > 0) coming = read(other)
    yield buffer.subarray(0, length)
    ;[buffer, other] = [other, buffer]
  }
  // Not when it was left early: one may still be read into, and the other be on its way out.
  giveBack(buffer)
  giveBack(other)

  function read(into: Buffer) {
    const reading = handle.read(into, 0, Math.min(left, into.length), start + bytes - left)
    const length = reading.then(({ bytesRead }) => bytesRead)
    length.catch(() => {}) // told when the piece is waited for, which may never be
    return length
  }
}

function takeBuffer(bytes: number, pieceBytes: number) {
  if (bytes < usualPieceBytes) return Buffer.allocUnsafe(Math.max(bytes, 0))
  return spare.get(pieceBytes)?.buffers.pop() ?? Buffer.allocUnsafeSlow(pieceBytes)
}

function giveBack(buffer: Buffer) {
  const known = spare.get(buffer.length)
  if (known && known.buffers.length < known.most) known.buffers.push(buffer)
}
