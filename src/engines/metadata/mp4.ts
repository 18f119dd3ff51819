import { type ByteReader, createCounter, damaged } from './byte-reader.ts'
import { cleanJpegFrame } from './jpeg-frames.ts'
import { type Box, findBox, readBox, readBoxes } from './mp4-boxes.ts'
import { findFragmentSamples, findSampleChunks, findSamples, type Range, readDefaultSizes } from './mp4-samples.ts'
import { cleanUnits } from './nal-units.ts'
import type { Patches } from './rewrite.ts'
import { createCover } from './sample-cover.ts'
import { cleanConfigs, type PictureFormat, readPictureFormat, readSoundPacking } from './track-format.ts'

/** What happens to a box; a box without a rule becomes an empty `free` box of the same length. */
type Rule = 'keep' | 'clear-times' | 'clear-name' | 'clear-picture-maker' | 'clear-sound-maker' | 'track' | Rules
type Rules = { [type: string]: Rule }

const keepAll = (types: string): Rules => Object.fromEntries(types.split(' ').map((type) => [type, 'keep']))

const trackRules = (stsd: Rule): Rules => ({
  tkhd: 'clear-times',
  ...keepAll('edts tapt'),
  mdia: {
    mdhd: 'clear-times',
    hdlr: 'clear-name',
    elng: 'keep',
    minf: {
      hdlr: 'clear-name',
      ...keepAll('vmhd smhd nmhd gmhd dinf'),
      stbl: {
        stsd,
        ...keepAll(
          'stts ctts cslg stss stps stsh stsc stsz stz2 stco co64 sdtp stdp padb sbgp sgpd subs saiz saio senc',
        ),
      },
    },
  },
})
const pictureRules = trackRules('clear-picture-maker')
const soundRules = trackRules('clear-sound-maker')

const fileRules: Rules = {
  ...keepAll('ftyp styp pdin mdat sidx ssix mfra'),
  moov: { mvhd: 'clear-times', trak: 'track', ...keepAll('mvex iods pssh') },
  moof: { mfhd: 'keep', traf: keepAll('tfhd tfdt trun sbgp sgpd subs saiz saio senc'), pssh: 'keep' },
}

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
   * Clears the four letters of the camera's vendor and, for pictures, up to 31 letters of its encoder ("GoPro AVC encoder").
   */
  async function clearMaker({ payload, end }: Box, { hasEncoder }: { hasEncoder: boolean }) {
    for await (const entry of readBoxes(reader, { start: payload + 8, end, count })) {
      await patches.erase(Math.min(entry.payload + 12, entry.end), Math.min(entry.payload + 16, entry.end))
      if (hasEncoder)
        await patches.erase(Math.min(entry.payload + 42, entry.end), Math.min(entry.payload + 74, entry.end))
    }
  }

  async function clean(box: Box, rule: Rule | undefined) {
    if (rule === 'keep') return
    if (rule === undefined) return eraseBox(box)
    if (rule === 'track') return cleanTrack(box)
    if (rule === 'clear-times') return clearTimes(reader, patches, box)
    if (rule === 'clear-sound-maker') return clearMaker(box, { hasEncoder: false })
    if (rule === 'clear-picture-maker') return clearMaker(box, { hasEncoder: true })
    // Version, flags, two types and three reserved numbers precede the name.
    if (rule === 'clear-name') return patches.erase(Math.min(box.payload + 24, box.end), box.end)
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

/** Creation and modification time: 4 bytes each, 8 in version 1. */
async function clearTimes(reader: ByteReader, patches: Patches, { payload, end }: Box) {
  const version = (await reader.read(payload, 1))[0]
  await patches.erase(payload + 4, Math.min(payload + 4 + (version === 1 ? 16 : 8), end))
}
