import type { ByteReader } from './byte-reader.ts'

/**
 * A chunk of a RIFF file (WebP, AVI): type of four letters, length, bytes, and a pad byte after odd lengths. A list is never
 * empty: one with length 0 belongs to a recording that was cut off, and reaches to the end of its parent.
 */
export type RiffChunk = { type: string; start: number; dataStart: number; dataEnd: number; end: number }

const lists = new Set(['RIFF', 'LIST'])

export async function* readChunks(
  reader: ByteReader,
  { start, end, count }: { start: number; end: number; count: () => void },
): AsyncGenerator<RiffChunk> {
  for (let position = start; position + 8 <= end; ) {
    count()
    const header = await reader.read(position, 8)
    const dataStart = position + 8
    const type = header.toString('latin1', 0, 4)
    const length = header.readUInt32LE(4) || (lists.has(type) ? end - dataStart : 0)
    const dataEnd = dataStart + length
    const next = dataEnd + (dataEnd % 2 === dataStart % 2 ? 0 : 1)
    yield { type, start: position, dataStart, dataEnd, end: next }
    position = next
  }
}

export function chunkHeader(type: string, length: number): Buffer {
  const header = Buffer.alloc(8)
  header.write(type, 0, 'latin1')
  header.writeUInt32LE(length, 4)
  return header
}
