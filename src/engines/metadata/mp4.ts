import { type ByteReader, createCounter, damaged } from './byte-reader.ts'
import { isColorProfile } from './icc-profile.ts'
import { cleanJpegFrame } from './jpeg-frames.ts'
import { areBoxes, type Box, findBox, readBox, readBoxes } from './mp4-boxes.ts'
import { findFragmentSamples, findSampleChunks, findSamples, type Range, readDefaultSizes } from './mp4-samples.ts'
import { usedBytes } from './mp4-used-bytes.ts'
import { cleanUnits } from './nal-units.ts'
import type { Patches } from './rewrite.ts'
import { createCover } from './sample-cover.ts'
import {
  cleanConfigs,
  type PictureFormat,
  pictureFieldBytes,
  readPictureFormat,
  readSoundPacking,
} from './track-format.ts'

/**
 * What happens to a box; a box without a rule becomes an empty `free` box of the same length. `trim` keeps what its structure
 * names, and nothing behind it.
 */
type Rule = 'keep' | 'trim' | 'times' | 'name' | 'color' | 'references' | 'pictures' | 'sounds' | 'track' | Rules
type Rules = { [type: string]: Rule }

const trimAll = (types: string): Rules => Object.fromEntries(types.split(' ').map((type) => [type, 'trim']))

const trackRules = (stsd: Rule): Rules => ({
  tkhd: 'times',
  edts: trimAll('elst'),
  tapt: trimAll('clef prof enof'),
  mdia: {
    mdhd: 'times',
    hdlr: 'name',
    minf: {
      hdlr: 'name',
      ...trimAll('vmhd smhd nmhd'),
      dinf: { dref: 'references' },
      stbl: { stsd, ...trimAll('stts ctts cslg stss stps stsc stsz stz2 stco co64') },
    },
  },
})
const pictureRules = trackRules('pictures')
const soundRules = trackRules('sounds')

const fileRules: Rules = {
  ...trimAll('ftyp styp sidx'),
  mdat: 'keep',
  moov: { mvhd: 'times', trak: 'track', mvex: trimAll('mehd trex') },
  moof: { mfhd: 'trim', traf: trimAll('tfhd tfdt trun') },
}

/** What a decoder needs: its parameters, colors, shape, and the projection of panoramas. */
const pictureParameters: Rules = {
  ...trimAll('avcC hvcC lhvC av1C vpcC dvcC dvvC dvwC esds d263 glbl mjqt mjht'),
  ...trimAll('pasp clap fiel gama btrt mdcv clli SmDm CoLL st3d'),
  'SMI ': 'trim',
  colr: 'color',
  sv3d: { svhd: 'trim', proj: trimAll('prhd equi cbmp') },
}
const soundParameters: Rules = {
  ...trimAll('esds chan dOps dfLa alac dac3 dec3 dac4 pcmC chnl srat damr btrt'),
  wave: { ...trimAll('frma mp4a esds alac enda chan'), '\0\0\0\0': 'trim' },
}

/** The fields of a sound's description before its boxes, by QuickTime's version. */
const soundFieldBytes = [[28], [44, 28], [64]]

const maxProfileBytes = 4 * 1024 * 1024

/** Tracks of other kinds contain positions, motion and subtitles with coordinates; GoPro, DJI, Sony and phones write them. */
const shownHandlers = new Set(['vide', 'soun', 'auxv'])

/**
 * Overwrites in place user data, metadata, times, names, and all tracks that are neither picture nor sound; then the words
 * that a program can hide in the pictures, and all media data that belongs to no picture and no sound.
 */
export async function eraseMp4Metadata(reader: ByteReader, patches: Patches) {
  const count = createCounter(2_000_000)
  const countSample = createCounter(5_000_000)
  let [shownTracks, erasedTracks, fragments] = [0, 0, 0]
  const cover = createCover()
  /** Samples are read while their tables are read in another place. */
  const samples = reader.clone()
  const mediaData: Range[] = []
  const formats = new Map<number, PictureFormat>()
  let defaultSizes = new Map<number, number>()

  async function eraseBox({ start, payload, end }: Box) {
    await patches.write(start + 4, Buffer.from('free', 'latin1'))
    await patches.erase(payload, end)
  }

  async function cleanTrack(track: Box) {
    const handler = await findBox(reader, track, ['mdia', 'hdlr'], count)
    if (!handler) throw damaged()
    const kind = (await reader.read(handler.payload + 8, 4)).toString('latin1')
    if (shownHandlers.has(kind)) {
      shownTracks++
      if (kind === 'soun') await coverSound(track)
      else await cleanPictures(track)
      return cleanInside(track, kind === 'soun' ? soundRules : pictureRules)
    }
    erasedTracks++
    for await (const { range } of findSampleChunks(reader, track, count)) await patches.erase(range.start, range.end)
    await eraseBox(track)
  }

  async function cleanPictures(track: Box) {
    const format = await readPictureFormat(reader, track, count)
    const header = await findBox(reader, track, ['tkhd'], count)
    if (header) formats.set(await readTrackId(reader, header), format)
    await cleanConfigs(reader, patches, track, count)
    for await (const sample of findSamples(reader, track, countSample)) await cleanPicture(sample, format)
  }

  async function cleanPicture(sample: Range, format: PictureFormat) {
    cover.add(sample)
    if (!format || sample.start === sample.end) return
    // A film that was cut off ends within a picture, of which nothing is drawn.
    if (sample.end > reader.size) return patches.erase(sample.start, sample.end)
    if (format === 'motion-jpeg') await cleanJpegFrame(samples, patches, sample.start, sample.end)
    else await cleanUnits(samples, patches, sample, format)
  }

  async function coverSound(track: Box) {
    const packing = await readSoundPacking(reader, track, count)
    for await (const { range, sampleCount, isFixed } of findSampleChunks(reader, track, count)) {
      const packed = isFixed && packing ? Math.ceil(sampleCount / packing.samples) * packing.bytes : 0
      cover.add({ start: range.start, end: Math.max(range.end, range.start + packed) })
    }
  }

  async function cleanFragment(moof: Box) {
    for await (const sample of findFragmentSamples(reader, moof, { defaultSizes, count: countSample })) {
      await cleanPicture(sample, formats.get(sample.trackId))
    }
  }

  async function cleanInside(parent: Box, rules: Rules) {
    let end = parent.payload
    for await (const box of readBoxes(reader, { start: parent.payload, end: parent.end, count })) {
      await clean(box, rules[box.type])
      end = box.end
    }
    await patches.erase(end, parent.end)
  }

  /**
   * Clears the four letters of the camera's vendor and, for pictures, up to 31 letters of its encoder ("GoPro AVC encoder"),
   * and keeps only boxes with parameters.
   */
  async function cleanDescriptions({ payload, end }: Box, kind: 'pictures' | 'sounds') {
    for await (const entry of readBoxes(reader, { start: payload + 8, end, count })) {
      const erase = (from: number, to: number) =>
        patches.erase(Math.min(entry.payload + from, entry.end), Math.min(entry.payload + to, entry.end))
      await erase(12, 16)
      if (kind === 'pictures') await erase(42, 74)
      const start = entry.payload + (kind === 'pictures' ? pictureFieldBytes : await findSoundBoxes(entry))
      await cleanInside({ ...entry, payload: start }, kind === 'pictures' ? pictureParameters : soundParameters)
    }
  }

  /** Other programs write the first version without QuickTime's fields. */
  async function findSoundBoxes({ payload, end }: Box) {
    const version = (await reader.read(payload + 8, 2)).readUInt16BE()
    for (const bytes of soundFieldBytes[version] ?? []) {
      if (await areBoxes(reader, { start: payload + bytes, end, count })) return bytes
    }
    throw damaged()
  }

  /** Only a film that is one file is drawn, so the addresses of others have no use. */
  async function clearReferences({ payload, end }: Box) {
    for await (const entry of readBoxes(reader, { start: payload + 8, end, count })) {
      await patches.erase(Math.min(entry.payload + 4, entry.end), entry.end)
    }
  }

  async function cleanColor(box: Box) {
    const kind = (await reader.read(box.payload, 4)).toString('latin1')
    const known = { nclx: 11, nclc: 10 }[kind]
    if (known) return patches.erase(box.payload + known, box.end)
    const length = box.end - box.payload - 4
    const isProfile = length <= maxProfileBytes && isColorProfile(await reader.read(box.payload + 4, length))
    if (!isProfile) await eraseBox(box)
  }

  async function clean(box: Box, rule: Rule | undefined) {
    if (rule === 'keep') return
    if (rule === undefined) return eraseBox(box)
    if (rule === 'track') return cleanTrack(box)
    if (rule === 'pictures' || rule === 'sounds') return cleanDescriptions(box, rule)
    if (rule === 'references') return clearReferences(box)
    if (rule === 'color') return cleanColor(box)
    // Version, flags and two types precede the maker's letters and the name.
    if (rule === 'name') return patches.erase(Math.min(box.payload + 12, box.end), box.end)
    if (rule === 'times') await clearTimes(reader, patches, box)
    if (rule === 'times' || rule === 'trim') return patches.erase(box.payload + (await usedBytes(reader, box)), box.end)
    return cleanInside(box, rule)
  }

  for (let position = 0; position < reader.size; ) {
    count()
    const box = await readTopBox(reader, position, { isInFragments: fragments > 0 })
    if (!box) {
      // Cameras append notes of their own after the last box.
      await patches.cutAt(position)
      break
    }
    if (box.type === 'moov') defaultSizes = await readDefaultSizes(reader, box, count)
    if (box.type === 'mdat') mediaData.push({ start: box.payload, end: box.end })
    await clean(box, fileRules[box.type])
    if (box.type === 'moof') {
      fragments++
      if (shownTracks === 0) throw damaged()
      await cleanFragment(box)
    }
    position = box.end
  }
  for (const gap of cover.gapsIn(mediaData)) await patches.erase(gap.start, gap.end)
  // The remaining fragments would refer to erased tracks.
  if (shownTracks === 0 || (fragments > 0 && erasedTracks > 0)) throw damaged()
}

/** Undefined where no box begins. A film that was cut off ends within its samples; a fragmented one may end anywhere. */
async function readTopBox(
  reader: ByteReader,
  position: number,
  { isInFragments }: { isInFragments: boolean },
): Promise<Box | undefined> {
  if (position + 8 > reader.size) return undefined
  const length = (await reader.read(position, 4)).readUInt32BE()
  if ((length > 1 && length < 8) || (length === 1 && position + 16 > reader.size)) return undefined
  const box = await readBox(reader, position, reader.size)
  if (box.end <= reader.size) return box
  if (box.type === 'mdat') return { ...box, end: reader.size }
  if (fileRules[box.type] && !isInFragments) throw damaged()
  return undefined
}

async function readTrackId(reader: ByteReader, { payload }: Box) {
  const version = (await reader.read(payload, 1))[0]
  return (await reader.read(payload + (version === 1 ? 20 : 12), 4)).readUInt32BE()
}

/** Reserved bytes of version 0, where a program can write anything. */
const reserved: Record<string, [start: number, end: number][]> = {
  mvhd: [
    [26, 36],
    [72, 96],
  ],
  tkhd: [
    [16, 20],
    [24, 32],
  ],
}

/** Creation and modification time (4 bytes each, 8 in version 1) and what is reserved. */
async function clearTimes(reader: ByteReader, patches: Patches, { type, payload, end }: Box) {
  const isLong = (await reader.read(payload, 1))[0] === 1
  await patches.erase(payload + 4, Math.min(payload + 4 + (isLong ? 16 : 8), end))
  for (const [from, to] of reserved[type] ?? []) {
    // Before the duration two times are longer, and behind it the duration too.
    const shift = isLong ? (from < 24 && type === 'tkhd' ? 8 : 12) : 0
    await patches.erase(payload + from + shift, Math.min(payload + to + shift, end))
  }
}
