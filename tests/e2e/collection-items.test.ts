import assert from 'node:assert/strict'
import { test } from 'node:test'
import { shareCollection } from '#features/sharing/server/sharing.fixture.ts'
import {
  assertAccessible,
  holdPatch,
  holdResponse,
  holdToast,
  ignoreEvents,
  loseResponse,
  openStories,
  type Story,
  seeToast,
} from '#tests/support/browser.ts'
import { chooseAction, collectionsTab } from '#tests/support/collections-tab.ts'
import { select } from '#tests/support/selection.ts'
import { viewerOf } from '#tests/support/viewer.ts'
import { copyManyMedia } from '../support/seed-library.ts'

test('the items of a collection', async (context) => {
  const { product, story } = await openStories(context)
  const ben = await product.register('ben')
  const sea = await shareCollection(ben, { name: 'Sea', count: 3 })
  const names = async () =>
    (await ben.get(`/api/collections/${sea.id}/media`))
      .json()
      .media.map(({ filename }: { filename: string }) => filename)

  const [zero, one, two] = sea.media.map(({ id }) => id)
  const openArrange = async ({ page, visit }: Story) => {
    await visit(collectionsTab)
    await chooseAction(page, 'Sea', 'Arrange & Cover')
    const dialog = page.getByRole('dialog', { name: 'Arrange & Cover' })
    return {
      dialog,
      announced: dialog.locator('[aria-live=assertive]'),
      tile: (name: string) => dialog.getByRole('button', { name: new RegExp(`^${name}, position`) }),
      saved: () => page.waitForResponse((response) => response.url().endsWith('/order') && response.ok()),
    }
  }

  await story(
    'an item is moved by keyboard, and a refused move is reset',
    async (it) => {
      const { page } = it
      const { dialog, tile, announced, saved } = await openArrange(it)
      await tile('picture-0.jpg').focus()
      await page.keyboard.press('Space')
      await page.keyboard.press('ArrowRight')
      await dialog.getByText('picture-0.jpg, position 2 of 3').waitFor({ state: 'attached' })
      await page.keyboard.press('Escape')
      assert.equal(await tile('picture-0.jpg').getAttribute('aria-label'), 'picture-0.jpg, position 1 of 3')
      await page.route('**/api/collections/*/order', (route) => route.abort(), { times: 1 })
      await tile('picture-0.jpg').click()
      await tile('picture-2.jpg').click()
      await seeToast(page, 'Error', 'Failed to update collection.')
      await dialog.getByRole('button', { name: 'picture-0.jpg, position 1 of 3' }).focus()
      await page.keyboard.press('Space')
      await page.keyboard.press('End')
      const isSaved = saved()
      await page.keyboard.press('Space')
      await announced.getByText('picture-0.jpg moved to position 3 of 3', { exact: true }).waitFor()
      await isSaved
      assert.deepEqual(await names(), ['picture-1.jpg', 'picture-2.jpg', 'picture-0.jpg'])
    },
    { as: ben },
  )

  await story(
    'an item is moved by clicking it and its new position, or by dragging',
    async (it) => {
      const { page } = it
      const { tile, announced, saved } = await openArrange(it)
      await tile('picture-2.jpg').click()
      let isSaved = saved()
      await tile('picture-1.jpg').click()
      await announced.getByText('picture-2.jpg moved to position 1 of 3', { exact: true }).waitFor()
      await isSaved
      assert.deepEqual(await names(), ['picture-2.jpg', 'picture-1.jpg', 'picture-0.jpg'])

      isSaved = saved()
      // Like WebKit, which does not drag an element without data.
      await page.evaluate(() => {
        document.addEventListener('dragstart', (event) => {
          if (event.dataTransfer?.types.length === 0) event.preventDefault()
        })
        // WebKit drops only where `dragenter` was accepted too.
        document.addEventListener('dragenter', (event) => {
          if ((event.target as Element).closest('li') && !event.defaultPrevented)
            throw new Error('The dragenter event was not accepted.')
        })
      })
      await tile('picture-0.jpg').dragTo(tile('picture-2.jpg'))
      await isSaved
      assert.deepEqual(await names(), ['picture-0.jpg', 'picture-2.jpg', 'picture-1.jpg'])
    },
    { as: ben },
  )

  await story(
    'two quick moves are saved one after the other, and a later order from elsewhere replaces them',
    async (it) => {
      const { page } = it
      const { dialog, tile } = await openArrange(it)
      const moves: number[] = []
      page.on(
        'request',
        (request) => request.url().endsWith('/order') && moves.push(request.postDataJSON().mediaIds[0]),
      )
      const answer = await holdResponse(page, '**/api/collections/*/order')
      const isRequested = page.waitForRequest('**/api/collections/*/order')
      await tile('picture-1.jpg').click()
      await tile('picture-0.jpg').click()
      await tile('picture-2.jpg').click()
      await tile('picture-1.jpg').click()
      await dialog.getByRole('button', { name: 'picture-2.jpg, position 1 of 3' }).waitFor()
      await isRequested
      assert.deepEqual(moves, [one], 'the second move waits for the first')
      const isSaved = page.waitForResponse((each) => each.request().postDataJSON()?.mediaIds?.[0] === two)
      answer()
      await isSaved
      assert.deepEqual(await names(), ['picture-2.jpg', 'picture-1.jpg', 'picture-0.jpg'])
      await ben.patch(`/api/collections/${sea.id}/order`, { mediaIds: [zero], beforeId: two })
      await dialog.getByRole('button', { name: 'picture-0.jpg, position 1 of 3' }).waitFor()
    },
    { as: ben },
  )

  await story(
    'an item becomes the cover, and of two quick choices the last one wins',
    async (it) => {
      const { page } = it
      const { dialog } = await openArrange(it)
      await dialog.getByRole('button', { name: 'Make picture-1.jpg the cover' }).click()
      await dialog.getByRole('button', { name: 'picture-1.jpg is the cover' }).waitFor()
      await assertAccessible(page)
      assert.equal((await ben.get(`/api/collections/${sea.id}`)).json().coverMediaId, sea.media[1]!.id)

      const slowPatch = await holdPatch(page, `**/api/collections/${sea.id}`)
      const covers = [zero, two].map((id) =>
        page.waitForResponse((each) => each.request().postDataJSON()?.coverMediaId === id),
      )
      await dialog.getByRole('button', { name: 'Make picture-0.jpg the cover' }).click()
      await slowPatch.asked
      await dialog.getByRole('button', { name: 'Make picture-2.jpg the cover' }).click()
      slowPatch.answer()
      await Promise.all(covers)
      await dialog.getByRole('button', { name: 'picture-2.jpg is the cover' }).waitFor()
      assert.equal((await ben.get(`/api/collections/${sea.id}`)).json().coverMediaId, two)
    },
    { as: ben },
  )

  await story(
    'a selected item that is removed elsewhere is deselected, and the next click selects another',
    async (it) => {
      const { dialog, tile } = await openArrange(it)
      await tile('picture-2.jpg').click()
      await ben.delete(`/api/collections/${sea.id}/media/${two}`)
      await dialog.getByRole('button', { name: 'picture-0.jpg, position 1 of 2' }).click()
      await dialog.getByRole('button', { name: 'picture-0.jpg', pressed: true }).waitFor()
      await ben.post(`/api/collections/${sea.id}/media/${two}`)
    },
    { as: ben },
  )

  await story(
    'only the visible tiles of hundreds of items are rendered, and one can be moved to the end',
    async ({ page, visit }) => {
      const { db } = product.services
      const [first] = sea.media
      const ids = await copyManyMedia(db, first!.id, 600)
      const { id } = (await ben.post('/api/collections', { name: 'Ocean' })).json()
      const place = (media_id: number) => ({ media_id, position: media_id, media_created_at: 0, added_at: 0 })
      await db
        .insertInto('collection_media')
        .values(ids.map((mediaId) => ({ collection_id: id, ...place(mediaId) })))
        .execute()
      await visit(`/?collection=${id}`)
      await chooseAction(page, 'Ocean', 'Arrange & Cover')
      const dialog = page.getByRole('dialog', { name: 'Arrange & Cover' })
      const tiles = dialog.getByRole('button', { name: /, position / })
      await tiles.first().focus()
      const height = await dialog.getByRole('list').evaluate((list) => list.clientHeight)
      assert.ok((await tiles.count()) <= 180, `${await tiles.count()} tiles are rendered`)
      await page.keyboard.press('Space')
      await page.keyboard.press('End')
      const last = dialog.getByRole('button', { name: 'copy 1.jpg, position 600 of 600' })
      await last.and(page.locator(':focus')).waitFor()
      assert.ok((await last.boundingBox())!.y < 800, 'the moved item is visible')
      await dialog.getByRole('button', { name: 'copy 600.jpg, position 599 of 600' }).waitFor()
      const arranged = page.waitForResponse((answer) => answer.url().endsWith('/order') && answer.ok())
      await page.keyboard.press('Space')
      await arranged
      assert.equal(
        await dialog.getByRole('list').evaluate((list) => list.clientHeight),
        height,
        'the height of the list has not changed',
      )
      const { media } = (await ben.get(`/api/collections/${id}/media`)).json()
      assert.equal(media.at(-1).filename, 'copy 1.jpg')
      await ben.delete(`/api/collections/${id}`)
      await ben.post('/api/media/bulk-delete', { mediaIds: ids })
    },
    { as: ben },
  )

  await story(
    "the library's own list of a collection can be put in order, and keeps it",
    async ({ page, visit }) => {
      await ben.patch(`/api/collections/${sea.id}/order`, { mediaIds: sea.media.map(({ id }) => id), beforeId: null })
      const newestFirst = ['picture-2.jpg', 'picture-1.jpg', 'picture-0.jpg']
      const shown = (order: string[]) =>
        page.waitForFunction(
          (wanted) =>
            [...document.querySelectorAll('main [data-media-id] [aria-label^="Open "]')]
              .map((card) => card.getAttribute('aria-label')?.slice('Open '.length))
              .join() === wanted,
          order.join(),
        )
      await visit(`/?collection=${sea.id}`)
      await shown(newestFirst)
      await page.getByLabel('Sort by').selectOption('Manual order')
      await shown(newestFirst.toReversed())
      await visit(`/?collection=${sea.id}`)
      await chooseAction(page, 'Sea', 'Arrange & Cover')
      const dialog = page.getByRole('dialog', { name: 'Arrange & Cover' })
      await dialog.getByRole('button', { name: /^picture-0.jpg, position 1/ }).focus()
      for (const key of ['Space', 'ArrowRight', 'Space']) await page.keyboard.press(key)
      await shown(['picture-1.jpg', 'picture-0.jpg', 'picture-2.jpg'])
      await page.keyboard.press('Escape')
      await dialog.waitFor({ state: 'detached' })
      await page.reload()
      await shown(['picture-1.jpg', 'picture-0.jpg', 'picture-2.jpg'])
      assert.equal(await page.getByLabel('Sort by').inputValue(), 'manual')
      await page.getByRole('button', { name: 'Open picture-0.jpg' }).click()
      const viewer = viewerOf(page)
      await viewer.getByRole('heading', { name: 'picture-0.jpg' }).waitFor()
      await page.keyboard.press('ArrowRight')
      await viewer.getByRole('heading', { name: 'picture-2.jpg' }).waitFor()
      await page.keyboard.press('Escape')
      // Other lists do not offer this order.
      await page.getByRole('complementary', { name: 'Sidebar' }).getByRole('button', { name: 'All Media' }).click()
      await page.getByRole('heading', { name: 'All Media' }).waitFor()
      assert.equal(await page.getByLabel('Sort by').inputValue(), 'recent')
      assert.equal(await page.getByRole('option', { name: 'Manual order' }).count(), 0)
    },
    { as: ben },
  )

  await story(
    'an item removed from a collection stays in the library, and Undo adds it again at its position',
    async ({ page, visit }) => {
      const before = await names()
      assert.notEqual(before.at(-1), 'picture-1.jpg')
      await visit(`/?collection=${sea.id}`)
      await page.getByText('1-3 of 3 items').waitFor()
      await page.getByRole('button', { name: 'Actions for picture-1.jpg' }).click()
      await page.getByRole('menuitem', { name: 'Remove from collection' }).click()
      await holdToast(page, 'Removed from collection', 'The item was removed from "Sea".')
      await page.getByText('1-2 of 2 items').waitFor()
      assert.deepEqual((await ben.get(`/api/media/${sea.media[1]!.id}`)).json().collections, [])
      // Undo succeeds but its response is lost, so the next try finds the item and moves it to its position.
      await page.route(
        '**/api/collections/*/media/*',
        async (route) => {
          await route.fetch()
          await route.abort()
        },
        { times: 1 },
      )
      await page.getByRole('button', { name: 'Undo' }).click()
      await holdToast(page, 'Error', 'Failed to update collection.')
      const putBack = page.waitForResponse((answer) => answer.url().endsWith('/order'))
      await page.getByRole('button', { name: 'Try again' }).click()
      await page.getByText('1-3 of 3 items').waitFor()
      await putBack
      assert.deepEqual(await names(), before, 'at its old position')
      // The item is already removed because only the response was lost, so the next try succeeds.
      await ignoreEvents(page)
      await page.reload()
      await page.getByText('1-3 of 3 items').waitFor()
      const takeOut = async () => {
        await page.getByRole('button', { name: 'Actions for picture-1.jpg' }).click()
        await page.getByRole('menuitem', { name: 'Remove from collection' }).click()
      }
      await loseResponse(page, '**/api/collections/*/media/*')
      await takeOut()
      await seeToast(page, 'Error', 'Failed to update collection.')
      await takeOut()
      await seeToast(page, 'Removed from collection', 'This was already done.')
      await page.getByText('1-2 of 2 items').waitFor()
      await ben.post(`/api/collections/${sea.id}/media/${sea.media[1]!.id}`)
      await page.getByRole('main').getByRole('button', { name: 'All Media' }).click()
      await page.getByRole('heading', { name: 'All Media' }).waitFor()
      await page.getByRole('button', { name: 'Actions for picture-1.jpg' }).first().click()
      await page.getByRole('menuitem', { name: 'Move to Collection' }).waitFor()
      assert.equal(await page.getByRole('menuitem', { name: 'Remove from collection' }).count(), 0)
    },
    { as: ben },
  )

  await story(
    'a selection is removed from a collection with one action, and Undo adds it again',
    async ({ page, visit }) => {
      const before = await names()
      await visit(`/?collection=${sea.id}`)
      await select(page, ['picture-0.jpg', 'picture-1.jpg'])
      const more = page.getByRole('button', { name: 'More actions' })
      await more.click()
      await page.getByRole('menuitem', { name: 'Remove from Collection (2)' }).click()
      await holdToast(page, 'Removed from collection', '2 items were removed from "Sea".')
      await page.getByText('1-1 of 1 item').waitFor()
      await page.getByRole('region', { name: 'Selected items' }).waitFor({ state: 'detached' })
      assert.deepEqual(await names(), ['picture-2.jpg'])
      await page.getByRole('button', { name: 'Undo' }).click()
      await page.getByText('1-3 of 3 items').waitFor()
      assert.deepEqual(await names(), before, 'at their old positions')
      // Without an open collection the action is not offered.
      await page.getByRole('complementary', { name: 'Sidebar' }).getByRole('button', { name: 'All Media' }).click()
      await select(page, ['picture-0.jpg'])
      await more.click()
      await page.getByRole('menuitem', { name: 'Create URLs' }).waitFor()
      assert.equal(await page.getByRole('menuitem', { name: 'Remove from Collection' }).count(), 0)
    },
    { as: ben },
  )

  await story(
    'on a phone the list of collections has the focus, so that no keyboard covers it',
    async ({ page, visit }) => {
      for (let number = 1; number <= 12; number++) await ben.post('/api/collections', { name: `Trip ${number}` })
      await visit('/')
      await select(page, ['picture-1.jpg'])
      await page.getByRole('button', { name: 'Move to Collection' }).tap()
      const list = page.getByRole('listbox', { name: 'Collection' })
      await list.and(page.locator(':focus')).waitFor()
      const seen = await list.evaluate((listbox) => {
        const isSeen = (option: Element) => {
          const { left, top, width, height } = option.getBoundingClientRect()
          return option.contains(document.elementFromPoint(left + width / 2, top + height / 2))
        }
        return [...listbox.children].filter(isSeen).length
      })
      assert.ok(seen >= 7, `${seen} collections are visible`)
      await page.keyboard.press('Escape')
      await visit(`/?item=${(await ben.get('/api/media')).json().media[0].id}`)
      await page.getByRole('button', { name: 'Add to Collection' }).tap()
      await list.and(page.locator(':focus')).waitFor()
    },
    { as: ben, viewport: { width: 390, height: 844 }, hasTouch: true },
  )
})
