import assert from 'node:assert/strict'
import type { ChildProcess } from 'node:child_process'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { basename } from 'node:path'
import { test } from 'node:test'
import { clockwise, mjpegAvi } from './testing/clips.ts'
import { blue, green, red, white } from './testing/quadrants.ts'
import { areColoursSimilar, openVideoFixture, readQuadrants } from './testing/video-fixture.ts'

const { engine, make, at, directory } = await openVideoFixture()
const longAvi = { ...mjpegAvi, width: 640, height: 480, frames: 400, scenes: 8 }

async function assertNothingLeft(outputPath: string) {
  const left = (await readdir(directory)).filter((name) => name.startsWith(basename(outputPath)))
  assert.deepEqual(left, [])
}

test('a MOV changes its container, keeps its rotation and loses location, date and tags', async () => {
  const tags = { creation_time: '2024-05-01T10:00:00Z', location: '+48.8577+002.2950/', comment: 'at home' }
  const path = await make({ format: 'mov', audioCodec: 'aac', matrix: clockwise, tags })
  const before = await engine.probe(path)
  assert.deepEqual([before.location?.latitude, before.takenAt], [48.8577, '2024-05-01T10:00:00.000Z'])

  const outputPath = at('remuxed.mp4')
  const { method, bytes } = await engine.makePlayable({ path, outputPath })
  assert.deepEqual([method, bytes], ['remux', (await stat(outputPath)).size])

  const after = await engine.probe(outputPath)
  assert.deepEqual(
    [after.container, after.playable, after.rotation, after.audioCodec, after.durationSeconds],
    ['mp4', 'as-is', 90, 'aac', before.durationSeconds],
  )
  assert.deepEqual([after.location, after.takenAt], [undefined, undefined])
  const content = await readFile(outputPath)
  for (const trace of ['+48.8577', 'at home', '©xyz', '2024-05-01']) assert.equal(content.indexOf(trace), -1)
  await assertNothingLeft(`${outputPath}.part`)
})

test('a converted video can be played while it is still loading', async () => {
  for (const path of [await make({ format: 'mov' }), await make(mjpegAvi)]) {
    await engine.makePlayable({ path, outputPath: at('start.mp4') })
    const content = await readFile(at('start.mp4'))
    assert.ok(content.indexOf('moov') < content.indexOf('mdat'))
  }
})

test('a camera video with uncompressed audio is copied and its audio becomes AAC', async () => {
  const path = await make({ format: 'mov', audioCodec: 'pcm_s16le' })
  assert.equal((await engine.makePlayable({ path, outputPath: at('sound.mp4') })).method, 'remux')
  const { audioCodec, playable, durationSeconds } = await engine.probe(at('sound.mp4'))
  assert.deepEqual([audioCodec, playable], ['aac', 'as-is'])
  assert.ok(Math.abs(durationSeconds - 2) < 0.2)
})

test('eight audio channels in a custom order become AAC', async () => {
  const path = await make({ format: 'mov', audioCodec: 'pcm_s16le', channels: '7.1' })
  const content = await readFile(path)
  // QuickTime's code for left, right, centre, low-frequency, two side and two rear channels.
  content.writeUInt32BE(0x0080_0008, content.indexOf('chan') + 8)
  await writeFile(path, content)
  assert.equal((await engine.makePlayable({ path, outputPath: at('eight.mp4') })).method, 'remux')
  assert.equal((await engine.probe(at('eight.mp4'))).audioCodec, 'aac')
})

test('audio after a long pause is kept in time', async () => {
  const sound = { audioCodec: 'pcm_s16le', samplesPerSecond: 8000, audioPauseSeconds: 61 } as const
  const path = await make({ format: 'mov', index: 'fragments', ...sound })
  await engine.makePlayable({ path, outputPath: at('pause.mp4') })
  const { durationSeconds } = await engine.probe(at('pause.mp4'))
  assert.ok(Math.abs(durationSeconds - 63) < 0.2, `${durationSeconds}`)
})

test('audio that starts later than the video still does after conversion', async () => {
  const path = await make({ format: 'mov', audioCodec: 'pcm_s16le', startsAtSeconds: { video: 0, audio: 3 } })
  await engine.makePlayable({ path, outputPath: at('later.mp4') })
  const { durationSeconds } = await engine.probe(at('later.mp4'))
  assert.ok(Math.abs(durationSeconds - 5) < 0.2, `${durationSeconds}`)
})

test('audio that starts before the video is kept from its start', async () => {
  for (const audioCodec of ['aac', 'pcm_s16le'] as const) {
    const path = await make({ format: 'mov', audioCodec, startsAtSeconds: { video: 1, audio: 0 } })
    assert.equal((await engine.makePlayable({ path, outputPath: at('before.mp4') })).method, 'remux')
    assert.ok(Math.abs((await engine.probe(at('before.mp4'))).durationSeconds - 3) < 0.2)
    const content = await readFile(at('before.mp4'))
    const soundSeconds = secondsIn(content, content.lastIndexOf('mdhd', content.indexOf('soun')))
    assert.ok(Math.abs(soundSeconds - 2) < 0.2, `${audioCodec}: ${soundSeconds}`)
  }
})

test('a recording whose timestamps start hours later starts at 0 after conversion', async () => {
  const path = await make({ format: 'mov', audioCodec: 'pcm_s16le', startsAtSeconds: { video: 7200, audio: 7200 } })
  await engine.makePlayable({ path, outputPath: at('itself.mp4') })
  const content = await readFile(at('itself.mp4'))
  const seconds = secondsIn(content, content.indexOf('mvhd'))
  assert.ok(Math.abs(seconds - 2) < 0.2, `${seconds}`)
})

/** A box that gives the units per second of a track or movie, and its length in these units. */
const secondsIn = (content: Buffer, header: number) =>
  content.readUInt32BE(header + 20) / content.readUInt32BE(header + 16)

test('an AVI becomes H.264 and AAC with the same colors', async () => {
  const path = await make({ ...mjpegAvi, audioCodec: 'pcm_s16le' })
  assert.equal((await engine.makePlayable({ path, outputPath: at('avi.mp4') })).method, 'transcode')
  const facts = await engine.process({ path: at('avi.mp4'), posterPath: at('avi.jpg') })
  assert.deepEqual(
    [facts.container, facts.videoCodec, facts.audioCodec, facts.playable, facts.width, facts.height],
    ['mp4', 'h264', 'aac', 'as-is', 64, 48],
  )
  const colours = await readQuadrants(at('avi.jpg'))
  assert.ok(areColoursSimilar(colours, [red, green, blue, white]), JSON.stringify(colours))
})

test('a video with a palette keeps its colors, also in its poster and sprite', async () => {
  for (const format of ['avi', 'mov'] as const) {
    const path = await make({ format, videoCodec: 'rawvideo', pixelFormat: 'pal8' })
    await engine.poster({ path, outputPath: at('few.jpg') })
    const { frameWidth: width, frameHeight: height } = await engine.sprite({ path, outputPath: at('few-sprite.jpg') })
    await engine.makePlayable({ path, outputPath: at('few.mp4') })
    await engine.poster({ path: at('few.mp4'), outputPath: at('few-playable.jpg') })
    for (const colours of [
      await readQuadrants(at('few.jpg')),
      await readQuadrants(at('few-sprite.jpg'), { left: width, top: height, width, height }),
      await readQuadrants(at('few-playable.jpg')),
    ]) {
      assert.ok(areColoursSimilar(colours, [red, green, blue, white]), `${format} ${JSON.stringify(colours)}`)
    }
  }
})

test('a transcoded video is stored upright', async () => {
  const path = await make({ pixelFormat: 'yuv444p', matrix: clockwise })
  assert.equal((await engine.makePlayable({ path, outputPath: at('upright.mp4') })).method, 'transcode')
  const facts = await engine.process({ path: at('upright.mp4'), posterPath: at('upright.jpg') })
  assert.deepEqual([facts.rotation, facts.width, facts.height], [0, 48, 64])
  assert.ok(areColoursSimilar(await readQuadrants(at('upright.jpg')), [blue, red, white, green]))
})

test('videos of odd sizes and of a single frame are transcoded', async () => {
  const odd = [
    { ...mjpegAvi, width: 63, height: 47 },
    { ...mjpegAvi, width: 2, height: 2 },
    { ...mjpegAvi, frames: 1 },
    { pixelFormat: 'yuv444p', width: 33, height: 17 } as const,
  ]
  for (const clip of odd) {
    const { method } = await engine.makePlayable({ path: await make(clip), outputPath: at('odd.mp4') })
    assert.equal(method, 'transcode')
    assert.equal((await engine.probe(at('odd.mp4'))).playable, 'as-is')
  }
})

test('a video of more than 1920 pixels is scaled down', async () => {
  const path = await make({ ...mjpegAvi, width: 2560, height: 1440, frames: 2 })
  await engine.makePlayable({ path, outputPath: at('smaller.mp4') })
  const { width, height } = await engine.probe(at('smaller.mp4'))
  assert.deepEqual([width, height], [1920, 1080])
})

test('an HDR video becomes SDR', async () => {
  const path = await make({ transfer: 'pq', pixelFormat: 'yuv420p10le' })
  assert.equal((await engine.makePlayable({ path, outputPath: at('sdr.mp4') })).method, 'transcode')
  const { isHdr, playable } = await engine.probe(at('sdr.mp4'))
  assert.deepEqual([isHdr, playable], [false, 'as-is'])
})

// The packets of the second format have a decoding order but no presentation time.
for (const videoCodec of ['mjpeg', 'libx264'] as const) {
  test(`progress rises to 1 (${videoCodec})`, async () => {
    const path = await make({ ...longAvi, width: 160, height: 120, videoCodec })
    const fractions: number[] = []
    const outputPath = at(`progress-${videoCodec}.mp4`)
    await engine.makePlayable({ path, outputPath, onProgress: (done) => fractions.push(done) })
    assert.ok(fractions.length > 10)
    assert.deepEqual(
      fractions,
      fractions.toSorted((one, two) => one - two),
    )
    assert.deepEqual([new Set(fractions).size, fractions.at(-1)], [fractions.length, 1])
  })
}

test('aborting a conversion stops it and leaves no file', async () => {
  const path = await make(longAvi)
  const abort = new AbortController()
  const outputPath = at('aborted.mp4')
  const conversion = engine.makePlayable({
    path,
    outputPath,
    signal: abort.signal,
    onProgress: () => abort.abort(new Error('no longer wanted')),
  })
  await assert.rejects(conversion, /no longer wanted/)
  await assertNothingLeft(outputPath)

  const early = engine.makePlayable({ path, outputPath, signal: AbortSignal.abort(new Error('never wanted')) })
  await assert.rejects(early, /never wanted/)
  await assertNothingLeft(outputPath)
})

test('probing does not wait for a conversion, and a crashed converter fails only its own task', async () => {
  const path = await make(longAvi)
  const children: ChildProcess[] = []
  const remember = (message: unknown) => void children.push((message as { process: ChildProcess }).process)
  subscribe('child_process', remember)
  // A fresh engine starts its converter last.
  const other = (await openVideoFixture()).engine
  const outputPath = at('died.mp4')
  let look: Promise<{ width: number }> | undefined
  const conversion = other.makePlayable({
    path,
    outputPath,
    onProgress() {
      if (look) return
      // The converter is suspended until the probe is done, so a probe that waited for it would never end.
      const converter = children.at(-1)!
      process.kill(converter.pid!, 'SIGSTOP')
      look = other.probe(path).finally(() => converter.kill('SIGKILL'))
    },
  })
  await assert.rejects(conversion, { code: 'unavailable' })
  unsubscribe('child_process', remember)
  assert.equal((await look)?.width, 640)
  await assertNothingLeft(outputPath)
  assert.equal((await other.makePlayable({ path: await make(mjpegAvi), outputPath })).method, 'transcode')
})

test('a damaged video that cannot be converted leaves no file', async () => {
  const outputPath = at('never.mp4')
  await assert.rejects(engine.makePlayable({ path: import.meta.filename, outputPath }), { code: 'corrupt-video' })
  await assertNothingLeft(outputPath)
})
