import type { FileHandle } from 'node:fs/promises'
import { damaged } from './byte-reader.ts'

/** A part of the new file: new bytes, or a range of the old file that is copied. */
export type Piece = Uint8Array | { start: number; end: number }

const copyBytes = 1024 * 1024

/** Writes the pieces in order; adjacent ranges are copied together. */
export async function writePieces(pieces: AsyncIterable<Piece>, from: FileHandle, to: FileHandle) {
  const buffer = Buffer.allocUnsafe(copyBytes)
  let pending = { start: 0, end: 0 }

  async function flush() {
    for (let position = pending.start; position < pending.end; ) {
      const { bytesRead } = await from.read(buffer, 0, Math.min(copyBytes, pending.end - position), position)
      if (bytesRead === 0) throw damaged()
      await to.writeFile(buffer.subarray(0, bytesRead))
      position += bytesRead
    }
    pending = { start: 0, end: 0 }
  }

  for await (const piece of pieces) {
    if (piece instanceof Uint8Array) {
      await flush()
      await to.writeFile(piece)
    } else if (piece.start === pending.end) {
      pending.end = piece.end
    } else {
      await flush()
      pending = { ...piece }
    }
  }
  await flush()
}

export const pieceLength = (piece: Piece) => (piece instanceof Uint8Array ? piece.length : piece.end - piece.start)

/** Changes to a copy whose length and offsets must stay, because players find samples by position. */
export type Patches = {
  write(position: number, bytes: Uint8Array): Promise<void>
  /** Overwrites with zeros, up to `end` or the end of the file. */
  erase(start: number, end: number): Promise<void>
  cutAt(position: number): Promise<void>
}

const zeros = Buffer.alloc(256 * 1024)

export function createPatches(file: FileHandle, size: number): Patches {
  async function write(position: number, bytes: Uint8Array) {
    for (let done = 0; done < bytes.length; ) {
      const { bytesWritten } = await file.write(bytes, done, bytes.length - done, position + done)
      done += bytesWritten
    }
  }
  return {
    write,
    async erase(start, end) {
      const last = Math.min(end, size)
      for (let position = start; position < last; position += zeros.length) {
        await write(position, zeros.subarray(0, Math.min(zeros.length, last - position)))
      }
    },
    cutAt: (position) => file.truncate(position),
  }
}
