import { type ByteReader, damaged } from './byte-reader.ts'
import { type Box, findBox, readBoxes } from './mp4-boxes.ts'
import { cleanUnit, cleanUnits, type NalFormat } from './nal-units.ts'
import type { Patches } from './rewrite.ts'

/** How the samples of a picture track are written, if words can hide in them. */
export type PictureFormat = NalFormat | 'motion-jpeg' | undefined

const h264Entries = new Set(['avc1', 'avc2', 'avc3', 'avc4', 'dva1', 'dvav'])
const h265Entries = new Set(['hvc1', 'hev1', 'dvh1', 'dvhe', 'hvc2', 'hev2'])
const jpegEntries = new Set(['jpeg', 'mjpa', 'mjpb', 'AVDJ', 'dmb1', 'mjp2'])

/** Fields of a picture's description before its boxes. */
export const pictureFieldBytes = 78

/** All descriptions of a track must agree, since a sample does not tell which one it uses. */
export async function readPictureFormat(reader: ByteReader, track: Box, count: () => void): Promise<PictureFormat> {
  const formats: PictureFormat[] = []
  for await (const entry of readDescriptions(reader, track, count)) formats.push(await formatOf(reader, entry, count))
  const [format] = formats
  if (formats.some((other) => JSON.stringify(other) !== JSON.stringify(format))) throw damaged()
  return format
}

async function* readDescriptions(reader: ByteReader, track: Box, count: () => void) {
  const descriptions = await findBox(reader, track, ['mdia', 'minf', 'stbl', 'stsd'], count)
  if (!descriptions) return
  yield* readBoxes(reader, { start: descriptions.payload + 8, end: descriptions.end, count })
}

async function formatOf(reader: ByteReader, entry: Box, count: () => void): Promise<PictureFormat> {
  if (jpegEntries.has(entry.type)) return 'motion-jpeg'
  const codec = h264Entries.has(entry.type) ? 'h264' : h265Entries.has(entry.type) ? 'h265' : undefined
  if (!codec) return undefined
  const config = await findConfig(reader, entry, codec, count)
  // Without a configuration of version 1, decoders read start codes.
  if (!config || (await reader.read(config.payload, 1))[0] !== 1) return { codec, lengthBytes: 0 }
  const lengthAt = config.payload + (codec === 'h264' ? 4 : 21)
  if (lengthAt >= config.end) throw damaged()
  return { codec, lengthBytes: ((await reader.read(lengthAt, 1))[0]! & 3) + 1 }
}

async function findConfig(reader: ByteReader, entry: Box, codec: NalFormat['codec'], count: () => void) {
  const type = codec === 'h264' ? 'avcC' : 'hvcC'
  const boxes = { start: entry.payload + pictureFieldBytes, end: entry.end, count }
  for await (const box of readBoxes(reader, boxes)) if (box.type === type && box.end > box.payload) return box
  return undefined
}

/** A configuration may contain supplemental information, where encoders write their settings. */
export async function cleanConfigs(reader: ByteReader, patches: Patches, track: Box, count: () => void) {
  for await (const entry of readDescriptions(reader, track, count)) {
    if (!h264Entries.has(entry.type) && !h265Entries.has(entry.type)) continue
    for await (const config of readBoxes(reader, { start: entry.payload + pictureFieldBytes, end: entry.end, count })) {
      const used =
        config.type === 'avcC'
          ? await cleanParameterSets(config)
          : config.type === 'hvcC' || config.type === 'lhvC'
            ? await cleanArrays(config, config.type === 'hvcC' ? 22 : 5)
            : config.end
      await patches.erase(used, config.end)
    }
  }

  /** H.264: two lists of parameter sets, then numbers of the better profiles. Returns where they end. */
  async function cleanParameterSets(config: Box) {
    if ((await readWithin(config.payload, 6, config))[0] !== 1) {
      await cleanUnits(reader, patches, { start: config.payload, end: config.end }, { codec: 'h264', lengthBytes: 0 })
      return config.end
    }
    let position = config.payload + 5
    for (let list = 0; list < 2; list++) {
      const units = (await readWithin(position, 1, config))[0]! & (list === 0 ? 0x1f : 0xff)
      position = await cleanList(position + 1, units, config, 'h264')
    }
    return Math.min(config.end, position + 4)
  }

  async function cleanArrays(config: Box, countAt: number) {
    const arrays = (await readWithin(config.payload + countAt, 1, config))[0]!
    let position = config.payload + countAt + 1
    for (let array = 0; array < arrays; array++) {
      const units = (await readWithin(position, 3, config)).readUInt16BE(1)
      position = await cleanList(position + 3, units, config, 'h265')
    }
    return position
  }

  async function cleanList(start: number, units: number, config: Box, codec: NalFormat['codec']) {
    let position = start
    for (let unit = 0; unit < units; unit++) {
      count()
      const unitStart = position + 2
      position = unitStart + (await readWithin(position, 2, config)).readUInt16BE()
      if (position > config.end) throw damaged()
      await cleanUnit(reader, patches, { start: unitStart, end: position }, codec)
    }
    return position
  }

  async function readWithin(position: number, bytes: number, { end }: Box) {
    if (position + bytes > end) throw damaged()
    return reader.read(position, bytes)
  }
}

type Packing = { samples: number; bytes: number }

/**
 * QuickTime's uncompressed sound has one-byte samples by its table, but frames of several channels in the file. Undefined
 * when the table tells the truth.
 */
export async function readSoundPacking(
  reader: ByteReader,
  track: Box,
  count: () => void,
): Promise<Packing | undefined> {
  let packing: Packing | undefined
  for await (const { payload, end } of readDescriptions(reader, track, count)) {
    if (end - payload < 28) continue
    const fields = await reader.read(payload, Math.min(end - payload, 64))
    const version = fields.readUInt16BE(8)
    const frameBytes = Math.ceil((fields.readUInt16BE(16) * fields.readUInt16BE(18)) / 8)
    const found =
      version === 1 && fields.length >= 44
        ? { samples: fields.readUInt32BE(28), bytes: fields.readUInt32BE(36) }
        : version === 2 && fields.length >= 64
          ? { samples: fields.readUInt32BE(60), bytes: fields.readUInt32BE(56) }
          : { samples: 1, bytes: frameBytes }
    if (found.samples === 0 || found.bytes === 0) continue
    if (!packing || found.bytes / found.samples > packing.bytes / packing.samples) packing = found
  }
  return packing
}
