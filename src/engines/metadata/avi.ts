import { type ByteReader, createCounter, damaged } from './byte-reader.ts'
import { cleanJpegFrame } from './jpeg-frames.ts'
import { cleanUnits, type NalFormat } from './nal-units.ts'
import type { Patches } from './rewrite.ts'
import { type RiffChunk, readChunks } from './riff.ts'

/**
 * A chunk stays as it is or up to a number of bytes, or its own chunks are checked; a chunk without a rule becomes an empty JUNK
 * chunk.
 */
type Rule = 'keep' | 'format' | 'frames' | number | Rules
type Rules = (type: string) => Rule | undefined
type Stream = { kind: string; codec: string; nal?: NalFormat }

const only =
  (rules: Record<string, Rule>): Rules =>
  (type) =>
    rules[type]

/** How the pictures of a stream are written, by the four letters in its header. */
const motionJpeg = new Set(['MJPG', 'AVRN', 'LJPG', 'JPEG', 'MJPA', 'DMB1', 'JPGL', 'IJPG', 'AVDJ'])
const nalCodecs: Record<string, NalFormat['codec']> = {
  ...Object.fromEntries(['H264', 'X264', 'AVC1', 'DAVC', 'VSSH', 'SMV2'].map((name) => [name, 'h264'])),
  ...Object.fromEntries(['H265', 'HEVC', 'HEV1', 'HVC1', 'X265'].map((name) => [name, 'h265'])),
}

const movie = only({
  'LIST:hdrl': only({
    avih: 56,
    'LIST:strl': only({ strh: 56, strf: 'format', indx: 'keep', vprp: 'keep' }),
    'LIST:odml': only({ dmlh: 4 }),
  }),
  'LIST:movi': 'frames',
  idx1: 'keep',
})

/** Which kind of stream the chunks of frames and their indexes belong to. */
const frameKinds: Record<string, string> = { dc: 'vids', db: 'vids', pc: 'vids', wb: 'auds' }
const frame = /^(\d\d)(dc|db|wb|pc)$/i
const index = /^(?:ix(\d\d)|(\d\d)ix)$/i

const startOfJpeg = 0xffd8
/** The parameters of a picture's format precede those of its codec. */
const pictureFormatBytes = 40

/** Overwrites titles, dates, EXIF and positions in place, because the indexes count from the beginning of the file. */
export async function eraseAviMetadata(reader: ByteReader, patches: Patches) {
  const count = createCounter(5_000_000)
  let hasPictures = false
  /** In the order of their numbers. */
  const streams: Stream[] = []

  async function readStream(list: RiffChunk) {
    const stream: Stream = { kind: '', codec: '' }
    const chunks = readChunks(reader, { start: list.dataStart + 4, end: list.dataEnd, count })
    for await (const { type, dataStart, dataEnd } of chunks) {
      const length = dataEnd - dataStart
      if (type === 'strh' && length >= 4) stream.kind = (await reader.read(dataStart, 4)).toString('latin1')
      if (type !== 'strf' || length < pictureFormatBytes) continue
      const format = await reader.read(dataStart, Math.min(length, pictureFormatBytes + 32))
      // The compression is the fifth number of a picture's format.
      stream.codec = format.toString('latin1', 16, 20).toUpperCase()
      stream.nal = nalFormatOf(stream.codec, format.subarray(pictureFormatBytes))
    }
    streams.push(stream)
  }

  /** A frame of no stream, or of one that is neither picture nor sound, is drawn by no player: dash cameras write positions there. */
  const ofFrame: Rules = (type) => {
    const number = Number((index.exec(type) ?? frame.exec(type))?.slice(1).find((part) => /^\d/.test(part ?? '')))
    const kind = streams[number]?.kind
    if (index.test(type)) return kind ? 'keep' : undefined
    return kind && kind === frameKinds[type.slice(2).toLowerCase()] ? 'keep' : undefined
  }
  const ofMovie: Rules = (type) => (type === 'LIST:rec ' ? ofFrame : ofFrame(type))

  /** Words can hide within the frames too. */
  async function cleanFrame({ type, dataStart, dataEnd }: RiffChunk) {
    if (!/^\d\d(dc|db)$/i.test(type) || dataEnd <= dataStart) return
    hasPictures = true
    const { codec, nal } = streams[Number(type.slice(0, 2))]!
    const begins = dataEnd - dataStart >= 2 ? (await reader.read(dataStart, 2)).readUInt16BE() : 0
    if (motionJpeg.has(codec) || begins === startOfJpeg) await cleanJpegFrame(reader, patches, dataStart, dataEnd)
    if (nal) await cleanUnits(reader, patches, { start: dataStart, end: dataEnd }, nal)
  }

  /** The parameters of the last stream's codec. */
  async function cleanFormat({ dataStart, dataEnd }: RiffChunk) {
    const { codec, kind, nal } = streams.at(-1)!
    const start = dataStart + pictureFormatBytes
    if (kind !== 'vids' || start >= dataEnd) return
    if (motionJpeg.has(codec)) return patches.erase(start, dataEnd)
    if (nal?.lengthBytes === 0) await cleanUnits(reader, patches, { start, end: dataEnd }, nal)
  }

  async function clean(list: { start: number; end: number }, rules: Rules) {
    let cleaned = list.start
    for await (const next of readChunks(reader, { ...list, count })) {
      // A recording that was cut off ends in the middle of a chunk.
      const chunk = { ...next, dataEnd: Math.min(next.dataEnd, list.end), end: Math.min(next.end, list.end) }
      const type = chunk.type === 'LIST' ? `LIST:${await readKind(reader, chunk)}` : chunk.type
      if (type === 'LIST:strl') await readStream(chunk)
      await cleanChunk(chunk, rules(type))
      cleaned = chunk.end
    }
    await patches.erase(cleaned, list.end)
  }

  async function cleanChunk(chunk: RiffChunk, rule: Rule | undefined) {
    const { dataStart, dataEnd } = chunk
    if (rule === undefined) return eraseChunk(patches, chunk)
    if (rule === 'keep') return cleanFrame(chunk)
    if (rule === 'format') return cleanFormat(chunk)
    if (typeof rule === 'number') return patches.erase(dataStart + rule, dataEnd)
    return clean({ start: dataStart + 4, end: dataEnd }, rule === 'frames' ? ofMovie : rule)
  }

  let end = 0
  for await (const part of readChunks(reader, { start: 0, end: reader.size, count })) {
    const kind = part.type === 'RIFF' ? await readKind(reader, part) : ''
    if (kind !== (end === 0 ? 'AVI ' : 'AVIX')) break
    end = Math.min(part.dataEnd, reader.size)
    await clean({ start: part.dataStart + 4, end }, movie)
  }
  // Pictures may be in chunks that are not known here, such as those of a DV camera with its sound.
  if (!hasPictures) throw damaged()
  await patches.cutAt(end)
}

/** Parameters of version 1 say how long a unit's length is; otherwise start codes separate the units. */
function nalFormatOf(codec: string, parameters: Buffer): NalFormat | undefined {
  const nal = nalCodecs[codec]
  if (!nal) return undefined
  const lengthAt = nal === 'h264' ? 4 : 21
  const isCounted = parameters[0] === 1 && parameters.length > lengthAt
  return { codec: nal, lengthBytes: isCounted ? (parameters[lengthAt]! & 3) + 1 : 0 }
}

async function readKind(reader: ByteReader, { dataStart }: RiffChunk): Promise<string> {
  return (await reader.read(dataStart, 4)).toString('latin1')
}

async function eraseChunk(patches: Patches, { start, dataStart, end }: RiffChunk) {
  await patches.write(start, Buffer.from('JUNK', 'latin1'))
  await patches.erase(dataStart, end)
}
