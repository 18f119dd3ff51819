import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { access, readdir, writeFile } from 'node:fs/promises'
import { getPriority } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { longestSilenceMs } from '#platform/server/process-pool/process-pool.ts'
import { until } from '#tests/support/until.ts'
import { createNodeAvBackend } from '../node-av-backend.ts'
import { preferBackend } from '../preferred-backend.ts'
import { type Behaviour, createFakeTools } from '../testing/fake-tools.ts'
import { openWorkbench } from '../testing/workbench.ts'
import { createVideoEngineOn } from '../video-engine.ts'
import type { VideoBackend } from '../video-tasks.ts'
import { createFfmpegBackend } from './ffmpeg-backend.ts'

const { engine, make, at, directory } = await openWorkbench()
const clip = await make({ format: 'mov', frames: 20 })
const playable = await make()
await engine.poster({ path: clip, outputPath: at('picture.jpg') })

const picture = { index: 0, codec_type: 'video', codec_name: 'h264', width: 64, height: 48, pix_fmt: 'yuv420p' }
const sound = { index: 1, codec_type: 'audio', codec_name: 'aac' }
const answer = (streams: unknown[]) => ({ streams, format: { duration: '2.000000', tags: {} } })

/** As on a system that node-av has no build for. */
const missingNodeAv = () => createNodeAvBackend({ env: { AV_FROM_SOURCE: '1' } })

const ordinary: Behaviour = {
  probe: answer([picture]),
  result: at('picture.jpg'),
  emptyCalls: 0,
  neverEnds: false,
  isKilled: false,
}

async function withTools(wanted: Partial<Behaviour> = {}, preferred?: VideoBackend) {
  const tools = await createFakeTools(join(directory, randomUUID()), { ...ordinary, ...wanted })
  const ffmpeg = createFfmpegBackend({ ffmpegPath: tools.ffmpegPath })
  const fallback = createVideoEngineOn(preferred ? preferBackend(preferred, ffmpeg) : ffmpeg)
  return { fallback, calls: tools.calls, [Symbol.asyncDispose]: () => fallback.close() }
}

test('without node-av the facts come from ffprobe', async () => {
  const turned = {
    ...picture,
    avg_frame_rate: '30000/1001',
    color_transfer: 'arib-std-b67',
    pix_fmt: 'yuv420p10le',
    side_data_list: [
      {
        side_data_type: 'Display Matrix',
        displaymatrix: '\n00000000: 0 65536 0\n00000001: -65536 0 0\n00000002: 0 0 1073741824\n',
      },
    ],
  }
  await using bench = await withTools({ probe: answer([turned, sound]) }, missingNodeAv())
  const facts = await bench.fallback.probe(clip)
  assert.deepEqual(
    [facts.container, facts.width, facts.height, facts.rotation, facts.framesPerSecond, facts.isHdr, facts.audioCodec],
    ['mov', 48, 64, 90, 29.97, true, 'aac'],
  )
  const [call] = await bench.calls()
  assert.deepEqual(call?.args.slice(0, 6), ['-v', 'error', '-protocol_whitelist', 'file', '-f', 'mov'])
  assert.equal(call?.args.at(-1), clip)
})

test('of several tracks ffmpeg is given the one that browsers play', async () => {
  const cover = { ...picture, width: 300, nb_frames: '1', disposition: { attached_pic: 0, default: 1 } }
  const hidden = { ...picture, index: 1, width: 32, disposition: { attached_pic: 0, default: 0 } }
  const shown = { ...picture, index: 2, disposition: { attached_pic: 0, default: 1 } }
  await using bench = await withTools({ probe: answer([cover, hidden, shown]) })
  await bench.fallback.poster({ path: clip, outputPath: at('tracks.jpg') })
  assert.equal((await bench.calls()).at(-1)?.args.includes('0:2'), true)
})

test('the tools learn nothing of the server', async () => {
  process.env.SESSION_SECRET = 'do not tell'
  await using bench = await withTools()
  await bench.fallback.probe(clip)
  assert.deepEqual(Object.keys((await bench.calls())[0]?.env ?? {}), ['PATH'])
  delete process.env.SESSION_SECRET
})

test('a poster may be dark when ffmpeg made none that is not, and is then tried again at the beginning', async () => {
  await using bench = await withTools({ emptyCalls: 2 })
  await bench.fallback.process({ path: clip, posterPath: at('poster.jpg') })
  await access(at('poster.jpg'))
  const tries = (await bench.calls())
    .filter(({ tool }) => tool === 'ffmpeg')
    .map(({ args }) => [args[args.indexOf('-ss') + 1], args.some((arg) => arg.includes('blackframe'))])
  assert.deepEqual(tries, [
    ['0.200', true],
    ['0.200', false],
    ['0.000', false],
  ])
})

test('a video of which ffmpeg can show nothing is refused', async () => {
  await using bench = await withTools({ emptyCalls: 99 })
  const poster = bench.fallback.process({ path: clip, posterPath: at('nothing.jpg') })
  await assert.rejects(poster, { code: 'corrupt-video', status: 415 })
})

test('sprite and pictures for a model come from ffmpeg', async () => {
  await using bench = await withTools()
  const sprite = await bench.fallback.sprite({ path: clip, outputPath: at('sheet.jpg') })
  assert.deepEqual(sprite, { frames: 16, columns: 4, frameWidth: 64, frameHeight: 48 })
  const paths = await bench.fallback.sceneFrames({ path: clip, directory, max: 3 })
  assert.deepEqual(paths, [at('scene-01.jpg')])
  const drawn = (await bench.calls()).at(-1)?.args ?? []
  assert.match(drawn[drawn.indexOf('-vf') + 1] ?? '', /mpdecimate=/, 'a scene is shown once')
})

test('a sprite has no more cells than the video has pictures', async () => {
  const single = { ...answer([{ ...picture, avg_frame_rate: '10/1' }]), format: { duration: '0.100000', tags: {} } }
  await using bench = await withTools({ probe: single })
  const sprite = await bench.fallback.sprite({ path: clip, outputPath: at('cell.jpg') })
  assert.deepEqual(sprite, { frames: 1, columns: 1, frameWidth: 64, frameHeight: 48 })
  const drawn = (await bench.calls()).at(-1)?.args.find((arg) => arg.includes('tile='))
  assert.match(drawn ?? '', /tile=1x1:nb_frames=1$/)
})

test('a video of any length and size is converted', async () => {
  const odd = { ...answer([{ ...picture, width: 2560, height: 1440 }]), format: { duration: '2.033333', tags: {} } }
  await using bench = await withTools({ probe: odd, result: playable })
  const { bytes } = await bench.fallback.makePlayable({ path: clip, outputPath: at('odd.mp4') })
  assert.ok(bytes > 0)
})

test('an ffmpeg that the system has killed says nothing of the video', async () => {
  await using bench = await withTools({ isKilled: true })
  const conversion = bench.fallback.makePlayable({ path: clip, outputPath: at('killed.mp4') })
  await assert.rejects(conversion, { code: 'unavailable', message: /want of memory/ })
})

test('a conversion reports its progress and its result is looked at', async () => {
  await using bench = await withTools({ probe: answer([picture, sound]), result: playable })
  const fractions: number[] = []
  const { method } = await bench.fallback.makePlayable({
    path: clip,
    outputPath: at('converted.mp4'),
    onProgress: (fraction) => fractions.push(fraction),
  })
  assert.deepEqual([method, fractions], ['remux', [0.25, 0.5, 1]])
  const calls = await bench.calls()
  assert.deepEqual(
    calls.map(({ tool }) => tool),
    ['ffprobe', 'ffprobe', 'ffmpeg', 'ffprobe'],
  )
  const { args = [] } = calls[2] ?? {}
  assert.equal(args[args.indexOf('-map_metadata') + 1], '-1')
  assert.equal(args[args.indexOf('-c:v') + 1], 'copy')
})

test('an abort ends ffmpeg and leaves no file', async () => {
  await using bench = await withTools({ result: playable, neverEnds: true })
  const abort = new AbortController()
  const conversion = bench.fallback.makePlayable({
    path: clip,
    outputPath: at('aborted.mp4'),
    signal: abort.signal,
    onProgress: () => abort.abort(new Error('no longer wanted')),
  })
  await assert.rejects(conversion, /no longer wanted/)
  const { pid = 0 } = (await bench.calls()).at(-1) ?? {}
  assert.throws(() => process.kill(pid, 0), { code: 'ESRCH' })
  assert.deepEqual(
    (await readdir(directory)).filter((name) => name.startsWith('aborted')),
    [],
  )
})

test('an ffmpeg that says nothing more is ended long before the time that its video may take', async (context) => {
  await using bench = await withTools({ result: playable, neverEnds: true })
  context.mock.timers.enable({ apis: ['setTimeout'] })
  const conversion = bench.fallback.makePlayable({
    path: clip,
    outputPath: at('silent.mp4'),
    onProgress: () => context.mock.timers.tick(longestSilenceMs),
  })
  await assert.rejects(conversion, { code: 'timeout', message: 'The work stood still for 110 s and was stopped' })
  const { pid = 0 } = (await bench.calls()).at(-1) ?? {}
  assert.ok(!isRunning(pid))
})

test('ffmpeg ends with a server that is killed', async (context) => {
  const tools = await createFakeTools(join(directory, randomUUID()), { ...ordinary, result: playable, neverEnds: true })
  const words = `
    import { runTool } from ${JSON.stringify(new URL('./run-tool.ts', import.meta.url))}
    const signal = new AbortController().signal
    await runTool(${JSON.stringify(tools.ffmpegPath)}, [${JSON.stringify(at('orphan.mp4'))}], {
      timeoutMs: 600_000, niceness: 19, signal, onLine: (line) => console.log(line),
    })`
  const asModule = ['--input-type=module', '--eval', words]
  const server = spawn(process.execPath, asModule, { stdio: ['ignore', 'pipe', 'inherit'] })
  context.after(() => server.kill('SIGKILL'))
  await once(server.stdout, 'data')
  const [{ pid } = { pid: 0 }] = await tools.calls()
  assert.equal(getPriority(pid), 19, 'it gives way to everything else')
  server.kill('SIGKILL')
  await until('the end of ffmpeg', () => !isRunning(pid))
})

function isRunning(pid: number) {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

test('closing the engine ends what runs', async () => {
  const bench = await withTools({ result: playable, neverEnds: true })
  let closing: Promise<void> | undefined
  const conversion = bench.fallback.makePlayable({
    path: clip,
    outputPath: at('closed.mp4'),
    onProgress() {
      closing ??= bench.fallback.close()
    },
  })
  await assert.rejects(conversion, { code: 'closing', status: 503 })
  await closing
})

test('what is no video never reaches a tool', async () => {
  await using bench = await withTools()
  await writeFile(at('list.mp4'), '#EXTM3U\n#EXTINF:10,\nhttp://127.0.0.1:1/part.ts\n')
  await assert.rejects(bench.fallback.probe(at('list.mp4')), { code: 'corrupt-video' })
  assert.deepEqual(await bench.calls(), [])
})

test('songs, damage and nonsense are refused', async () => {
  const probes = {
    'no-video': answer([sound]),
    'corrupt-video': null,
    'video-too-large': answer([{ ...picture, width: 90_000, height: 90_000 }]),
  }
  for (const [code, probe] of Object.entries(probes)) {
    await using bench = await withTools({ probe })
    await assert.rejects(bench.fallback.probe(clip), { code })
  }
})

test('with neither node-av nor ffmpeg the answer says so', async () => {
  const backend = preferBackend(missingNodeAv(), createFfmpegBackend({ ffmpegPath: at('no/such/ffmpeg') }))
  const fallback = createVideoEngineOn(backend)
  const unavailable = {
    code: 'video-unavailable',
    status: 503,
    message: 'Videos cannot be processed: neither node-av nor ffmpeg is installed.',
  }
  await assert.rejects(fallback.probe(clip), unavailable)
  await assert.rejects(fallback.makePlayable({ path: clip, outputPath: at('never.mp4') }), unavailable)
  await fallback.close()
})
