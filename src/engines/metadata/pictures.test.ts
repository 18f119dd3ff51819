import assert from 'node:assert/strict'
import { test } from 'node:test'
import { deflateSync } from 'node:zlib'
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

test('the pixel data of a JPEG ends at the first marker that is not a restart, at any position of the file', async () => {
  await using workspace = await openWorkspace()
  const start = Buffer.concat([Buffer.of(0xff, 0xd8), jpegSegment(0xda, Buffer.of(1, 1, 0, 0, 63, 0))])
  for (let length = 65_520; length < 65_540; length++) {
    const restarts = Buffer.from('pixels\xff\0\xff\xd3', 'latin1')
    const pixels = Buffer.concat([Buffer.alloc(length - restarts.length, 'pixels'), restarts])
    const picture = Buffer.concat([start, restarts, pixels, Buffer.of(0xff, 0xd9)])
    const after = await workspace.strip('image/jpeg', Buffer.concat([picture, Buffer.from(secret)]))
    assert.ok(after.equals(picture), String(length))
  }
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
