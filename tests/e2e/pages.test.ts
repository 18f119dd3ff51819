import assert from 'node:assert/strict'
import { test } from 'node:test'
import { arriveAt, holdResponse, openStories, seeFocus } from '#tests/support/browser.ts'
import { viewerOf } from '#tests/support/viewer.ts'

test('pagination of the library', async (context) => {
  const { product, story } = await openStories(context)
  const cara = await product.register('cara')
  for (let index = 0; index < 30; index++) await cara.addPicture(`p${index}.jpg`)

  await story(
    'a page number beyond the end leads to the last page, without showing an empty library',
    async ({ page, visit }) => {
      const answerLast = await holdResponse(page, '**/api/media?page=2&*')
      await visit('/?page=99&pageSize=25')
      await arriveAt(page, '/?page=2&pageSize=25')
      await page.getByTestId('skeleton-card').nth(9).waitFor()
      assert.equal(await page.getByText(/No media files yet|0-0 of/).count(), 0)
      answerLast()
      await page.getByText('26-30 of 30 items').waitFor()
    },
    { as: cara },
  )

  await story(
    'screen readers get the position of an item within all pages, and its description',
    async ({ page, visit }) => {
      const [{ id }] = (await cara.get('/api/media?search=p0')).json().media
      await cara.patch(`/api/media/${id}`, { userDescription: 'A boat at dawn' })
      await visit('/?page=2&pageSize=25')
      const oldest = page.getByRole('list', { name: 'Items' }).getByRole('listitem').filter({ hasText: 'p0.jpg' })
      assert.deepEqual(await oldest.evaluate(({ ariaPosInSet, ariaSetSize }) => [ariaPosInSet, ariaSetSize]), [
        '30',
        '30',
      ])
      const description = (name: string) => page.getByRole('button', { name }).getAttribute('aria-description')
      assert.equal(await description('Open p0.jpg'), 'Image. A boat at dawn')
      assert.equal(await description('Open p1.jpg'), 'Image')
    },
    { as: cara },
  )

  await story(
    'the buttons First, Previous, Next and Last, the Back button and the page size change the page',
    async ({ page, visit }) => {
      await visit('/?page=2&pageSize=25')
      await page.getByText('26-30 of 30 items').waitFor()
      // The count describes the items on screen until the next page has loaded.
      const answerFirst = await holdResponse(page, '**/api/media?page=1&*')
      await page.getByRole('button', { name: 'First', exact: true }).click()
      await page.locator('[aria-live=polite][aria-atomic=true]').getByText('Page 1 of 2').waitFor()
      await page.getByText('26-30 of 30 items').waitFor()
      answerFirst()
      await page.getByText('1-25 of 30 items').waitFor()
      assert.equal(await page.getByRole('button', { name: 'Previous' }).isDisabled(), true)
      await page.getByRole('button', { name: 'Next' }).click()
      await page.getByText('26-30 of 30 items').waitFor()
      await page.getByText('Page 2 of 2').waitFor()
      await page.getByRole('button', { name: 'Next' }).and(page.locator(':focus')).waitFor()
      await page.keyboard.press('Enter')
      assert.equal(await page.getByRole('button', { name: 'Last' }).isDisabled(), true)
      await page.goBack()
      await page.getByText('1-25 of 30 items').waitFor()
      const turn = async (name: string, shown: string) => {
        await page.getByRole('button', { name, exact: true }).click()
        await page.getByText(shown).waitFor()
      }
      await turn('Last', 'Page 2 of 2')
      await turn('Previous', 'Page 1 of 2')
      await turn('Next', '26-30 of 30 items')
      await turn('First', '1-25 of 30 items')
      await turn('Last', 'Page 2 of 2')
      await page.getByLabel('Items per page').selectOption('50')
      await page.getByText('1-30 of 30 items').waitFor()
      await page.getByText('Page 1 of 1').waitFor()
    },
    { as: cara },
  )

  await story(
    'a search scrolls the page to the top',
    async ({ page, visit }) => {
      await visit('/?pageSize=50')
      await page.getByText('1-30 of 30 items').waitFor()
      await page.evaluate(() => window.scrollTo(0, 500))
      await page.getByPlaceholder('Search your media...').fill('p')
      await page.waitForFunction(() => window.location.search.includes('search=p') && window.scrollY === 0)
    },
    { as: cara },
  )

  await story(
    'arrow keys, Home and End move between the cards, also before their code has loaded',
    async ({ page, visit }) => {
      await visit('/?pageSize=50&search=p')
      await page.getByText('1-30 of 30 items').waitFor()
      const releaseKeys = await holdResponse(page, '**/assets/card-keys-*.js')
      await page.getByRole('button', { name: 'Open p29.jpg' }).focus()
      // The key is pressed before its handler has loaded, and is replayed.
      await page.keyboard.press('End')
      releaseKeys()
      await seeFocus(page, 'Open p0.jpg')
      for (const [key, name] of [
        ['ArrowUp', 'Open p6.jpg'],
        ['Home', 'Open p29.jpg'],
        ['ArrowRight', 'Open p28.jpg'],
        ['ArrowDown', 'Open p22.jpg'],
        ['ArrowLeft', 'Open p23.jpg'],
      ] as const) {
        await page.keyboard.press(key)
        await seeFocus(page, name)
      }
      await page.getByRole('button', { name: 'Rename p29.jpg' }).press('ArrowDown')
      await seeFocus(page, 'Rename p29.jpg')
    },
    { as: cara },
  )

  await story(
    'the viewer continues on the next page, and closing it leads to the page of the last item',
    async ({ page, visit }) => {
      await visit('/?pageSize=25')
      const viewer = viewerOf(page)
      const see = async (name: string, query: string) => {
        await viewer.getByRole('heading', { name, exact: true }).waitFor()
        const item = (await cara.get(`/api/media?search=${name}`)).json().media[0].id
        await arriveAt(page, `/?${query}pageSize=25&item=${item}`)
      }
      const strip = viewer.getByRole('navigation').getByRole('button')
      await page.getByRole('button', { name: 'Open p5.jpg' }).click()
      await see('p5.jpg', '')
      await strip.nth(29).waitFor()
      await viewer.getByRole('button', { name: 'Next' }).click()
      await see('p4.jpg', 'page=2&')
      assert.equal(await strip.count(), 30)
      await page.keyboard.press('ArrowLeft')
      await see('p5.jpg', '')
      await strip.nth(26).click()
      await see('p3.jpg', 'page=2&')
      await page.keyboard.press('Escape')
      await arriveAt(page, '/?page=2&pageSize=25')
      await seeFocus(page, 'Open p3.jpg')
      await page.goBack()
      await arriveAt(page, '/?pageSize=25')
      assert.equal(await viewer.count(), 0)
    },
    { as: cara },
  )

  await story(
    'the viewer on page 2 drops an item that was trashed on page 1, and keeps those that moved up',
    async ({ page, visit }) => {
      await visit('/?pageSize=25')
      const viewer = viewerOf(page)
      const strip = viewer.getByRole('navigation').getByRole('button')
      for (const name of ['newer.jpg', 'newest.jpg']) await cara.addPicture(name)
      // A click on a card that moves would hit another one.
      await page.getByText('1-25 of 32 items').waitFor()
      await page.getByRole('button', { name: 'Open p7.jpg' }).click()
      await strip.nth(31).waitFor()
      const trashed = Promise.withResolvers<void>()
      await page.route('**/api/media/bulk-trash', (route) => trashed.promise.then(() => route.continue()))
      await page.keyboard.press('Delete')
      for (const name of ['p6', 'p5', 'p4', 'p3', 'p2', 'p1', 'p0']) {
        await viewer.getByRole('heading', { name: `${name}.jpg`, exact: true }).waitFor()
        if (name !== 'p0') await page.keyboard.press('ArrowRight')
      }
      trashed.resolve()
      await page.getByText('26-31 of 31 items').waitFor({ state: 'attached' })
      await viewer.getByRole('navigation').getByRole('button', { name: 'p6.jpg' }).waitFor()
    },
    { as: cara },
  )
})
