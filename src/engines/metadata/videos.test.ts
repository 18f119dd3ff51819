import assert from 'node:assert/strict'
import { test } from 'node:test'
import { box, openWorkspace, riffChunk, secret } from './stripping.fixture.ts'

const videoSamples = ['first picture', 'second one', 'the third']
/** The pictures of an MP4 as units of H.264, each after its length. */
const unitSamples = videoSamples.map((sample) => `\0\0\0${String.fromCharCode(sample.length + 1)}\x65${sample}`)
const placeSamples = [`1 ${secret}`, `2 ${secret}!`, `3 ${secret}`]
const times = [1_700_000_000 + 2_082_844_800, 1_700_000_001 + 2_082_844_800] as const
const timeBytes = Buffer.alloc(4)
timeBytes.writeUInt32BE(times[0])

type Track = { handler: string; samples: string[]; chunkOffsets: number[]; chunkSamples: number[]; wide?: boolean }

function trackBox({ handler, samples, chunkOffsets, chunkSamples, wide }: Track) {
  const wideOffsets = chunkOffsets.flatMap((offset) => [0, offset])
  const runs = chunkSamples.flatMap((samples, chunk) => [chunk + 1, samples, 1])
  return box(
    'trak',
    box('tkhd', 7, ...times, 1, 0, 0, Buffer.alloc(60)),
    box('tref', box('cdsc', 1)),
    box('udta', box('\xa9nam', secret), 0),
    box('meta', 0, secret),
    box(
      'mdia',
      box('mdhd', 0, ...times, 1000, 3000, 0),
      box('hdlr', 0, 0, handler, 0, 0, 0, `${secret}\0`),
      box(
        'minf',
        box(
          'stbl',
          box('stsd', 0, 1, handler === 'vide' ? box('avc1', drawnBy('cam ', secret)) : box('gpmd', Buffer.alloc(70))),
          box('stts', 0, 1, samples.length, 1000),
          box('stsc', 0, runs.length / 3, ...runs),
          box('stsz', 0, 0, samples.length, ...samples.map((sample) => sample.length)),
          wide
            ? box('co64', 0, chunkOffsets.length, ...wideOffsets)
            : box('stco', 0, chunkOffsets.length, ...chunkOffsets),
        ),
      ),
    ),
  )
}

/** How a film's pictures are drawn: size, decoder parameters, vendor and encoder. */
function drawnBy(vendor: string, encoder: string) {
  const name = Buffer.alloc(32)
  name.write(`${String.fromCharCode(encoder.length)}${encoder}`, 'latin1')
  const size = Buffer.of(0, 64, 0, 48)
  return Buffer.concat([
    Buffer.from([0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0]),
    Buffer.from(vendor.padEnd(4, '\0'), 'latin1'),
    Buffer.alloc(8),
    size,
    Buffer.alloc(14, 7),
    name,
    Buffer.of(0, 24, 255, 255),
    box('avcC', Buffer.of(1, 66, 0, 30, 255, 225, 0, 4), '\x67set', Buffer.of(1, 0, 4), '\x68set'),
  ])
}

/** A film with a position track between its pictures, and private values in every field where cameras write them. */
function makeFilm({ isMoovFirst = false, wide = false, handler = 'meta', withFragment = false } = {}) {
  const videoBytes = unitSamples.join('')
  const placeBytes = placeSamples.join('')
  const fileType = box('ftyp', 'qt  ', 0, 'qt  ')
  const media = box('mdat', videoBytes, placeBytes)
  const layOut = (mediaAt: number) => {
    const [videoAt, placeAt] = [mediaAt + 8, mediaAt + 8 + videoBytes.length]
    const placeOffsets = [placeAt, placeAt + placeSamples.slice(0, 2).join('').length]
    return box(
      'moov',
      box('mvhd', 0, ...times, 1000, 3000, Buffer.alloc(80)),
      trackBox({ handler: 'vide', samples: unitSamples, chunkOffsets: [videoAt], chunkSamples: [3], wide }),
      trackBox({ handler, samples: placeSamples, chunkOffsets: placeOffsets, chunkSamples: [2, 1], wide }),
      box('udta', box('\xa9xyz', `+48.8577+002.295/${secret}`), box('loci', secret), 0),
      box('meta', 0, box('keys', 'mdtacom.apple.quicktime.location.ISO6709'), box('ilst', secret)),
      box('free', secret),
    )
  }
  const extras = Buffer.concat([box('free', secret), box('uuid', 'sixteen letters!', secret), box('wide')])
  const fragment = withFragment ? box('moof', box('mfhd', 0, 1)) : Buffer.alloc(0)
  const head = Buffer.concat([fileType, extras])
  if (!isMoovFirst) return Buffer.concat([head, media, layOut(head.length), fragment])
  return Buffer.concat([head, layOut(head.length + layOut(0).length), media, fragment])
}

const filmOptions = [{}, { isMoovFirst: true }, { wide: true }, { handler: 'text' }, { handler: 'camm' }]

function assertStripped(before: Buffer, after: Buffer) {
  assert.equal(after.length, before.length)
  for (const trace of [secret, '\xa9xyz', 'loci', 'ISO6709', 'udta', 'meta', 'uuid', 'tref']) {
    assert.equal(after.indexOf(trace, 0, 'latin1'), -1, trace)
  }
  assert.equal(after.indexOf(timeBytes), -1)
}

test('a film keeps its length, its pictures and their positions, and loses all private metadata', async () => {
  await using workspace = await openWorkspace()
  for (const options of filmOptions) {
    const before = makeFilm(options)
    const after = await workspace.strip('video/quicktime', before)
    assertStripped(before, after)
    const tablesEnd = before.indexOf('stbl') - 4 + before.readUInt32BE(before.indexOf('stbl') - 4)
    const indexesAt = before.indexOf('stts')
    assert.deepEqual(after.subarray(indexesAt, tablesEnd), before.subarray(indexesAt, tablesEnd))
    const offsetsAt = options.wide ? after.indexOf('co64') + 16 : after.indexOf('stco') + 12
    const videoAt = after.readUInt32BE(offsetsAt)
    const pictures = after.toString('latin1', videoAt, videoAt + unitSamples.join('').length)
    assert.equal(pictures, unitSamples.join(''))
    assert.equal(after.indexOf('trak'), after.lastIndexOf('trak'), 'the track of places is gone')
  }
})

test('a film does not reveal the camera or program that wrote it, and is drawn as before', async () => {
  await using workspace = await openWorkspace()
  const before = makeFilm()
  const after = await workspace.strip('video/mp4', before)
  const drawnAt = before.indexOf('avc1') + 4
  const expected = drawnBy('', '')
  assert.deepEqual(after.subarray(drawnAt, drawnAt + expected.length), expected)
})

test('a film keeps its sound and its rotation', async () => {
  await using workspace = await openWorkspace()
  const before = makeFilm({ handler: 'soun' })
  before.writeUInt32BE(0x00010000, before.indexOf('tkhd') + 44)
  const after = await workspace.strip('video/mp4', before)
  const trackHeaderAt = before.indexOf('tkhd') + 16
  assert.deepEqual(
    after.subarray(trackHeaderAt, trackHeaderAt + 72),
    before.subarray(trackHeaderAt, trackHeaderAt + 72),
  )
  assert.notEqual(after.indexOf('trak'), after.lastIndexOf('trak'))
  assert.ok(after.includes(placeSamples[0]!), 'samples of sound are left alone')
})

test('notes that a camera appended to a film are cut off', async () => {
  await using workspace = await openWorkspace()
  const film = makeFilm()
  for (const notes of [secret, `\0\0\0\x03${secret}`, `\x7f\xff\xff\xffnote${secret}`, 'short']) {
    const after = await workspace.strip('video/mp4', Buffer.concat([film, Buffer.from(notes, 'latin1')]))
    assertStripped(film, after)
  }
})

test('MP4 boxes with 64-bit lengths and without length are read', async () => {
  await using workspace = await openWorkspace()
  const long = Buffer.concat([Buffer.of(0, 0, 0, 1), Buffer.from('skip'), Buffer.alloc(8), Buffer.from(secret)])
  long.writeBigUInt64BE(BigInt(long.length), 8)
  const endless = Buffer.concat([Buffer.alloc(4), Buffer.from(`uuid${secret}`)])
  const before = Buffer.concat([makeFilm(), long, endless])
  assertStripped(before, await workspace.strip('video/mp4', before))
})

test('a film whose fragments would refer to an erased track is refused', async () => {
  await using workspace = await openWorkspace()
  const refused = { code: 'corrupt-file', status: 422 }
  await assert.rejects(workspace.strip('video/mp4', makeFilm({ withFragment: true })), refused)
  await workspace.strip('video/mp4', makeFilm({ withFragment: true, handler: 'soun' }))
})

test('a fragmented film that breaks off keeps its complete fragments', async () => {
  await using workspace = await openWorkspace()
  const before = makeFilm({ withFragment: true, handler: 'soun' })
  const cut = box('moof', box('mfhd', 0, 2), secret).subarray(0, -4)
  const after = await workspace.strip('video/mp4', Buffer.concat([before, cut]))
  assert.deepEqual(after, await workspace.strip('video/mp4', before))
})

function makeAvi() {
  const list = (type: string, ...parts: Uint8Array[]) => riffChunk('LIST', Buffer.from(type), ...parts)
  const text = (type: string) => riffChunk(type, Buffer.from(secret))
  const stream = (kind: string) =>
    list(
      'strl',
      riffChunk('strh', Buffer.from(kind), Buffer.alloc(52), Buffer.from(secret)),
      riffChunk('strf', Buffer.alloc(40)),
      text('strd'),
      text('strn'),
    )
  const streams = [stream('vids'), stream('auds'), stream('txts')]
  const header = list('hdrl', riffChunk('avih', Buffer.alloc(56)), ...streams, text('IDIT'), text('JUNK'))
  const frames = videoSamples.map((sample) => riffChunk('00dc', Buffer.from(sample)))
  const group = list('rec ', frames[1]!, riffChunk('01wb', Buffer.from('sound')), text('JUNK'))
  const movie = list('movi', frames[0]!, text('JUNK'), group, text('02tx'), text('02dc'), text('07wb'), frames[2]!)
  const index = riffChunk('idx1', Buffer.alloc(48, 7))
  const kind = Buffer.from('AVI ')
  return Buffer.concat([
    riffChunk(
      'RIFF',
      kind,
      header,
      list('INFO', text('INAM'), text('ICRD')),
      text('JUNK'),
      movie,
      index,
      list('ncdt', text('nctg')),
    ),
    riffChunk('RIFF', Buffer.from('AVIX'), list('movi', frames[0]!, text('GPS0'))),
  ])
}

test('an AVI keeps its frames at the indexed positions, and loses titles, dates and positions', async () => {
  await using workspace = await openWorkspace()
  const before = makeAvi()
  for (const trailer of ['', secret]) {
    const after = await workspace.strip('video/x-msvideo', Buffer.concat([before, Buffer.from(trailer)]))
    assert.equal(after.length, before.length)
    for (const trace of [secret, 'INFO', 'IDIT', 'strd', '02tx', '02dc', '07wb', 'ncdt'])
      assert.equal(after.indexOf(trace), -1, trace)
    for (const kept of [...videoSamples, 'sound', 'avih', 'strh', 'strf', 'idx1', 'AVIX']) {
      assert.equal(after.indexOf(kept), before.indexOf(kept), kept)
    }
  }
})

test('an AVI whose recorder was cut off before writing lengths keeps its frames and no private metadata', async () => {
  await using workspace = await openWorkspace()
  const before = makeAvi().subarray(0, makeAvi().indexOf('idx1'))
  for (const position of [4, before.indexOf('movi') - 4]) before.writeUInt32LE(0, position)
  const after = await workspace.strip('video/x-msvideo', before)
  for (const trace of [secret, 'INFO', 'IDIT', '02tx']) assert.equal(after.indexOf(trace), -1, trace)
  for (const kept of videoSamples) assert.equal(after.indexOf(kept), before.indexOf(kept), kept)
})
