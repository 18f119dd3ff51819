import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertAccessible, openStories } from '#tests/support/browser.ts'

test('the database viewer', async (context) => {
  const { product, story } = await openStories(context)
  const admin = await product.register('grace')
  const picture = await admin.addPicture('beach.jpg')
  await admin.addPicture('alps.jpg')
  await admin.patch(`/api/media/${picture.id}`, { userDescription: 'The sea' })
  const { id } = (await admin.post('/api/collections', { name: 'Summer' })).json()
  await admin.post(`/api/collections/${id}/media/${picture.id}`)

  await story(
    'five tabs show what the tables hold',
    async ({ page, visit }) => {
      await visit('/database')
      await page.getByText('Total Media Files').waitFor()
      await page.getByText('1 admin').waitFor()
      await page.getByText('image/jpeg').waitFor()
      await assertAccessible(page)
      await page.getByRole('tab', { name: 'Media Files' }).click()
      await page.getByRole('cell', { name: 'The sea' }).waitFor()
      await page.getByRole('cell', { name: '64 × 48' }).first().waitFor()
      const { maxHeight } = await page
        .getByRole('region', { name: 'Media files' })
        .evaluate((element) => ({ maxHeight: getComputedStyle(element).maxHeight }))
      assert.equal(maxHeight, '600px')
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
    'columns are sorted and rows filtered by the server',
    async ({ page, visit }) => {
      await visit('/database?tab=media')
      const names = page.locator('tbody td:nth-child(2)')
      await names.first().waitFor()
      assert.deepEqual(await names.allTextContents(), ['beach.jpg', 'alps.jpg'])
      await page.getByRole('button', { name: 'Filename' }).click()
      await page.locator('tbody tr:first-child td', { hasText: 'alps.jpg' }).waitFor()
      await page.getByRole('columnheader', { name: 'Filename' }).and(page.locator('[aria-sort=ascending]')).waitFor()
      await page.getByRole('searchbox', { name: 'Filter media files' }).fill('BEACH')
      await page.getByText('1-1 of 1').waitFor()
      assert.deepEqual(await names.allTextContents(), ['beach.jpg'])
      await assertAccessible(page)
    },
    { as: admin, theme: 'light', viewport: { width: 360, height: 740 } },
  )
})
