import assert from 'node:assert/strict'
import { test } from 'node:test'
import { cameraExif, drawHalves, drawNoise } from '#engines/images/pictures.fixture.ts'
import { openWorkspace, secret } from './stripping.fixture.ts'

const xmp = `<x:xmpmeta xmlns:x="adobe:ns:meta/" place="${secret}"></x:xmpmeta>`
const exif = { ...cameraExif, IFD0: { ...cameraExif.IFD0, ImageDescription: secret } }

test('an AVIF of our own encoder is copied, and one with private metadata is refused', async () => {
  await using workspace = await openWorkspace()
  for (const picture of [drawNoise(40, 30), drawHalves(40, 30).ensureAlpha(0.5), drawNoise(900, 700)]) {
    const bytes = await picture.avif({ effort: 0 }).toBuffer()
    assert.deepEqual(await workspace.strip('image/avif', bytes), bytes)
  }
  const own = await drawNoise(40, 30).avif({ effort: 0 }).toBuffer()
  assert.deepEqual(await workspace.strip('image/avif', Buffer.concat([own, Buffer.from('rest')])), own)
  const decorated = {
    camera: await drawNoise(40, 30).withExif(exif).avif({ effort: 0 }).toBuffer(),
    xmp: await drawNoise(40, 30).withXmp(xmp).avif({ effort: 0 }).toBuffer(),
    profile: await drawNoise(40, 30).withIccProfile('p3').avif({ effort: 0 }).toBuffer(),
    box: Buffer.concat([own, Buffer.from(`\0\0\0\x14uuid${secret}`, 'latin1')]),
    cut: own.subarray(0, 200),
  }
  for (const [name, bytes] of Object.entries(decorated))
    await assert.rejects(workspace.strip('image/avif', bytes), { code: 'corrupt-file' }, name)
})
