import { type ByteReader, createCounter, damaged } from './byte-reader.ts'
import type { Piece } from './pieces.ts'

const extension = 0x21
const image = 0x2c
const trailer = 0x3b
const graphicControl = 0xf9
const application = 0xff

/** Keeps frames, their timing and the loop; comments, XMP and the extensions of other programs go. */
export async function* keepGifPicture(reader: ByteReader): AsyncGenerator<Piece> {
  const header = await reader.read(0, 13)
  if (!/^GIF8[79]a$/.test(header.toString('latin1', 0, 6))) throw damaged()
  let position = 13 + colourTableBytes(header[10]!)
  if (position > reader.size) throw damaged()
  yield { start: 0, end: position }
  const count = createCounter(4_000_000)
  let hasImage = false
  // Decoders take whatever else may come here for the end.
  while (position < reader.size) {
    count()
    const kind = (await reader.read(position, 1))[0]
    if (kind === trailer) break
    if (kind === image) {
      const descriptor = await reader.read(position, 10)
      const dataStart = position + 10 + colourTableBytes(descriptor[9]!) + 1
      const end = await skipBlocks(reader, dataStart, count)
      yield { start: position, end }
      position = end
      hasImage = true
    } else if (kind === extension) {
      const label = (await reader.read(position, 2))[1]
      const end = await skipBlocks(reader, position + 2, count)
      if (label === graphicControl && end - position === 8) yield { start: position, end }
      if (label === application) yield* keepLoop(reader, position)
      position = end
    } else {
      break
    }
  }
  if (!hasImage) throw damaged()
  yield Buffer.of(trailer)
}

const colourTableBytes = (flags: number) => (flags & 0x80 ? 3 * 2 ** ((flags & 0x07) + 1) : 0)

/** Blocks of up to 255 bytes follow each other until an empty one; answers where that ends. */
async function skipBlocks(reader: ByteReader, position: number, count: () => void): Promise<number> {
  for (;;) {
    count()
    const length = (await reader.read(position, 1))[0]!
    position += 1 + length
    if (length === 0) return position
  }
}

/** Of the application blocks only the one that says how often to repeat, written anew. */
async function* keepLoop(reader: ByteReader, position: number): AsyncGenerator<Piece> {
  if (position + 19 > reader.size) return
  const block = await reader.read(position, 19)
  const name = block.toString('latin1', 2, 14)
  if (name !== '\x0bNETSCAPE2.0' && name !== '\x0bANIMEXTS1.0') return
  if (block[14] === 3 && block[15] === 1) yield Buffer.concat([block.subarray(0, 18), Buffer.of(0)])
}
