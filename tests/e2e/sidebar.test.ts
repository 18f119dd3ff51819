import assert from 'node:assert/strict'
import { test } from 'node:test'
import { arriveAt, assertAccessible, holdResponse, openStories } from '#tests/support/browser.ts'
import { insertManyMedia } from '../support/seed-library.ts'

const longAgo = { media_created_at: 0, added_at: 0 }
const phone = { width: 360, height: 740 }

test('the sidebar and the search', async (context) => {
  const { product, story } = await openStories(context)
  const admin = await product.register('grace')
  const ada = await product.register('ada')

  await story(
    'the sidebar leads to places that a reload and the back button keep',
    async ({ page, visit }) => {
      await visit('/')
      const sidebar = page.getByRole('complementary', { name: 'Sidebar' })
      await sidebar.getByText('No collections yet').waitFor()
      await sidebar.getByText('0 B of 10 GB used').waitFor()
      for (const [name, address] of [
        ['Images', '/?filter=images'],
        ['Videos', '/?filter=videos'],
        ['Favorites', '/?filter=favorites'],
        ['Trash', '/?filter=trash'],
        ['All Media', '/'],
      ] as const) {
        await sidebar.getByRole('button', { name }).click()
        await arriveAt(page, address)
      }
      await page.goBack()
      await arriveAt(page, '/?filter=trash')
      await page.reload()
      assert.equal(await sidebar.getByRole('button', { name: 'Trash' }).getAttribute('aria-current'), 'page')
    },
    { as: ada },
  )

  await story('a collection is selected in the sidebar, and All Media clears it', async ({ page, visit, signInAs }) => {
    const person = await product.register('emmy')
    const { id } = (await person.post('/api/collections', { name: 'Winter' })).json()
    const ids = await insertManyMedia(product.services.db, person.id, 1000)
    const members = ids.map((media_id, position) => ({ collection_id: id, media_id, position, ...longAgo }))
    await product.services.db.insertInto('collection_media').values(members).execute()
    await signInAs(person)
    await visit('/?filter=videos')
    await page.getByRole('region', { name: 'Collections 1', exact: true }).waitFor()
    await page.getByRole('button', { name: 'Winter 1,000' }).click()
    await arriveAt(page, `/?collection=${id}`)
    await page.getByRole('complementary', { name: 'Sidebar' }).getByRole('button', { name: 'All Media' }).click()
    await arriveAt(page, '/')
  })

  await story(
    'the search works from any screen, waits for the typing to rest, and can be undone',
    async ({ page, visit }) => {
      await visit('/scraper')
      await page.getByRole('heading', { name: 'Web Image Scraper' }).waitFor()
      await page.keyboard.press('/')
      await page.keyboard.type('two words', { delay: 20 })
      await arriveAt(page, '/?search=two+words')
      await page.keyboard.type('!')
      await arriveAt(page, '/?search=two+words%21')
      await page.goBack()
      await arriveAt(page, '/scraper')
      assert.equal(await page.getByPlaceholder('Search your media...').inputValue(), '')
    },
    { as: ada },
  )

  await story(
    'items that are uploaded elsewhere appear without a reload',
    async ({ page, visit }) => {
      const sidebar = page.getByRole('complementary', { name: 'Sidebar' })
      // Also what comes before the page hears of changes.
      const letHear = await holdResponse(page, '**/api/events?*')
      await visit('/')
      await page.getByText('No media files yet').waitFor()
      await admin.addPicture('from-elsewhere.jpg')
      letHear()
      await page.getByText('from-elsewhere.jpg').first().waitFor()
      await sidebar.getByText('1 file', { exact: true }).waitFor()
      await admin.addPicture('from-there-too.jpg')
      await page.getByText('from-there-too.jpg').first().waitFor()
      await sidebar.getByText('2 files', { exact: true }).waitFor()
    },
    { as: admin },
  )

  await story(
    'on a phone the sidebar is a drawer that closes when a place is chosen',
    async ({ page, visit }) => {
      await visit('/')
      await page.getByRole('button', { name: 'Menu' }).click()
      const drawer = page.getByRole('dialog', { name: 'Menu' })
      await drawer.getByText('No collections yet').waitFor()
      await assertAccessible(page)
      await drawer.getByRole('button', { name: 'Favorites' }).click()
      await arriveAt(page, '/?filter=favorites')
      await drawer.waitFor({ state: 'detached' })
      // Turned to where there is room for a sidebar, and back.
      await page.getByRole('button', { name: 'Menu' }).click()
      await drawer.waitFor()
      await page.setViewportSize({ width: phone.height + 60, height: phone.width })
      await drawer.waitFor({ state: 'detached' })
      await page.getByRole('button', { name: 'Favorites' }).waitFor()
      await page.setViewportSize(phone)
      await page.getByRole('button', { name: 'Menu' }).waitFor()
      assert.equal(await drawer.count(), 0, 'the drawer did not reopen')
    },
    { as: ada, viewport: phone, hasTouch: true, hasMotion: true },
  )

  await story(
    'in a narrow window the cross clears the search, also where a press takes the focus away and gives it to nothing',
    async ({ page, visit }) => {
      await visit('/?search=harbour')
      // As in Safari, unless the button prevents it.
      await page.evaluate(() =>
        window.addEventListener('mousedown', (event) => {
          if (event.defaultPrevented || !(event.target as Element).closest('button')) return
          event.preventDefault()
          ;(document.activeElement as HTMLElement).blur()
        }),
      )
      const field = page.getByRole('combobox', { name: 'Search your media' })
      await field.focus()
      await page.getByRole('search').getByRole('button', { name: 'Clear search' }).click()
      await arriveAt(page, '/')
      assert.equal(await field.inputValue(), '')
    },
    { as: ada, viewport: phone },
  )
})
