import { Readable } from 'node:stream'
import { createInflate } from 'node:zlib'
import { AppError } from '#platform/errors.ts'
import { type ByteReader, damaged } from './byte-reader.ts'

/** A picture of the file: its size, and where its compressed pixels lie. */
export type PngFrame = { width: number; height: number; parts: { start: number; end: number }[] }

const partBytes = 256 * 1024
const channels: Record<number, number> = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 }
/** Start and step, across and down, of Adam7's seven passes. */
const passes = [
  [0, 8, 0, 8],
  [4, 8, 0, 8],
  [0, 4, 4, 8],
  [2, 4, 0, 4],
  [0, 2, 2, 4],
  [1, 2, 0, 2],
  [0, 1, 1, 2],
] as const

/** Throws if there are bytes behind the pixels, compressed or not: decoders skip them, so a program can write words there. */
export async function checkPixels(reader: ByteReader, header: Buffer, { width, height, parts }: PngFrame) {
  const bits = (channels[header[9]!] ?? 0) * header[8]!
  const linesOf = (columns: number, rows: number) => (columns > 0 ? rows * (1 + Math.ceil((columns * bits) / 8)) : 0)
  const along = (length: number, start: number, step: number) => Math.max(0, Math.ceil((length - start) / step))
  const expected =
    header[12] === 0
      ? linesOf(width, height)
      : passes.reduce((sum, [x, dx, y, dy]) => sum + linesOf(along(width, x, dx), along(height, y, dy)), 0)

  const inflate = createInflate()
  let received = 0
  try {
    for await (const pixels of Readable.from(readParts(reader, parts)).pipe(inflate)) {
      received += pixels.length
      if (received > expected) throw damaged()
    }
  } catch (error) {
    throw error instanceof AppError ? error : damaged()
  }
  const given = parts.reduce((sum, { start, end }) => sum + end - start, 0)
  if (inflate.bytesWritten < given) throw damaged()
}

async function* readParts(reader: ByteReader, parts: PngFrame['parts']) {
  for (const { start, end } of parts) {
    for (let position = start; position < end; position += partBytes) {
      yield await reader.read(position, Math.min(partBytes, end - position))
    }
  }
}
