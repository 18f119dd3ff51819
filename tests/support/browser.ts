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

/** Screenshots of failed stories, kept after the run. */
const screenshots = fileURLToPath(new URL('../../node_modules/.cache/albumen-stories/', import.meta.url))

/** Far above what a story or one of its steps takes, so that a busy machine causes no failures. */
const storyTimeoutMs = 300_000
const stepTimeoutMs = 60_000

export type Story = {
  page: Page
  browser: BrowserContext
  /** Opens a path of the product. */
  visit(path: string): Promise<void>
  /** Signs this user in from here on. */
  signInAs(person: TestUser): Promise<void>
}

type StoryOptions = {
  /** The user who is signed in when the story begins. */
  as?: TestUser
  viewport?: { width: number; height: number }
  theme?: 'dark' | 'light' | 'system'
  hasTouch?: boolean
  /** With animations, as most users see them. They are off by default because they take time. */
  hasMotion?: boolean
}

type Stories = {
  product: TestApp
  /** The product's address, without a trailing slash. */
  address: string
  /** One test with its own browser window, without cookies or storage. It fails on any error in the page or the server. */
  story(name: string, tell: (story: Story) => Promise<void>, options?: StoryOptions): Promise<void>
}

/** The whole product with its built client, and one browser for all stories of a file. */
export async function openStories(context: TestContext, settings: Record<string, string> = {}): Promise<Stories> {
  const browser = await chromium.launch({
    executablePath: await findChromium(),
    args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--disable-background-networking'],
  })
  // Closed before the product stops, because the product waits for the connections that the browser keeps open.
  context.after(() => browser.close())
  const clientDir = await copyClient(context)
  const product = await testApp(context, settings, { clientDir })
  hideFirstSteps(product)
  const address = await product.app.listen({ port: 0, host: '127.0.0.1' })
  const faults: string[] = []
  // The page retries by itself, so a response with status 500 may not be visible there.
  product.app.server.on('request', ({ method, url }, response) =>
    response.once('finish', () => response.statusCode === 500 && faults.push(`${method} ${url} returned 500`)),
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

/** The card for new users would stand above the items of most stories; those about it register in the browser. */
function hideFirstSteps(product: TestApp) {
  const register = product.register
  product.register = async (username) => {
    const user = await register(username)
    await user.patch('/api/user/preferences', { firstSteps: 'closed' })
    return user
  }
}

/** The stories use a copy of the built client, so that another build can run at the same time. */
async function copyClient(context: TestContext) {
  const directory = await mkdtemp(join(tmpdir(), 'albumen-client-'))
  context.after(() => rm(directory, { recursive: true }))
  await cp(builtClientDir, directory, { recursive: true })
  return `${directory}/`
}

type StoryContext = { browser: Browser; address: string; options: StoryOptions; name: string; faults: string[] }

async function tellStory(tell: (story: Story) => Promise<void>, context: StoryContext) {
  const { browser, address, options, name, faults } = context
  const { as: person, theme, viewport = { width: 1280, height: 800 }, hasTouch = false, hasMotion = false } = options
  const reducedMotion = hasMotion ? 'no-preference' : 'reduce'
  const window = await browser.newContext({ baseURL: address, viewport, hasTouch, reducedMotion })
  window.setDefaultTimeout(stepTimeoutMs)
  window.on('page', (opened) => watchForFaults(opened, faults))
  await window.addInitScript(reportViolations)
  const page = await window.newPage()
  makeRoutingReliable(page)
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
    assert.deepEqual(faults, [], 'the page or the server reported errors')
  } catch (error) {
    const screenshot = `${screenshots}${name.replaceAll(/\W+/g, '-')}.png`
    await page.screenshot({ path: screenshot }).catch(() => undefined)
    throw new Error(`${error instanceof Error ? error.message : error}\nScreenshot: ${screenshot}`, {
      cause: error,
    })
  } finally {
    await window.close()
  }
}

/**
 * Chromium reports interception slightly before the page's process intercepts; a round trip to that process waits for it.
 * Removing the last route loses requests made in that moment (microsoft/playwright#41802), so one route always stays.
 */
function makeRoutingReliable(page: Page) {
  const route = page.route.bind(page)
  let permanent: Promise<unknown> | undefined
  page.route = async (...routing) => {
    permanent ??= route('**/never-requested', () => undefined)
    await permanent
    const ending = await route(...routing)
    await page.evaluate(() => undefined)
    return ending
  }
}

/** Some violations of the content security policy, such as code that a library generates, are not logged to the console. */
function reportViolations() {
  document.addEventListener('securitypolicyviolation', ({ effectiveDirective, blockedURI }) =>
    reportError(new Error(`The content policy refused ${blockedURI} (${effectiveDirective})`)),
  )
}

/** Collects uncaught exceptions, violations of the content security policy, and errors logged by React or the product. */
function watchForFaults(page: Page, faults: string[]) {
  page.on('pageerror', (error) => faults.push(error.message))
  page.on('console', (message) => {
    // Errors that stories cause on purpose: failed requests, refused frames, client chunks that do not load.
    const isExpected = /^(Failed to load resource|Framing )|^ChunkLoadError: /.test(message.text())
    if (message.type() === 'error' && !isExpected) faults.push(message.text())
  })
}

/** Fails with the accessibility violations that axe finds. */
export async function assertAccessible(page: Page) {
  await untilStill(page)
  assert.deepEqual(await findAccessibilityFaults(page), [])
}

/** Colors are final only when fade-in animations have ended. Endless animations are not waited for. */
async function untilStill(page: Page) {
  await page.evaluate(async () => {
    const ends = (animation: Animation) => Number.isFinite(animation.effect?.getComputedTiming().endTime)
    const moving = document.getAnimations().filter(ends)
    await Promise.all(moving.map(({ finished }) => finished.catch(() => undefined)))
  })
}

/** Checks only contrast in the given theme, because the themes differ only in colors. */
export async function assertReadableIn(page: Page, theme: 'dark' | 'light') {
  await page.evaluate((chosen) => {
    document.documentElement.dataset.theme = chosen
    document.documentElement.style.colorScheme = chosen
  }, theme)
  await untilStill(page)
  const contrast: RunOptions = { runOnly: { type: 'rule', values: ['color-contrast'] } }
  assert.deepEqual(await findAccessibilityFaults(page, contrast), [])
}

/** The toast; there is at most one, and an open dialog does not hide it from screen readers. */
export function toastOf(page: Page) {
  return page.getByRole('region', { name: /Notification/ }).locator('li')
}

/** Waits for a toast with this title and sentence; the previous toast may have had the same title. */
export async function seeToast(page: Page, title: string, sentence = '') {
  const titled = toastOf(page).filter({ has: page.getByText(title, { exact: true }) })
  await titled.filter({ hasText: sentence }).waitFor()
}

/** Waits for the toast and keeps it open: toasts stay while the window is not focused, otherwise they close after five seconds. */
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

/** Delays the next matching request until the returned function is called. */
export async function holdResponse(page: Page, address: string) {
  const answered = Promise.withResolvers<void>()
  await page.route(address, (route) => answered.promise.then(() => route.continue()), { times: 1 })
  return answered.resolve
}

/** Executes the next matching request, but breaks the connection before the page gets the response. */
export async function loseResponse(page: Page, address: string) {
  const lose = async (route: Route) => {
    await route.fetch()
    await route.abort('connectionreset')
  }
  await page.route(address, lose, { times: 1 })
}

/** Delays the next PATCH only, not reads of the same address. `asked` resolves when the page has sent it. */
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

/** Blocks live events, so that refetches after events do not affect requests that a story holds, fails or counts. */
export const ignoreEvents = (page: Page) => page.route('**/api/events?*', () => undefined)

/** The number of DOM nodes in memory, attached or not, after garbage collection. */
export async function countNodes(page: Page) {
  const session = await page.context().newCDPSession(page)
  await session.send('Performance.enable')
  await session.send('HeapProfiler.collectGarbage')
  const { metrics } = await session.send('Performance.getMetrics')
  await session.detach()
  return metrics.find(({ name }) => name === 'Nodes')!.value
}

/** Waits until the nodes created since then are collected, except for the few that any page keeps. */
export async function seeReleased(page: Page, nodesBefore: number) {
  const isReleased = async () => (await countNodes(page)) - nodesBefore < 8
  await until('nodes that are no longer needed are collected', isReleased, { withinMs: 60_000 })
}
