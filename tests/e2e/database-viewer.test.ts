import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertAccessible, openStories } from '#tests/support/browser.ts'
import { insertManyMedia } from '../support/seed-library.ts'

test('the database viewer', async (context) => {
  const { product, story } = await openStories(context)
  const admin = await product.register('grace')
  const picture = await admin.addPicture('beach.jpg')
  await admin.addPicture('alps.jpg')
  await admin.patch(`/api/media/${picture.id}`, { userDescription: 'The sea' })
  const { id } = (await admin.post('/api/collections', { name: 'Summer' })).json()
  await admin.post(`/api/collections/${id}/media/${picture.id}`)

  await story(
    'five tabs show the rows of the tables',
    async ({ page, visit }) => {
      await visit('/database')
      await page.getByText('Total Media Files').waitFor()
      const tabs = await page.getByRole('tab').allTextContents()
      assert.deepEqual(tabs, ['Overview', 'Media Files', 'Users', 'Collections', 'Relationships'])
      await page.getByText('1 admin').waitFor()
      await page.getByText('image/jpeg').waitFor()
      await assertAccessible(page)
      await page.getByRole('tab', { name: 'Media Files' }).click()
      await page.getByRole('cell', { name: 'The sea' }).waitFor()
      await page.getByRole('cell', { name: '64 × 48' }).first().waitFor()
      const table = await page.getByRole('region', { name: 'Table of media files' }).boundingBox()
      assert.equal(table?.height, 600)
      await page.getByRole('tab', { name: 'Users' }).click()
      await page.getByRole('cell', { name: 'grace@example.com' }).waitFor()
      await page.getByRole('tab', { name: 'Collections' }).click()
      await page.getByRole('cell', { name: `User ${admin.id}` }).waitFor()
      await page.getByRole('cell', { name: 'Private' }).waitFor()
      await page.getByRole('tab', { name: 'Relationships' }).click()
      await page.getByRole('cell', { name: 'Summer' }).waitFor()
      await assertAccessible(page)
    },
    { as: admin },
  )

  await story(
    'the server sorts and filters the rows, a hundred per page',
    async ({ page, visit }) => {
      await visit('/database?tab=media')
      const names = page.locator('tbody').getByRole('rowheader')
      await names.first().waitFor()
      assert.deepEqual(await names.allTextContents(), ['beach.jpg', 'alps.jpg'])
      await page.getByRole('button', { name: 'Filename' }).click()
      await page.locator('tbody tr:first-child').getByRole('rowheader', { name: 'alps.jpg' }).waitFor()
      await page.getByRole('columnheader', { name: 'Filename' }).and(page.locator('[aria-sort=ascending]')).waitFor()
      await page.getByRole('searchbox', { name: 'Filter media files' }).fill('BEACH')
      await page.getByText('1-1 of 1').waitFor()
      assert.deepEqual(await names.allTextContents(), ['beach.jpg'])
      await assertAccessible(page)

      await insertManyMedia(product.services.db, admin.id, 99)
      await visit('/database?tab=media')
      await page.getByText('1-100 of 101').waitFor()
      // The count describes the rows on screen until the next ones have loaded.
      const answered = Promise.withResolvers<void>()
      await page.route('**/api/database/media?*offset=100*', (route) => answered.promise.then(() => route.continue()), {
        times: 1,
      })
      await page.getByRole('button', { name: 'Next' }).click()
      await page.getByText('Page 2 of 2').waitFor()
      await page.getByText('1-100 of 101').waitFor()
      // A page that no longer exists leads to the last one.
      await admin.delete(`/api/media/${picture.id}`)
      answered.resolve()
      await page.getByText('Page 2 of 2').waitFor({ state: 'detached' })
      await page.getByText(/^1-100 of/).waitFor()
    },
    { as: admin, theme: 'light', viewport: { width: 360, height: 740 } },
  )

  await story(
    'on a phone the selected tab is visible, and the row of tabs fades out where it continues',
    async ({ page, visit }) => {
      const faded = () =>
        page.getByRole('tablist').evaluate((list) => {
          const style = getComputedStyle(list)
          return ['left', 'right'].filter((side) => style.getPropertyValue(`--hidden-${side}`) !== '0px')
        })
      await visit('/database')
      await page.getByRole('tab', { name: 'Overview', selected: true }).waitFor()
      assert.deepEqual(await faded(), ['right'])
      for (const act of [() => page.getByRole('tab', { name: 'Relationships' }).click(), () => page.reload()]) {
        await act()
        const tab = page.getByRole('tab', { name: 'Relationships', selected: true })
        await tab.waitFor()
        const { x, width } = (await tab.boundingBox())!
        assert.ok(x + width <= 360, `it ends at ${x + width}`)
        assert.deepEqual(await faded(), ['left'])
      }
    },
    { as: admin, viewport: { width: 360, height: 740 } },
  )

  await story(
    'when the tables or the rows of one table fail to load, the reason and Try again are shown',
    async ({ page, visit }) => {
      const asked = /\/api\/(database\/relationships|user\/storage)/
      await page.route(asked, (route) => route.abort())
      await visit('/database')
      await page.getByText("Couldn't load the database").waitFor()
      await page.getByText('Please check your connection.').waitFor()
      await page.getByRole('region', { name: 'Storage' }).getByText("Couldn't load storage.").waitFor()
      await page.unroute(asked)
      await page.getByRole('button', { name: 'Try again' }).click()
      await page.getByRole('tab', { name: 'Users' }).click()
      const users = page.getByRole('region', { name: 'Users' })
      await users.getByRole('cell', { name: 'grace@example.com' }).waitFor()
      await page.route('**/api/database/users?*sort=email*', (route) => route.abort())
      await page.getByRole('button', { name: 'Email' }).click()
      await page.getByText("Couldn't load rows").waitFor()
      await page.unroute('**/api/database/users?*sort=email*')
      await page.getByRole('button', { name: 'Try again' }).click()
      await users.getByRole('cell', { name: 'grace@example.com' }).waitFor()
    },
    { as: admin },
  )
})
