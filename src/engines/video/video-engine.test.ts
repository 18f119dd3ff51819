import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { copyFile, open, readFile, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { clockwise, mjpegAvi } from './testing/clips.ts'
import { blue, green, red, white } from './testing/quadrants.ts'
import { areColoursSimilar, openVideoFixture, readQuadrants, sizeOf } from './testing/video-fixture.ts'
import { createVideoEngine } from './video-engine.ts'

const { engine, make, at } = await openVideoFixture()
const refusal = (code: string, status: number) => (error: { code?: string; status?: number; message?: string }) => {
  assert.deepEqual([error.code, error.status], [code, status])
  assert.match(error.message ?? '', /^[A-Z].*\.$/)
  return true
}

test('the facts of an H.264 MP4 include audio, date and location', async () => {
  const tags = { creation_time: '2024-05-01T10:00:00Z', location: '+48.8577+002.2950/' }
  assert.deepEqual(await engine.probe(await make({ audioCodec: 'aac', tags })), {
    durationSeconds: 2,
    width: 64,
    height: 48,
    rotation: 0,
    videoCodec: 'h264',
    audioCodec: 'aac',
    container: 'mp4',
    framesPerSecond: 10,
    isHdr: false,
    playable: 'as-is',
    takenAt: '2024-05-01T10:00:00.000Z',
    camera: undefined,
    location: { latitude: 48.8577, longitude: 2.295 },
  })
})

test('a video from an upright phone has its upright width and height', async () => {
  const { width, height, rotation } = await engine.probe(await make({ matrix: clockwise }))
  assert.deepEqual({ width, height, rotation }, { width: 48, height: 64, rotation: 90 })
})

test('the width and height of a video with non-square pixels are those on screen', async () => {
  const { width, height } = await engine.probe(await make({ pixelAspect: '2/1' }))
  assert.deepEqual({ width, height }, { width: 128, height: 48 })
})

test('each container and codec reports the conversion that browsers need', async () => {
  const told = async (path: string) => {
    const { container, videoCodec, playable } = await engine.probe(path)
    return [container, videoCodec, playable]
  }
  assert.deepEqual(await told(await make({ format: 'mov' })), ['mov', 'h264', 'remux'])
  assert.deepEqual(await told(await make(mjpegAvi)), ['avi', 'mjpeg', 'transcode'])
  assert.deepEqual(await told(await make({ videoCodec: 'libvpx-vp9' })), ['mp4', 'vp9', 'as-is'])
  assert.deepEqual(await told(await make({ pixelFormat: 'yuv444p' })), ['mp4', 'h264', 'transcode'])
  await assert.rejects(told(await make({ format: 'matroska' })), { code: 'corrupt-video' }, 'not accepted, so not read')
})

test('a fragmented recording, as browsers make it, has its full length', async () => {
  const { durationSeconds, playable } = await engine.probe(await make({ index: 'fragments', frames: 50 }))
  assert.ok(durationSeconds >= 4.8 && durationSeconds < 5.5, `received ${durationSeconds}`)
  assert.equal(playable, 'as-is')
})

test('tiny and unusual videos have facts and a poster', async () => {
  const seen = async (path: string) => {
    const { width, height } = await engine.process({ path, posterPath: at('odd.jpg') })
    return [width, height, ...(await sizeOf(at('odd.jpg')))]
  }
  assert.deepEqual(await seen(await make({ width: 2, height: 2 })), [2, 2, 2, 2])
  assert.deepEqual(await seen(await make({ ...mjpegAvi, width: 63, height: 47 })), [63, 47, 63, 47])
  assert.deepEqual(await seen(await make({ pixelFormat: 'yuv444p', width: 33, height: 17 })), [33, 17, 33, 17])
  assert.deepEqual(await seen(await make({ frames: 1 })), [64, 48, 64, 48])
})

test('an audio file is refused because it has no video', async () => {
  const path = await make({ format: 'ipod', videoCodec: null, audioCodec: 'aac' })
  await assert.rejects(engine.probe(path), refusal('no-video', 415))
})

test('a file that is not a video is refused', async () => {
  const noise = randomBytes(20_000)
  const contents = {
    empty: Buffer.alloc(0),
    short: Buffer.from('ft'),
    noise,
    noiseAfterHeader: Buffer.concat([Buffer.from('\0\0\0\x18ftypisom\0\0\x02\0isomiso2', 'latin1'), noise]),
    noiseAfterRiff: Buffer.concat([Buffer.from('RIFF\xff\xff\0\0AVI LIST', 'latin1'), noise]),
    noiseAfterEbml: Buffer.concat([Buffer.from([0x1a, 0x45, 0xdf, 0xa3]), noise]),
    page: Buffer.from('<!doctype html><video src="a.mp4">'),
  }
  for (const [name, bytes] of Object.entries(contents)) {
    await writeFile(at(name), bytes)
    await assert.rejects(engine.process({ path: at(name), posterPath: at('never.jpg') }), refusal('corrupt-video', 415))
  }
})

test('a truncated upload is refused, wherever its index is', async () => {
  for (const index of ['last', 'first'] as const) {
    const bytes = await readFile(await make({ index, audioCodec: 'aac' }))
    await writeFile(at('cut.mp4'), bytes.subarray(0, bytes.length * 0.7))
    await assert.rejects(engine.probe(at('cut.mp4')), refusal('corrupt-video', 415))
  }
})

test('a truncated fragmented recording is accepted up to its last complete fragment', async () => {
  const bytes = await readFile(await make({ index: 'fragments', frames: 50, keyframeInterval: 10 }))
  for (const end of [bytes.lastIndexOf('mdat') + 20, bytes.lastIndexOf('moof') + 20]) {
    await writeFile(at('cut.mp4'), bytes.subarray(0, end))
    const { durationSeconds } = await engine.process({ path: at('cut.mp4'), posterPath: at('cut.jpg') })
    assert.ok(durationSeconds >= 3.9, `received ${durationSeconds}`)
    assert.equal(
      (await engine.makePlayable({ path: at('cut.mp4'), outputPath: at('cut-playable.mp4') })).method,
      'remux',
    )
  }
  await writeFile(at('cut.mp4'), bytes.subarray(0, bytes.indexOf('mdat') + 20))
  await assert.rejects(engine.probe(at('cut.mp4')), refusal('corrupt-video', 415), 'no fragment is complete')
})

test('the length of a truncated AVI is that of its frames', async () => {
  const bytes = (await readFile(await make({ ...mjpegAvi, frames: 50 }))).subarray(0, -4000)
  const untold = [4, bytes.indexOf('movi') - 4, bytes.indexOf('avih') + 24, bytes.indexOf('strh') + 40]
  for (const position of untold) bytes.writeUInt32LE(0, position)
  await writeFile(at('cut.avi'), bytes)
  const { durationSeconds } = await engine.probe(at('cut.avi'))
  assert.ok(durationSeconds > 3 && durationSeconds < 5, `received ${durationSeconds}`)
  assert.equal((await engine.sprite({ path: at('cut.avi'), outputPath: at('cut.jpg') })).frames, 16)
})

test('of several tracks, the one that browsers play is shown', async () => {
  for (const trackBefore of ['cover', 'disabled'] as const) {
    const path = await make({ trackBefore, audioCodec: 'aac' })
    const { width, playable } = await engine.process({ path, posterPath: at('tracks.jpg') })
    assert.deepEqual([width, playable], [64, 'as-is'], trackBefore)
    assert.ok(areColoursSimilar(await readQuadrants(at('tracks.jpg')), [red, green, blue, white]), trackBefore)
  }
})

test('a video whose audio starts later lasts until the audio ends', async () => {
  const { durationSeconds } = await engine.probe(
    await make({ audioCodec: 'aac', startsAtSeconds: { video: 0, audio: 3 } }),
  )
  assert.ok(Math.abs(durationSeconds - 5) < 0.1, `received ${durationSeconds}`)
})

test('a video in which every frame is damaged is refused', async () => {
  const path = at('blank.mp4')
  await copyFile(await make({ index: 'first' }), path)
  const position = (await readFile(path)).indexOf('mdat') + 4
  await using file = await open(path, 'r+')
  await file.write(Buffer.alloc((await file.stat()).size - position, 0xff), 0, undefined, position)
  await assert.rejects(engine.process({ path, posterPath: at('never.jpg') }), refusal('corrupt-video', 415))
})

test('a playlist renamed to a video is refused and nothing is fetched', async () => {
  let requests = 0
  const server = createServer((_request, response) => {
    requests++
    response.end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/part.ts`
  const playlist = `#EXTM3U\n#EXT-X-TARGETDURATION:10\n#EXTINF:10,\n${address}\n#EXT-X-ENDLIST\n`
  const contents = [
    playlist,
    `ffconcat version 1.0\nfile '${address}'\n`,
    `\0\0\0\x18ftypisom\0\0\x02\0isomiso2${playlist}`,
  ]
  for (const content of contents) {
    await writeFile(at('list.mp4'), content)
    await assert.rejects(engine.probe(at('list.mp4')), refusal('corrupt-video', 415))
  }
  await new Promise((resolve) => server.close(resolve))
  assert.equal(requests, 0)
})

test('a missing file and a relative path have errors of their own', async () => {
  await assert.rejects(engine.probe(at('nowhere.mp4')), { code: 'not-found', status: 404 })
  await assert.rejects(engine.probe('clip.mp4'), /Expected an absolute path, received clip\.mp4/)
})

test('without the decoder, a video is refused as unavailable', async (context) => {
  const withoutDecoder = createVideoEngine({ env: { AV_FROM_SOURCE: '1' } })
  context.after(() => withoutDecoder.close())
  await assert.rejects(withoutDecoder.probe(await make()), refusal('video-unavailable', 503))
  const conversion = withoutDecoder.makePlayable({ path: await make(), outputPath: at('never.mp4') })
  await assert.rejects(conversion, refusal('video-unavailable', 503))
})
