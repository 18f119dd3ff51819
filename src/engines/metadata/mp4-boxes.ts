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

type Range = { start: number; end: number }

const maxSamples = 5_000_000

/** Yields the position of a track's samples in the file, one range per chunk. */
export async function* findSampleRanges(reader: ByteReader, track: Box, count: () => void): AsyncGenerator<Range> {
  const tables = await findBox(reader, track, ['mdia', 'minf', 'stbl'], count)
  if (!tables) return
  const find = (type: string) => findBox(reader, tables, [type], count)
  const [shortOffsets, longOffsets] = [await find('stco'), await find('co64')]
  const offsets = await openTable(reader, shortOffsets ?? longOffsets, shortOffsets ? 4 : 8)
  if (offsets.length === 0) return
  const runs = await openTable(reader, await find('stsc'), 12)
  const sizes = await openSizes(reader, await find('stsz'))

  let sample = 0
  let run = 0
  for (let chunk = 0; chunk < offsets.length; chunk++) {
    count()
    // A run names its first chunk, counted from 1, and how many samples each chunk has.
    while (run + 1 < runs.length && (await runs.read(run + 1)).readUInt32BE() <= chunk + 1) run++
    const samples = (await runs.read(run)).readUInt32BE(4)
    const offset = await offsets.read(chunk)
    const start = shortOffsets ? offset.readUInt32BE() : Number(offset.readBigUInt64BE())
    yield { start, end: start + (await sizes.sum(sample, samples)) }
    sample += samples
  }
}

/** A box with version, flags, count and that many entries of equal length. */
async function openTable(file: ByteReader, box: Box | undefined, entryBytes: number) {
  const reader = file.clone()
  const length = box ? (await reader.read(box.payload + 4, 4)).readUInt32BE() : 0
  const first = (box?.payload ?? 0) + 8
  if (box && first + length * entryBytes > box.end) throw damaged()
  return {
    length,
    read(index: number): Promise<Buffer> {
      if (index >= length) throw damaged()
      return reader.read(first + index * entryBytes, entryBytes)
    },
  }
}

async function openSizes(file: ByteReader, box: Box | undefined) {
  if (!box) throw damaged()
  const reader = file.clone()
  const header = await reader.read(box.payload + 4, 8)
  const [fixedBytes, length] = [header.readUInt32BE(), header.readUInt32BE(4)]
  const first = box.payload + 12
  if (fixedBytes === 0 && (length > maxSamples || first + length * 4 > box.end)) throw damaged()
  return {
    /** Samples that a chunk claims beyond the table do not exist for a player. */
    async sum(sample: number, samples: number) {
      const end = Math.min(sample + samples, length)
      if (fixedBytes > 0) return Math.max(0, end - sample) * fixedBytes
      let total = 0
      for (let index = sample; index < end; index++) {
        total += (await reader.read(first + index * 4, 4)).readUInt32BE()
      }
      return total
    },
  }
}
