import { setTimeout as wait } from 'node:timers/promises'
import { type Browser, type BrowserContext, chromium, type Page, type Request, type Route } from 'playwright-core'
import { serveTasks } from '#platform/server/process-pool/serve-tasks.ts'
import { limitConcurrency } from '#shared/concurrency.ts'
import { createPublicWeb, type PublicWeb } from '../fetch-public.ts'
import { boxAttribute } from '../find-images/picture-box.ts'
import { timedOut, tooMuch } from '../web-errors.ts'
import type { RenderLimits } from './render-limits.ts'
import type { DrawnPage, RenderedPage, RenderTask } from './render-page.ts'

/** See [Note: The browser has no network]. `<-loopback>` sends loopback through the proxy too, which is off by default. */
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

/** The time reserved for reading the page at the end, the time to wait for it to settle, and the screens to scroll down. */
const readingMs = 4000
const settlingMs = 6000
const screens = 12

/** Renders one page in its own browser and returns the resulting HTML. */
async function drawPage({ page: given, executable, allowHosts, limits }: RenderTask): Promise<RenderedPage> {
  const web = createPublicWeb({ allowHosts })
  const browser = await chromium.launch({
    executablePath: executable,
    // Chromium does not start with a sandbox as root.
    chromiumSandbox: process.getuid?.() !== 0,
    timeout: limits.startMs,
    // The parent process decides when this one ends, see `serveTasks`.
    handleSIGINT: false,
    handleSIGTERM: false,
    args: switches,
  })
  try {
    const answers = createRequestAnswers(web, given, limits)
    const page = await openPage(browser, answers)
    const deadline = performance.now() + limits.pageMs
    const left = () => Math.max(1, deadline - performance.now() - readingMs)
    // A page whose scripts never end is read in its state at the deadline.
    await page.goto(given.url, { waitUntil: 'domcontentloaded', timeout: left() }).catch(() => {})
    await answers.quiet(Math.min(settlingMs, left()))
    await Promise.race([scrollDown(page), wait(left(), undefined, { ref: false })])
    await answers.quiet(Math.min(settlingMs, left()))
    const html = await Promise.race([readMeasured(page), wait(readingMs, undefined, { ref: false })])
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
  await context.addInitScript(removeDirectConnections)
  const page = await context.newPage()
  closeOthers(context, page)
  return page
}

function closeOthers(context: BrowserContext, page: Page) {
  context.on('page', (other) => {
    if (other !== page) other.close().catch(() => {})
  })
}

/** Runs in the page and removes APIs that connect to hosts without a request that could be intercepted. */
function removeDirectConnections() {
  for (const name of ['RTCPeerConnection', 'webkitRTCPeerConnection', 'WebTransport']) {
    Reflect.deleteProperty(globalThis, name)
  }
}

async function readMeasured(page: Page): Promise<string> {
  // A page whose scripts stop this is read without the places of its pictures.
  await page.evaluate(markBoxes, boxAttribute).catch(() => {})
  return page.content()
}

/** Runs in the page: each picture gets its width and its distance from the top. A height is that of the pixel sent instead. */
function markBoxes(attribute: string) {
  for (const element of document.querySelectorAll(`[${attribute}]`)) element.removeAttribute(attribute)
  for (const image of Array.from(document.images).slice(0, 5000)) {
    const { width, top } = image.getBoundingClientRect()
    image.setAttribute(attribute, `${Math.round(width)} ${Math.round(top + scrollY)}`)
  }
}

/** Scrolls down, so that lazily loaded pictures load. */
async function scrollDown(page: Page) {
  try {
    for (let screen = 1; screen <= screens; screen++) {
      await page.mouse.wheel(0, 1600)
      await wait(60)
    }
  } catch {
    // The page does not react or has closed; its current state is read.
  }
}

/** The resource types that a page needs to render; frames, fonts, videos, beacons and sockets are blocked. */
const fetchedKinds = new Set(['script', 'stylesheet', 'xhr', 'fetch'])

/** One transparent pixel, so that scripts that wait for a picture continue without a download. */
const pixel = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64')

/** Blocks frames, workers, forms and all connections except HTTP. */
const pagePolicy =
  "connect-src http: https:; worker-src 'none'; frame-src 'none'; object-src 'none'; form-action 'none'; webrtc 'block'"

type RequestAnswers = {
  answer(route: Route): Promise<void>
  wanted: Set<string>
  /** Resolves when no request has run for a while, or after `withinMs`. */
  quiet(withinMs: number): Promise<void>
}

/** Answers all requests of the browser: the page from memory, its parts through the guarded client, and no others. */
function createRequestAnswers(web: PublicWeb, page: DrawnPage, limits: RenderLimits): RequestAnswers {
  const wanted = new Set<string>()
  let isPageGiven = false
  let requests = 0
  let bytesLeft = limits.bytes
  let pending = 0
  let lastActivity = performance.now()

  const limited = limitConcurrency(limits.atOnce)

  async function fetchPart(request: Request, route: Route) {
    if (request.method() !== 'GET' || ++requests > limits.requests) return route.abort()
    const part = await limited(async () => {
      const maxBytes = Math.min(bytesLeft, limits.partBytes)
      // Counted in advance, since a part that breaks off or is too large has also used bandwidth.
      bytesLeft -= maxBytes
      if (maxBytes <= 0) throw tooMuch('page', limits.bytes)
      const fetched = await web.fetchPart(request.url(), { maxBytes, foundOn: page.url })
      bytesLeft += maxBytes - fetched.bytes.length
      return fetched
    })
    // `fetchPart` follows redirects and checks each one, so the browser never follows any.
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
      pending++
      try {
        await choose(route)
      } catch {
        // The guard refused it, it was too large or too slow, or the page has closed: the request fails in the page.
        await route.abort().catch(() => {})
      } finally {
        pending--
        lastActivity = performance.now()
      }
    },
    async quiet(withinMs) {
      const end = performance.now() + withinMs
      lastActivity = performance.now()
      while (performance.now() < end) {
        if (pending === 0 && performance.now() - lastActivity >= limits.quietMs) return
        await wait(50)
      }
    },
  }
}

serveTasks<RenderTask, RenderedPage>(drawPage)
