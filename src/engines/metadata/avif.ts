import { type ByteReader, createCounter, damaged } from './byte-reader.ts'
import { type Box, readBoxes } from './mp4-boxes.ts'
import type { Piece } from './rewrite.ts'

/** The boxes of a picture that the program encoded itself. */
const fileBoxes = new Set(['ftyp', 'meta', 'mdat', 'free'])
const metaBoxes = new Set(['hdlr', 'pitm', 'iloc', 'iinf', 'iref', 'iprp'])
const propertyBoxes = new Set(['ispe', 'pixi', 'av1C', 'auxC', 'colr', 'irot', 'imir', 'pasp', 'clli', 'mdcv'])
const itemTypes = new Set(['av01', 'grid'])

/**
 * Only the program's own encoder makes AVIF, and without metadata, so the file is copied as it is. One that contains anything
 * else is refused, and visitors get a picture that was encoded again.
 */
export async function* keepAvifPicture(reader: ByteReader): AsyncGenerator<Piece> {
  const count = createCounter(10_000)
  const childrenOf = (box: Box, skipped = 0) => readBoxes(reader, { start: box.payload + skipped, end: box.end, count })
  let hasPixels = false
  let end = 0
  for await (const box of readBoxes(reader, { start: 0, end: reader.size, count })) {
    if (!fileBoxes.has(box.type)) throw damaged()
    end = box.end
    hasPixels ||= box.type === 'mdat'
    if (box.type !== 'meta') continue
    for await (const part of childrenOf(box, versionBytes)) {
      if (!metaBoxes.has(part.type)) throw damaged()
      if (part.type === 'iinf') await checkItems(reader, childrenOf(part, await itemCountEnd(reader, part)))
      if (part.type === 'iprp') await checkProperties(reader, childrenOf(part), childrenOf)
    }
  }
  if (!hasPixels) throw damaged()
  yield { start: 0, end }
}

/** Version and flags at the beginning of a full box. */
const versionBytes = 4

/** The number of items has two bytes in the first version of the box. */
async function itemCountEnd(reader: ByteReader, { payload }: Box) {
  const version = (await reader.read(payload, 1))[0]
  return versionBytes + (version === 0 ? 2 : 4)
}

/** Camera data and XMP are items of other types than pictures. */
async function checkItems(reader: ByteReader, entries: AsyncIterable<Box>) {
  for await (const { type, payload } of entries) {
    const head = await reader.read(payload, 12)
    const isKnown = type === 'infe' && (head[0] === 2 || head[0] === 3)
    const at = head[0] === 3 ? 10 : 8
    if (!isKnown || !itemTypes.has((await reader.read(payload + at, 4)).toString('latin1'))) throw damaged()
  }
}

async function checkProperties(
  reader: ByteReader,
  parts: AsyncIterable<Box>,
  childrenOf: (box: Box) => AsyncIterable<Box>,
) {
  for await (const part of parts) {
    if (part.type === 'ipma') continue
    if (part.type !== 'ipco') throw damaged()
    for await (const { type, payload } of childrenOf(part)) {
      if (!propertyBoxes.has(type)) throw damaged()
      // A color profile may contain texts; the encoder writes numbers instead.
      if (type === 'colr' && (await reader.read(payload, 4)).toString('latin1') !== 'nclx') throw damaged()
    }
  }
}
