import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startMisbehavingEndpoint } from '#engines/ai/testing/misbehaving-endpoint.ts'
import { assertAccessible, openStories, seeToast } from '#tests/support/browser.ts'
import { chooseAction, collectionsTab } from '#tests/support/collections-tab.ts'

test('websites', async (context) => {
  const endpoint = await startMisbehavingEndpoint()
  context.after(endpoint.close)
  const { product, story } = await openStories(context, {
    AI_BASE_URL: endpoint.baseUrl,
    AI_MODEL: 'held',
    AI_LOCAL: '0',
  })
  endpoint.releasePermanently()
  const ann = await product.register('ann')

  await story(
    'a website is created with two languages and branding, and a new collection starts with them',
    async ({ page, visit }) => {
      await visit('/websites')
      await page.getByText('No websites yet').waitFor()
      await assertAccessible(page)
      await page.getByRole('button', { name: 'Create Website' }).click()
      const dialog = page.getByRole('dialog', { name: 'Create Website' })
      await dialog.getByLabel('Name').fill('Northwind')
      await dialog.getByLabel('Address').fill('northwind.example')
      const language = dialog.getByRole('combobox', { name: 'Languages' })
      await language.fill('Elbisch')
      await dialog.getByRole('button', { name: 'Add', exact: true }).click()
      await dialog.getByText('"Elbisch" is not a known language.').waitFor()
      await language.fill('German')
      await page.keyboard.press('Enter')
      await dialog.getByRole('button', { name: 'Make German the main language' }).click()
      await dialog.getByRole('button', { name: 'Make English the main language' }).waitFor()
      await assertAccessible(page)
      await dialog.getByRole('tab', { name: 'Words' }).click()
      await dialog.getByLabel('Tone').fill('friendly')
      await dialog.getByLabel('Pattern of names').fill('{subject}-{website}')
      await dialog.getByText('red-tent-northwind.jpg').waitFor()
      await dialog.getByRole('tab', { name: 'Branding' }).click()
      await dialog.getByLabel('Accent', { exact: true }).fill('#aa0000')
      await assertAccessible(page)
      await dialog.getByRole('button', { name: 'Create' }).click()
      await seeToast(page, 'Website created', '"Northwind" was saved.')
      const card = page.getByRole('article', { name: 'Northwind' })
      await card.getByText('German · English').waitFor()

      await page.getByRole('button', { name: 'New collection' }).click()
      const creation = page.getByRole('dialog', { name: 'Create Collection' })
      await creation.getByLabel('Name').fill('Tents')
      await creation.getByLabel('Company').fill('northwind')
      await creation.getByText('Belongs to the website "Northwind"').waitFor()
      await creation.getByRole('button', { name: 'Create' }).click()
      await page.getByRole('heading', { name: 'Tents', level: 1 }).waitFor()
      const [collection] = (await ann.get('/api/collections')).json()
      assert.equal(collection.customBranding.accentColor, '#aa0000')

      await visit('/websites')
      await card.getByText('1 collection · No items').waitFor()
      await card.getByRole('link', { name: /^Tents/ }).click()
      await page.getByRole('heading', { name: 'Tents', level: 1 }).waitFor()
    },
    { as: ann },
  )

  await story(
    'a collection is duplicated for another website, and its copies are renamed and described in its language',
    async ({ page, visit }) => {
      const media = await ann.addPicture('IMG_0001.jpg')
      const { id } = (await ann.post('/api/collections', { name: 'Boots', company: 'Contoso' })).json()
      await ann.post(`/api/collections/${id}/media/${media.id}`)
      await visit(collectionsTab)
      await chooseAction(page, 'Boots', 'Duplicate for Other Website')
      const dialog = page.getByRole('dialog', { name: 'Duplicate for Other Website' })
      await dialog.getByLabel('Name').fill('Boots for Northwind')
      await dialog.getByLabel('Company').fill('Northwind')
      await dialog.getByRole('switch', { name: 'Rewrite the copies with AI' }).click()
      await assertAccessible(page)
      await dialog.getByRole('button', { name: 'Duplicate' }).click()
      const naming = page.getByRole('dialog', { name: 'AI Rename Images' })
      await naming.getByRole('button', { name: 'Preview names' }).click()
      await naming.getByText('orange-cat-northwind.jpg').waitFor()
      await naming.getByRole('button', { name: 'Rename 1 image' }).click()
      const tagging = page.getByRole('dialog', { name: 'AI Tag' })
      await tagging.getByText('In German, with its tone and keywords').waitFor()
      await assertAccessible(page)
      await tagging.getByRole('button', { name: 'Tag 1 item' }).click()
      await page.getByText('A close-up of an orange cat.').first().waitFor()
      assert.match(endpoint.asked('held').at(-1)!.system, /Answer in German/)
    },
    { as: ann },
  )

  await story(
    'collections of several websites are grouped, and deleting a website keeps its collections',
    async ({ page, visit }) => {
      await visit(collectionsTab)
      const tab = page.getByRole('tabpanel')
      await tab.getByRole('region', { name: 'Contoso' }).getByRole('article', { name: 'Boots', exact: true }).waitFor()
      await tab.getByRole('region', { name: 'Northwind' }).getByRole('article', { name: 'Tents' }).waitFor()
      await assertAccessible(page)
      await page.getByRole('button', { name: 'Websites' }).click()
      await page.getByRole('button', { name: 'Actions for Contoso' }).click()
      await page.getByRole('menuitem', { name: 'Delete Website' }).click()
      const question = page.getByRole('alertdialog')
      await question.getByText('1 collection stays in your library and keeps the company "Contoso".').waitFor()
      await question.getByRole('button', { name: 'Delete Website' }).click()
      await seeToast(page, 'Website deleted', '1 collection kept')
      await visit(collectionsTab)
      await page.getByRole('article', { name: 'Boots', exact: true }).getByText('1 item · Contoso').waitFor()
      assert.equal(await tab.getByRole('region').count(), 0)
    },
    { as: ann },
  )
})
