import { type ByteReader, createCounter, damaged } from './byte-reader.ts'
import type { Piece } from './rewrite.ts'

const extension = 0x21
const image = 0x2c
const trailer = 0x3b
const graphicControl = 0xf9
const application = 0xff

/** Keeps frames, their timing and the loop; drops comments, XMP and the extensions of other programs. */
export async function* keepGifPicture(reader: ByteReader): AsyncGenerator<Piece> {
  const header = await reader.read(0, 13)
  if (!/^GIF8[79]a$/.test(header.toString('latin1', 0, 6))) throw damaged()
  let position = 13 + colourTableBytes(header[10]!)
  if (position > reader.size) throw damaged()
  yield { start: 0, end: position }
  const count = createCounter(4_000_000)
  let hasImage = false
  /** The timing belongs to the image that follows it. */
  let timing: Piece | undefined
  // Decoders accept a film that breaks off, and treat an unknown block as its end; the frames before it are shown.
  for (;;) {
    const end = await findBlockEnd(reader, position, count)
    if (end === undefined) break
    const [kind, label] = await reader.read(position, 2)
    if (kind === image) {
      if (timing) yield timing
      yield { start: position, end }
      timing = undefined
      hasImage = true
    } else if (label === graphicControl && end - position === 8) {
      timing = { start: position, end }
    } else if (label === application) {
      yield* keepLoop(reader, position)
    }
    position = end
  }
  if (!hasImage) throw damaged()
  yield Buffer.of(trailer)
}

const colourTableBytes = (flags: number) => (flags & 0x80 ? 3 * 2 ** ((flags & 0x07) + 1) : 0)

/** The end of the image or extension at `position`; undefined when there is none or it is incomplete. */
async function findBlockEnd(reader: ByteReader, position: number, count: () => void): Promise<number | undefined> {
  if (position + 10 > reader.size) return undefined
  const block = await reader.read(position, 10)
  if (block[0] !== image && block[0] !== extension) return undefined
  let end = block[0] === extension ? position + 2 : position + 10 + colourTableBytes(block[9]!) + 1
  // Blocks of up to 255 bytes follow each other until an empty one.
  while (end < reader.size) {
    count()
    const length = (await reader.read(end, 1))[0]!
    end += 1 + length
    if (length === 0) return end
  }
  return undefined
}

/** Keeps one application block, the number of repetitions, and writes it again without anything else. */
async function* keepLoop(reader: ByteReader, position: number): AsyncGenerator<Piece> {
  if (position + 19 > reader.size) return
  const block = await reader.read(position, 19)
  const name = block.toString('latin1', 2, 14)
  if (name !== '\x0bNETSCAPE2.0' && name !== '\x0bANIMEXTS1.0') return
  if (block[14] === 3 && block[15] === 1) yield Buffer.concat([block.subarray(0, 18), Buffer.of(0)])
}
