import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Locator, Route } from 'playwright-core'
import { formatBytes } from '#shared/bytes.ts'
import {
  holdPatch,
  holdResponse,
  holdToast,
  ignoreEvents,
  loseResponse,
  openStories,
  seeFocus,
  seeToast,
} from '#tests/support/browser.ts'
import { until } from '#tests/support/until.ts'

test('cards of the library', async (context) => {
  const { product, story } = await openStories(context)
  const ben = await product.register('ben')
  const items = new Map<string, number>()
  for (const name of ['img 10.jpg', 'img 2.jpg', 'Évening glow.jpg', 'boat.jpg'])
    items.set(name, (await ben.addPicture(name)).id)

  await story(
    'on a phone the rename field has a font size of 16 px, because Safari zooms in on smaller ones',
    async ({ page, visit }) => {
      await visit('/')
      await page.getByRole('button', { name: 'Rename boat.jpg' }).tap()
      const field = page.getByLabel('File name').and(page.locator(':focus'))
      assert.equal(await field.evaluate((input) => getComputedStyle(input).fontSize), '16px')
    },
    { as: ben, viewport: { width: 360, height: 740 }, hasTouch: true },
  )

  await story(
    'a click outside an open menu only closes it, without changing the styles of the cards',
    async ({ page, visit }) => {
      await visit('/')
      const neighbour = page.getByRole('button', { name: 'Open img 2.jpg' })
      await page.getByRole('button', { name: 'Actions for boat.jpg' }).click()
      await page.waitForFunction(() => document.body.style.pointerEvents === 'none')
      assert.equal(await neighbour.evaluate((card) => getComputedStyle(card).pointerEvents), 'auto')
      const { x, y } = (await neighbour.boundingBox())!
      await page.mouse.click(x + 9, y + 9)
      await page.getByRole('menu').waitFor({ state: 'detached' })
      assert.equal(new URL(page.url()).search, '', 'the item below is not opened')
      await page.waitForFunction(() => document.body.style.pointerEvents === '')
      await page.mouse.click(x + 9, y + 9)
      await page.getByRole('dialog', { name: 'Media Details' }).waitFor()
    },
    { as: ben },
  )

  await story(
    'when an item is renamed twice, the last name wins even if the first request is slow',
    async ({ page, visit, signInAs }) => {
      const hasty = await product.register('hasty')
      const { id } = await hasty.addPicture('boat.jpg')
      await signInAs(hasty)
      await visit('/')
      const slow = await holdPatch(page, `**/api/media/${id}`)
      const names = ['shipp.jpg', 'ship.jpg'].map((filename) =>
        page.waitForResponse((each) => each.request().postDataJSON()?.filename === filename),
      )
      for (const [before, after] of [
        ['boat.jpg', 'shipp.jpg'],
        ['shipp.jpg', 'ship.jpg'],
      ]) {
        await page.getByRole('button', { name: `Rename ${before}` }).click()
        await page.getByLabel('File name').fill(after!)
        await page.keyboard.press('Enter')
        await slow.asked
      }
      await page.getByRole('button', { name: 'Rename ship.jpg' }).waitFor()
      slow.answer()
      await Promise.all(names)
      assert.equal((await hasty.get(`/api/media/${id}`)).json().filename, 'ship.jpg')
    },
  )

  await story(
    'a favorite toggled twice while the connection breaks shows what the server has',
    async ({ page, visit, signInAs }) => {
      const fickle = await product.register('fickle')
      const { id } = await fickle.addPicture('boat.jpg')
      await signInAs(fickle)
      await visit('/')
      const heart = page.getByRole('button', { name: 'Favorite boat.jpg' })
      await heart.waitFor()
      const [asked, broken] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
      let wishes = 0
      // Reads fail too, so the page cannot ask for the current state.
      await page.route(/\/api\/media/, async (route) => {
        if (route.request().method() === 'PATCH') wishes++
        asked.resolve()
        await broken.promise
        await route.abort()
      })
      await heart.click()
      await asked.promise
      await heart.click()
      const isOver = page.waitForEvent('requestfailed', () => wishes === 2)
      broken.resolve()
      await isOver
      await page.waitForRequest(/\/api\/media\?/)
      assert.equal(await heart.getAttribute('aria-pressed'), 'false')
      assert.equal((await fickle.get(`/api/media/${id}`)).json().isFavorite, false)
    },
  )

  await story(
    'an item is renamed on its card: Enter or blur saves, Escape cancels, an empty name is not sent, a refused one is kept',
    async ({ page, visit }) => {
      await visit('/')
      await page.getByRole('button', { name: 'Rename boat.jpg' }).click()
      await page.getByLabel('File name').fill('ship.jpg')
      // Selecting the text may end outside the field.
      const { x, y, height } = (await page.getByLabel('File name').boundingBox())!
      await page.mouse.move(x + 20, y + height / 2)
      await page.mouse.down()
      await page.mouse.move(x + 20, y + height + 12)
      await page.mouse.up()
      assert.equal(await page.getByRole('dialog').count(), 0)
      await page.keyboard.press('Escape')
      await seeFocus(page, 'Rename boat.jpg')
      await page.getByRole('button', { name: 'Rename boat.jpg' }).click()
      await page.getByLabel('File name').fill('   ')
      await page.keyboard.press('Enter')
      await page.getByRole('button', { name: 'Rename boat.jpg' }).click()
      const answered = Promise.withResolvers<void>()
      const refuseLate = (route: Route) => answered.promise.then(() => route.abort())
      await page.route(`**/api/media/${items.get('boat.jpg')}`, refuseLate, { times: 1 })
      await page.getByLabel('File name').fill('sail.jpg')
      await page.keyboard.press('Enter')
      await seeFocus(page, 'Rename sail.jpg')
      answered.resolve()
      await seeToast(page, 'Rename failed')
      const field = page.getByLabel('File name').and(page.locator(':focus'))
      assert.equal(await field.inputValue(), 'sail.jpg')
      await page.keyboard.press('Enter')
      await seeFocus(page, 'Rename sail.jpg')
      await seeToast(page, 'Renamed', 'Renamed to "sail.jpg".')
      await page.getByRole('button', { name: 'Open sail.jpg' }).waitFor()
      assert.equal((await ben.get(`/api/media/${items.get('boat.jpg')}`)).json().filename, 'sail.jpg')
      await page.getByRole('button', { name: 'Actions for img 10.jpg' }).click()
      await page.getByRole('menuitem', { name: 'Rename' }).click()
      await page.getByLabel('File name').and(page.locator(':focus')).fill('left.jpg')
      await page.getByPlaceholder('Search your media...').focus()
      await seeToast(page, 'Renamed', 'Renamed to "left.jpg".')
      await ben.patch(`/api/media/${items.get('img 10.jpg')}`, { filename: 'img 10.jpg' })
    },
    { as: ben },
  )

  await story(
    'a refused favorite is reset, and of two quick clicks the last one wins',
    async ({ page, visit }) => {
      await visit('/')
      await page.getByText('1-4 of 4 items').waitFor()
      // Reads fail too, so the page cannot ask for the current state.
      const heart = page.getByRole('button', { name: 'Favorite img 2.jpg', pressed: false })
      await heart.waitFor()
      await page.route('**/api/media**', (route) => route.abort())
      await heart.click()
      await seeToast(page, 'Update failed', 'Failed to save changes.')
      await heart.waitFor()
      await page.unroute('**/api/media**')
      const sent: boolean[] = []
      page.on('request', (request) => request.method() === 'PATCH' && sent.push(request.postDataJSON().isFavorite))
      const filled = page.getByRole('button', { name: 'Favorite img 2.jpg', pressed: true })
      const answer = await holdResponse(page, '**/api/media/*')
      await heart.click()
      await filled.waitFor()
      // A response fetched in the meantime does not contain the change yet.
      await ben.patch(`/api/media/${items.get('img 10.jpg')}`, { filename: 'img 11.jpg' })
      await page.getByRole('button', { name: 'Open img 11.jpg' }).waitFor()
      await filled.click()
      await heart.waitFor()
      await ben.patch(`/api/media/${items.get('img 10.jpg')}`, { filename: 'img 10.jpg' })
      await page.getByRole('button', { name: 'Open img 10.jpg' }).waitFor()
      await heart.waitFor()
      assert.deepEqual(sent, [true], 'the second request waits for the first')
      const last = page.waitForResponse((response) => response.request().postDataJSON()?.isFavorite === false)
      answer()
      await last
      await heart.click()
      await filled.waitFor()
      await page.getByRole('button', { name: 'Favorites', exact: true }).click()
      await page.getByText('1-1 of 1 items').waitFor()
    },
    { as: ben },
  )

  await story(
    'a favorite is moved to the trash from its menu or by the Delete key, and Undo returns to the previous focus',
    async ({ page, visit }) => {
      await visit('/')
      await page.getByRole('button', { name: 'Favorites', exact: true }).click()
      await page.getByRole('heading', { name: 'Favorites' }).waitFor()
      await page.waitForFunction(() => document.title === 'Favorites · Albumen')
      await page.getByText('1-1 of 1 items').waitFor()
      await page.reload()
      await page.getByText('1-1 of 1 items').waitFor()
      await page.getByRole('button', { name: 'Actions for img 2.jpg' }).click()
      await page.getByRole('menuitem', { name: 'Move to Trash' }).click()
      await holdToast(page, 'Moved to Trash', '1 item will be permanently deleted after 30 days.')
      await page.getByText('No favorites yet').waitFor()
      // Undo by keyboard moves the focus back to where it was before F8.
      await page.getByRole('button', { name: 'Images', exact: true }).focus()
      await page.keyboard.press('F8')
      await page.getByRole('button', { name: 'Undo' }).press('Enter')
      await seeFocus(page, 'Images')
      await page.getByText('1-1 of 1 items').waitFor()
      await page.getByRole('button', { name: 'Open img 2.jpg' }).focus()
      // The key labeled "delete" on a Mac.
      await page.evaluate(() => Object.defineProperty(navigator, 'platform', { value: 'MacIntel' }))
      await page.keyboard.press('Backspace')
      await seeToast(page, 'Moved to Trash')
    },
    { as: ben },
  )

  await story(
    'an item is restored from the trash, and Empty Trash is not offered during a search',
    async ({ page, visit }) => {
      await visit('/')
      await page.getByRole('button', { name: 'Trash', exact: true }).click()
      const empty = page.getByRole('button', { name: 'Empty Trash' })
      await empty.waitFor()
      await page.getByRole('button', { name: 'Open img 2.jpg' }).waitFor()
      assert.equal(await page.getByRole('button', { name: /^Favorite / }).count(), 0)
      await page.getByPlaceholder('Search your media...').fill('img')
      await page.waitForURL(/search=img/)
      assert.equal(await empty.count(), 0)
      await page.getByRole('button', { name: 'Clear search' }).click()
      await empty.click()
      await page.getByText('1 item will be permanently deleted.').waitFor()
      await page.getByRole('button', { name: 'Cancel' }).click()
      await page.getByRole('button', { name: 'Actions for img 2.jpg' }).click()
      await page.getByRole('menuitem', { name: 'Restore' }).click()
      await seeToast(page, 'Restored')
      await page.getByText('Trash is empty').waitFor()
      await page.locator('main:focus').waitFor()
      await page.getByRole('button', { name: 'Back to the library' }).click()
      await page.getByRole('heading', { name: 'All Media' }).waitFor()
    },
    { as: ben },
  )

  await story(
    'deleting an item asks first, and moves the focus to the next card',
    async ({ page, visit }) => {
      await ben.addPicture('gone.jpg')
      await ignoreEvents(page)
      await visit('/')
      const remove = async () => {
        await page.getByRole('button', { name: 'Actions for gone.jpg' }).click()
        const [remove, trash] = ['Delete permanently…', 'Move to Trash'].map((name) =>
          page.getByRole('menuitem', { name }),
        )
        const iconOf = (item?: Locator) => item!.locator('svg').innerHTML()
        assert.notEqual(await iconOf(remove), await iconOf(trash), 'a destructive action has an icon of its own')
        await remove!.click()
        await page.getByText('Are you sure you want to delete this media? This action cannot be undone.').waitFor()
        await page.getByRole('button', { name: 'Delete', exact: true }).click()
      }
      await loseResponse(page, '**/api/media/*')
      await remove()
      await seeToast(page, 'Delete failed')
      // The item was deleted and only the response was lost, so the second try succeeds.
      await remove()
      await seeToast(page, 'Item deleted')
      await page.getByText('1-4 of 4 items').waitFor()
      await page.getByRole('button', { name: 'Open sail.jpg' }).and(page.locator(':focus')).waitFor()
    },
    { as: ben },
  )

  const dora = await product.register('dora')
  const { id, thumbnailUrl, originalUrl, size } = await dora.addPicture('all.jpg')

  await story(
    'a card shows tags, collections, visibility, duration, size and age',
    async ({ page, visit }) => {
      await dora.patch(`/api/media/${id}`, { aiTags: ['one', 'two', 'three'] })
      const collectionIds: number[] = []
      for (const name of ['Alps', 'Beach']) {
        const collection = (await dora.post('/api/collections', { name })).json()
        await dora.post(`/api/collections/${collection.id}/media/${id}`)
        collectionIds.push(collection.id)
      }
      await dora.post(`/api/media/${id}/public`)
      const threeDaysOld = { duration: 75, created_at: Date.now() - 3 * 24 * 3600_000 }
      await product.services.db.updateTable('media').set(threeDaysOld).where('id', '=', id).execute()
      const answer = await holdResponse(page, '**/api/media?*')
      await visit('/')
      await page.getByTestId('skeleton-card').first().waitFor()
      assert.equal(await page.getByTestId('skeleton-card').count(), 10)
      // On a phone this button is the first one; the others would move if it appeared with the items.
      await page.getByRole('button', { name: 'Recent Uploads' }).waitFor()
      answer()
      const card = page.getByRole('list', { name: 'Items' }).getByRole('listitem').first()
      await card.waitFor()
      for (const text of ['one', 'two', 'Alps', '+1', 'Public', '1:15', `${formatBytes(size)} · 3 days ago`])
        await card.getByText(text, { exact: true }).waitFor()
      assert.equal(await card.getByText(/three|Beach/).count(), 0)
      await visit(`/?collection=${collectionIds[0]}`)
      await card.getByText('Beach', { exact: true }).waitFor()
      assert.equal(await card.getByText(/Alps|\+1/).count(), 0, 'a card does not repeat the collection it is shown in')
    },
    { as: dora },
  )

  await story(
    'a card without a thumbnail shows a small original on a checkered background',
    async ({ page, visit }) => {
      await page.route(`**${thumbnailUrl}*`, (route) => route.abort())
      await visit('/')
      const card = page.getByRole('list', { name: 'Items' }).getByRole('listitem').first()
      const picture = card.locator(`img[src="${originalUrl}"]`)
      await picture.waitFor()
      await picture.evaluate((image: HTMLImageElement) => image.decode())
      const behind = await picture.evaluate((image) => getComputedStyle(image.parentElement!).backgroundImage)
      assert.equal(behind, 'none', 'a blurred placeholder would show through transparent parts')
      const { ground, ...shown } = await picture.evaluate((image) => ({
        width: image.clientWidth,
        height: image.clientHeight,
        ground: getComputedStyle(image).backgroundImage,
      }))
      assert.match(ground, /conic-gradient/, 'dark lines would be invisible on a dark background')
      assert.deepEqual(shown, { width: 64, height: 48 }, 'an icon is not enlarged')
    },
    { as: dora },
  )

  await story('F8 reaches a toast from a text field', async ({ page, visit, signInAs }) => {
    const hal = await product.register('hal')
    await hal.addPicture('hill.jpg')
    await signInAs(hal)
    await visit('/')
    await page.getByRole('button', { name: 'Actions for hill.jpg' }).click()
    await page.getByRole('menuitem', { name: 'Duplicate' }).click()
    await holdToast(page, 'Item duplicated')
    await page.getByRole('button', { name: 'Rename hill.jpg', exact: true }).click()
    // An empty name is not saved when the field loses the focus, so no other toast follows.
    await page.getByLabel('File name').fill('')
    await page.keyboard.press('F8')
    await page.waitForFunction(() => document.activeElement?.closest('[data-toasts]'))
  })

  await story('a card keeps its height when its tags and collections arrive', async ({ page, visit, signInAs }) => {
    const fay = await product.register('fay')
    const { id: plainId } = await fay.addPicture('plain.jpg')
    await signInAs(fay)
    await visit('/')
    const card = page.locator(`[data-media-id="${plainId}"]`)
    await card.getByText('plain.jpg').waitFor()
    const before = (await card.boundingBox())!.height
    await fay.patch(`/api/media/${plainId}`, { aiTags: ['one', 'two'] })
    const { id: alpsId } = (await fay.post('/api/collections', { name: 'Alps' })).json()
    await fay.post(`/api/collections/${alpsId}/media/${plainId}`)
    for (const text of ['one', 'Alps']) await card.getByText(text, { exact: true }).waitFor()
    assert.equal((await card.boundingBox())!.height, before)
  })

  await story(
    'the number of columns follows the width of the window',
    async ({ page, visit }) => {
      await visit('/')
      await page.getByRole('button', { name: 'Add Media' }).waitFor()
      const card = page.getByRole('list', { name: 'Items' }).getByRole('listitem').first()
      await card.waitFor()
      for (const [width, columns] of [
        [390, 2],
        [700, 3],
        [800, 4],
        [1100, 5],
        [1300, 6],
      ] as const) {
        await page.setViewportSize({ width, height: 800 })
        const tracks = card
          .locator('..')
          .evaluate((grid) => getComputedStyle(grid).gridTemplateColumns.split(' ').length)
        assert.equal(await tracks, columns, `${width} pixels`)
        // On a phone the buttons are icons in the row of the tabs.
        if (width < 640) continue
        const label = page.getByText('Select', { exact: true })
        await until(`${width} pixels: the button shows its label`, async () => (await label.boundingBox())!.width > 20)
      }
    },
    { as: dora },
  )

  await story(
    'a card whose image cannot be loaded shows an icon until the connection is back',
    async ({ page, visit }) => {
      await product.services.db
        .updateTable('media')
        .set({ duration: null, is_animated: 1 })
        .where('id', '=', id)
        .execute()
      for (const url of [thumbnailUrl, originalUrl]) await page.route(`**${url}*`, (route) => route.abort())
      await visit('/')
      const card = page.getByRole('list', { name: 'Items' }).getByRole('listitem').first()
      await card.getByText('Animated', { exact: true }).waitFor()
      await card.getByRole('img', { name: 'all.jpg' }).locator('svg').waitFor()
      await page.unroute(`**${thumbnailUrl}*`)
      await page.context().setOffline(true)
      await page.context().setOffline(false)
      await card.locator(`img[src="${thumbnailUrl}"]`).waitFor()
    },
    { as: dora },
  )

  await story(
    'Empty Trash permanently deletes the items in the trash, and no others',
    async ({ page, visit, signInAs }) => {
      const finn = await product.register('finn')
      const [first, second] = [await finn.addPicture('first.jpg'), await finn.addPicture('second.jpg')]
      await finn.addPicture('kept.jpg')
      await finn.post('/api/media/bulk-trash', { mediaIds: [first.id, second.id] })
      await signInAs(finn)
      await visit('/?filter=trash')
      // The Delete key does nothing for an item that is already in the trash.
      const requested: string[] = []
      page.on('request', (request) => requested.push(new URL(request.url()).pathname))
      await page.getByRole('button', { name: 'Open first.jpg' }).press('Delete')
      await page.getByRole('button', { name: 'Empty Trash' }).click()
      await page.getByText('2 items will be permanently deleted. This action cannot be undone.').waitFor()
      await page.getByRole('alertdialog').getByRole('button', { name: 'Empty Trash' }).click()
      await seeToast(page, 'Trash emptied', '2 items permanently deleted.')
      assert.ok(!requested.includes('/api/media/bulk-trash'))
      await page.getByText('Trash is empty').waitFor()
      assert.equal((await finn.get(`/api/media/${first.id}`)).statusCode, 404)
      assert.equal((await finn.get('/api/media')).json().pagination.totalCount, 1)
    },
  )

  const nora = await product.register('nora')
  await story(
    'a name too long for its card is truncated at its end, also in right-to-left scripts',
    async ({ page, visit }) => {
      const names = [
        'A morning at the sea, before the boats leave.jpg',
        'صباح على شاطئ البحر قبل أن تغادر القوارب كلها.jpg',
      ]
      for (const name of names) await nora.addPicture(name)
      await visit('/')
      for (const name of names) {
        const isBeginningSeen = await page.getByRole('button', { name: `Rename ${name}` }).evaluate((button) => {
          const letter = new Range()
          letter.setStart(button.firstChild!, 0)
          letter.setEnd(button.firstChild!, 1)
          const [seen, box] = [letter.getBoundingClientRect(), button.getBoundingClientRect()]
          return button.scrollWidth > button.clientWidth && seen.left >= box.left && seen.right <= box.right
        })
        assert.ok(isBeginningSeen, name)
      }
    },
    { as: nora },
  )
})
