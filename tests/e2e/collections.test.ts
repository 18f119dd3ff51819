import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { shareCollection } from '#features/sharing/server/sharing.fixture.ts'
import { arriveAt, assertAccessible, openStories, seeFocus, seeToast } from '#tests/support/browser.ts'
import { chooseAction, collectionsTab } from '#tests/support/collections-tab.ts'

const cardOf = (page: Page, name: string) => page.getByRole('article', { name, exact: true })

test('collections', async (context) => {
  // No AI answers at this address; it is set so that AI Rename Images is offered.
  const { product, story } = await openStories(context, { AI_BASE_URL: 'http://127.0.0.1:9', AI_MODEL: 'none' })
  const ann = await product.register('ann')

  await story(
    'a collection is created, a blank name is not sent, and an empty collection shows four placeholders',
    async ({ page, visit }) => {
      await visit(collectionsTab)
      await page.getByRole('tabpanel').getByText('No collections yet').waitFor()
      await assertAccessible(page)
      await page.getByRole('button', { name: 'Create Collection' }).click()
      const dialog = page.getByRole('dialog', { name: 'Create Collection' })
      assert.equal(await dialog.getByRole('button', { name: 'Create' }).isDisabled(), true)
      await dialog.getByLabel('Name').fill('   ')
      assert.equal(await dialog.getByRole('button', { name: 'Create' }).isDisabled(), true)
      await dialog.getByLabel('Name').fill('  Summer ')
      await dialog.getByLabel('Company').fill('Acme')
      await assertAccessible(page)
      await page.keyboard.press('Enter')
      await seeToast(page, 'Collection created', '"Summer"')
      const card = cardOf(page, 'Summer')
      await card.getByText('No items · Acme').waitFor()
      assert.equal(await card.getByTestId('placeholder-tile').count(), 4)
      await assertAccessible(page)

      await page.getByRole('button', { name: 'New collection' }).click()
      // Until then it ignores clicks outside.
      await dialog.getByLabel('Name').and(page.locator(':focus')).waitFor()
      // Once the user has typed, a click outside loses nothing.
      await page.mouse.click(5, 5)
      await dialog.waitFor({ state: 'detached' })
      await page.getByRole('button', { name: 'New collection' }).click()
      await dialog.getByLabel('Name').fill('Autumn')
      await page.mouse.click(5, 5)
      await page.keyboard.press('Enter')
      await page.getByRole('heading', { name: 'Autumn', level: 1 }).waitFor()
      await assertAccessible(page)
    },
    { as: ann },
  )

  const ben = await product.register('ben')
  const sea = await shareCollection(ben, { name: 'Sea', count: 3 })
  await ben.post('/api/collections', { name: 'Hills' })

  await story(
    'the card of a collection shows its images, an icon for a broken one, and opens the collection with its menu',
    async ({ page, visit }) => {
      await page.route(`**${sea.media[0]!.thumbnailUrl}*`, (route) => route.abort())
      await page.route(`**${sea.media[0]!.originalUrl}*`, (route) => route.abort())
      await visit(collectionsTab)
      const card = cardOf(page, 'Sea')
      await card.getByText('Public').waitFor()
      assert.equal(await card.getByTestId('placeholder-tile').count(), 1)
      await card.locator('svg.lucide-image').first().waitFor()
      const open = card.getByRole('button', { name: 'Sea', exact: true })
      await card.getByRole('button', { name: 'Actions for Sea' }).focus()
      await page.keyboard.press('Shift+Tab')
      await seeFocus(page, 'Sea')
      const ring = await open.evaluate((button) => getComputedStyle(button, '::after').outlineWidth)
      assert.equal(ring, '2px', 'the focus ring surrounds the whole card')
      await open.click()
      await page.getByRole('heading', { name: 'Sea', level: 1 }).waitFor()
      await page.getByText('1-3 of 3 items').waitFor()
      await page.getByText('Public', { exact: true }).waitFor()
      await assertAccessible(page)
      await chooseAction(page, 'Sea', 'Customize & Share')
      await page.getByRole('dialog').getByText('Sea').first().waitFor()
      await page.keyboard.press('Escape')
      await page.getByRole('button', { name: 'Share', exact: true }).click()
      await page.getByRole('dialog').getByRole('button', { name: 'Copy Public URL' }).waitFor()
      await page.keyboard.press('Escape')
      await chooseAction(page, 'Sea', 'Arrange & Cover')
      await page.getByRole('dialog').waitFor()
      await page.waitForURL(/sort=manual/)
    },
    { as: ben },
  )

  await story(
    'a collection is renamed and described, and a failure is reported',
    async ({ page, visit }) => {
      await visit(collectionsTab)
      await chooseAction(page, 'Hills', 'Rename Collection')
      const dialog = page.getByRole('dialog', { name: 'Rename Collection' })
      await dialog.getByLabel('Name').fill('Green hills')
      await dialog.getByLabel('Description').fill('Up and down')
      await dialog.getByRole('button', { name: 'Save' }).click()
      await seeToast(page, 'Collection updated')
      await cardOf(page, 'Green hills').getByText('Up and down').waitFor()
      await page.route('**/api/collections/*', (route) =>
        route.request().method() === 'PATCH' ? route.fulfill({ status: 500, body: '{}' }) : route.continue(),
      )
      await chooseAction(page, 'Green hills', 'Rename Collection')
      await dialog.getByLabel('Name').press('Enter')
      await seeToast(page, 'Error', 'Failed to update collection.')
    },
    { as: ben },
  )

  await story(
    'duplicating a collection suggests a new name, counts the copies, and happens once on a double click',
    async ({ page, visit }) => {
      await visit(collectionsTab)
      await chooseAction(page, 'Sea', 'Duplicate for Other Website')
      const dialog = page.getByRole('dialog', { name: 'Duplicate for Other Website' })
      assert.equal(await dialog.getByLabel('Name').inputValue(), 'Sea - Copy')
      await dialog.getByLabel('Company').fill('Elsewhere')
      await dialog.getByRole('button', { name: 'Duplicate' }).evaluate(async (button: HTMLElement) => {
        button.click()
        // A busy page handles both clicks before any timer.
        for (let turn = 0; turn < 50; turn++) await undefined
        button.click()
      })
      await seeToast(page, 'Collection duplicated', '3 items copied to "Sea - Copy".')
      await cardOf(page, 'Sea - Copy').getByText('3 items · Elsewhere').waitFor()
      const collections: { name: string }[] = (await ben.get('/api/collections')).json()
      assert.equal(collections.filter(({ name }) => name === 'Sea - Copy').length, 1)
    },
    { as: ben },
  )

  await story(
    'deleting a collection keeps its items, and no link leads to the deleted collection',
    async ({ page, visit }) => {
      await visit(collectionsTab)
      await cardOf(page, 'Sea - Copy').getByRole('button', { name: 'Sea - Copy', exact: true }).click()
      await page.getByText('1-3 of 3 items').waitFor()
      await page.getByRole('tab', { name: 'Collections' }).click()
      await chooseAction(page, 'Sea - Copy', 'Delete Collection')
      const dialog = page.getByRole('alertdialog')
      await dialog.getByText(/media files inside are not deleted/).waitFor()
      await dialog.getByRole('button', { name: 'Delete Collection' }).click()
      await seeToast(page, 'Collection deleted')
      await cardOf(page, 'Sea - Copy').waitFor({ state: 'detached' })
      await page.locator('main:focus').waitFor()
      await page.getByRole('tab', { name: 'Media Library' }).click()
      await page.getByRole('heading', { name: 'All Media' }).waitFor()
      await page.getByText('1-6 of 6 items').waitFor()

      const short = (await ben.post('/api/collections', { name: 'Short' })).json()
      await visit(`/?collection=${short.id}`)
      await chooseAction(page, 'Short', 'Delete Collection')
      await dialog.getByRole('button', { name: 'Delete Collection' }).click()
      await page.getByRole('heading', { name: 'All Media' }).waitFor()
      // The menu disappeared with the collection, so the screen has the focus.
      await page.locator('main:focus').waitFor()

      const lost = (await ben.post('/api/collections', { name: 'Lost' })).json()
      await visit(collectionsTab)
      await chooseAction(page, 'Lost', 'Customize & Share')
      await page.getByRole('dialog', { name: 'Customize & Share' }).waitFor()
      await ben.delete(`/api/collections/${lost.id}`)
      await seeToast(page, 'This collection no longer exists', '"Lost" was deleted elsewhere.')
      await page.getByRole('dialog').waitFor({ state: 'detached' })

      const { id } = (await ben.post('/api/collections', { name: 'Brief' })).json()
      await ben.post(`/api/collections/${id}/media/${(await ben.get('/api/media')).json().media[0].id}`)
      await visit(`/?collection=${id}`)
      await page.getByText('1-1 of 1 items').waitFor()
      await ben.delete(`/api/collections/${id}`)
      await page.getByText('This collection no longer exists').waitFor()
      assert.equal(await page.getByRole('button', { name: /^Open / }).count(), 0)
      await assertAccessible(page)
      await page.getByRole('button', { name: 'Back to the library' }).click()
      await page.getByText('1-6 of 6 items').waitFor()
    },
    { as: ben },
  )

  await story(
    'AI Rename Images requires a company',
    async ({ page, visit }) => {
      await visit(collectionsTab)
      await chooseAction(page, 'Sea', 'AI Rename Images')
      const dialog = page.getByRole('dialog', { name: 'AI Rename Images' })
      await dialog.getByLabel('Company').waitFor()
      assert.equal(await dialog.getByRole('button', { name: 'Preview names' }).isDisabled(), true)
      await dialog.getByLabel('Company').fill('Acme')
      assert.equal(await dialog.getByRole('button', { name: 'Preview names' }).isDisabled(), false)
    },
    { as: ben },
  )

  await story(
    'on a phone the tab is called Folders and dialogs open at the bottom',
    async ({ page, visit }) => {
      const description = 'הים, בערב.'
      await ben.post('/api/collections', {
        name: 'A name that is far too long for the narrow screen of a phone',
        description,
      })
      await visit('/')
      await page.getByRole('tab', { name: 'Folders' }).click()
      await arriveAt(page, collectionsTab)
      await cardOf(page, 'A name that is far too long for the narrow screen of a phone').waitFor()
      await page.getByText(description).and(page.locator(':dir(rtl)')).waitFor()
      assert.ok(
        (await page.evaluate(() => document.documentElement.scrollWidth)) <= 360,
        'nothing is wider than the screen',
      )
      await chooseAction(page, 'Sea', 'Customize & Share')
      await page.getByRole('dialog', { name: 'Customize & Share' }).waitFor()
      const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)
      assert.ok(overflow <= 0)
      // The part of the window above the on-screen keyboard, in portrait and landscape.
      const seeWhole = async (label: string, width: number, height: number) => {
        await page.setViewportSize({ width, height })
        const isSeen = await page.getByLabel(label).evaluate((field) => {
          field.scrollIntoView({ block: 'nearest' })
          const { left, top, bottom } = field.getBoundingClientRect()
          return [top + 3, bottom - 3].every((y) => document.elementFromPoint(left + 20, y) === field)
        })
        assert.ok(isSeen, `${label} is fully visible in ${width} × ${height}`)
      }
      await seeWhole('Subtitle', 360, 330)
      await page.keyboard.press('Escape')
      await page.setViewportSize({ width: 360, height: 740 })
      await chooseAction(page, 'Sea', 'Duplicate for Other Website')
      await page.getByRole('dialog', { name: 'Duplicate for Other Website' }).waitFor()
      await seeWhole('Company', 740, 190)
    },
    { as: ben, viewport: { width: 360, height: 740 }, hasTouch: true },
  )
})
