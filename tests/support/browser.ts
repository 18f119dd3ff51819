import assert from 'node:assert/strict'
import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { AxeBuilder } from '@axe-core/playwright'
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core'
import { builtClientDir } from '#app/server/client-files.ts'
import { findChromium } from './browser-binary.ts'
import { type TestApp, testApp } from './test-app.ts'
import type { TestUser } from './test-user.ts'

export type Story = {
  page: Page
  browser: BrowserContext
  /** Opens a path of the product. */
  visit(path: string): Promise<void>
  /** From here on this person is signed in. */
  become(person: TestUser): Promise<void>
}

export type StoryOptions = {
  /** Whoever registered through `product` is signed in from the start. */
  as?: TestUser
  viewport?: { width: number; height: number }
  theme?: 'dark' | 'light' | 'system'
  hasTouch?: boolean
}

export type Stories = {
  product: TestApp
  /** The product's address, without a slash at its end. */
  address: string
  /** One test with a browser window of its own: no cookies, nothing stored. A fault in the page fails it. */
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
  return {
    product,
    address,
    story: (name, tell, options = {}) => context.test(name, () => tellStory(tell, { browser, address, options, name })),
  }
}

/** The stories read a build of their own, so that another build can go on beside them. */
async function copyClient(context: TestContext) {
  const directory = await mkdtemp(join(tmpdir(), 'albumen-client-'))
  context.after(() => rm(directory, { recursive: true }))
  await cp(builtClientDir, directory, { recursive: true })
  return `${directory}/`
}

type Telling = { browser: Browser; address: string; options: StoryOptions; name: string }

async function tellStory(tell: (story: Story) => Promise<void>, { browser, address, options, name }: Telling) {
  const { as: person, theme, viewport = { width: 1280, height: 800 }, hasTouch = false } = options
  const window = await browser.newContext({ baseURL: address, viewport, hasTouch, reducedMotion: 'reduce' })
  const page = await window.newPage()
  page.setDefaultTimeout(15_000)
  const faults = watchForFaults(page)
  try {
    if (theme) await window.addInitScript((chosen) => localStorage.setItem('albumen-theme', chosen), theme)
    const become = ({ cookies }: TestUser) =>
      window.addCookies([...cookies].map(([cookie, value]) => ({ name: cookie, value, url: address })))
    if (person) await become(person)
    await tell({
      page,
      browser: window,
      become,
      async visit(path) {
        await page.goto(path)
      },
    })
    assert.deepEqual(faults, [], 'the page reported faults')
  } catch (error) {
    const picture = join(tmpdir(), `albumen-story-${name.replaceAll(/\W+/g, '-')}.png`)
    await page.screenshot({ path: picture }).catch(() => undefined)
    throw new Error(`${error instanceof Error ? error.message : error}\nThe page at that moment: ${picture}`, {
      cause: error,
    })
  } finally {
    await window.close()
  }
}

/** Exceptions that nobody caught, and what the content policy refused. */
function watchForFaults(page: Page): string[] {
  const faults: string[] = []
  page.on('pageerror', (error) => faults.push(error.message))
  page.on('console', (message) => {
    if (message.type() === 'error' && /Content Security Policy/.test(message.text())) faults.push(message.text())
  })
  return faults
}

/** Fails with what axe finds, by rule and place. */
export async function assertAccessible(page: Page) {
  await assertNoViolations(new AxeBuilder({ page }))
}

/** The same page in the other theme: the themes differ in their colours alone. */
export async function assertReadableIn(page: Page, theme: 'dark' | 'light') {
  await page.evaluate((chosen) => {
    document.documentElement.dataset.theme = chosen
    document.documentElement.style.colorScheme = chosen
  }, theme)
  await assertNoViolations(new AxeBuilder({ page }).withRules(['color-contrast']))
}

async function assertNoViolations(axe: AxeBuilder) {
  const { violations } = await axe.analyze()
  const found = violations.map(
    ({ id, help, nodes }) => `${id}: ${help} (${nodes.map(({ target }) => target).join(', ')})`,
  )
  assert.deepEqual(found, [])
}

/** The notice at the edge of the page; there is at most one, and an open dialog does not hide it from screen readers. */
export function noticeOf(page: Page) {
  return page.getByRole('region', { name: /Notification/ }).locator('li')
}

/** Waits for a notice with this title and, when given, this sentence: the one before it may have had the same title. */
export async function seeNotice(page: Page, title: string, sentence = '') {
  const titled = noticeOf(page).filter({ has: page.getByText(title, { exact: true }) })
  await titled.filter({ hasText: sentence }).waitFor()
}

/** Waits until the page is at this path (and query). */
export async function arriveAt(page: Page, path: string) {
  await page.waitForURL((url) => url.pathname + url.search === path)
}
