import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { arriveAt, assertAccessible, openStories, seeFocus } from '#tests/support/browser.ts'
import { seedLibrary } from '#tests/support/seed-library.ts'
import { register } from '#tests/support/selection.ts'
import { until } from '#tests/support/until.ts'

const searchOf = (page: Page) => page.getByRole('combobox', { name: 'Search your media' })
const optionOf = (page: Page, name: string | RegExp) =>
  page.getByRole('listbox', { name: 'Suggestions' }).getByRole('option', { name })
const chipsOf = (page: Page) => page.getByRole('list', { name: 'Filters' })
const address = (search: string) => `/?${new URLSearchParams({ search })}`

test('filters', async (context) => {
  const { product, story } = await openStories(context)
  const ada = await register(product, 'ada', ['beach 1.jpg', 'beach 2.jpg', 'boat.png', 'harbor.jpg'])
  const { media } = (await ada.get('/api/media?sort=name')).json()
  await ada.patch(`/api/media/${media[0].id}`, { aiTags: ['beach', 'draft'] })
  await ada.patch(`/api/media/${media[1].id}`, { aiTags: ['beach'] })

  await story(
    'with the keyboard alone, a suggestion becomes a chip, more filters come from the panel, and chips are removed',
    async ({ page, visit }) => {
      await visit('/')
      await page.getByText('1-4 of 4 items').waitFor()
      await page.keyboard.press('/')
      await page.keyboard.type('bea')
      await optionOf(page, /^beach.*Tag.*2/).waitFor()
      await page.locator('p:not(.opacity-60)').and(page.getByText('1-2 of 2 items')).waitFor()
      await assertAccessible(page)
      await page.keyboard.press('ArrowDown')
      await searchOf(page).and(page.locator('[aria-activedescendant]')).waitFor()
      await page.keyboard.press('Enter')
      await arriveAt(page, address('tag:beach'))
      await page.getByText('1-2 of 2 items').waitFor()
      assert.equal(await searchOf(page).inputValue(), '', 'the box has the words, and the chips the filters')
      await page.keyboard.type('-tag:draft ')
      await chipsOf(page).getByText('Not Tag: draft').waitFor()
      await page.getByText('1-1 of 1 items').waitFor()

      await page.getByRole('button', { name: 'Filters' }).press('Enter')
      const panel = page.getByRole('dialog', { name: 'Filters' })
      await seeFocus(page, 'Images')
      await assertAccessible(page)
      await panel.getByRole('button', { name: 'Videos' }).press('Space')
      await page.getByText('No items match these filters').waitFor()
      await panel.getByLabel('Collection').press('Escape')
      await panel.waitFor({ state: 'detached' })
      await seeFocus(page, 'Filters 3 active')
      await assertAccessible(page)
      await page.getByRole('tabpanel').getByRole('button', { name: 'Remove Videos' }).press('Enter')
      await page.getByText('1-1 of 1 items').waitFor()
      await chipsOf(page).getByRole('button', { name: 'Remove filter Tag: beach' }).press('Enter')
      await seeFocus(page, 'Remove filter Not Tag: draft')
      await page.getByText('1-3 of 3 items').waitFor()
      await page.keyboard.press('Enter')
      await arriveAt(page, '/')
      await page.getByText('1-4 of 4 items').waitFor()
    },
    { as: ada },
  )

  await story(
    'a wrong filter is explained at the box, and the list stays',
    async ({ page, visit }) => {
      await visit('/?search=beach')
      await page.getByText('1-2 of 2 items').waitFor()
      await searchOf(page).fill('beach color:beige ')
      await page.getByRole('alert').getByText('"color:" can be red,').waitFor()
      await page.getByText('1-2 of 2 items').waitFor()
      await searchOf(page).fill('beach type:video')
      await searchOf(page).press('Enter')
      await page.getByText('Nothing matches "beach"').waitFor()
      assert.equal(await page.getByRole('alert').count(), 0)
      await visit(address('size:big'))
      await page.getByRole('tabpanel').getByText('"size:" needs a limit or range').waitFor()
    },
    { as: ada },
  )

  await story(
    'recent searches are offered in an empty box, and can be removed',
    async ({ page, visit }) => {
      await visit('/')
      for (const words of ['harbor', 'tag:beach']) {
        await searchOf(page).fill(words)
        await searchOf(page).press('Enter')
        await page.getByText(/^1-[12] of [12] items$/).waitFor()
      }
      await visit('/')
      await searchOf(page).click()
      await optionOf(page, 'tag:beach').waitFor()
      await page.keyboard.press('ArrowDown')
      await page.keyboard.press('Delete')
      await optionOf(page, 'tag:beach').waitFor({ state: 'detached' })
      await optionOf(page, 'harbor').click()
      await arriveAt(page, '/?search=harbor')
      await page.getByText('1-1 of 1 items').waitFor()
    },
    { as: ada },
  )

  await story(
    'the chosen order and its direction are there after the next sign-in on another device',
    async ({ page, visit, browser, signInAs }) => {
      await visit('/')
      await page.getByLabel('Sort by').selectOption('Date taken')
      await page.getByRole('button', { name: 'Direction: Newest first' }).click()
      await arriveAt(page, '/?sort=taken&direction=asc')
      await page.getByRole('button', { name: 'Direction: Oldest first' }).waitFor()
      await until('it is stored', async () => (await ada.get('/api/user')).json().preferences.sort === 'taken asc')
      await browser.clearCookies()
      await visit('/auth')
      await signInAs(ada)
      await visit('/')
      await page.getByRole('button', { name: 'Direction: Oldest first' }).waitFor()
      assert.equal(await page.getByLabel('Sort by').inputValue(), 'taken')
      const first = page.getByRole('list', { name: 'Items' }).getByRole('button', { name: /^Open/ }).first()
      assert.equal(await first.getAttribute('aria-label'), 'Open beach 1.jpg')
    },
    { as: ada },
  )

  await story(
    'on a phone the filters are a sheet',
    async ({ page, visit }) => {
      await visit('/')
      await page.getByText('1-4 of 4 items').waitFor()
      await page.getByRole('button', { name: 'Filters' }).tap()
      const sheet = page.getByRole('dialog', { name: 'Filters' })
      await sheet.getByRole('button', { name: 'PNG' }).tap()
      await sheet.getByLabel('Tag', { exact: true }).fill('beach')
      await sheet.getByLabel('Tag', { exact: true }).press('Enter')
      await sheet.getByRole('button', { name: 'Remove beach' }).tap()
      await assertAccessible(page)
      await sheet.getByRole('button', { name: 'Done' }).tap()
      await arriveAt(page, address('format:png'))
      await page.getByText('1-1 of 1 items').waitFor()
      await chipsOf(page).getByRole('button', { name: 'Remove filter Format: PNG' }).tap()
      await page.getByText('1-4 of 4 items').waitFor()
      await searchOf(page).tap()
      await searchOf(page).fill('bea')
      await optionOf(page, /^beach.*Tag.*2/).tap()
      await arriveAt(page, address('tag:beach'))
      await assertAccessible(page)
    },
    { as: ada, viewport: { width: 390, height: 844 }, hasTouch: true },
  )

  const ben = await product.register('ben')
  // Five items in each month of 2019.
  const drafts = Array.from({ length: 60 }, (_, index) => ({
    filename: `photo ${index}.jpg`,
    created_at: Date.UTC(2019, Math.floor(index / 5), 1 + (index % 5)),
  }))
  await seedLibrary(product.services, ben.id, drafts)

  await story(
    'the scrubber shows the month while dragging, and jumps to its heading with one request for all months',
    async ({ page, visit }) => {
      let requests = 0
      await page.route('**/api/media/months?*', (route) => {
        requests += 1
        return route.continue()
      })
      await visit('/?pageSize=25')
      await page.getByRole('heading', { name: 'December 2019' }).waitFor()
      const scrubber = page.getByRole('slider', { name: 'Jump to month' })
      const { x, y, width, height } = (await scrubber.boundingBox())!
      await page.mouse.move(x + width / 2, y)
      await page.mouse.down()
      await page.mouse.move(x + width / 2, y + height * 0.54, { steps: 4 })
      await page.getByText('June 2019', { exact: true }).waitFor()
      await scrubber.and(page.locator('[aria-valuetext="June 2019"]')).waitFor()
      await page.mouse.up()
      await arriveAt(page, '/?page=2&pageSize=25')
      await page.getByText('26-50 of 60 items').waitFor({ state: 'attached' })
      await until('the heading is at the top', async () => {
        const box = await page.getByRole('heading', { name: 'June 2019' }).boundingBox()
        return box !== null && Math.abs(box.y - 56) < 2
      })
      await scrubber.and(page.locator('[aria-valuetext="June 2019"]')).waitFor()
      await assertAccessible(page)
      await scrubber.press('End')
      await arriveAt(page, '/?page=3&pageSize=25')
      await page.getByRole('heading', { name: 'January 2019' }).waitFor()
      await scrubber.and(page.locator('[aria-valuetext="January 2019"]')).waitFor()
      await scrubber.press('Home')
      await arriveAt(page, '/?pageSize=25')
      await page.getByRole('heading', { name: 'December 2019' }).waitFor()
      assert.equal(requests, 1)
      await page.getByRole('radio', { name: 'List view' }).check()
      await page.locator('table').getByRole('heading', { name: 'December 2019' }).waitFor()
      await assertAccessible(page)
      await page.getByLabel('Sort by').selectOption('name')
      await page.locator('table').getByRole('heading').first().waitFor({ state: 'detached' })
      assert.equal(await scrubber.count(), 0)
    },
    { as: ben },
  )

  await story(
    'on a phone the scrubber appears while the list scrolls',
    async ({ page, visit }) => {
      await visit('/?pageSize=25&layout=grid&sort=taken&direction=asc')
      await page.getByRole('heading', { name: 'January 2019' }).waitFor()
      const scrubber = page.getByRole('slider', { name: 'Jump to month' })
      const isShown = () => scrubber.evaluate((slider) => getComputedStyle(slider.parentElement!).opacity !== '0')
      await scrubber.waitFor({ state: 'attached' })
      assert.equal(await isShown(), false)
      await page.mouse.wheel(0, 600)
      await until('the scrubber is shown', isShown)
      await assertAccessible(page)
      await until('the scrubber is hidden again', async () => !(await isShown()))
    },
    { as: ben, viewport: { width: 390, height: 844 }, hasTouch: true },
  )
})
