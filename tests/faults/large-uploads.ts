import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { request } from 'node:http'
import { json } from 'node:stream/consumers'
import { finished } from 'node:stream/promises'
import { makeJpeg } from '../support/pictures.ts'
import { cpuMsOf } from '../support/process-usage.ts'
import { counted, type Fault, mebibytes, seconds } from './fault.ts'
import { deliveredHash, type Library, type Listed, listAll, openLibrary, sha256, upload } from './library.ts'
import { residentBytes, watchMemory } from './process-tree.ts'
import { tell } from './tell-preload.ts'
import { whileBrowsing } from './while-browsing.ts'

const files = 200
const answerMs = 60_000
const thumbnailsMs = 120_000
const othersMs = 500
const growthBytes = 96 * 2 ** 20
const lagMs = 100
const largeBytes = 500 * 1_000_000
const preload = new URL('./preloads/loop-lag.ts', import.meta.url)

/** 200 pictures in one request, while another user browses the library. */
export const manyFiles: Fault = async () => {
  await using library = await openLibrary()
  const { send } = library
  const pictures = await Promise.all(
    Array.from({ length: files }, async (_, index) => ({
      name: `${index}.jpg`,
      bytes: Buffer.concat([await makeJpeg({ width: 200, height: 150 }), randomBytes(100_000)]),
    })),
  )
  const [begin, cpuBefore] = [performance.now(), cpuMsOf(library.server.pid)]
  const { refused, p95Ms } = await whileBrowsing(library, () => upload(send, pictures))
  const [took, cpuMs] = [performance.now() - begin, cpuMsOf(library.server.pid) - cpuBefore]
  const sent = new Map(pictures.map(({ name, bytes }) => [name, sha256(bytes)]))
  const listed = await listAll(send)
  // Every thumbnail is fetched here, so all of them exist afterwards.
  for (const media of listed) assert.equal(await deliveredHash(send, media), sent.get(media.filename))
  const seenAfter = performance.now() - begin
  return [
    counted('200 files in one upload', {
      figure: `${listed.length} stored, answered after ${seconds(took)} (${seconds(cpuMs)} of CPU time), all thumbnails seen after ${seconds(seenAfter)}; other users: 95% within ${Math.round(p95Ms())} ms, ${refused()} refused`,
      toReach: 'all stored, answered within 60 s, thumbnails within 120 s, other users 95% below 500 ms',
      isReached:
        listed.length === files &&
        took <= answerMs &&
        seenAfter <= thumbnailsMs &&
        refused() === 0 &&
        p95Ms() < othersMs,
    }),
  ]
}

/** One file of 500 MB, the largest accepted size. */
export const largeFile: Fault = async () => {
  await using library = await openLibrary({ preload })
  const { send, server } = library
  await upload(send, [{ name: 'before.jpg', bytes: await makeJpeg() }])
  const cookie = await signIn(library)
  const before = residentBytes(server.pid)
  let highest = before
  const timer = setInterval(() => {
    highest = Math.max(highest, residentBytes(server.pid))
  }, 50)
  await using idle = startIdle()
  for (const watched of [server, idle]) await tell(watched, { begin: true })
  const { result: sent, growth } = await watchMemory(server.pid, () => sendLarge(server.url, cookie))
  const { p99Ms } = await tell<Lag>(server, { end: true })
  const { p99Ms: idleMs } = await tell<Lag>(idle, { end: true })
  clearInterval(timer)
  const { verified } = await verifyLarge(library, sent)
  assert.ok(verified)
  return [
    counted('one file of 500 MB', {
      figure: `stored and read back; server +${mebibytes(highest - before)}, all processes +${mebibytes(growth)}; loop lag p99 ${Math.round(p99Ms)} ms`,
      context: `lag of an idle process: p99 ${Math.round(idleMs)} ms`,
      toReach: 'server +96 MiB, loop lag p99 100 ms',
      isReached: highest - before <= growthBytes && p99Ms <= lagMs,
    }),
  ]
}

type Lag = { p99Ms: number }

/** The event loop lag of an idle process on this machine. */
function startIdle() {
  const child = spawn(process.execPath, ['--import', preload.href, '--eval', 'setInterval(() => {}, 1000)'], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  return { child, [Symbol.asyncDispose]: async () => void child.kill('SIGKILL') }
}

async function signIn({ server, account }: Library) {
  const answer = await fetch(`${server.url}/api/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(account),
  })
  return answer.headers.getSetCookie()[0]!.split(';')[0]!
}

/** Writes as fast as the server reads, so that nothing is buffered here. */
async function sendLarge(url: string, cookie: string) {
  const boundary = '----albumen-large'
  const sending = request(`${url}/api/upload`, {
    method: 'POST',
    headers: { cookie, 'content-type': `multipart/form-data; boundary=${boundary}` },
  })
  const answered = new Promise<Listed>((resolve, reject) => {
    sending.on('error', reject)
    sending.on('response', async (answer) => {
      const body = (await json(answer)) as { media?: Listed[]; message?: string }
      if (answer.statusCode === 201) resolve(body.media![0]!)
      else reject(new Error(`answered ${answer.statusCode} ${body.message}`))
    })
  })
  const head = await makeJpeg()
  const block = randomBytes(1_000_000)
  const hash = createHash('sha256')
  const write = async (bytes: Uint8Array | string) => {
    if (!sending.write(bytes)) await new Promise((resolve) => sending.once('drain', resolve))
  }
  await write(`--${boundary}\r\ncontent-disposition: form-data; name="files"; filename="large.jpg"\r\n\r\n`)
  for (let sent = 0; sent < largeBytes; ) {
    const piece = sent === 0 ? head : block.subarray(0, Math.min(block.length, largeBytes - sent))
    hash.update(piece)
    await write(piece)
    sent += piece.length
  }
  sending.end(`\r\n--${boundary}--\r\n`)
  await finished(sending, { readable: false })
  return { media: await answered, hash: hash.digest('hex') }
}

async function verifyLarge({ send }: Library, { media, hash }: { media: Listed; hash: string }) {
  const answer = await send('GET', media.originalUrl)
  const received = createHash('sha256')
  for await (const chunk of answer.body!) received.update(chunk)
  return { verified: received.digest('hex') === hash && media.size === largeBytes }
}
