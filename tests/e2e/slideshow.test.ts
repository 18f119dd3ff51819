import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { createClipMaker } from '#engines/video/testing/clips.ts'
import { arriveAt, assertAccessible, holdResponse, openStories } from '#tests/support/browser.ts'
import { temporaryFolder } from '#tests/support/temporary-folder.ts'
import { panelOf, seeBehind, seeName, viewerOf } from '#tests/support/viewer.ts'

const buttonOf = (page: Page) => viewerOf(page).getByRole('button', { name: 'Slideshow' })

/** Runs in the page: its five seconds pass when the story says so, since looking may take longer on a slow machine. */
function holdSlides() {
  const [set, clear] = [window.setInterval, window.clearInterval]
  const held = new Map<number, () => void>()
  let last = 0
  window.setInterval = ((work: () => void, ms: number) => {
    if (ms !== 5000) return set(work, ms)
    held.set(--last, work)
    return last
  }) as typeof setInterval
  window.clearInterval = ((id: number) => void (held.delete(id) || clear(id))) as typeof clearInterval
  window.addEventListener('five-seconds', () => {
    for (const work of [...held.values()]) work()
  })
}

const passTime = (page: Page) => page.evaluate(() => void window.dispatchEvent(new Event('five-seconds')))

/** Runs in the page: a film of two seconds is still playing when it is looked at. */
function playSlowly() {
  const slowDown = ({ target }: Event) => {
    if (target instanceof HTMLVideoElement) target.playbackRate = 0.1
  }
  document.addEventListener('play', slowDown, { capture: true })
}

/** Runs in the page: counts what keeps the screen on. A page that is out of view loses it, as browsers have it. */
function countLocks() {
  const locks = new Set<object>()
  const request = async () => {
    const lock = { release: async () => void locks.delete(lock) }
    locks.add(lock)
    return lock
  }
  Object.defineProperty(navigator, 'wakeLock', { value: { request } })
  Object.defineProperty(window, 'heldLocks', { get: () => locks.size })
  window.addEventListener('turn-away', () => {
    locks.clear()
    Object.defineProperty(document, 'hidden', { value: true, configurable: true })
    document.dispatchEvent(new Event('visibilitychange'))
  })
  window.addEventListener('come-back', () => {
    Object.defineProperty(document, 'hidden', { value: false, configurable: true })
    document.dispatchEvent(new Event('visibilitychange'))
  })
}

const seeLocks = (page: Page, count: number) =>
  page.waitForFunction((wanted) => (window as unknown as { heldLocks: number }).heldLocks === wanted, count)

test('the slideshow', async (context) => {
  const { product, story } = await openStories(context)
  const clips = createClipMaker(await temporaryFolder(context))
  context.after(clips.close)
  const ann = await product.register('ann')
  const last = await ann.addPicture('last.jpg')
  const film = await ann.addPicture('film.mp4', await readFile(await clips.make({ index: 'first', audioCodec: 'aac' })))
  const first = await ann.addPicture('first.jpg')
  await product.settled()

  await story(
    'turns by itself, lets a film play to its end, and is over after the last item',
    async ({ page, visit }) => {
      await page.addInitScript(holdSlides)
      await page.addInitScript(playSlowly)
      await visit(`/?item=${first.id}`)
      await seeBehind(page, last.id)
      await seeName(page, 'first.jpg')
      await buttonOf(page).click()
      await panelOf(page).waitFor({ state: 'hidden' })
      await viewerOf(page).getByRole('navigation').waitFor({ state: 'hidden' })
      await viewerOf(page).getByText('first.jpg', { exact: true }).waitFor()
      assert.equal(await buttonOf(page).getAttribute('aria-pressed'), 'true')
      await assertAccessible(page)

      await passTime(page)
      await arriveAt(page, `/?item=${film.id}`)
      const player = page.locator('video')
      await page.waitForFunction(() => document.querySelector('video')?.paused === false)
      await passTime(page)
      await passTime(page)
      assert.match(page.url(), new RegExp(`item=${film.id}$`), 'a film that plays is waited for')
      await player.evaluate((video: HTMLVideoElement) => {
        video.currentTime = video.duration
      })
      await page.waitForFunction(() => document.querySelector('video')?.ended)
      await passTime(page)
      await arriveAt(page, `/?item=${last.id}`)

      await passTime(page)
      await seeName(page, 'last.jpg')
      await buttonOf(page).waitFor({ state: 'hidden' })
      await page.keyboard.press('s')
      assert.equal(await panelOf(page).count(), 1, 'where nothing follows, its key does nothing either')
    },
    { as: ann },
  )

  const bob = await product.register('bob')
  // Newest first: the last two are the next page.
  const bobs: number[] = []
  for (let count = 0; count < 27; count++) bobs.push((await bob.addPicture(`b${count}.jpg`)).id)
  await product.settled()
  await story(
    'waits at the end of a page for the next one, and goes on; from what is gone at once',
    async ({ page, visit }) => {
      await page.addInitScript(holdSlides)
      const answer = await holdResponse(page, '**/api/media?page=2&*')
      const asked = page.waitForRequest('**/api/media?page=2&*')
      await visit('/?pageSize=25')
      await page.getByRole('button', { name: 'Open b3.jpg' }).click()
      await seeName(page, 'b3.jpg')
      await asked
      await page.keyboard.press('s')
      await panelOf(page).waitFor({ state: 'hidden' })
      await passTime(page)
      await viewerOf(page).getByText('b2.jpg', { exact: true }).waitFor()
      await passTime(page)
      answer()
      await viewerOf(page).getByRole('button', { name: 'Next' }).waitFor({ state: 'attached' })
      assert.equal(await panelOf(page).count(), 0, 'it has not ended')
      await passTime(page)
      await viewerOf(page).getByText('b1.jpg', { exact: true }).waitFor()
      // An item that was deleted elsewhere is skipped without waiting five seconds.
      await bob.delete(`/api/media/${bobs[1]}`)
      await viewerOf(page).getByText('b0.jpg', { exact: true }).waitFor()
    },
    { as: bob },
  )

  await story(
    'pauses while a dialog is open, and ends when the user zooms in',
    async ({ page, visit }) => {
      await page.addInitScript(holdSlides)
      await visit(`/?item=${first.id}`)
      await seeBehind(page, last.id)
      await seeName(page, 'first.jpg')
      const begin = async () => {
        await page.keyboard.press('s')
        await panelOf(page).waitFor({ state: 'hidden' })
      }
      await begin()
      await page.keyboard.press('?')
      const shortcuts = page.getByRole('dialog', { name: 'Keyboard shortcuts' })
      await shortcuts.getByText('Slideshow').waitFor()
      await passTime(page)
      await page.keyboard.press('Escape')
      await shortcuts.waitFor({ state: 'hidden' })
      assert.match(page.url(), new RegExp(`item=${first.id}$`), 'nothing turns behind a dialog')

      await page.keyboard.press('+')
      await seeName(page, 'first.jpg')
      await passTime(page)
      assert.match(page.url(), new RegExp(`item=${first.id}$`), 'what is magnified stays')
      await begin()
      await page.keyboard.press('i')
      await seeName(page, 'first.jpg')
      await begin()
      await page.keyboard.press('Escape')
      await seeName(page, 'first.jpg')
      await page.keyboard.press('Escape')
      await viewerOf(page).waitFor({ state: 'hidden' })
    },
    { as: ann },
  )

  await story(
    'keeps the screen on, also after the user has switched windows',
    async ({ page, visit }) => {
      await page.addInitScript(holdSlides)
      await page.addInitScript(countLocks)
      await visit(`/?item=${first.id}`)
      await seeBehind(page, last.id)
      await seeName(page, 'first.jpg')
      await page.keyboard.press('s')
      await seeLocks(page, 1)
      await page.evaluate(() => void window.dispatchEvent(new Event('turn-away')))
      await seeLocks(page, 0)
      await page.evaluate(() => void window.dispatchEvent(new Event('come-back')))
      await seeLocks(page, 1)
      await page.keyboard.press('s')
      await seeLocks(page, 0)
    },
    { as: ann },
  )
})
