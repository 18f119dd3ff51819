import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page, Route } from 'playwright-core'
import {
  arriveAt,
  assertAccessible,
  countNodes,
  openStories,
  seeReleased,
  seeToast,
  toastOf,
} from '#tests/support/browser.ts'
import { makeJpeg } from '#tests/support/pictures.ts'
import { until } from '#tests/support/until.ts'
import { panelOf, pictureOf, seeBehind, seeName, viewerOf } from '#tests/support/viewer.ts'

test('the viewer', async (context) => {
  const { product, story } = await openStories(context)
  const ann = await product.register('ann')
  const first = await ann.addPicture('first.jpg')
  const second = await ann.addPicture('second.jpg', await makeJpeg({ width: 2000, height: 1500 }))
  const third = await ann.addPicture('third.jpg')

  await story(
    'opens from a card, moves to other items by keys and buttons, and folds its panel',
    async ({ page, visit }) => {
      await visit('/')
      await page.getByRole('button', { name: 'Open second.jpg' }).click()
      await arriveAt(page, `/?item=${second.id}`)
      await seeName(page, 'second.jpg')
      assert.equal(await viewerOf(page).getAttribute('data-theme'), 'dark')
      await pictureOf(page, 'second.jpg').waitFor()
      const scrolled = await page.evaluateHandle(() => {
        const behaviours: unknown[] = []
        Element.prototype.scrollIntoView = (how) => void behaviours.push((how as ScrollIntoViewOptions).behavior)
        return behaviours
      })
      await page.keyboard.press('ArrowRight')
      await seeName(page, 'first.jpg')
      await viewerOf(page)
        .locator('[aria-live=polite]')
        .getByText('first.jpg, 3 of 3. Image', { exact: true })
        .waitFor()
      assert.deepEqual(await scrolled.jsonValue(), ['instant'], 'nothing glides for who wants no motion')
      await arriveAt(page, `/?item=${first.id}`)
      await page.keyboard.press('ArrowRight')
      await page.keyboard.press('ArrowLeft')
      await viewerOf(page).getByRole('button', { name: 'Previous' }).click()
      await seeName(page, 'third.jpg')
      await viewerOf(page).getByRole('navigation').getByRole('button', { name: 'first.jpg' }).click()
      await seeName(page, 'first.jpg')
      await assertAccessible(page)
      await viewerOf(page).getByRole('button', { name: 'Close' }).focus()
      const stops = await tabStops(page, 'Edit')
      for (const name of ['Favorite', 'Download', 'Info', 'Previous', 'first.jpg'])
        assert.ok(stops.includes(name), `Tab goes ${stops.join(', ')}`)
      await page.keyboard.press('i')
      await panelOf(page).waitFor({ state: 'hidden' })
      await page.keyboard.press('i')
      await panelOf(page).waitFor()
    },
    { as: ann, theme: 'light' },
  )

  await story(
    'the keyboard shortcuts are listed over the viewer and over the library, and are off meanwhile',
    async ({ page, visit }) => {
      await visit('/')
      await page.getByRole('button', { name: 'Open first.jpg' }).click()
      await seeName(page, 'first.jpg')
      const shortcuts = page.getByRole('dialog', { name: 'Keyboard shortcuts' })
      await page.keyboard.press('?')
      await shortcuts.getByText('Fit to screen').waitFor()
      await assertAccessible(page)
      await page.keyboard.press('ArrowLeft')
      await page.keyboard.press('Escape')
      await shortcuts.waitFor({ state: 'hidden' })
      await seeName(page, 'first.jpg')
      await page.keyboard.press('Escape')
      await viewerOf(page).waitFor({ state: 'hidden' })
      await page.keyboard.press('?')
      await shortcuts.waitFor()
      await assertAccessible(page)
      await page.keyboard.press('Escape')
      await shortcuts.waitFor({ state: 'hidden' })
    },
    { as: ann, theme: 'light' },
  )

  await story(
    'Escape closes the viewer, focuses the card of the last item, and Back does not open it again',
    async ({ page, visit }) => {
      await visit('/')
      await page.getByRole('button', { name: 'Open second.jpg' }).click()
      await seeName(page, 'second.jpg')
      await page.keyboard.press('ArrowRight')
      await seeName(page, 'first.jpg')
      await page.keyboard.press('Escape')
      await viewerOf(page).waitFor({ state: 'hidden' })
      await arriveAt(page, '/')
      await page.getByRole('button', { name: 'Open first.jpg' }).and(page.locator(':focus')).waitFor()

      await page.getByRole('button', { name: 'Images', exact: true }).click()
      await page.getByRole('button', { name: 'Open first.jpg' }).click()
      await seeName(page, 'first.jpg')
      await page.keyboard.press('ArrowLeft')
      await seeName(page, 'second.jpg')
      await Promise.all([page.keyboard.press('Escape'), page.keyboard.press('Escape')])
      await arriveAt(page, '/?filter=images')
      await page.goBack()
      await arriveAt(page, '/')
      assert.equal(await viewerOf(page).count(), 0)
    },
    { as: ann, theme: 'light' },
  )

  await story(
    'a card that is focused while the viewer closes keeps the focus',
    async ({ page, visit }) => {
      await visit('/')
      await page.getByRole('button', { name: 'Open second.jpg' }).click()
      await seeName(page, 'second.jpg')
      const focused = await page.evaluateHandle((id) => {
        const viewer = document.querySelector('[role=dialog]')
        const { promise, resolve } = Promise.withResolvers<string | null | undefined>()
        new MutationObserver((_changes, observer) => {
          if (viewer?.isConnected) return
          observer.disconnect()
          document.querySelector<HTMLElement>(`[data-media-id="${id}"] button`)?.focus()
          // The dialog returns the focus in a timer of its own, which is over by then.
          setTimeout(() => resolve(document.activeElement?.ariaLabel), 50)
        }).observe(document.body, { childList: true, subtree: true })
        return { promise }
      }, first.id)
      await page.keyboard.press('Escape')
      assert.equal(await focused.evaluate(({ promise }) => promise), 'Open first.jpg')
    },
    { as: ann, theme: 'light' },
  )

  await story(
    'an arrow key that is held turns the pages no faster than browsers let the address change, and asks about the last',
    async ({ page, visit }) => {
      await visit(`/?item=${third.id}`)
      await seeBehind(page, first.id)
      const asked: string[] = []
      page.on('request', (request) => asked.push(request.url().replace(/^.*?\/api/, '/api')))
      const aboutLast = page.waitForRequest(`**/api/media?similarToId=${first.id}&*`)
      const turnedAt = await page.evaluateHandle(() => {
        const times: number[] = []
        let pressedAt = 0
        const notePress = ({ timeStamp }: Event) => {
          pressedAt = timeStamp
        }
        window.addEventListener('keydown', notePress, { capture: true })
        window.addEventListener('replaceState', () => times.push(pressedAt))
        return times
      })
      await page.evaluate(async () => {
        for (let pressed = 0; pressed < 100; pressed++) {
          const held = { key: 'ArrowRight', repeat: pressed > 0, bubbles: true, cancelable: true }
          document.body.dispatchEvent(new KeyboardEvent('keydown', held))
          await new Promise((resolve) => setTimeout(resolve, 5))
        }
      })
      await arriveAt(page, `/?item=${first.id}`)
      const [atSecond, atFirst] = await turnedAt.jsonValue()
      assert.ok(atFirst! - atSecond! > 100, `turned again after ${atFirst! - atSecond!} ms`)
      await aboutLast
      const passedBy = asked.filter((address) => address.match(RegExp(`(/media/|=)${second.id}\\b`)))
      assert.deepEqual(passedBy, [], 'items that are only skipped over are not requested')
    },
    { as: ann },
  )

  await story(
    'preloaded images are released after any number of steps',
    async ({ page, visit }) => {
      await visit(`/?item=${third.id}`)
      await seeBehind(page, first.id)
      const turnToAndFro = async (times: number) => {
        for (let turned = 0; turned < times; turned++) {
          await page.keyboard.press('ArrowRight')
          await seeName(page, 'second.jpg')
          await page.keyboard.press('ArrowLeft')
          await seeName(page, 'third.jpg')
        }
      }
      await turnToAndFro(1)
      const before = await countNodes(page)
      await turnToAndFro(8)
      await seeReleased(page, before)
    },
    { as: ann },
  )

  await story(
    'a link opens the item; one that is not there says so',
    async ({ page, visit }) => {
      await visit(`/?item=${first.id}`)
      await seeName(page, 'first.jpg')
      // The list comes after the viewer here, and is there for the eye only.
      await page.getByRole('button', { name: 'Open first.jpg', includeHidden: true }).waitFor({ state: 'attached' })
      assert.equal(await page.getByRole('button', { name: 'Open first.jpg' }).count(), 0)
      let questions = 0
      page.on('request', (request) => request.url().endsWith('/api/media/987654') && questions++)
      await visit('/?item=987654')
      await viewerOf(page).getByText("This item isn't in your library").waitFor()
      assert.equal(questions, 1, 'what is not there is not asked for again before it is said')
      await viewerOf(page).getByRole('button', { name: 'Back to the library' }).click()
      await arriveAt(page, '/')
      // A lost connection says nothing about the item, and what the list behind knows is still shown.
      await page.route(`**/api/media/${first.id}`, (route) => route.abort())
      const lost = page.waitForEvent('requestfailed')
      await page.getByRole('button', { name: 'Open first.jpg' }).click()
      await lost
      await seeName(page, 'first.jpg')
      await visit(`/?filter=favorites&item=${first.id}`)
      await viewerOf(page).getByText("Couldn't load this item").waitFor()
      await page.unroute(`**/api/media/${first.id}`)
      await viewerOf(page).getByRole('button', { name: 'Try again' }).click()
      await seeName(page, 'first.jpg')
      // Deleted elsewhere while it is open: nothing can be done with it any more.
      const passing = await ann.addPicture('passing.jpg')
      const hears = page.waitForResponse('**/api/events?*')
      await visit(`/?item=${passing.id}`)
      await seeName(page, 'passing.jpg')
      await hears
      await ann.delete(`/api/media/${passing.id}`)
      await viewerOf(page).getByText("This item isn't in your library").waitFor()
      assert.equal(await panelOf(page).count(), 0)
      await page.keyboard.press('e')
      assert.equal(await panelOf(page).count(), 0, 'there is nothing to edit')
    },
    { as: ann },
  )

  await story(
    'an answer that was on its way while the item was deleted is not believed',
    async ({ page, visit }) => {
      const passing = await ann.addPicture('passing.jpg')
      const arrives = Promise.withResolvers<void>()
      const asked = Promise.withResolvers<void>()
      const holdOldAnswer = async (route: Route) => {
        const response = await route.fetch()
        asked.resolve()
        await arrives.promise
        await route.fulfill({ response })
      }
      await page.route(`**/api/media/${passing.id}`, holdOldAnswer, { times: 1 })
      await visit(`/?item=${passing.id}`)
      await asked.promise
      await seeName(page, 'passing.jpg')
      const listWithout = page.waitForResponse(
        async (response) => response.url().includes('/api/media?') && !(await response.text()).includes('passing.jpg'),
      )
      await ann.delete(`/api/media/${passing.id}`)
      await listWithout
      arrives.resolve()
      await viewerOf(page).getByText("This item isn't in your library").waitFor()
    },
    { as: ann },
  )

  await story(
    'moving to the trash goes on to the next item and can be undone; deleting asks with the specified words',
    async ({ page, visit, signInAs }) => {
      const ben = await product.register('ben')
      const kept = await ben.addPicture('kept.jpg')
      const gone = await ben.addPicture('gone.jpg')
      await signInAs(ben)
      await visit(`/?item=${gone.id}`)
      await seeName(page, 'gone.jpg')
      await seeBehind(page, kept.id)
      // Not all is up to date again when it is undone.
      const counted = Promise.withResolvers<void>()
      await page.route('**/api/user/storage', (route) => counted.promise.then(() => route.continue()))
      // Held too long, it still takes one.
      for (const _ of [1, 2, 3]) await page.keyboard.down('Delete')
      await page.keyboard.up('Delete')
      await seeName(page, 'kept.jpg')
      await seeToast(page, 'Moved to Trash')
      await toastOf(page).getByText('Undo').click()
      await seeToast(page, 'Restored')
      await seeBehind(page, gone.id)
      counted.resolve()
      await viewerOf(page).getByRole('button', { name: 'Previous' }).click()
      await seeName(page, 'gone.jpg')

      await panelOf(page).getByRole('button', { name: 'Delete permanently…' }).click()
      const question = page.getByRole('alertdialog')
      await question
        .getByText('Are you sure you want to delete this media? This action cannot be undone.', { exact: true })
        .waitFor()
      await assertAccessible(page)
      const harmless = question.getByRole('button', { name: 'Cancel' })
      assert.ok(await harmless.evaluate((button) => button === document.activeElement), 'the question has the focus')
      await harmless.click()
      await panelOf(page).getByRole('button', { name: 'Delete permanently…' }).click()
      // The request for the deleted item takes long, but the user does not wait for it.
      const moved = Promise.withResolvers<void>()
      await page.route(`**/api/media/${gone.id}`, async (route) => {
        if (route.request().method() === 'GET') await moved.promise
        await route.continue()
      })
      await question.getByRole('button', { name: 'Delete', exact: true }).click()
      await seeToast(page, 'Item deleted')
      await seeName(page, 'kept.jpg')
      await question.waitFor({ state: 'hidden' })
      moved.resolve()
      assert.equal((await ben.get(`/api/media/${gone.id}`)).statusCode, 404)
      await viewerOf(page).getByRole('button', { name: 'Move to Trash' }).click()
      await viewerOf(page).waitFor({ state: 'hidden' })

      await visit(`/?filter=trash&item=${kept.id}`)
      await panelOf(page).getByText('In the Trash').waitFor()
      // Where it lies already, the key takes it nowhere.
      await page.keyboard.press('Delete')
      await panelOf(page).getByRole('button', { name: 'Restore' }).click()
      await seeToast(page, 'Restored')
      assert.equal((await ben.get(`/api/media/${kept.id}`)).json().trashedAt, null)
    },
  )

  await story(
    'an item that leaves the list behind it keeps its neighbours; one that was trashed is none, unless that is refused',
    async (it) => {
      const { page, visit, signInAs } = it
      const cleo = await product.register('cleo')
      const ids: number[] = []
      for (const name of ['last.jpg', 'middle.jpg', 'newest.jpg']) ids.push((await cleo.addPicture(name)).id)
      for (const id of ids) await cleo.patch(`/api/media/${id}`, { isFavorite: true })
      await signInAs(cleo)
      await visit(`/?filter=favorites&item=${ids[1]}`)
      await seeName(page, 'middle.jpg')
      await seeBehind(page, ids[1]!)
      await page.keyboard.press('f')
      await page.locator(`[data-media-id="${ids[1]}"]`).waitFor({ state: 'detached' })
      await page.keyboard.press('ArrowRight')
      await seeName(page, 'last.jpg')

      // Faster than the list behind: it still shows what is in the trash already.
      await visit(`/?item=${ids[0]}`)
      await seeName(page, 'last.jpg')
      await seeBehind(page, ids[0]!)
      const listed = Promise.withResolvers<void>()
      await page.route('**/api/media?*', (route) => listed.promise.then(() => route.continue()))
      // The first is refused when the second is in the trash: it alone comes back.
      const refused = Promise.withResolvers<void>()
      await page.route('**/api/media/bulk-trash', (route) => refused.promise.then(() => route.abort()), { times: 1 })
      await page.keyboard.press('Delete')
      await seeName(page, 'middle.jpg')
      await page.keyboard.press('Delete')
      await seeName(page, 'newest.jpg')
      await seeToast(page, 'Moved to Trash')
      refused.resolve()
      await seeToast(page, 'Delete failed')
      await viewerOf(page).getByRole('button', { name: 'Next' }).click()
      await seeName(page, 'last.jpg')
      await page.keyboard.press('Delete')
      await seeName(page, 'newest.jpg')
      listed.resolve()
      await page.locator(`[data-media-id="${ids[1]}"]`).waitFor({ state: 'detached' })
      assert.equal(await viewerOf(page).getByRole('button', { name: 'Next' }).count(), 0)
    },
  )

  await story(
    'on a phone the panel is a sheet below, and a finger turns the page',
    async ({ page, visit }) => {
      await visit(`/?item=${second.id}`)
      await pictureOf(page, 'second.jpg').waitFor()
      assert.equal(await panelOf(page).count(), 0, 'the picture comes first')
      await seeBehind(page, first.id)
      const width = async () => (await pictureOf(page, 'second.jpg').boundingBox())!.width
      const whole = await width()
      await drawAcross(page, [[300], [250], [200], [200, 260], [160, 300], [120, 340]])
      assert.equal(await page.evaluate(() => location.search), `?item=${second.id}`, 'two fingers magnify')
      const isAsWide = async () => Math.abs((await width()) / whole - 220 / 60) < 0.01
      await until('the picture has grown as the fingers went apart', isAsWide, { withinMs: 20_000 })
      await page.keyboard.press('0')
      await drawAcross(page, [[300], [250], [200], [150], [100]])
      await pictureOf(page, 'first.jpg').waitFor()
      // Over before anything of it could be drawn, as on a slow phone.
      const flick = (end: 'pointerup' | 'pointercancel') =>
        pictureOf(page, 'first.jpg').evaluate((picture, last) => {
          const finger = { bubbles: true, pointerId: 1, pointerType: 'touch' }
          for (const [type, clientX] of Object.entries({ pointerdown: 100, pointermove: 300, [last]: 300 }))
            picture.dispatchEvent(new PointerEvent(type, { ...finger, clientX }))
        }, end)
      await flick('pointercancel')
      assert.equal(await page.evaluate(() => location.search), `?item=${first.id}`, 'the system took the finger away')
      await flick('pointerup')
      await pictureOf(page, 'second.jpg').waitFor()
      const unseen = await viewerOf(page).getByRole('button', { name: 'Previous' }).boundingBox()
      assert.equal(unseen?.width, 1, 'it is there for screen readers')
      await visit(`/?item=${second.id}`)
      await viewerOf(page).getByRole('button', { name: 'Info' }).tap()
      const [panel, screen] = [await panelOf(page).boundingBox(), page.viewportSize()]
      assert.ok(panel && screen && panel.width === screen.width && panel.y > screen.height * 0.3)
      await assertAccessible(page)
    },
    { as: ann, hasTouch: true, viewport: { width: 360, height: 720 } },
  )
})

/** What Tab comes by on its way to the one with this name. */
async function tabStops(page: Page, last: string) {
  const stops: string[] = []
  while (stops.at(-1) !== last && stops.length < 20) {
    await page.keyboard.press('Tab')
    stops.push(await page.evaluate(() => document.activeElement?.getAttribute('aria-label') ?? ''))
  }
  return stops
}

/** Fingers on the screen, step by step: where each of them is. */
async function drawAcross(page: Page, steps: number[][]) {
  const hand = await page.context().newCDPSession(page)
  let fingers = 0
  for (const places of steps) {
    const type = places.length > fingers ? 'touchStart' : 'touchMove'
    const touchPoints = places.map((x, id) => ({ id, x, y: 360 }))
    await hand.send('Input.dispatchTouchEvent', { type, touchPoints })
    fingers = places.length
  }
  await hand.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] })
}
