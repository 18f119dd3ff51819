import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startMisbehavingEndpoint } from '#engines/ai/testing/misbehaving-endpoint.ts'
import { assertAccessible, openStories, seeToast } from '#tests/support/browser.ts'
import { chooseMore, select } from '#tests/support/selection.ts'
import type { TestUser } from '#tests/support/test-user.ts'

const altTextsOf = async (user: TestUser, id: number) => (await user.get(`/api/media/${id}`)).json().altTexts

test('alt texts for a selection', async (context) => {
  const endpoint = await startMisbehavingEndpoint()
  context.after(endpoint.close)
  const { product, story } = await openStories(context, { AI_BASE_URL: endpoint.baseUrl, AI_MODEL: 'alt-texts' })
  const ann = await product.register('ann')
  await ann.post('/api/websites', { name: 'Northwind', languages: ['de', 'fr'] })
  const { id } = await ann.addPicture('cat.jpg')
  const { id: frame } = await ann.addPicture('frame.jpg')
  await ann.patch(`/api/media/${frame}`, { isDecorative: true })

  await story(
    'alt texts are written in the languages of a website, reviewed one by one, applied and undone',
    async ({ page, visit }) => {
      await visit('/')
      await select(page, ['cat.jpg', 'frame.jpg'])
      await chooseMore(page, 'Write Alt Texts (2)')
      const dialog = page.getByRole('dialog', { name: 'Write Alt Texts' })
      await dialog.getByLabel('For website').selectOption('Northwind')
      await dialog.getByRole('list', { name: 'Languages' }).getByText('French').waitFor()
      await dialog.getByText('1 decorative item skipped.').waitFor()
      await assertAccessible(page)
      await dialog.getByRole('button', { name: 'Write for 1 item' }).click()

      await page.getByRole('heading', { name: 'AI review' }).waitFor()
      await page.getByText('told in de').waitFor()
      assert.deepEqual(await altTextsOf(ann, id), {}, 'nothing has changed yet')
      await assertAccessible(page)
      const saved = page.waitForResponse(`**/api/ai-reviews/*/items/${id}`)
      await page.getByRole('checkbox', { name: /French/ }).uncheck()
      await saved
      await page.getByRole('button', { name: 'Apply to 1 item' }).click()
      await seeToast(page, 'Suggestions applied', '1 item changed.')
      assert.deepEqual(await altTextsOf(ann, id), { de: 'An orange cat looks up, told in de' })

      await page.getByRole('button', { name: 'Account: ann' }).click()
      await page.getByRole('menuitem', { name: 'History' }).click()
      const entry = page.getByRole('listitem').filter({ hasText: 'Write Alt Texts' })
      await entry.getByRole('button', { name: 'Undo' }).click()
      await seeToast(page, 'Undone', '1 item reverted.')
      assert.deepEqual(await altTextsOf(ann, id), {})
    },
    { as: ann },
  )

  await story(
    'a user chooses the language in which the AI writes',
    async ({ page, visit }) => {
      await visit('/')
      await page.getByRole('button', { name: 'Account: ann' }).click()
      await page.getByRole('menuitem', { name: 'AI language' }).click()
      const dialog = page.getByRole('dialog', { name: 'AI language' })
      await dialog.getByLabel('Language of descriptions and tags').selectOption('Italian')
      await assertAccessible(page)
      await dialog.getByRole('button', { name: 'Save' }).click()
      await seeToast(page, 'Saved', 'Your settings have been saved.')
      await ann.post(`/api/media/${id}/analyze`)
      assert.match(endpoint.asked('alt-texts').at(-1)!.system, /Answer in Italian/)
    },
    { as: ann },
  )
})
