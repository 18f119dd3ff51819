import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { get, type IncomingMessage } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import { makeJpeg } from '../support/pictures.ts'
import { counted, type Fault, seconds } from './fault.ts'
import { type Library, openLibrary, upload } from './library.ts'

const downloads = 20
const listeners = 20
const bytesEach = 24_000_000
const endsWithinMs = 15_000
/** Slow downloads end this long after the signal. */
const readingMs = 4000

/** SIGTERM during downloads and with open event streams. */
export const openStreams: Fault = async ({ rounds }) => {
  const total = rounds(3)
  let slowestMs = 0
  await using library = await openLibrary()
  const bytes = Buffer.concat([await makeJpeg(), randomBytes(bytesEach)])
  const [media] = await upload(library.send, [{ name: 'large.jpg', bytes }])
  for (let round = 0; round < total; round++) {
    const cookie = await signIn(library)
    const open = (path: string) => openStream(`${library.server.url}${path}`, cookie)
    const files = await Promise.all(Array.from({ length: downloads }, () => open(media!.originalUrl)))
    const events = await Promise.all(Array.from({ length: listeners }, () => open('/api/events')))
    for (const stream of events) stream.resume().on('error', () => {})
    const begin = performance.now()
    library.server.child.kill('SIGTERM')
    const lengths = Promise.all(files.map((file) => readSlowly(file)))
    const code = await library.server.ended
    slowestMs = Math.max(slowestMs, performance.now() - begin)
    assert.equal(code, 0, 'it ends in order')
    for (const length of await lengths) assert.equal(length, bytes.length, 'a download under way is finished')
    await library.start()
  }
  return [
    counted('SIGTERM with open downloads and event streams', {
      figure: `${total} times ${downloads} downloads and ${listeners} listeners: all downloads complete, exit 0 after ${seconds(slowestMs)}`,
      toReach: 'GETs finish, exit 0 within 15 s',
      isReached: slowestMs <= endsWithinMs,
    }),
  ]
}

async function signIn({ server, account }: Library) {
  const answer = await fetch(`${server.url}/api/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(account),
  })
  assert.equal(answer.status, 200)
  return answer.headers.getSetCookie()[0]!.split(';')[0]!
}

/** The response headers have arrived, and the body is not read yet. */
function openStream(url: string, cookie: string) {
  return new Promise<IncomingMessage>((resolve, reject) => {
    get(url, { headers: { cookie } }, resolve).on('error', reject)
  })
}

/** Reads with pauses, like a phone on a slow network. */
async function readSlowly(stream: IncomingMessage) {
  let length = 0
  const begin = performance.now()
  for await (const chunk of stream) {
    length += chunk.length
    const due = (length / bytesEach) * readingMs
    const ahead = due - (performance.now() - begin)
    if (ahead > 20) await delay(ahead)
  }
  return length
}
