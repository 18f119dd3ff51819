import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { test } from 'node:test'
import { writeWithoutMetadata } from '#engines/metadata/write-without-metadata.ts'
import { type Clip, mjpegAvi } from './testing/clips.ts'
import { blue, green, red, white } from './testing/quadrants.ts'
import { areColoursSimilar, openVideoFixture, readQuadrants } from './testing/video-fixture.ts'

const { engine, make, at } = await openVideoFixture()
const words = 'SECRET-PLACE'
const mimeTypes: Partial<Record<Clip['format'], string>> = {
  mp4: 'video/mp4',
  mov: 'video/quicktime',
  avi: 'video/x-msvideo',
}

async function clean(format: Clip['format'], inputPath: string) {
  const outputPath = `${inputPath}-clean`
  await writeWithoutMetadata({ mimeType: mimeTypes[format]!, inputPath, outputPath })
  return { outputPath, before: await readFile(inputPath), after: await readFile(outputPath) }
}

const countDifferent = (one: Buffer, other: Buffer) =>
  one.reduce((sum, byte, at) => sum + Number(byte !== other[at]), 0)

const films: [string, Partial<Clip>][] = [
  ['an MP4', { audioCodec: 'aac' }],
  ['an MP4 with its index first', { audioCodec: 'aac', index: 'first' }],
  ['an MP4 of fragments', { index: 'fragments' }],
  ['a MOV with uncompressed sound', { format: 'mov', audioCodec: 'pcm_s16le' }],
  ['a MOV with eight channels of sound', { format: 'mov', audioCodec: 'pcm_s16le', channels: '7.1' }],
  ['an AVI of H.264', { format: 'avi' }],
  ['a MOV of Motion JPEG', { format: 'mov', videoCodec: 'mjpeg', pixelFormat: 'yuvj420p' }],
  ['an AVI of Motion JPEG', mjpegAvi],
]

for (const [name, clip] of films) {
  test(`${name} loses the settings of its encoder, and plays as before`, async () => {
    const path = await make(clip)
    const { outputPath, before, after } = await clean(clip.format ?? 'mp4', path)
    assert.equal(after.length, before.length)
    // The encoder of the sound writes its name into the sound itself.
    const traces = clip.audioCodec === 'aac' ? ['x264', 'Lavf', 'cabac='] : ['x264', 'Lavc', 'Lavf', 'cabac=']
    for (const trace of traces) assert.ok(!after.includes(trace), trace)
    assert.ok(countDifferent(before, after) < 1500, 'the pictures and the sound are the same bytes')
    const [original, cleaned] = [await engine.probe(path), await engine.probe(outputPath)]
    assert.deepEqual(
      [cleaned.videoCodec, cleaned.audioCodec, cleaned.durationSeconds, cleaned.width],
      [original.videoCodec, original.audioCodec, original.durationSeconds, original.width],
    )
    await engine.poster({ path: outputPath, outputPath: at('poster.jpg') })
    assert.ok(areColoursSimilar(await readQuadrants(at('poster.jpg')), [red, green, blue, white]))
    await engine.makePlayable({ path: outputPath, outputPath: at('playable.mp4') })
  })
}

test('words in the media data of a film that belong to no sample are erased', async () => {
  const path = await make({ audioCodec: 'aac' })
  const film = await readFile(path)
  // The index is behind the media data, so the box can grow at its end without moving a sample.
  const mediaAt = film.indexOf('mdat') - 4
  const mediaEnd = mediaAt + film.readUInt32BE(mediaAt)
  film.writeUInt32BE(mediaEnd - mediaAt + words.length, mediaAt)
  const hidden = Buffer.concat([film.subarray(0, mediaEnd), Buffer.from(words), film.subarray(mediaEnd)])
  await writeFile(at('hidden.mp4'), hidden)
  const { after, outputPath } = await clean('mp4', at('hidden.mp4'))
  assert.equal(after.indexOf(words), -1)
  assert.equal((await engine.probe(outputPath)).playable, 'as-is')
})

/** Where the boxes inside a box begin, in its payload. */
const insides: Record<string, number> = {
  ...Object.fromEntries('moov trak edts mdia minf dinf stbl wave'.split(' ').map((type) => [type, 0])),
  ...{ stsd: 8, dref: 8, avc1: 78, mp4a: 28 },
}

/** The same boxes, each with words behind what it holds, and with one more box of words. */
function addWords(boxes: Buffer): Buffer {
  const parts: Buffer[] = []
  for (let at = 0; at + 8 <= boxes.length; at += boxes.readUInt32BE(at)) {
    const type = boxes.toString('latin1', at + 4, at + 8)
    const payload = boxes.subarray(at + 8, at + boxes.readUInt32BE(at))
    const inside = insides[type]
    const body =
      inside === undefined
        ? Buffer.concat([payload, Buffer.from(words)])
        : Buffer.concat([payload.subarray(0, inside), addWords(payload.subarray(inside))])
    const isCounted = type === 'stsd' || type === 'dref'
    parts.push(newBox(type, isCounted ? body.subarray(0, -newBox('note', Buffer.from(words)).length) : body))
  }
  return Buffer.concat([...parts, newBox('note', Buffer.from(words))])
}

function newBox(type: string, payload: Buffer) {
  const header = Buffer.from(`\0\0\0\0${type}`, 'latin1')
  header.writeUInt32BE(payload.length + 8)
  return Buffer.concat([header, payload])
}

test('words behind the numbers of any index box or description of a film are erased, and it plays', async () => {
  const film = await readFile(await make({ audioCodec: 'aac' }))
  // The index is behind the media data, so no sample moves when it grows.
  const indexAt = film.indexOf('moov') - 4
  const hidden = Buffer.concat([film.subarray(0, indexAt), addWords(film.subarray(indexAt))])
  await writeFile(at('slack.mp4'), hidden)
  assert.ok(hidden.toString('latin1').split(words).length > 30)
  const { after, outputPath } = await clean('mp4', at('slack.mp4'))
  assert.equal(after.indexOf(words), -1)
  const { playable, audioCodec, durationSeconds } = await engine.probe(outputPath)
  assert.deepEqual([playable, audioCodec, durationSeconds], ['as-is', 'aac', 2])
  await engine.poster({ path: outputPath, outputPath: at('poster.jpg') })
  assert.ok(areColoursSimilar(await readQuadrants(at('poster.jpg')), [red, green, blue, white]))
})

test('EXIF and comments in the frames of Motion JPEG are erased', async () => {
  const path = await make(mjpegAvi)
  const film = await readFile(path)
  // The comment of the encoder, in each frame.
  assert.ok(film.includes('Lavc'))
  for (let at = film.indexOf('Lavc'); at >= 0; at = film.indexOf('Lavc', at + 1)) film.write('GPS!', at)
  await writeFile(at('places.avi'), film)
  const { after, outputPath } = await clean('avi', at('places.avi'))
  assert.ok(!after.includes('GPS!'))
  await engine.poster({ path: outputPath, outputPath: at('frame.jpg') })
  assert.ok(areColoursSimilar(await readQuadrants(at('frame.jpg')), [red, green, blue, white]))
})

test('a copy of a film that browsers play has no words in its pictures either', async () => {
  const path = await make({ format: 'mov' })
  assert.ok((await readFile(path)).includes('x264'))
  assert.equal((await engine.makePlayable({ path, outputPath: at('copied.mp4') })).method, 'remux')
  const copied = await readFile(at('copied.mp4'))
  for (const trace of ['x264', 'cabac=']) assert.ok(!copied.includes(trace), trace)
})
