import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  assertAccessible,
  assertReadableIn,
  holdResponse,
  openStories,
  seeFocus,
  seeToast,
} from '#tests/support/browser.ts'
import { makeJpeg, makePng } from '#tests/support/pictures.ts'
import { viewerOf } from '#tests/support/viewer.ts'

test('the library', async (context) => {
  const { product, story } = await openStories(context)
  const ann = await product.register('ann')

  await story(
    'an empty library tells the user what to do first',
    async ({ page, visit }) => {
      await visit('/')
      await page.getByText('No media files yet', { exact: true }).waitFor()
      await page.getByRole('button', { name: 'Upload Media' }).waitFor()
      assert.equal(await page.locator('button.bg-accent').count(), 1, 'only one button is a primary one')
      await assertAccessible(page)
    },
    { as: ann },
  )

  const ben = await product.register('ben')
  for (const name of ['img 10.jpg', 'img 2.jpg', 'Évening glow.jpg', 'boat.jpg']) await ben.addPicture(name)

  await story(
    'a search matches part of a word without its accent, and survives a reload',
    async ({ page, visit }) => {
      await visit('/')
      await page.getByText('1-4 of 4 items').waitFor()
      await page.getByPlaceholder('Search your media...').fill('eveni')
      await page.getByText('1-1 of 1 items').waitFor()
      await page.reload()
      await page.getByText('1-1 of 1 items').waitFor()
      const search = page.getByPlaceholder('Search your media...')
      assert.equal(await search.inputValue(), 'eveni')
      await search.fill('nothing here')
      await page.getByText('Nothing matches "nothing here"').waitFor()
    },
    { as: ben },
  )

  await story(
    'a Hebrew search term is shown from right to left within an English sentence',
    async ({ page, visit }) => {
      await visit('/')
      const search = page.getByPlaceholder('Search your media...')
      await search.fill('הים.')
      await search.and(page.locator(':dir(rtl)')).waitFor()
      for (const told of ['Results for "הים."', 'Nothing matches "הים."']) {
        const words = page.getByText(told).and(page.locator(':dir(ltr)')).getByText('הים.')
        await words.and(page.locator(':dir(rtl)')).waitFor()
      }
    },
    { as: ben },
  )

  await story(
    'while the next search loads, the previous results stay dimmed in place, and no empty state is shown',
    async ({ page, visit }) => {
      await visit('/?search=nothing')
      await page.getByText('Nothing matches "nothing"').waitFor()
      const search = page.getByPlaceholder('Search your media...')
      const answer = await holdResponse(page, '**/api/media?*search=boat*')
      await search.fill('boat')
      await page.getByTestId('skeleton-card').nth(9).waitFor()
      assert.equal(await page.getByText(/Nothing matches|0-0 of/).count(), 0)
      answer()
      const count = page.getByText('1-1 of 1 items')
      await count.waitFor()
      const top = async () => (await count.boundingBox())!.y
      const [topBefore, answerNext] = [await top(), await holdResponse(page, '**/api/media?*search=evenin*')]
      await search.fill('evenin')
      await page.locator(`header:has-text('Results for "evenin"') p.opacity-60`).and(count).waitFor()
      assert.equal(await top(), topBefore)
      answerNext()
      await page.locator('p:not(.opacity-60)').and(count).waitFor()
    },
    { as: ben },
  )

  await story(
    'a search stays when the user opens another view, until it is cleared',
    async ({ page, visit }) => {
      await visit('/?search=boat')
      const search = page.getByPlaceholder('Search your media...')
      await page.getByText('1-1 of 1 items').waitFor()
      await page.getByRole('navigation').getByRole('button', { name: 'Videos' }).click()
      await page.getByText('Nothing matches "boat"').waitFor()
      await page.getByRole('navigation').getByRole('button', { name: 'Images' }).click()
      await page.getByText('1-1 of 1 items').waitFor()
      await search.fill('nothing here')
      await page.getByRole('tabpanel').getByRole('button', { name: 'Clear search' }).press('Enter')
      await page.locator('main:focus').waitFor()
      await page.getByText('1-4 of 4 items').waitFor()
      await page.getByRole('navigation').getByRole('button', { name: 'Videos' }).click()
      await page.getByText('No videos yet').waitFor()
    },
    { as: ben },
  )

  await story(
    'similar results are listed separately, are not counted, and are not part of Select All',
    async ({ page, visit }) => {
      const near = (await ben.get('/api/media?search=img')).json().media
      await page.route('**/api/media?*', async (route) => {
        const response = await route.fetch()
        await route.fulfill({ response, json: { ...(await response.json()), near } })
      })
      await visit('/?filter=images')
      await page.getByPlaceholder('Search your media...').fill('boa')
      await page.getByRole('heading', { name: 'Similar results', exact: true }).waitFor()
      await page.getByText('1-1 of 1 items').waitFor()
      await page.keyboard.press('Tab')
      await page.keyboard.press('Control+a')
      await page.getByText('1 selected', { exact: true }).waitFor()
      await page.keyboard.press('Escape')
      await page.getByRole('button', { name: 'Open img 2.jpg' }).click()
      await page.locator('[aria-live=polite]').getByText('img 2.jpg, 2 of 3. Image', { exact: true }).waitFor()
      await page.keyboard.press('Escape')
      await seeFocus(page, 'Open img 2.jpg')
      // The arrow keys move between the two lists, each with its own rows.
      await page.getByRole('button', { name: 'Open boat.jpg' }).focus()
      for (const [key, name] of [
        ['ArrowDown', near[0].filename],
        ['ArrowRight', near[1].filename],
        ['ArrowLeft', near[0].filename],
        ['ArrowUp', 'boat.jpg'],
        ['End', near[1].filename],
        ['Home', 'boat.jpg'],
        ['ArrowRight', near[0].filename],
      ] as const) {
        await page.keyboard.press(key)
        await seeFocus(page, `Open ${name}`)
      }
      await page.getByPlaceholder('Search your media...').fill('ship')
      await page.getByRole('heading', { name: 'Nothing matches "ship". Similar results:' }).waitFor()
      await page.getByRole('button', { name: 'Open img 10.jpg' }).waitFor()
    },
    { as: ben },
  )

  await story(
    'a lost connection shows an error, and the list loads when the connection is back',
    async ({ page, visit }) => {
      await visit('/')
      await page.getByText('1-4 of 4 items').waitFor()
      await page.context().setOffline(true)
      await page.getByRole('navigation').getByRole('button', { name: 'Images' }).click()
      await page.getByText("Couldn't load your library").waitFor()
      await page.getByRole('status').getByText("You're offline.").waitFor()
      await page.context().setOffline(false)
      await page.getByText('1-4 of 4 items').waitFor()
      await page.getByText("You're offline.").waitFor({ state: 'detached' })

      await page.context().setOffline(true)
      await page.getByRole('button', { name: 'Actions for boat.jpg' }).click()
      await page.getByRole('menuitem', { name: 'Duplicate' }).click()
      await seeToast(page, 'Copy failed', "Could not copy the media.You're offline.")
      await page.context().setOffline(false)
    },
    { as: ben },
  )

  await story('the server sorts by name in natural order, by size, and by type', async ({ page, visit, signInAs }) => {
    const eve = await product.register('eve')
    await eve.addPicture('img 10.jpg', await makeJpeg({ width: 400, height: 300 }))
    await eve.addPicture('img 2.png', await makePng({ width: 20, height: 20 }))
    await eve.addPicture('Évening glow.jpg', await makeJpeg({ width: 900, height: 700 }))
    await signInAs(eve)
    await visit('/')
    const seeOrder = async (names: string[]) => {
      const labels = names.map((name) => `Open ${name}`)
      await page.waitForFunction((wanted) => {
        const buttons = [...document.querySelectorAll('[aria-label^="Open "]')]
        return buttons.map((button) => button.getAttribute('aria-label')).join() === wanted.join()
      }, labels)
    }
    const sorted = async (by: string, names: string[]) => {
      await page.getByLabel('Sort by').selectOption(by)
      await seeOrder(names)
    }
    await sorted('name', ['Évening glow.jpg', 'img 2.png', 'img 10.jpg'])
    await page.waitForURL(/sort=name/)
    await sorted('size', ['Évening glow.jpg', 'img 10.jpg', 'img 2.png'])
    await sorted('type', ['Évening glow.jpg', 'img 10.jpg', 'img 2.png'])
    await sorted('recent', ['Évening glow.jpg', 'img 2.png', 'img 10.jpg'])

    // The headers of the list layout sort too.
    await page.getByRole('radio', { name: 'List view' }).click()
    await page.locator('th[aria-sort=descending]', { hasText: 'Added' }).waitFor()
    await page.getByRole('button', { name: 'Size', exact: true }).press('Enter')
    await seeOrder(['Évening glow.jpg', 'img 10.jpg', 'img 2.png'])
    await page.locator('th[aria-sort=descending]', { hasText: 'Size' }).waitFor()
    await page.getByRole('button', { name: 'Name', exact: true }).click()
    await seeOrder(['Évening glow.jpg', 'img 2.png', 'img 10.jpg'])
    await page.locator('th[aria-sort=ascending]', { hasText: 'Name' }).waitFor()
    assert.equal(await page.locator('[aria-sort]').count(), 1)
    assert.equal(await page.getByLabel('Sort by').inputValue(), 'name')
  })

  await story(
    'an item uploaded in another tab appears automatically',
    async ({ page, visit }) => {
      await visit('/')
      await page.getByText('1-4 of 4 items').waitFor()
      const media = await ben.addPicture('from elsewhere.jpg')
      await page.getByRole('button', { name: 'Open from elsewhere.jpg' }).waitFor()
      await ben.delete(`/api/media/${media.id}`)
      await page.getByText('1-4 of 4 items').waitFor()
    },
    { as: ben },
  )

  await story(
    'the layout does not shift while a list or the trash is loading',
    async ({ page, visit }) => {
      const pages = page.getByRole('navigation', { name: 'Pages' })
      const letRowsCome = await holdResponse(page, '**/assets/media-list-*.js')
      await visit('/?layout=list')
      await page.getByText('1-4 of 4 items').waitFor()
      assert.equal(await pages.count(), 0, 'the pagination would be pushed down')
      letRowsCome()
      await pages.waitFor()
      const letItemsCome = await holdResponse(page, '**/api/media?*trashed=true*')
      await visit('/?filter=trash')
      for (const text of ['Empty Trash', /permanently deleted after 30 days/]) await page.getByText(text).waitFor()
      letItemsCome()
      await page.getByText('Trash is empty').waitFor()
      await page.getByRole('button', { name: 'Empty Trash' }).waitFor({ state: 'detached' })
      assert.equal(await page.getByText(/0-0 of/).count(), 0)
      assert.equal(await page.getByRole('button', { name: 'Select', exact: true }).count(), 0)
    },
    { as: ben },
  )

  await story(
    'a response is rendered at once, without waiting for a timer',
    async ({ page, visit }) => {
      await page.addInitScript(withholdShortTimers)
      await visit('/')
      await page.getByText('1-4 of 4 items').waitFor()
      await page.getByRole('button', { name: 'Open boat.jpg' }).click()
      await viewerOf(page).waitFor()
      await page.keyboard.press('Escape')
      await viewerOf(page).waitFor({ state: 'detached' })
      await page.getByRole('button', { name: 'Account: ben' }).click()
      await page.getByRole('menuitem', { name: 'History' }).waitFor()
      await page.keyboard.press('Escape')
      await page.getByRole('tab', { name: 'Collections' }).click()
      await page.getByRole('tabpanel').getByText('No collections yet').waitFor()
    },
    { as: ben },
  )

  await story(
    'a search lists collections with matching names above the items, and a result opens the collection',
    async ({ page, visit }) => {
      await ben.post('/api/collections', { name: 'Boat catalogue' })
      await visit('/?search=boats')
      await page.getByText('1-1 of 1 items').waitFor()
      const collections = page.getByRole('region', { name: 'Matching collections' })
      await assertAccessible(page)
      await collections.getByRole('link', { name: 'Boat catalogue' }).click()
      await page.getByRole('heading', { name: 'Boat catalogue' }).waitFor()
      await collections.waitFor({ state: 'detached' })
    },
    { as: ben },
  )

  await story(
    'a search with more matches than its page has counted shows the exact number a moment later',
    async ({ page, visit }) => {
      const counted = Promise.withResolvers<void>()
      await page.route('**/api/media?*', async (route) => {
        const response = await route.fetch()
        const { pagination, ...list } = await response.json()
        await route.fulfill({
          json: { ...list, pagination: { ...pagination, totalCount: 10_000, isTotalCapped: true } },
        })
      })
      await page.route('**/api/media/count?*', async (route) => {
        await counted.promise
        await route.continue()
      })
      await visit('/')
      await page.getByPlaceholder('Search your media...').fill('boat')
      await page.getByText('1-1 of 10,000+ items').waitFor()
      counted.resolve()
      await page.getByText('1-1 of 1 items').waitFor()
      assert.equal(await page.getByRole('button', { name: 'Add Media' }).count(), 0)
    },
    { as: ben },
  )

  await story(
    'layout, order, page size and the open panel are remembered on another device, and a URL still wins',
    async ({ page, visit, signInAs }) => {
      const eva = await product.register('eva')
      for (const name of ['b.jpg', 'a.jpg']) await eva.addPicture(name)
      await signInAs(eva)
      await visit('/')
      await page.getByRole('radio', { name: 'List view' }).check()
      await page.getByLabel('Sort by').selectOption('name')
      await page.getByLabel('Items per page').selectOption('25')
      await page.getByRole('button', { name: 'Open a.jpg' }).click()
      const viewer = viewerOf(page)
      await viewer.getByRole('button', { name: 'Info' }).click()
      await viewer.getByRole('button', { name: 'Info', pressed: false }).waitFor()
      const { firstSteps: _closed, ...preferences } = (await eva.get('/api/user')).json().preferences
      assert.deepEqual(preferences, { layout: 'list', sort: 'name', pageSize: 25, isPanelOpen: false })

      // A new page with the same account knows nothing of this one's URL.
      await visit('/')
      await page.getByRole('radio', { name: 'List view', checked: true }).waitFor()
      assert.equal(await page.getByLabel('Items per page').inputValue(), '25')
      assert.equal(await page.getByLabel('Sort by').inputValue(), 'name')
      await visit('/?layout=grid&pageSize=50')
      await page.getByRole('radio', { name: 'Grid view', checked: true }).waitFor()
      assert.equal(await page.getByLabel('Items per page').inputValue(), '50')
    },
  )

  await story(
    'a double click on a button that closes something does not also hit what is below it',
    async ({ page, visit }) => {
      await visit('/')
      await page.getByRole('button', { name: 'Actions for boat.jpg' }).click()
      await page.getByRole('menuitem', { name: 'Delete permanently…' }).dblclick()
      const cancel = page.getByRole('alertdialog').getByRole('button', { name: 'Cancel' })
      const { x, y } = (await cancel.boundingBox())!
      const hasCardBeneath = (place: { x: number; y: number }) =>
        document.elementsFromPoint(place.x, place.y).some((element) => element.closest('[data-media-id]'))
      assert.ok(await page.evaluate(hasCardBeneath, { x: x + 9, y: y + 9 }))
      await page.mouse.dblclick(x + 9, y + 9)
      await page.getByRole('alertdialog').waitFor({ state: 'detached' })
      assert.equal(await page.getByRole('dialog').count(), 0, 'the item below is not opened')
      await page.getByRole('button', { name: 'Open boat.jpg' }).click()
      await viewerOf(page).waitFor()
    },
    { as: ben, viewport: { width: 520, height: 700 } },
  )

  await story(
    'a quick click on a button of a dialog that has just opened from a menu counts',
    async ({ page, visit }) => {
      await visit('/')
      await page.getByRole('button', { name: 'Actions for boat.jpg' }).click()
      await page.getByRole('menuitem', { name: 'Delete permanently…' }).click()
      const pressedAt = await page.evaluate(() => performance.now())
      await page.getByRole('alertdialog').getByRole('button', { name: 'Cancel' }).hover()
      await page.waitForFunction((from) => performance.now() - from > 260, pressedAt)
      // Browsers count clicks that follow within half a second as one double click.
      await page.mouse.down({ clickCount: 2 })
      await page.mouse.up({ clickCount: 2 })
      await page.getByRole('alertdialog').waitFor({ state: 'detached' })
    },
    { as: ben },
  )

  for (const [layout, viewport] of [
    ['grid', { width: 1280, height: 800 }],
    ['list', { width: 1280, height: 800 }],
    ['grid', { width: 390, height: 844 }],
  ] as const) {
    await story(
      `axe finds nothing: ${layout}, ${viewport.width} pixels, in the dark and in the light`,
      async ({ page, visit }) => {
        await visit(`/?layout=${layout}`)
        await page.getByText('1-4 of 4 items').waitFor()
        await assertAccessible(page)
        await assertReadableIn(page, 'light')
      },
      { as: ben, theme: 'dark', viewport },
    )
  }
})

/** React delays what it shows after `Suspense` by up to 300 ms. */
function withholdShortTimers() {
  const { setTimeout } = window
  Reflect.set(window, 'setTimeout', (callback: () => void, delay = 0) =>
    delay >= 50 && delay <= 300 ? 0 : setTimeout(callback, delay),
  )
}
