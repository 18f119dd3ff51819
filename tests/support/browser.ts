import assert from 'node:assert/strict'
import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { fileURLToPath } from 'node:url'
import type { RunOptions } from 'axe-core'
import { type Browser, type BrowserContext, chromium, type Page, type Route } from 'playwright-core'
import { builtClientDir } from '#app/server/client-files.ts'
import { findAccessibilityFaults } from './accessibility.ts'
import { findChromium } from './browser-binary.ts'
import { type TestApp, testApp } from './test-app.ts'
import type { TestUser } from './test-user.ts'
import { until } from './until.ts'

/** Not among the temporary files: it is looked at when the run is over. */
const pictures = fileURLToPath(new URL('../../node_modules/.cache/albumen-stories/', import.meta.url))

/** Far above what any story takes, and any step of one: what never comes fails, what comes late on a busy machine does not. */
const storyTimeoutMs = 300_000
const patienceMs = 60_000

export type Story = {
  page: Page
  browser: BrowserContext
  /** Opens a path of the product. */
  visit(path: string): Promise<void>
  /** From here on this person is signed in. */
  signInAs(person: TestUser): Promise<void>
}

type StoryOptions = {
  /** Whoever registered through `product` is signed in from the start. */
  as?: TestUser
  viewport?: { width: number; height: number }
  theme?: 'dark' | 'light' | 'system'
  hasTouch?: boolean
  /** As most people have it; the other stories are told without, since every movement costs time. */
  hasMotion?: boolean
}

type Stories = {
  product: TestApp
  /** The product's address, without a slash at its end. */
  address: string
  /** One test with a browser window of its own: no cookies, nothing stored. A fault in a page or of the server fails it. */
  story(name: string, tell: (story: Story) => Promise<void>, options?: StoryOptions): Promise<void>
}

/** The whole product, served as it is to people, and one browser for all stories of a file. */
export async function openStories(context: TestContext, settings: Record<string, string> = {}): Promise<Stories> {
  const browser = await chromium.launch({
    executablePath: await findChromium(),
    args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--disable-background-networking'],
  })
  // Closed before the product stops, which waits for every line that the browser keeps open in reserve.
  context.after(() => browser.close())
  const clientDir = await copyClient(context)
  const product = await testApp(context, settings, { clientDir })
  const address = await product.app.listen({ port: 0, host: '127.0.0.1' })
  const faults: string[] = []
  // A page asks again by itself, so nobody would see it there.
  product.app.server.on('request', ({ method, url }, response) =>
    response.once('finish', () => response.statusCode === 500 && faults.push(`${method} ${url} was answered with 500`)),
  )
  return {
    product,
    address,
    story: (name, tell, options = {}) =>
      context.test(name, { timeout: storyTimeoutMs }, () => {
        faults.length = 0
        return tellStory(tell, { browser, address, options, name, faults })
      }),
  }
}

/** The stories read a build of their own, so that another build can go on beside them. */
async function copyClient(context: TestContext) {
  const directory = await mkdtemp(join(tmpdir(), 'albumen-client-'))
  context.after(() => rm(directory, { recursive: true }))
  await cp(builtClientDir, directory, { recursive: true })
  return `${directory}/`
}

type Telling = { browser: Browser; address: string; options: StoryOptions; name: string; faults: string[] }

async function tellStory(tell: (story: Story) => Promise<void>, telling: Telling) {
  const { browser, address, options, name, faults } = telling
  const { as: person, theme, viewport = { width: 1280, height: 800 }, hasTouch = false, hasMotion = false } = options
  const reducedMotion = hasMotion ? 'no-preference' : 'reduce'
  const window = await browser.newContext({ baseURL: address, viewport, hasTouch, reducedMotion })
  window.setDefaultTimeout(patienceMs)
  window.on('page', (opened) => watchForFaults(opened, faults))
  await window.addInitScript(tellRefusals)
  const page = await window.newPage()
  interceptForSure(page)
  try {
    if (theme) await window.addInitScript((chosen) => localStorage.setItem('albumen-theme', chosen), theme)
    const signInAs = ({ cookies }: TestUser) =>
      window.addCookies([...cookies].map(([cookie, value]) => ({ name: cookie, value, url: address })))
    if (person) await signInAs(person)
    await tell({
      page,
      browser: window,
      signInAs,
      async visit(path) {
        await page.goto(path)
      },
    })
    assert.deepEqual(faults, [], 'a page or the server reported faults')
  } catch (error) {
    const picture = `${pictures}${name.replaceAll(/\W+/g, '-')}.png`
    await page.screenshot({ path: picture }).catch(() => undefined)
    throw new Error(`${error instanceof Error ? error.message : error}\nThe page at that moment: ${picture}`, {
      cause: error,
    })
  } finally {
    await window.close()
  }
}

/**
 * Chromium says that it intercepts a moment before the page's own process does; once that has answered, nothing slips by.
 * When nothing is to be intercepted any longer, it forgets what is asked for in that moment (microsoft/playwright#41802), so
 * something always is.
 */
function interceptForSure(page: Page) {
  const route = page.route.bind(page)
  let lasting: Promise<unknown> | undefined
  page.route = async (...routing) => {
    lasting ??= route('**/asked-by-nobody', () => undefined)
    await lasting
    const ending = await route(...routing)
    await page.evaluate(() => undefined)
    return ending
  }
}

/** The console is silent about some of what the content policy refuses, such as code that a library writes and tries. */
function tellRefusals() {
  document.addEventListener('securitypolicyviolation', ({ effectiveDirective, blockedURI }) =>
    reportError(new Error(`The content policy refused ${blockedURI} (${effectiveDirective})`)),
  )
}

/** Exceptions that nobody caught, what the content policy refused, and what React or the product complains about. */
function watchForFaults(page: Page, faults: string[]) {
  page.on('pageerror', (error) => faults.push(error.message))
  page.on('console', (message) => {
    // What a story brings about: an answer that is no success, a frame that is refused, a part of the client that is withheld.
    const isWanted = /^(Failed to load resource|Framing )|^ChunkLoadError: /.test(message.text())
    if (message.type() === 'error' && !isWanted) faults.push(message.text())
  })
}

/** Fails with what axe finds, by rule and place. */
export async function assertAccessible(page: Page) {
  await untilStill(page)
  assert.deepEqual(await findAccessibilityFaults(page), [])
}

/** What is half faded in has not its colours yet. What turns without end is not waited for. */
async function untilStill(page: Page) {
  await page.evaluate(async () => {
    const ends = (animation: Animation) => Number.isFinite(animation.effect?.getComputedTiming().endTime)
    const moving = document.getAnimations().filter(ends)
    await Promise.all(moving.map(({ finished }) => finished.catch(() => undefined)))
  })
}

/** The same page in the other theme: the themes differ in their colours alone. */
export async function assertReadableIn(page: Page, theme: 'dark' | 'light') {
  await page.evaluate((chosen) => {
    document.documentElement.dataset.theme = chosen
    document.documentElement.style.colorScheme = chosen
  }, theme)
  await untilStill(page)
  const colours: RunOptions = { runOnly: { type: 'rule', values: ['color-contrast'] } }
  assert.deepEqual(await findAccessibilityFaults(page, colours), [])
}

/** The notice at the edge of the page; there is at most one, and an open dialog does not hide it from screen readers. */
export function toastOf(page: Page) {
  return page.getByRole('region', { name: /Notification/ }).locator('li')
}

/** Waits for a notice with this title and, when given, this sentence: the one before it may have had the same title. */
export async function seeToast(page: Page, title: string, sentence = '') {
  const titled = toastOf(page).filter({ has: page.getByText(title, { exact: true }) })
  await titled.filter({ hasText: sentence }).waitFor()
}

/** The same for one that is needed later: it stays while somebody looks at another window, else for five seconds only. */
export async function holdToast(page: Page, title: string, sentence = '') {
  await seeToast(page, title, sentence)
  await page.evaluate(() => window.dispatchEvent(new Event('blur')))
}

/** Waits until the button with exactly this name has the focus. */
export async function seeFocus(page: Page, name: string) {
  await page.getByRole('button', { name, exact: true }).and(page.locator(':focus')).waitFor()
}

/** Whether the browser would ask before a reload or a closed tab. */
export const asksBeforeLeaving = (page: Page) =>
  page.evaluate(() => !window.dispatchEvent(new Event('beforeunload', { cancelable: true })))

/** Waits until the page is at this path (and query). */
export async function arriveAt(page: Page, path: string) {
  await page.waitForURL((url) => url.pathname + url.search === path)
}

/** The next request of this kind is answered when the result is called. */
export async function holdResponse(page: Page, address: string) {
  const answered = Promise.withResolvers<void>()
  await page.route(address, (route) => answered.promise.then(() => route.continue()), { times: 1 })
  return answered.resolve
}

/** The next request of this kind is done, and the connection breaks before the page hears of it. */
export async function loseResponse(page: Page, address: string) {
  const lose = async (route: Route) => {
    await route.fetch()
    await route.abort('connectionreset')
  }
  await page.route(address, lose, { times: 1 })
}

/** The same for the next PATCH alone: what is read from that address meanwhile is not held. `asked` when the page has sent it. */
export async function holdPatch(page: Page, address: string) {
  const [asked, answered] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  let isFirst = true
  await page.route(address, async (route) => {
    if (route.request().method() !== 'PATCH' || !isFirst) return route.continue()
    isFirst = false
    asked.resolve()
    await answered.promise
    await route.continue()
  })
  return { asked: asked.promise, answer: answered.resolve }
}

/** The page hears of no change: what it would fetch again for it is not held, refused or counted in place of something else. */
export const ignoreEvents = (page: Page) => page.route('**/api/events', () => undefined)

/** All that the browser keeps of documents, in the page or not, once nobody needs it any more. */
export async function countNodes(page: Page) {
  const session = await page.context().newCDPSession(page)
  await session.send('Performance.enable')
  await session.send('HeapProfiler.collectGarbage')
  const { metrics } = await session.send('Performance.getMetrics')
  await session.detach()
  return metrics.find(({ name }) => name === 'Nodes')!.value
}

/** Of what was made since then no more is kept than a page keeps by itself; a picture that is on its way stays until it is there. */
export async function seeReleased(page: Page, nodesBefore: number) {
  const isLetGo = async () => (await countNodes(page)) - nodesBefore < 8
  await until('what the page does not need any more is let go of', isLetGo, { withinMs: 60_000 })
}
