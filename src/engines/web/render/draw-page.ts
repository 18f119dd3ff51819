import { setTimeout as wait } from 'node:timers/promises'
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core'
import { createPublicWeb } from '../fetch-public.ts'
import { timedOut, tooMuch } from '../web-errors.ts'
import { createRequestAnswers, type RequestAnswers } from './answer-requests.ts'
import type { RenderedPage, RenderTask } from './render-page.ts'

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
export async function drawPage({ page: given, executable, allowHosts, limits }: RenderTask): Promise<RenderedPage> {
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
