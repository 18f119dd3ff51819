import { setTimeout as wait } from 'node:timers/promises'
import { type Browser, type BrowserContext, chromium, type Page, type Request, type Route } from 'playwright-core'
import { serveTasks } from '#platform/server/process-pool/serve-tasks.ts'
import { limitConcurrency } from '#shared/concurrency.ts'
import { createPublicWeb, type PublicWeb } from '../fetch-public.ts'
import { timedOut, tooMuch } from '../web-errors.ts'
import type { RenderLimits } from './render-limits.ts'
import type { DrawnPage, RenderedPage, RenderTask } from './render-page.ts'

/** See [Note: The browser has no network]. Loopback is no exception, as it would be for any other proxy. */
const switches = [
  '--host-resolver-rules=MAP * ~NOTFOUND',
  '--proxy-server=http://nowhere.invalid:1',
  '--proxy-bypass-list=<-loopback>',
  '--force-webrtc-ip-handling-policy=disable_non_proxied_udp',
  '--dns-prefetch-disable',
  '--disable-quic',
  '--disable-gpu',
  '--disable-dev-shm-usage',
  '--js-flags=--max-old-space-size=512',
]

/** What is kept back for reading the page at the end, and how far down a page is looked at. */
const readingMs = 4000
const settlingMs = 6000
const screens = 12

/** Draws one page in a browser of its own and tells what it looks like then. */
async function drawPage({ page: given, executable, allowHosts, limits }: RenderTask): Promise<RenderedPage> {
  const web = createPublicWeb({ allowHosts })
  const browser = await chromium.launch({
    executablePath: executable,
    // Chromium has no sandbox to offer to root, and does not start with one.
    chromiumSandbox: process.getuid?.() !== 0,
    timeout: limits.startMs,
    args: switches,
  })
  try {
    const answers = createRequestAnswers(web, given, limits)
    const page = await openPage(browser, answers)
    const deadline = performance.now() + limits.pageMs
    const left = () => Math.max(1, deadline - performance.now() - readingMs)
    // A page whose scripts never end is read as far as it came.
    await page.goto(given.url, { waitUntil: 'domcontentloaded', timeout: left() }).catch(() => {})
    await answers.quiet(Math.min(settlingMs, left()))
    await Promise.race([scrollDown(page), wait(left(), undefined, { ref: false })])
    await answers.quiet(Math.min(settlingMs, left()))
    const html = await Promise.race([page.content(), wait(readingMs, undefined, { ref: false })])
    if (html === undefined) throw timedOut()
    if (html.length > limits.htmlLength) throw tooMuch('page', limits.htmlLength)
    return { html, wanted: [...answers.wanted] }
  } finally {
    await Promise.all([browser.close(), web.close()])
  }
}

async function openPage(browser: Browser, answers: RequestAnswers): Promise<Page> {
  const context = await browser.newContext({
    serviceWorkers: 'block',
    acceptDownloads: false,
    viewport: { width: 1280, height: 1600 },
  })
  await context.route('**/*', (route) => answers.answer(route))
  await context.routeWebSocket(/./, (socket) => socket.close())
  await context.addInitScript(withholdDirectLines)
  const page = await context.newPage()
  closeOthers(context, page)
  return page
}

function closeOthers(context: BrowserContext, page: Page) {
  context.on('page', (other) => {
    if (other !== page) other.close().catch(() => {})
  })
}

/** Runs in the page: these would speak to addresses without asking for a request that could be intercepted. */
function withholdDirectLines() {
  for (const name of ['RTCPeerConnection', 'webkitRTCPeerConnection', 'WebTransport']) {
    Reflect.deleteProperty(globalThis, name)
  }
}

/** Pictures that come only when they are looked at are looked at. */
async function scrollDown(page: Page) {
  try {
    for (let screen = 1; screen <= screens; screen++) {
      await page.mouse.wheel(0, 1600)
      await wait(60)
    }
  } catch {
    // The page is busy with itself or gone; what is there is read.
  }
}

/** What a page needs in order to draw itself; frames, fonts, films, beacons and sockets it does without. */
const fetchedKinds = new Set(['script', 'stylesheet', 'xhr', 'fetch'])

/** One transparent pixel: scripts that wait for a picture go on, and nobody's picture is fetched for it. */
const pixel = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64')

/** Whatever the page may do by itself, it neither opens frames and workers, nor speaks anything but HTTP. */
const pagePolicy =
  "connect-src http: https:; worker-src 'none'; frame-src 'none'; object-src 'none'; form-action 'none'; webrtc 'block'"

type RequestAnswers = {
  answer(route: Route): Promise<void>
  wanted: Set<string>
  /** Resolves when nothing was under way for a while, or when the time is over. */
  quiet(withinMs: number): Promise<void>
}

/** Answers everything that the browser asks for: the page from memory, its parts through the guard, the rest not at all. */
function createRequestAnswers(web: PublicWeb, page: DrawnPage, limits: RenderLimits): RequestAnswers {
  const wanted = new Set<string>()
  let isPageGiven = false
  let requests = 0
  let bytesLeft = limits.bytes
  let underWay = 0
  let lastMove = performance.now()

  const inTurn = limitConcurrency(limits.atOnce)

  async function fetchPart(request: Request, route: Route) {
    if (request.method() !== 'GET' || ++requests > limits.requests) return route.abort()
    const part = await inTurn(async () => {
      const maxBytes = Math.min(bytesLeft, limits.partBytes)
      // Counted before it comes: what breaks off, or is too much, has been fetched all the same.
      bytesLeft -= maxBytes
      if (maxBytes <= 0) throw tooMuch('page', limits.bytes)
      const fetched = await web.fetchPart(request.url(), { maxBytes })
      bytesLeft += maxBytes - fetched.bytes.length
      return fetched
    })
    // Redirects were followed behind the guard, each with every check, so the browser never follows one.
    await route.fulfill({ status: part.status, contentType: part.contentType, body: part.bytes })
  }

  async function choose(route: Route) {
    const request = route.request()
    const kind = request.resourceType()
    if (kind === 'image') {
      if (wanted.size < limits.wanted) wanted.add(request.url())
      return route.fulfill({ contentType: 'image/gif', body: pixel })
    }
    if (fetchedKinds.has(kind)) return fetchPart(request, route)
    if (kind !== 'document' || isPageGiven || request.url() !== page.url) return route.abort('aborted')
    isPageGiven = true
    const headers = { 'content-security-policy': pagePolicy }
    return route.fulfill({ headers, contentType: 'text/html; charset=utf-8', body: page.html })
  }

  return {
    wanted,
    async answer(route) {
      underWay++
      try {
        await choose(route)
      } catch {
        // Refused by the guard, too much, too slow, or the page is gone already: the page hears of a failed request.
        await route.abort().catch(() => {})
      } finally {
        underWay--
        lastMove = performance.now()
      }
    },
    async quiet(withinMs) {
      const end = performance.now() + withinMs
      lastMove = performance.now()
      while (performance.now() < end) {
        if (underWay === 0 && performance.now() - lastMove >= limits.quietMs) return
        await wait(50)
      }
    },
  }
}

serveTasks<RenderTask, RenderedPage>(drawPage)
