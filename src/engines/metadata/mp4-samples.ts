import { type ByteReader, damaged } from './byte-reader.ts'
import { type Box, findBox, readBoxes } from './mp4-boxes.ts'

export type Range = { start: number; end: number }

const maxSamples = 5_000_000

type Chunk = { range: Range; sampleCount: number; isFixed: boolean }

/** Yields the position of a track's samples in the file, one range per chunk. */
export async function* findSampleChunks(reader: ByteReader, track: Box, count: () => void): AsyncGenerator<Chunk> {
  for await (const { start, sample, samples, sizes } of readSampleChunks(reader, track, count)) {
    const range = { start, end: start + (await sizes.sum(sample, samples)) }
    yield { range, sampleCount: sizes.end(sample, samples) - sample, isFixed: sizes.isFixed }
  }
}

/** Yields each sample of a track. */
export async function* findSamples(reader: ByteReader, track: Box, count: () => void): AsyncGenerator<Range> {
  for await (const { start, sample, samples, sizes } of readSampleChunks(reader, track, count)) {
    let position = start
    for (let index = sample; index < sizes.end(sample, samples); index++) {
      count()
      const end = position + (await sizes.read(index))
      yield { start: position, end }
      position = end
    }
  }
}

async function* readSampleChunks(reader: ByteReader, track: Box, count: () => void) {
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
    yield { start, sample, samples, sizes }
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
  const read = async (index: number) => fixedBytes || (await reader.read(first + index * 4, 4)).readUInt32BE()
  /** Samples that a chunk claims beyond the table do not exist for a player. */
  const end = (sample: number, samples: number) => Math.min(sample + samples, length)
  return {
    read,
    end,
    isFixed: fixedBytes > 0,
    async sum(sample: number, samples: number) {
      const last = end(sample, samples)
      if (fixedBytes > 0) return Math.max(0, last - sample) * fixedBytes
      let total = 0
      for (let index = sample; index < last; index++) total += await read(index)
      return total
    },
  }
}

/** The sample sizes that fragments leave out, by track. */
export async function readDefaultSizes(reader: ByteReader, moov: Box, count: () => void) {
  const sizes = new Map<number, number>()
  const defaults = await findBox(reader, moov, ['mvex'], count)
  if (!defaults) return sizes
  for await (const box of readBoxes(reader, { start: defaults.payload, end: defaults.end, count })) {
    if (box.type !== 'trex') continue
    const fields = await reader.read(box.payload, 24)
    sizes.set(fields.readUInt32BE(4), fields.readUInt32BE(16))
  }
  return sizes
}

type FragmentOptions = { defaultSizes: Map<number, number>; count: () => void }

/** Yields the samples of a fragment with their tracks. */
export async function* findFragmentSamples(
  reader: ByteReader,
  moof: Box,
  { defaultSizes, count }: FragmentOptions,
): AsyncGenerator<Range & { trackId: number }> {
  // Data without a position of its own continues after the data before it.
  let position = moof.start
  for await (const traf of readBoxes(reader, { start: moof.payload, end: moof.end, count })) {
    if (traf.type !== 'traf') continue
    const header = await readFragmentHeader(reader, await findBox(reader, traf, ['tfhd'], count))
    const base = header.base ?? (header.isCountedFromFragment ? moof.start : position)
    const size = header.size ?? defaultSizes.get(header.trackId) ?? 0
    position = base
    for await (const box of readBoxes(reader, { start: traf.payload, end: traf.end, count })) {
      if (box.type !== 'trun') continue
      const run = await openRun(reader, box)
      if (run.offset !== undefined) position = base + run.offset
      for (let index = 0; index < run.length; index++) {
        count()
        const end = position + ((await run.size(index)) ?? size)
        yield { start: position, end, trackId: header.trackId }
        position = end
      }
    }
  }
}

/** Flags say which optional fields follow, in this order. */
function createFields(fields: Buffer, first: number) {
  const flags = fields.readUInt32BE() & 0xffffff
  let at = first
  return {
    flags,
    take(flag: number, bytes: number): number | undefined {
      if ((flags & flag) === 0) return undefined
      at += bytes
      if (at > fields.length) throw damaged()
      return at - bytes
    },
    position: () => at,
  }
}

async function readFragmentHeader(reader: ByteReader, box: Box | undefined) {
  if (!box || box.end - box.payload < 8) throw damaged()
  const bytes = await reader.read(box.payload, Math.min(box.end - box.payload, 64))
  const { flags, take } = createFields(bytes, 8)
  const base = take(0x01, 8)
  take(0x02, 4)
  take(0x08, 4)
  const size = take(0x10, 4)
  return {
    trackId: bytes.readUInt32BE(4),
    base: base === undefined ? undefined : Number(bytes.readBigUInt64BE(base)),
    size: size === undefined ? undefined : bytes.readUInt32BE(size),
    isCountedFromFragment: (flags & 0x020000) !== 0,
  }
}

async function openRun(file: ByteReader, box: Box) {
  const reader = file.clone()
  const bytes = await reader.read(box.payload, Math.min(box.end - box.payload, 64))
  if (bytes.length < 8) throw damaged()
  const { flags, take, position } = createFields(bytes, 8)
  const offset = take(0x01, 4)
  take(0x04, 4)
  const length = bytes.readUInt32BE(4)
  const first = box.payload + position()
  const sizeAt = flags & 0x100 ? 4 : 0
  const entryBytes = [0x100, 0x200, 0x400, 0x800].filter((flag) => flags & flag).length * 4
  if (length > maxSamples || first + length * entryBytes > box.end) throw damaged()
  return {
    length,
    offset: offset === undefined ? undefined : bytes.readInt32BE(offset),
    async size(index: number) {
      if (!(flags & 0x200)) return undefined
      return (await reader.read(first + index * entryBytes + sizeAt, 4)).readUInt32BE()
    },
  }
}
