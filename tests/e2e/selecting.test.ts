import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertAccessible, holdResponse, openStories, seeToast } from '#tests/support/browser.ts'
import { cardOf, chooseMore, register, select } from '#tests/support/selection.ts'
import { viewerOf } from '#tests/support/viewer.ts'

test('select mode', async (context) => {
  const { product, story } = await openStories(context)

  await story('a selection belongs to its view, and the trash offers its own actions', async (it) => {
    const { page, visit, signInAs } = it
    const person = await register(product, 'sorter', ['kept.jpg', 'trashed.jpg'])
    const [{ id }] = (await person.get('/api/media?search=trashed')).json().media
    await person.post('/api/media/bulk-trash', { mediaIds: [id] })
    await signInAs(person)
    await visit('/')
    await select(page, ['kept.jpg'])
    // A late response or an item of the previous view is not selected in the next view.
    const listed = Promise.withResolvers<void>()
    await page.route('**/api/media?*trashed=true*', (route) => listed.promise.then(() => route.continue()))
    await page.route('**/api/media/recent-uploads', (route) => listed.promise.then(() => route.continue()))
    await page.getByRole('button', { name: 'Recent Uploads' }).click()
    await page.getByRole('button', { name: 'Trash', exact: true }).click()
    await page.getByRole('heading', { name: 'Trash' }).waitFor()
    await page.keyboard.press('Control+a')
    await page.getByText('0 selected').waitFor()
    const answered = page.waitForResponse('**/api/media/recent-uploads')
    listed.resolve()
    await answered
    await page.getByRole('checkbox', { name: 'Select trashed.jpg' }).click()
    // Screen readers announce the whole count, not only the digits that changed.
    await page.locator('[aria-live=polite][aria-atomic=true]').getByText('1 selected').waitFor()
    await page.getByRole('button', { name: 'More actions' }).click()
    await page.getByRole('menuitem', { name: 'History' }).waitFor()
    assert.deepEqual(await page.getByRole('menuitem').allTextContents(), ['History', 'Delete permanently (1)…'])
    await assertAccessible(page)
  })

  await story('an item restored in another tab is not deleted with the rest of the selection', async (it) => {
    const { page, visit, signInAs } = it
    const person = await register(product, 'rescuer', ['late.jpg', 'rescued.jpg', 'unwanted.jpg'])
    const { media } = (await person.get('/api/media?sort=name')).json()
    const [late, rescued, unwanted] = media.map(({ id }: { id: number }) => id)
    await person.post('/api/media/bulk-trash', { mediaIds: [late, rescued, unwanted] })
    await signInAs(person)
    await visit('/?filter=trash')
    await select(page, ['late.jpg', 'rescued.jpg', 'unwanted.jpg'])
    await page.getByText('3 selected').waitFor()
    await person.post('/api/media/bulk-restore', { mediaIds: [rescued] })
    await page.getByText('2 selected').waitFor()
    await chooseMore(page, 'Delete permanently (2)…')
    // The same holds for an item restored while the confirmation is open.
    await page.getByRole('button', { name: 'Delete 2 items' }).waitFor()
    await person.post('/api/media/bulk-restore', { mediaIds: [late] })
    await page.getByRole('button', { name: 'Delete 2 items' }).click()
    await seeToast(page, 'Images deleted', 'Deleted 1 item. 1 item failed: It is no longer in the trash.')
    const left = (await person.get('/api/media?sort=name')).json().media.map(({ id }: { id: number }) => id)
    assert.deepEqual(left, [late, rescued])
    await page.getByRole('region', { name: 'Selected items' }).waitFor({ state: 'detached' })
  })

  const selector = await register(product, 'selector', ['a.jpg', 'b.jpg', 'c.jpg', 'd.jpg'])

  await story('in the list layout a click opens a row, and Ctrl and Shift select rows', async (it) => {
    const { page, visit, signInAs } = it
    await signInAs(selector)
    await visit('/?layout=list')
    const cell = page.getByRole('cell', { name: 'JPEG' }).first()
    await cell.hover()
    await page.mouse.down()
    const { x, y } = (await cell.boundingBox())!
    await page.mouse.move(x + 5, y + 5, { steps: 5 })
    await page.mouse.up()
    await viewerOf(page).waitFor()
    await page.keyboard.press('Escape')
    await cell.click({ modifiers: ['ControlOrMeta'] })
    await page.getByText('1 selected').waitFor()
    await page.getByRole('checkbox', { name: 'Select b.jpg' }).click({ modifiers: ['Shift'] })
    await page.getByText('3 selected').waitFor()
    // The cell around the checkbox selects too, and is not a second tab stop.
    await page.getByRole('row', { name: 'a.jpg' }).getByRole('cell').first().click()
    await page.getByText('4 selected').waitFor()
  })

  await story('in the grid the whole card selects, Shift selects a range, and Escape ends it', async (it) => {
    const { page, visit, signInAs } = it
    await signInAs(selector)
    await visit('/')
    // Clicking the text below a picture opens the item too, except for its name.
    await page.getByRole('listitem').filter({ hasText: 'd.jpg' }).getByText(' · ').click()
    await viewerOf(page).waitFor()
    await page.keyboard.press('Escape')
    await select(page, ['d.jpg'])
    assert.ok(await page.getByRole('checkbox', { name: 'Select d.jpg' }).isChecked())
    await page.keyboard.press('Tab')
    assert.equal(await page.evaluate(() => document.activeElement?.ariaLabel), 'Select c.jpg')
    await page.getByRole('checkbox', { name: 'Select b.jpg' }).click({ modifiers: ['Shift'] })
    await page.getByText('3 selected').waitFor()
    await page.getByText('a.jpg', { exact: true }).click()
    await page.getByText('4 selected').waitFor()
    await page.getByRole('button', { name: 'Add Media' }).waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('region', { name: 'Selected items' }).waitFor({ state: 'detached' })
  })

  await story('a rectangle drawn with the mouse selects the cards it touches', async (it) => {
    const { page, visit, signInAs } = it
    await signInAs(selector)
    await visit('/')
    await page.getByRole('button', { name: 'Select', exact: true }).click()
    const from = (await page.getByRole('checkbox', { name: 'Select d.jpg' }).boundingBox())!
    const to = (await page.getByRole('checkbox', { name: 'Select c.jpg' }).boundingBox())!
    await page.mouse.click(from.x + 16, from.y + 16)
    await page.getByText('1 selected').waitFor()
    await page.mouse.move(from.x + 40, from.y + 40)
    await page.mouse.down()
    await page.mouse.move(to.x + 40, to.y + 60, { steps: 5 })
    await page.mouse.up()
    await page.getByText('2 selected').waitFor()
    await page.keyboard.press('Escape')
    // Outside select mode only a rectangle started between the cards selects; dragging a picture selects nothing.
    const draw = async (x: number, y: number) => {
      await page.mouse.move(from.x + x, from.y + y)
      await page.mouse.down()
      await page.mouse.move(to.x + 40, to.y + to.height + 40, { steps: 5 })
      await page.mouse.up()
    }
    await draw(40, 40)
    assert.equal(await page.evaluate(() => String(getSelection())), '')
    await cardOf(page, 'd.jpg').waitFor()
    // A release that the page did not see also ends the rectangle.
    await page.mouse.move(from.x - 8, from.y - 8)
    await page.mouse.down()
    await page.mouse.move(from.x, 20)
    await page.mouse.up()
    await page.mouse.move(to.x + 40, to.y + 40, { steps: 5 })
    await cardOf(page, 'd.jpg').waitFor()
    assert.equal(await page.getByRole('region', { name: 'Selected items' }).count(), 0)
    await draw(-8, -8)
    await page.getByText('2 selected').waitFor()
  })

  await story('the Delete key trashes the selection, and items selected in the meantime stay selected', async (it) => {
    const { page, visit, signInAs } = it
    await signInAs(selector)
    await visit('/')
    await select(page, ['c.jpg', 'd.jpg'])
    const release = await holdResponse(page, '**/api/media/bulk-trash')
    await page.getByRole('checkbox', { name: 'Select a.jpg' }).press('Delete')
    await page.keyboard.press('Control+a')
    await page.getByText('4 selected').waitFor()
    release()
    await seeToast(page, 'Moved to Trash', '2 items')
    await page.getByText('1-2 of 2 items').waitFor()
    await page.getByText('2 selected').waitFor()
    const answer = await holdResponse(page, '**/api/media/bulk-trash')
    await page.getByRole('button', { name: 'Move to Trash' }).click()
    await page.locator('button[aria-busy=true]', { hasText: 'Move to Trash' }).waitFor()
    await seeToast(page, 'Moving to Trash')
    answer()
    await seeToast(page, 'Moved to Trash', '2 items')
    await page.getByText('No media files yet').waitFor()
  })

  const chooser = await register(
    product,
    'chooser',
    Array.from({ length: 27 }, (_, index) => `p${index}.jpg`),
  )

  await story(
    'all matching items beyond the page, or all recent uploads, are selected with one click',
    async ({ page, visit }) => {
      await visit('/?pageSize=25')
      await page.getByRole('button', { name: 'Select', exact: true }).click()
      await page.getByRole('button', { name: 'Select All' }).click()
      await page.getByText('25 selected').waitFor()
      await page.getByRole('button', { name: 'Select all 27 that match' }).click()
      await page.getByText('27 selected').waitFor()
      await page.getByRole('button', { name: 'Next' }).click()
      await page.getByText('27 selected').waitFor()
      await page.keyboard.press('Escape')
      await page.getByRole('button', { name: 'Recent Uploads' }).click()
      await seeToast(page, 'Recent uploads selected', '27 items uploaded within a minute.')
      await page.getByText('27 selected').waitFor()
      // With a search, only the recent uploads that match are selected.
      await visit('/?search=p25')
      await page.getByText('1-1 of 1 items').waitFor()
      await page.getByRole('button', { name: 'Recent Uploads' }).click()
      await seeToast(page, 'Recent uploads selected', '1 item uploaded within a minute.')
      await page.getByText('1 selected', { exact: true }).waitFor()
    },
    { as: chooser },
  )

  await story(
    'a long move to a collection can be stopped, and the remaining items stay selected',
    async ({ page, visit }) => {
      await visit('/')
      await page.getByRole('button', { name: 'Recent Uploads' }).click()
      await page.getByText('27 selected').waitFor()
      const stopped = Promise.withResolvers<void>()
      await page.route('**/api/collections/*/media/*', (route) => stopped.promise.then(() => route.continue()))
      await page.getByRole('button', { name: 'Move to Collection' }).click()
      await page.getByLabel('Name', { exact: true }).fill('Summer')
      const begun = page.waitForRequest('**/api/collections/*/media/*')
      await page.getByRole('button', { name: 'Create and Move' }).click()
      await begun
      await page.getByRole('button', { name: 'Stop' }).click()
      stopped.resolve()
      await seeToast(page, 'Move stopped', '6 items added to "Summer". 21 items not processed.')
      await page.getByText('21 selected').waitFor()
    },
    { as: chooser },
  )

  await story(
    'at most 10,000 items can be changed at once, and the newest ones are offered',
    async ({ page, visit }) => {
      // The other views are empty, so they show the items of the first one.
      let shown: unknown[] = []
      await page.route('**/api/media?*', async (route) => {
        const response = await route.fetch()
        const { media, pagination } = await response.json()
        if (media.length > 0) shown = media
        await route.fulfill({ response, json: { media: shown, pagination: { ...pagination, totalCount: 25_000 } } })
      })
      const matching: unknown[] = []
      await page.route('**/api/media/matching-ids', (route) => {
        matching.push(route.request().postDataJSON())
        return route.fulfill({ json: { ids: Array.from({ length: 10_000 }, (_, index) => 100_000 + index) } })
      })
      await visit('/?pageSize=25')
      await page.getByRole('button', { name: 'Select', exact: true }).click()
      await page.getByRole('button', { name: 'Select All' }).click()
      await page.getByRole('button', { name: 'Select the newest 10,000' }).click()
      await page.getByText('10,000 selected').waitFor()
      assert.ok(await page.getByRole('button', { name: 'Move to Trash' }).isEnabled())
      await page.getByRole('button', { name: 'Select All' }).click()
      await page.getByText('10,025 selected, up to 10,000 at a time').waitFor()
      assert.ok(await page.getByRole('button', { name: 'Move to Trash' }).isDisabled())
      assert.ok(await page.getByRole('button', { name: 'Select All' }).isDisabled(), 'there is nothing more to select')
      for (const query of ['filter=favorites', 'filter=trash', 'filter=videos&search=p2']) {
        await visit(`/?${query}`)
        await page.getByRole('button', { name: 'Select', exact: true }).click()
        await page.getByRole('button', { name: 'Select All' }).click()
        await page.getByRole('button', { name: 'Select the newest 10,000' }).click()
        await page.getByText('10,000 selected').waitFor()
      }
      assert.deepEqual(matching, [{}, { favorite: true }, { trashed: true }, { type: 'video', search: 'p2' }])
    },
    { as: chooser },
  )

  await story(
    'a long press starts select mode, scrolling does not, and the Back key closes what is open',
    async ({ page, visit, signInAs }) => {
      await signInAs(await register(product, 'thumb', ['a.jpg', 'b.jpg']))
      const hand = await page.context().newCDPSession(page)
      const touch = (type: 'touchStart' | 'touchMove' | 'touchEnd', ...touchPoints: { x: number; y: number }[]) =>
        hand.send('Input.dispatchTouchEvent', { type, touchPoints })
      const middleOf = async (name: string) => {
        const { x, y, width, height } = (await page.getByRole('button', { name, exact: true }).boundingBox())!
        return { x: x + width / 2, y: y + height / 2 }
      }
      const box = (name: string) => page.getByRole('checkbox', { name: `Select ${name}` })
      /** Sends the context menu event of a long press, which Chromium does not send for simulated touches. */
      const hasMenu = () =>
        page
          .locator('[data-media-id]')
          .first()
          .evaluate((card) => card.dispatchEvent(new MouseEvent('contextmenu', { bubbles: true, cancelable: true })))
      await page.addInitScript(lendBackKey)
      const pressBack = () => page.evaluate('pressBack()')
      await visit('/')
      await cardOf(page, 'b.jpg').waitFor()
      assert.equal(await hasMenu(), true)
      const from = await middleOf('Open b.jpg')
      await touch('touchStart', from)
      for (const up of [20, 40]) await touch('touchMove', { ...from, y: from.y - up })
      // Waits longer than a timer that started before it.
      await page.evaluate(() => new Promise((resolve) => setTimeout(resolve, 600)))
      await touch('touchEnd')
      assert.equal(await box('b.jpg').count(), 0)
      await touch('touchStart', await middleOf('Open a.jpg'))
      assert.equal(await hasMenu(), false)
      await page.getByText('1 selected', { exact: true }).waitFor()
      await touch('touchEnd')
      // Lifting the finger opened and selected nothing, so a tap still works.
      await box('b.jpg').tap()
      await page.getByText('2 selected', { exact: true }).waitFor()
      const bar = page.getByRole('region', { name: 'Selected items' })
      for (const word of ['Collection', 'Tags', 'Trash', 'More'])
        await bar.getByText(word, { exact: true }).first().waitFor()
      await pressBack()
      await cardOf(page, 'b.jpg').waitFor()
      assert.equal(await page.evaluate(() => location.search), '')
      await visit('/?layout=list')
      await cardOf(page, 'b.jpg').waitFor()
      // A long press on the name, which fills most of a narrow row, does not start renaming.
      await touch('touchStart', await middleOf('Rename b.jpg'))
      await page.getByText('1 selected', { exact: true }).waitFor()
      await touch('touchEnd')
      await box('a.jpg').tap()
      await page.getByText('2 selected', { exact: true }).waitFor()
      assert.equal(await page.getByLabel('File name').count(), 0)
      await page.getByRole('button', { name: 'Add Tags' }).tap()
      await page.getByRole('dialog').waitFor()
      await pressBack()
      await page.getByRole('dialog').waitFor({ state: 'detached' })
      await page.getByText('2 selected', { exact: true }).waitFor()
    },
    { viewport: { width: 390, height: 844 }, hasTouch: true },
  )

  await story('the selection bar is centered in the space next to the sidebar', async ({ page, visit, signInAs }) => {
    await signInAs(await register(product, 'tablet', ['one.jpg']))
    await visit('/')
    await select(page, ['one.jpg'])
    await page.getByText('1 selected', { exact: true }).waitFor()
    // 1024 pixels is a tablet in landscape, where the sidebar shows only icons.
    for (const width of [800, 1024, 1280]) {
      await page.setViewportSize({ width, height: 768 })
      await page.waitForFunction(() => {
        const middleOf = (selector: string) => {
          const { x, width } = document.querySelector(selector)!.getBoundingClientRect()
          return x + width / 2
        }
        return Math.abs(middleOf('[data-bar-below] > div') - middleOf('main')) <= 1
      })
    }
    // A phone in landscape has little height.
    await page.setViewportSize({ width: 844, height: 390 })
    await page.waitForFunction(() => document.querySelector('[data-bar-below] > div')!.clientHeight < 60)
  })
})

/** Simulates the Back key of a phone, which goes to the most recent listener. */
function lendBackKey() {
  const { CloseWatcher } = window as never as { CloseWatcher: new () => { requestClose: () => void } }
  class Lent extends CloseWatcher {
    constructor() {
      super()
      Object.assign(window, { pressBack: () => this.requestClose() })
    }
  }
  Object.assign(window, { CloseWatcher: Lent })
}
