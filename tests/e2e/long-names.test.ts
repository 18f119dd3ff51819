import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Locator } from 'playwright-core'
import { openStories } from '#tests/support/browser.ts'
import { chooseCollection, select } from '#tests/support/selection.ts'

const phone = { width: 360, height: 740 }
/** Like the names that cameras and programs generate: without a space at which a line could break. */
const filename = `${'PXL_20261117_083412345_PORTRAIT_01_COVER_'.repeat(3)}.jpg`
const collectionName = 'Spring_catalogue_of_2026_for_the_website_of_North_Quay_and_of_both_its_sisters'

test('names that are too long for their element', async (context) => {
  const { product, story } = await openStories(context)
  const ida = await product.register('ida')
  await ida.addPicture(filename)
  const { id } = (await ida.post('/api/collections', { name: collectionName })).json()
  await ida.patch(`/api/collections/${id}/visibility`, { isPublic: true })

  await story(
    'a long name without spaces stays within its confirmation dialog',
    async ({ page, visit }) => {
      await visit('/')
      await page.getByRole('button', { name: `Actions for ${filename}` }).click()
      await page.getByRole('menuitem', { name: 'Delete permanently…' }).click()
      const question = page.getByRole('alertdialog')
      await question.getByText('Are you sure you want to delete this media?').waitFor()
      assert.equal(await widthOutside(question), 0)
    },
    { as: ida },
  )

  await story(
    'a very long collection name is truncated in the list of collections',
    async ({ page, visit }) => {
      await visit('/')
      await select(page, [filename])
      await page.getByRole('button', { name: 'Move to Collection' }).tap()
      await chooseCollection(page, collectionName)
      assert.equal(await widthOutside(page.getByRole('dialog')), 0)
    },
    { as: ida, viewport: phone, hasTouch: true },
  )

  await story(
    'a very long tag is truncated in its preview, and a long URL wraps below its field',
    async ({ page, visit }) => {
      await visit('/')
      await select(page, [filename])
      await page.getByRole('button', { name: 'Add Tags' }).click()
      await page.getByRole('combobox', { name: 'Tags' }).fill('t'.repeat(150))
      await page.getByRole('list', { name: 'Preview' }).waitFor()
      assert.equal(await widthOutside(page.getByRole('dialog')), 0)

      await visit('/?tab=collections')
      await page.getByRole('button', { name: `Actions for ${collectionName}` }).click()
      await page.getByRole('menuitem', { name: 'Customize & Share' }).click()
      await page.getByRole('tab', { name: 'Link' }).click()
      await page.getByRole('textbox', { name: 'Public URL' }).fill('a'.repeat(50))
      await page.getByText(`/public/collections/${'a'.repeat(50)}`).waitFor()
      assert.equal(await widthOutside(page.getByRole('dialog')), 0)
    },
    { as: ida, viewport: phone, hasTouch: true },
  )

  await story(
    'a long search term does not truncate the title',
    async ({ page, visit }) => {
      await visit('/?search=boat')
      const widthOfTitle = async () => {
        await page.getByText(/^Results for/).waitFor()
        // Other fonts have other letter widths.
        await page.evaluate(() => document.fonts.ready.then(() => undefined))
        return (await page.getByRole('heading', { name: 'All Media' }).boundingBox())?.width
      }
      const whole = await widthOfTitle()
      await visit(`/?search=${'boat'.repeat(45)}`)
      assert.equal(await widthOfTitle(), whole)
    },
    { as: ida },
  )
})

/** How far something extends beyond a dialog, or has to be scrolled to horizontally within it. */
const widthOutside = (dialog: Locator) =>
  dialog.evaluate((box) => {
    const scrolled = [...box.querySelectorAll('*')].filter((inner) => getComputedStyle(inner).overflowX === 'auto')
    return Math.max(...[box, ...scrolled].map(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth))
  })
