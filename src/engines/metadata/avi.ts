import { type ByteReader, createCounter, damaged } from './byte-reader.ts'
import { cleanJpegFrame } from './jpeg-frames.ts'
import { cleanUnits, type NalFormat } from './nal-units.ts'
import type { Patches } from './rewrite.ts'
import { type RiffChunk, readChunks } from './riff.ts'

/** A chunk stays as it is, or its own chunks are checked; a chunk without a rule becomes an empty JUNK chunk. */
type Rule = 'keep' | Rules
type Rules = (type: string) => Rule | undefined

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
const pictureFrame = /^[0-9a-f]{2}(dc|db)$/i

/** Pictures, sound and their indexes stay. Dash cameras write positions into text streams and junk between frames. */
const frame = /^([0-9a-f]{2}(dc|db|wb|pc|ix|__)|ix[0-9a-f]{2})$/i
const isFrame: Rules = (type) => (frame.test(type) ? 'keep' : undefined)
const frames: Rules = (type) => (type === 'LIST:rec ' ? isFrame : isFrame(type))

const movie = only({
  'LIST:hdrl': only({
    avih: 'keep',
    'LIST:strl': only({ strh: 'keep', strf: 'keep', indx: 'keep', vprp: 'keep' }),
    'LIST:odml': only({ dmlh: 'keep' }),
  }),
  'LIST:movi': frames,
  idx1: 'keep',
})

const startOfJpeg = 0xffd8

/** Overwrites titles, dates, EXIF and positions in place, because the indexes count from the beginning of the file. */
export async function eraseAviMetadata(reader: ByteReader, patches: Patches) {
  const count = createCounter(5_000_000)
  let hasFrames = false
  /** The codecs of the streams, in the order of their numbers. */
  const codecs: string[] = []

  async function readCodec(list: RiffChunk) {
    let codec = ''
    for await (const { type, dataStart, dataEnd } of readChunks(reader, {
      start: list.dataStart + 4,
      end: list.dataEnd,
      count,
    })) {
      // The compression is the fifth number of a picture's format.
      if (type === 'strf' && dataEnd - dataStart >= 20)
        codec = (await reader.read(dataStart + 16, 4)).toString('latin1')
    }
    codecs.push(codec.toUpperCase())
  }

  /** Words can hide within the frames too. */
  async function cleanFrame({ type, dataStart, dataEnd }: RiffChunk) {
    if (!pictureFrame.test(type) || dataEnd <= dataStart) return
    const codec = codecs[Number.parseInt(type.slice(0, 2), 10)] ?? ''
    const begins = dataEnd - dataStart >= 2 ? (await reader.read(dataStart, 2)).readUInt16BE() : 0
    if (motionJpeg.has(codec) || begins === startOfJpeg) await cleanJpegFrame(reader, patches, dataStart, dataEnd)
    const nal = nalCodecs[codec]
    if (nal) await cleanUnits(reader, patches, { start: dataStart, end: dataEnd }, { codec: nal, lengthBytes: 0 })
  }

  async function clean(list: { start: number; end: number }, rules: Rules) {
    let cleaned = list.start
    for await (const next of readChunks(reader, { ...list, count })) {
      // A recording that was cut off ends in the middle of a chunk.
      const chunk = { ...next, dataEnd: Math.min(next.dataEnd, list.end), end: Math.min(next.end, list.end) }
      const type = chunk.type === 'LIST' ? `LIST:${await readKind(reader, chunk)}` : chunk.type
      const rule = rules(type)
      if (rule === frames) hasFrames = true
      if (type === 'LIST:strl') await readCodec(chunk)
      if (rule === undefined) await eraseChunk(patches, chunk)
      else if (rule === 'keep') await cleanFrame(chunk)
      else await clean({ start: chunk.dataStart + 4, end: chunk.dataEnd }, rule)
      cleaned = chunk.end
    }
    await patches.erase(cleaned, list.end)
  }

  let end = 0
  for await (const part of readChunks(reader, { start: 0, end: reader.size, count })) {
    const kind = part.type === 'RIFF' ? await readKind(reader, part) : ''
    if (kind !== (end === 0 ? 'AVI ' : 'AVIX')) break
    end = Math.min(part.dataEnd, reader.size)
    await clean({ start: part.dataStart + 4, end }, movie)
  }
  if (!hasFrames) throw damaged()
  await patches.cutAt(end)
}

async function readKind(reader: ByteReader, { dataStart }: RiffChunk): Promise<string> {
  return (await reader.read(dataStart, 4)).toString('latin1')
}

async function eraseChunk(patches: Patches, { start, dataStart, end }: RiffChunk) {
  await patches.write(start, Buffer.from('JUNK', 'latin1'))
  await patches.erase(dataStart, end)
}
