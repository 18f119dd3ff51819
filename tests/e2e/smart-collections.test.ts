import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { assertAccessible, openStories, seeToast } from '#tests/support/browser.ts'
import { cardOf, chooseMore, register, select } from '#tests/support/selection.ts'

const tileOf = (page: Page, name: RegExp) =>
  page.getByRole('button', { name }).or(page.getByRole('link', { name })).first()

test('smart collections', async (context) => {
  const { product, story } = await openStories(context)
  const ada = await register(product, 'ada', ['beach 1.jpg', 'beach 2.jpg', 'harbor.jpg', 'forest.jpg'])
  const { media } = (await ada.get('/api/media?sort=name')).json()
  const [one, two, , harbor] = media.map(({ id }: { id: number }) => id)
  for (const id of [one, two]) await ada.patch(`/api/media/${id}`, { aiTags: ['beach'] })

  await story(
    'a search is saved and shared, a newly tagged item is on its public page, and freezing keeps what is there',
    async ({ page, browser, visit }) => {
      await visit('/?search=tag:beach')
      await page.getByText('1-2 of 2 items').waitFor()
      await page.getByRole('button', { name: 'Save as Smart Collection…' }).click()
      const saving = page.getByRole('dialog', { name: 'Save as Smart Collection' })
      await saving.getByLabel('Search').fill('tag:beach size:huge')
      await saving.getByRole('alert').getByText('"size:" needs a limit or range').waitFor()
      await saving.getByLabel('Search').fill('tag:beach')
      await assertAccessible(page)
      await saving.getByRole('button', { name: 'Save' }).click()
      await seeToast(page, 'Collection created', '"Beach" is ready.')
      await page.getByRole('heading', { name: 'Beach', level: 1 }).waitFor()
      await page.getByRole('button', { name: 'Smart collection. Edit search: tag:beach' }).waitFor()
      await page.getByRole('complementary').getByRole('img', { name: 'Smart collection' }).waitFor()
      await assertAccessible(page)

      await select(page, ['beach 1.jpg'])
      await page.getByRole('button', { name: 'More actions' }).click()
      const removal = page.getByRole('menuitem', { name: 'Remove from Collection (1)' })
      await removal.and(page.locator('[aria-disabled=true]')).waitFor()
      await removal.getByText('A smart collection contains what matches its search.').waitFor()
      await page.keyboard.press('Escape')
      await page.getByRole('button', { name: 'Done' }).click()

      const [collection] = (await ada.get('/api/collections?summary=true')).json()
      const path = `/api/collections/${collection.id}/visibility`
      const { publicUrl } = (await ada.patch(path, { isPublic: true })).json()
      const visitor = await browser.newPage()
      await visitor.goto(new URL(publicUrl).pathname)
      await tileOf(visitor, /beach 1/).waitFor()
      await ada.patch(`/api/media/${harbor}`, { aiTags: ['beach'] })
      await page.getByText('1-3 of 3 items').waitFor()
      await visitor.reload()
      await tileOf(visitor, /harbor/).waitFor()

      await page.getByRole('button', { name: 'Actions for Beach', exact: true }).click()
      await page.getByRole('menuitem', { name: 'Freeze…' }).click()
      await page.getByRole('alertdialog').getByRole('button', { name: 'Freeze' }).click()
      await seeToast(page, 'Collection frozen', '"Beach" keeps its 3 items.')
      await ada.patch(`/api/media/${one}`, { aiTags: [] })
      await visit(`/?collection=${collection.id}`)
      await cardOf(page, 'beach 1.jpg').waitFor()
      await select(page, ['beach 1.jpg'])
      await chooseMore(page, 'Remove from Collection (1)')
      await page.getByText('1-2 of 2 items').waitFor()
    },
    { as: ada },
  )
})
