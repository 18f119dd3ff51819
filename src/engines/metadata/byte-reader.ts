import { AppError } from '#platform/errors.ts'

/** Reads anywhere in a file and never beyond its end; a file that announces more than it contains is damaged. */
export type ByteReader = {
  size: number
  /** Exactly `length` bytes; they stay valid after later reads. */
  read(position: number, length: number): Promise<Buffer>
  /** At most one window from `position` on, and at least two bytes unless the file ends before. */
  readSome(position: number): Promise<Buffer>
  /** The same file with its own window, for alternating reads at two positions. */
  clone(): ByteReader
}

/** A file handle, or another source that reads at most `length` bytes at a position. */
export type ByteSource = {
  read(buffer: Buffer, offset: number, length: number, position: number): Promise<{ bytesRead: number }>
}

const windowBytes = 64 * 1024

export function createByteReader(file: ByteSource, size: number): ByteReader {
  let window = Buffer.alloc(0)
  let windowStart = 0

  async function load(position: number, length: number) {
    const wanted = Math.min(Math.max(length, windowBytes), size - position)
    const buffer = Buffer.allocUnsafe(wanted)
    const { bytesRead } = await file.read(buffer, 0, wanted, position)
    window = buffer.subarray(0, bytesRead)
    windowStart = position
  }

  return {
    size,
    async read(position, length) {
      if (!(position >= 0 && length >= 0 && position + length <= size)) throw damaged()
      const isInside = position >= windowStart && position + length <= windowStart + window.length
      if (!isInside) await load(position, length)
      const offset = position - windowStart
      if (offset + length > window.length) throw damaged()
      return window.subarray(offset, offset + length)
    },
    async readSome(position) {
      if (!(position >= 0 && position < size)) throw damaged()
      const least = Math.min(2, size - position)
      const isInside = position >= windowStart && position + least <= windowStart + window.length
      if (!isInside) await load(position, least)
      if (window.length < least) throw damaged()
      return window.subarray(position - windowStart)
    },
    clone: () => createByteReader(file, size),
  }
}

export const damaged = () =>
  new AppError('corrupt-file', 422, 'This file is damaged, so its private details cannot be removed.')

/** Limits the parts of a file: millions of empty ones would keep the reader busy for hours. */
export function createCounter(limit: number) {
  let count = 0
  return () => {
    if (++count > limit) throw damaged()
  }
}
