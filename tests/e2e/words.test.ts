import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import sharp from 'sharp'
import { assertAccessible, openStories, seeToast } from '#tests/support/browser.ts'
import { panelOf } from '#tests/support/viewer.ts'

test('words for websites are written in the viewer', async (context) => {
  const { product, story } = await openStories(context)
  const ann = await product.register('ann')
  const { id } = await ann.addPicture('pier.jpg')
  await ann.post('/api/websites', { name: 'Harbor', languages: ['de', 'en'] })
  const collection = (await ann.post('/api/collections', { name: 'Summer', company: 'Harbor' })).json()
  await ann.post(`/api/collections/${collection.id}/media/${id}`)

  await story(
    'alt texts in the languages of the website and in another, a license, and a download that contains them',
    async ({ page, visit }) => {
      await visit(`/?item=${id}`)
      const panel = panelOf(page)
      await panel.getByRole('button', { name: 'Edit' }).click()
      await panel.getByLabel('Alt text in German').fill('Ein Steg')
      await panel.getByText('8 characters, a bit short.').waitFor()
      await panel.getByRole('tab', { name: 'English' }).click()
      await panel.getByLabel('Alt text in English').fill('A wooden pier at dusk, with a small boat and gulls above it')
      await panel.getByRole('button', { name: 'Add language' }).click()
      await panel.getByLabel('New language').fill('Klingonese')
      await panel.getByRole('button', { name: 'Add', exact: true }).click()
      await panel.getByText('"Klingonese" is not a known language.').waitFor()
      await panel.getByLabel('New language').fill('French')
      await panel.getByLabel('New language').press('Enter')
      await panel.getByLabel('Alt text in French').fill('Un quai')
      await panel.getByLabel('License').fill('CC BY 4.0')
      await assertAccessible(page)
      await panel.getByRole('button', { name: 'Save' }).click()
      await seeToast(page, 'Changes saved')
      const saved = (await ann.get(`/api/media/${id}`)).json()
      assert.deepEqual(Object.keys(saved.altTexts).toSorted(), ['de', 'en', 'fr'])
      assert.equal(saved.licence, 'CC BY 4.0')
      await panel.getByText('Un quai').waitFor()

      const downloading = page.waitForEvent('download')
      await panel.getByRole('button', { name: 'Download with metadata' }).click()
      const file = await (await downloading).path()
      const { xmp } = await sharp(await readFile(file)).metadata()
      assert.match(String(xmp), /CC BY 4\.0/)

      await panel.getByRole('button', { name: 'Copy for website' }).click()
      const dialog = page.getByRole('dialog', { name: 'Copy for website' })
      await dialog.getByLabel('Language of the alt text').selectOption('French')
      assert.match(await dialog.getByLabel('Snippet').inputValue(), /alt="Un quai"/)
      await page.keyboard.press('Escape')
      await dialog.waitFor({ state: 'detached' })

      await panel.getByRole('button', { name: 'Edit' }).click()
      await panel.getByLabel('Decorative').check()
      assert.equal(await panel.getByRole('tab').count(), 0, 'there is nothing to describe')
      await panel.getByRole('button', { name: 'Save' }).click()
      await panel.getByText('Decorative. Websites show it with an empty alt text.').waitFor()
    },
    { as: ann },
  )
})
