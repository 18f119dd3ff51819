import assert from 'node:assert/strict'
import { test } from 'node:test'
import { deflateSync, inflateSync } from 'node:zlib'
import sharp from 'sharp'
import { readExif } from '#engines/images/exif.ts'
import { cameraExif, drawFilm, drawHalves, drawNoise, pngChunk } from '#engines/images/pictures.fixture.ts'
import { jpegSegment, openWorkspace, riffChunk, secret } from './stripping.fixture.ts'

const xmp = `<x:xmpmeta xmlns:x="adobe:ns:meta/" place="${secret}"></x:xmpmeta>`
const exif = { ...cameraExif, IFD0: { ...cameraExif.IFD0, ImageDescription: secret } }
const traces = [secret, 'Canon', 'RF50mm', '2024:05:06', 'xmpmeta', 'ns.adobe.com', 'Photoshop', 'MPF\0', 'ftyp']

/** The pixels as they are shown, and the metadata that must stay. */
async function readShown(bytes: Buffer) {
  const { orientation = 1, icc, pages, delay, loop } = await sharp(bytes).metadata()
  const { data, info } = await sharp(bytes, { animated: (pages ?? 1) > 1, failOn: 'error' })
    .raw()
    .toBuffer({ resolveWithObject: true })
  return { data, width: info.width, height: info.height, orientation, icc, pages, delay, loop }
}

async function assertSamePicture(before: Buffer, after: Buffer) {
  assert.deepEqual(await readShown(after), await readShown(before))
}

async function assertNoTraces(bytes: Buffer) {
  for (const trace of traces) assert.equal(bytes.indexOf(trace), -1, `${trace} is still there`)
  const { exif: block, xmp: packet, iptc, comments } = await sharp(bytes).metadata()
  assert.deepEqual([readExif(block), packet, iptc, comments], [{}, undefined, undefined, undefined])
}

async function decorateJpeg(picture: Buffer) {
  return Buffer.concat([
    picture.subarray(0, 2),
    jpegSegment(0xe0, `JFIF\0\x01\x02\x01\0\x48\0\x48\x01\x01${secret.slice(0, 3)}`),
    jpegSegment(0xe0, `JFXX\0\x10${secret}`),
    jpegSegment(0xe2, `MPF\0${secret}`),
    jpegSegment(0xed, `Photoshop 3.0\x008BIM${secret}`),
    jpegSegment(0xfe, secret),
    jpegSegment(0xeb, secret),
    Buffer.from('stray'),
    Buffer.of(0xff, 0xff),
    picture.subarray(2),
    Buffer.from(`\0\0\0\x18ftypmp42 the film of a motion photo ${secret}`),
  ])
}

test('a JPEG loses all private metadata and no pixel', async () => {
  await using workspace = await openWorkspace()
  for (const progressive of [false, true]) {
    const picture = drawHalves(320, 200).withIccProfile('p3').withExifMerge(exif).withXmp(xmp)
    const before = await decorateJpeg(await picture.jpeg({ progressive }).toBuffer())
    const after = await workspace.strip('image/jpeg', before)
    await assertNoTraces(after)
    assert.equal(after.indexOf('Exif'), -1)
    await assertSamePicture(before, after)
    assert.ok((await readShown(after)).icc, 'the colour profile stays')
    assert.deepEqual([...after.subarray(-2)], [0xff, 0xd9])
  }
})

test('a rotated JPEG stays upright through an EXIF block with nothing but the orientation', async () => {
  await using workspace = await openWorkspace()
  for (let orientation = 1; orientation <= 8; orientation++) {
    const before = await drawHalves(64, 40).withExif(exif).withMetadata({ orientation }).jpeg().toBuffer()
    const after = await workspace.strip('image/jpeg', before)
    await assertNoTraces(after)
    await assertSamePicture(before, after)
    assert.equal((await readShown(after)).orientation, orientation)
    assert.equal((await sharp(after).metadata()).exif?.length, orientation === 1 ? undefined : 32)
  }
})

test('CMYK and gray JPEGs are copied without loss', async () => {
  await using workspace = await openWorkspace()
  const cmyk = await drawHalves(64, 40).toColourspace('cmyk').jpeg().toBuffer()
  await assertSamePicture(cmyk, await workspace.strip('image/jpeg', cmyk))
  const grey = await drawNoise(64, 40).toColourspace('b-w').jpeg().toBuffer()
  await assertSamePicture(grey, await workspace.strip('image/jpeg', grey))
})

/** A gray JPEG whose scan has a restart marker behind each block, written without an encoder. */
async function drawRestarts(blocks: number) {
  const jpeg = await drawHalves(64, 40).toColourspace('b-w').jpeg({ optimiseCoding: false }).toBuffer()
  const [frameAt, scanAt] = [jpeg.indexOf(Buffer.of(0xff, 0xc0)), jpeg.indexOf(Buffer.of(0xff, 0xda))]
  const header = Buffer.from(jpeg.subarray(0, scanAt))
  header.writeUInt16BE(8, frameAt + 5)
  header.writeUInt16BE(8 * blocks, frameAt + 7)
  // The same gray again, the end of the block, and ones up to the next byte.
  const scan = Buffer.from(Array.from({ length: blocks }, (_, block) => [0b00101011, 0xff, 0xd0 | (block % 8)]).flat())
  const scanHeader = jpeg.subarray(scanAt, scanAt + 2 + jpeg.readUInt16BE(scanAt + 2))
  return { head: Buffer.concat([header, jpegSegment(0xdd, Buffer.of(0, 1)), scanHeader]), scan: scan.subarray(0, -2) }
}

test('the pixel data of a JPEG ends at the first marker that is not a restart, at any position of the file', async () => {
  await using workspace = await openWorkspace()
  const { head, scan } = await drawRestarts(8000)
  const end = Buffer.of(0xff, 0xd9)
  for (let note = 0; note < 20; note++) {
    const before = Buffer.concat([
      head.subarray(0, 2),
      jpegSegment(0xfe, secret.padEnd(41_500 + note)),
      head.subarray(2),
    ])
    const after = await workspace.strip('image/jpeg', Buffer.concat([before, scan, end, Buffer.from(secret)]))
    assert.ok(after.subarray(-scan.length - 2).equals(Buffer.concat([scan, end])), String(note))
    assert.equal(after.indexOf(secret), -1)
  }
})

test('a JPEG with words before a restart of its scan is refused', async () => {
  await using workspace = await openWorkspace()
  const { head, scan } = await drawRestarts(20)
  await workspace.strip('image/jpeg', Buffer.concat([head, scan, Buffer.of(0xff, 0xd9)]))
  const hidden = Buffer.concat([
    head,
    scan.subarray(0, 31),
    Buffer.from(secret),
    scan.subarray(31),
    Buffer.of(0xff, 0xd9),
  ])
  await assert.rejects(workspace.strip('image/jpeg', hidden), { code: 'corrupt-file' })
})

test('words under the name of a color profile are dropped', async () => {
  await using workspace = await openWorkspace()
  const plain = drawHalves(64, 40)
  const jpeg = await plain.jpeg().toBuffer()
  const forged = [`ICC_PROFILE\0\x01\x01${secret}`, `ICC_PROFILE\0\x01\x02${secret}`, `ICC_PROFILE\0${secret}`]
  for (const payload of forged) {
    const before = Buffer.concat([jpeg.subarray(0, 2), jpegSegment(0xe2, payload), jpeg.subarray(2)])
    const after = await workspace.strip('image/jpeg', before)
    assert.equal(after.indexOf(secret), -1)
    assert.deepEqual((await readShown(after)).data, (await readShown(jpeg)).data)
  }
  const png = await plain.png().toBuffer()
  for (const payload of [
    Buffer.from(`${secret}\0\0plain`),
    Buffer.concat([Buffer.from('icc\0\0'), deflateSync(secret)]),
  ]) {
    const before = Buffer.concat([png.subarray(0, 33), pngChunk('iCCP', payload), png.subarray(33)])
    const after = await workspace.strip('image/png', before)
    assert.ok(!after.includes('iCCP'))
    assert.deepEqual((await readShown(after)).data, (await readShown(png)).data)
  }
  const webp = await plain.withIccProfile('p3').webp().toBuffer()
  const profileAt = webp.indexOf('ICCP') + 8
  webp.write(secret, profileAt)
  const after = await workspace.strip('image/webp', webp)
  assert.equal(after.indexOf(secret), -1)
  assert.equal((await readShown(after)).icc, undefined)
})

test('the name of a PNG’s color profile is dropped, and the profile is kept', async () => {
  await using workspace = await openWorkspace()
  const before = await drawHalves(64, 40).withIccProfile('p3').png().toBuffer()
  const { icc } = await readShown(before)
  const plain = await drawHalves(64, 40).png().toBuffer()
  const named = pngChunk('iCCP', Buffer.concat([Buffer.from(`${secret}\0\0`), deflateSync(icc!)]))
  const after = await workspace.strip('image/png', Buffer.concat([plain.subarray(0, 33), named, plain.subarray(33)]))
  assert.equal(after.indexOf(secret), -1)
  assert.deepEqual((await readShown(after)).icc, icc)
})

test('a JPEG whose tables or headers hold more than they say is refused', async () => {
  await using workspace = await openWorkspace()
  const jpeg = await drawHalves(64, 40).jpeg().toBuffer()
  for (const marker of [0xc0, 0xc4, 0xdb, 0xda]) {
    const at = jpeg.indexOf(Buffer.of(0xff, marker))
    const end = at + 2 + jpeg.readUInt16BE(at + 2)
    const longer = Buffer.concat([jpeg.subarray(0, end), Buffer.from(secret), jpeg.subarray(end)])
    longer.writeUInt16BE(end - at - 2 + secret.length, at + 2)
    await assert.rejects(workspace.strip('image/jpeg', longer), { code: 'corrupt-file' }, marker.toString(16))
  }
})

test('chunks of a PNG that are repeated or too long are dropped', async () => {
  await using workspace = await openWorkspace()
  const png = await drawHalves(64, 40).png().toBuffer()
  const density = pngChunk('pHYs', Buffer.alloc(9))
  const extra = [
    pngChunk('gAMA', Buffer.from(secret)),
    pngChunk('tRNS', Buffer.from(secret.repeat(30))),
    density,
    density,
  ]
  const plain = await workspace.strip('image/png', png)
  const after = await workspace.strip('image/png', Buffer.concat([png.subarray(0, 33), ...extra, png.subarray(33)]))
  assert.equal(after.indexOf(secret), -1)
  const count = (bytes: Buffer) => bytes.toString('latin1').split('pHYs').length - 1
  assert.equal(count(after), 1)
  assert.deepEqual((await readShown(after)).data, (await readShown(plain)).data)
})

test('a JPEG with words behind the last block of a scan is refused', async () => {
  await using workspace = await openWorkspace()
  for (const progressive of [false, true]) {
    const jpeg = await drawNoise(200, 120).jpeg({ progressive }).toBuffer()
    await workspace.strip('image/jpeg', jpeg)
    const scans = [...jpeg.toString('latin1').matchAll(/\xff\xda/g)].slice(1).map(({ index }) => index)
    for (const at of [...scans, jpeg.length - 2]) {
      const hidden = Buffer.concat([jpeg.subarray(0, at), Buffer.from(secret), jpeg.subarray(at)])
      // Tables may precede a scan.
      if (at < jpeg.length - 2 && jpeg[at - 1] !== 0xff) continue
      await assert.rejects(workspace.strip('image/jpeg', hidden), { code: 'corrupt-file' }, `${progressive} ${at}`)
    }
  }
})

test('JPEGs of every form end with their last block', async () => {
  await using workspace = await openWorkspace()
  for (const [width, height] of [
    [1, 1],
    [17, 9],
    [130, 75],
  ] as const) {
    for (const chromaSubsampling of ['4:2:0', '4:4:4']) {
      for (const options of [{}, { progressive: true }, { mozjpeg: true }]) {
        for (const quality of [3, 95]) {
          const jpeg = drawNoise(width, height).jpeg({ ...options, chromaSubsampling, quality })
          await assertSamePicture(await jpeg.toBuffer(), await workspace.strip('image/jpeg', await jpeg.toBuffer()))
        }
      }
    }
  }
})

test('countless parts of a color profile do not keep the reader busy', async () => {
  await using workspace = await openWorkspace()
  const jpeg = await drawHalves(64, 40).jpeg().toBuffer()
  const part = jpegSegment(0xe2, 'ICC_PROFILE\0\x01\x02')
  const parts = Buffer.alloc(part.length * 90_000, part)
  const began = process.cpuUsage()
  await workspace.strip('image/jpeg', Buffer.concat([jpeg.subarray(0, 2), parts, jpeg.subarray(2)]))
  const { user } = process.cpuUsage(began)
  assert.ok(user < 10_000_000, `${user} µs`)
})

test('a PNG with bytes behind its pixels is refused, compressed or not', async () => {
  await using workspace = await openWorkspace()
  for (const picture of [drawNoise(50, 40).png(), drawNoise(50, 40).png({ progressive: true, palette: true })]) {
    const png = await picture.toBuffer()
    await workspace.strip('image/png', png)
    const at = png.indexOf('IDAT') - 4
    const end = at + 12 + png.readUInt32BE(at)
    const pixels = png.subarray(at + 8, end - 4)
    const more = Buffer.concat([inflateSync(pixels), Buffer.from(secret)])
    for (const bytes of [Buffer.concat([pixels, Buffer.from(secret)]), deflateSync(more)]) {
      const hidden = Buffer.concat([png.subarray(0, at), pngChunk('IDAT', bytes), png.subarray(end)])
      await assert.rejects(workspace.strip('image/png', hidden), { code: 'corrupt-file' })
    }
    const extra = Buffer.concat([png.subarray(0, end), pngChunk('IDAT', Buffer.from(secret)), png.subarray(end)])
    await assert.rejects(workspace.strip('image/png', extra), { code: 'corrupt-file' })
    const frame = Buffer.concat([png.subarray(0, end), pngChunk('fdAT', Buffer.from(secret)), png.subarray(end)])
    assert.deepEqual(await workspace.strip('image/png', frame), await workspace.strip('image/png', png))
  }
})

test('a WebP keeps only one picture, and no other bytes under the name of pixels', async () => {
  await using workspace = await openWorkspace()
  const webp = await drawHalves(64, 40).webp().toBuffer()
  const plain = await workspace.strip('image/webp', webp)
  const extra = [riffChunk('VP8 ', Buffer.from(secret)), riffChunk('VP8L', Buffer.from(secret)), webp.subarray(12)]
  for (const chunks of [extra.toReversed(), [riffChunk('ANIM', Buffer.from(secret)), webp.subarray(12)]]) {
    const bytes = Buffer.concat([Buffer.from('WEBP'), ...chunks])
    assert.deepEqual(await workspace.strip('image/webp', riffChunk('RIFF', bytes)), plain)
  }
})

test('a JPEG larger than any buffer is copied completely', async () => {
  await using workspace = await openWorkspace()
  const before = await drawNoise(1500, 1000).jpeg({ quality: 98, progressive: true }).withExif(exif).toBuffer()
  assert.ok(before.length > 1024 * 1024)
  const after = await workspace.strip('image/jpeg', before)
  await assertNoTraces(after)
  await assertSamePicture(before, after)
})

test('a PNG loses texts, times, EXIF and appended bytes', async () => {
  await using workspace = await openWorkspace()
  for (const orientation of [1, 6]) {
    const plain = drawHalves(90, 60).ensureAlpha(0.5).withIccProfile('p3').withExifMerge(exif).withXmp(xmp)
    const picture = await plain.withMetadata({ orientation }).png().toBuffer()
    const afterHeader = 8 + 25
    const before = Buffer.concat([
      picture.subarray(0, afterHeader),
      ...['tEXt', 'zTXt', 'iTXt', 'prVt'].map((type) => pngChunk(type, Buffer.from(`Comment\0${secret}`))),
      pngChunk('tIME', Buffer.alloc(7)),
      picture.subarray(afterHeader),
      Buffer.from(secret),
    ])
    const after = await workspace.strip('image/png', before)
    await assertNoTraces(after)
    for (const type of ['tEXt', 'tIME', 'iTXt']) assert.equal(after.indexOf(type), -1, type)
    assert.equal(after.includes('eXIf'), orientation !== 1)
    await assertSamePicture(before, after)
  }
})

test('16-bit, palette and interlaced PNGs keep their form', async () => {
  await using workspace = await openWorkspace()
  const pictures = [
    await drawNoise(50, 40).toColourspace('rgb16').png().toBuffer(),
    await drawNoise(50, 40).png({ palette: true }).toBuffer(),
    await drawNoise(50, 40).png({ progressive: true }).toBuffer(),
  ]
  for (const picture of pictures) assert.deepEqual(await workspace.strip('image/png', picture), picture)
})

test('a WebP loses EXIF and XMP, and its flags and length are corrected', async () => {
  await using workspace = await openWorkspace()
  for (const options of [{ quality: 80 }, { lossless: true }]) {
    for (const orientation of [1, 8]) {
      const plain = drawHalves(90, 61).ensureAlpha(0.5).withIccProfile('p3').withExifMerge(exif).withXmp(xmp)
      const picture = await plain.withMetadata({ orientation }).webp(options).toBuffer()
      const before = Buffer.concat([picture, riffChunk('priv', Buffer.from(secret)), Buffer.from(secret)])
      before.writeUInt32LE(before.length - 8 - secret.length, 4)
      const after = await workspace.strip('image/webp', before)
      await assertNoTraces(after)
      assert.equal(after.readUInt32LE(4), after.length - 8)
      assert.equal(after.includes('EXIF'), orientation !== 1)
      assert.equal(after[20]! & 0x0c, orientation === 1 ? 0 : 0x08)
      await assertSamePicture(before, after)
    }
  }
  const simple = await drawNoise(50, 40).webp().toBuffer()
  assert.deepEqual(await workspace.strip('image/webp', simple), simple)
})

test('an animated WebP keeps frames and timing, and frames keep no metadata chunks', async () => {
  await using workspace = await openWorkspace()
  const film = await drawFilm(40, 30, ['#ff0000', '#00ff00', '#0000ff'])
  const plain = await film.webp({ delay: [100, 200, 300], loop: 3 }).toBuffer()
  const frameAt = plain.indexOf('ANMF')
  const frameEnd = frameAt + 8 + plain.readUInt32LE(frameAt + 4)
  const frame = riffChunk('ANMF', plain.subarray(frameAt + 8, frameEnd), riffChunk('note', Buffer.from(secret)))
  const before = Buffer.concat([
    plain.subarray(0, frameAt),
    frame,
    plain.subarray(frameEnd),
    riffChunk('XMP ', Buffer.from(xmp)),
  ])
  before.writeUInt32LE(before.length - 8, 4)
  const after = await workspace.strip('image/webp', before)
  await assertNoTraces(after)
  assert.deepEqual(after, plain)
})

test('a GIF loses comments and XMP and keeps frames, timing and loop', async () => {
  await using workspace = await openWorkspace()
  const film = await drawFilm(40, 30, ['#ff0000', '#00ff00', '#0000ff'])
  const plain = await film.gif({ delay: [100, 200, 300], loop: 3 }).toBuffer()
  const bodyAt = 13 + (plain[10]! & 0x80 ? 3 * 2 ** ((plain[10]! & 7) + 1) : 0)
  const blocks = (...texts: string[]) =>
    Buffer.concat([
      ...texts.map((text) => Buffer.from(String.fromCharCode(text.length) + text, 'latin1')),
      Buffer.of(0),
    ])
  const before = Buffer.concat([
    plain.subarray(0, bodyAt),
    Buffer.of(0x21, 0xfe),
    blocks(secret, secret),
    Buffer.of(0x21, 0xff),
    blocks('XMP DataXMP', xmp),
    Buffer.of(0x21, 0x01),
    blocks('x'.repeat(12), secret),
    plain.subarray(bodyAt),
    Buffer.from(secret),
  ])
  const after = await workspace.strip('image/gif', before)
  await assertNoTraces(after)
  await assertSamePicture(before, after)
  assert.deepEqual(after, plain)
})

test('a truncated GIF keeps its complete frames', async () => {
  await using workspace = await openWorkspace()
  const film = await drawFilm(40, 30, ['#ff0000', '#00ff00', '#0000ff'])
  const plain = await film.gif().toBuffer()
  const lastFrameAt = plain.lastIndexOf(Buffer.of(0x21, 0xf9))
  const after = await workspace.strip('image/gif', plain.subarray(0, -6))
  assert.equal((await readShown(after)).pages, 2)
  assert.deepEqual(after, Buffer.concat([plain.subarray(0, lastFrameAt), Buffer.of(0x3b)]))
})
