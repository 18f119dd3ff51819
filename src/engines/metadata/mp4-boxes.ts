import { AppError } from '#platform/errors.ts'
import { type ByteReader, damaged } from './byte-reader.ts'

/** A box ("atom") of an MP4 or QuickTime file: length, type of four letters, payload. */
export type Box = { type: string; start: number; payload: number; end: number }

/** A length of 1 means that a 64-bit length follows the type, 0 that the box reaches to the end of its parent. */
export async function readBox(reader: ByteReader, position: number, limit: number): Promise<Box> {
  if (position + 8 > limit) throw damaged()
  const header = await reader.read(position, 8)
  const length = header.readUInt32BE()
  const type = header.toString('latin1', 4, 8)
  if (length === 0) return { type, start: position, payload: position + 8, end: limit }
  if (length !== 1) return checked({ type, start: position, payload: position + 8, end: position + length })
  const longLength = Number((await reader.read(position + 8, 8)).readBigUInt64BE())
  return checked({ type, start: position, payload: position + 16, end: position + longLength })
}

/** Yields the boxes of a range; up to seven bytes may be left over. */
export async function* readBoxes(
  reader: ByteReader,
  { start, end, count }: { start: number; end: number; count: () => void },
): AsyncGenerator<Box> {
  for (let position = start; position + 8 <= end; ) {
    count()
    const box = await readBox(reader, position, end)
    if (box.end > end) throw damaged()
    yield box
    position = box.end
  }
}

/** Whether a range consists of boxes from its start to its end. */
export async function areBoxes(reader: ByteReader, range: { start: number; end: number; count: () => void }) {
  try {
    for await (const box of readBoxes(reader, range)) if (box.end > range.end) return false
    return true
  } catch (error) {
    if (error instanceof AppError) return false
    throw error
  }
}

/** The first box on a path of types, such as `mdia`, `hdlr`. */
export async function findBox(
  reader: ByteReader,
  parent: Box,
  [type, ...rest]: string[],
  count: () => void,
): Promise<Box | undefined> {
  for await (const box of readBoxes(reader, { start: parent.payload, end: parent.end, count })) {
    if (box.type === type) return rest.length === 0 ? box : findBox(reader, box, rest, count)
  }
  return undefined
}

function checked(box: Box): Box {
  if (box.end < box.payload) throw damaged()
  return box
}
