import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import { createGzip } from 'node:zlib'
import { type FakeWeb, fakeWeb } from '../support/fake-web.ts'
import { cpuMsOf } from '../support/process-usage.ts'
import { counted, type Fault, mebibytes, seconds } from './fault.ts'
import { type Library, openLibrary } from './library.ts'
import { watchMemory } from './process-tree.ts'

const mebibyte = 2 ** 20
const givenUpMs = 20_000
const manyMs = 10_000
/** The limit for a page is 15 MB, also after decompression. */
const stoppedAt = /^The page is larger than 15 MB\.$/

/** Websites that send too much, never end, stay silent, or contain ten thousand pictures. */
export const hostileWeb: Fault = async () => {
  const cleanups: (() => unknown)[] = []
  try {
    const web = await fakeWeb({ after: (cleanup) => void cleanups.push(cleanup as () => unknown) })
    await using library = await openLibrary({ settings: web.settings })
    await look(library, web.page('/warm-up', '<img src="/a.jpg">'))
    return [
      ...(await tooMuch(library, web)),
      ...(await neverEnding(library, web)),
      ...(await tenThousand(library, web)),
    ]
  } finally {
    for (const cleanup of cleanups) await cleanup()
  }
}

/** A page of a gigabyte, plain and compressed to a megabyte. */
async function tooMuch(library: Library, web: FakeWeb) {
  const block = Buffer.alloc(mebibyte, '<p>more</p>')
  const gibibyte = () => Readable.from(Array.from({ length: 1024 }, () => block))
  const huge = web.answer('/huge', (_request, response) => {
    gibibyte().pipe(response.writeHead(200, { 'content-type': 'text/html' }))
  })
  const bomb = web.answer('/bomb', (_request, response) => {
    const head = { 'content-type': 'text/html', 'content-encoding': 'gzip' }
    gibibyte().pipe(createGzip()).pipe(response.writeHead(200, head))
  })
  return [
    await bounded(library, web, { what: 'a page of 1 GiB', url: huge, stop: stoppedAt }),
    await bounded(library, web, { what: 'a page of 1 MiB that decompresses to 1 GiB', url: bomb, stop: stoppedAt }),
  ]
}

/** A server that sends single bytes forever, and one that never responds. */
async function neverEnding(library: Library, web: FakeWeb) {
  const endless = web.answer('/endless', async (_request, response) => {
    response.writeHead(200, { 'content-type': 'text/html' })
    for (; !response.destroyed; await delay(200)) response.write('<p>and more</p>')
  })
  const silent = web.answer('/silent', () => {})
  return [
    await bounded(library, web, { what: 'a page that never ends', url: endless }),
    await bounded(library, web, { what: 'a silent server', url: silent }),
  ]
}

async function tenThousand(library: Library, web: FakeWeb) {
  const images = Array.from({ length: 10_000 }, (_, index) => `<img src="/p/${index}.jpg" alt="Picture ${index}">`)
  const page = web.page('/many', `<title>Many</title>${images.join('\n')}`)
  const [begin, cpuBefore] = [performance.now(), cpuMsOf(library.server.pid)]
  const { result, growth } = await watchMemory(library.server.pid, () => look(library, page))
  const [took, cpuMs] = [performance.now() - begin, cpuMsOf(library.server.pid) - cpuBefore]
  assert.equal(result.status, 200, result.message)
  return [
    counted('10,000 pictures on a page', {
      figure: `${result.totalFound} found after ${seconds(took)} (${seconds(cpuMs)} of CPU time), +${mebibytes(growth)}`,
      toReach: 'answered within 10 s, +200 MiB',
      isReached: result.totalFound === 10_000 && took <= manyMs && growth <= 200 * mebibyte,
    }),
  ]
}

type Misfortune = { what: string; url: string; stop?: RegExp }

async function bounded(library: Library, web: FakeWeb, { what, url, stop }: Misfortune) {
  const begin = performance.now()
  const { result, growth } = await watchMemory(library.server.pid, () => look(library, url))
  const took = performance.now() - begin
  for (let waited = 0; web.openSockets() > 0 && waited < 5000; waited += 50) await delay(50)
  const isStopped = result.status >= 400 && (!stop || stop.test(result.message ?? ''))
  const atMost = stop ? ', 15 MB read' : ''
  return counted(`the web: ${what}`, {
    figure: `answered ${result.status} after ${seconds(took)}${stop ? ' and 15 MB' : ''}, +${mebibytes(growth)}, ${web.openSockets()} sockets left`,
    toReach: `canceled within 20 s, +150 MiB, sockets released${atMost}`,
    isReached: isStopped && took <= givenUpMs && growth <= 150 * mebibyte && web.openSockets() === 0,
  })
}

async function look({ send }: Library, url: string) {
  const answer = await send('POST', '/api/scrape-preview', { url })
  const body = (await answer.json()) as { totalFound?: number; message?: string }
  if (answer.status !== 200) assert.ok(body.message, 'a refusal says why')
  return { status: answer.status, ...body }
}
