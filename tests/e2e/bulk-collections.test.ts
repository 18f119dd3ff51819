import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Locator } from 'playwright-core'
import { assertAccessible, holdToast, openStories, seeFocus, seeToast } from '#tests/support/browser.ts'
import { cardOf, chooseCollection, register, select } from '#tests/support/selection.ts'
import { viewerOf } from '#tests/support/viewer.ts'

test('moving a selection to a collection', async (context) => {
  const { product, story } = await openStories(context)

  const mover = await register(product, 'mover', ['one.jpg', 'two.jpg'])

  await story('without collections, Move to Collection creates one', async ({ page, visit, signInAs }) => {
    await signInAs(mover)
    await visit('/')
    await select(page, ['one.jpg'])
    await page.getByRole('button', { name: 'Move to Collection' }).click()
    await page.getByText('No collections found. Create a collection first.').waitFor()
    await page.keyboard.press('Escape')
    await seeFocus(page, 'Move to Collection')
    await page.keyboard.press('Enter')
    await page.getByLabel('Name', { exact: true }).fill('Summer')
    await page.getByRole('button', { name: 'Create and Move' }).click()
    await seeToast(page, 'Moved to collection', '1 item added to "Summer".')
    const [summer] = (await mover.get('/api/collections')).json()
    await mover.delete(`/api/collections/${summer.id}/media/${summer.sampleMedia[0].id}`)
  })

  await story('items are added to a collection, and those already in it are counted', async (it) => {
    const { page, visit, signInAs } = it
    await signInAs(mover)
    await page.route('**/api/collections**', (route) => route.abort())
    await visit('/')
    await select(page, ['one.jpg'])
    await page.getByRole('button', { name: 'Move to Collection' }).click()
    await page.getByText("Couldn't load your collections").waitFor()
    await page.unroute('**/api/collections**')
    await page.getByRole('dialog').getByRole('button', { name: 'Try again' }).click()
    await page.getByRole('button', { name: 'Move', exact: true }).click()
    await seeToast(page, 'Moved to collection', '1 item added to "Summer".')
    await select(page, ['one.jpg', 'two.jpg'])
    await page.getByRole('button', { name: 'Move to Collection' }).click()
    await chooseCollection(page, 'Summer')
    await page.getByRole('button', { name: 'Move', exact: true }).click()
    await seeToast(page, 'Moved to collection', '1 item already there.')
    await select(page, ['one.jpg'])
    await page.getByRole('button', { name: 'Move to Collection' }).click()
    await chooseCollection(page, 'Summer')
    await page.getByRole('button', { name: 'Move', exact: true }).click()
    await seeToast(page, 'Items already in collection')
  })

  await story('the collection used last is preselected for the next item', async ({ page, visit, signInAs }) => {
    await signInAs(mover)
    await visit('/')
    await page.getByRole('button', { name: 'Actions for two.jpg' }).click()
    await page.getByRole('menuitem', { name: 'Move to Collection' }).click()
    await chooseCollection(page, 'New collection…')
    await page.getByLabel('Name', { exact: true }).fill('Winter')
    await page.getByRole('button', { name: 'Create and Move' }).click()
    await seeToast(page, 'Moved to collection', '1 item added to "Winter".')
    await page.getByRole('button', { name: 'Open one.jpg' }).click()
    await page.getByRole('button', { name: 'Add to Collection' }).click()
    const field = page.getByRole('combobox', { name: 'Collection' })
    await page.getByRole('option', { name: 'Winter', selected: true }).waitFor()
    await assertAccessible(page)
    await page.getByText('Nothing leaves the library or its other collections.').waitFor()
    await page.getByRole('button', { name: 'Add', exact: true }).click()
    // The previous toast has the same text.
    await field.waitFor({ state: 'detached' })
    await seeToast(page, 'Moved to collection', '1 item added to "Winter".')
    assert.deepEqual(
      (await mover.get('/api/collections')).json().map(({ mediaCount }: { mediaCount: number }) => mediaCount),
      [2, 2],
    )
  })

  await story(
    'the list of collections is searched and used by keyboard, and a new collection gets the typed name',
    async ({ page, visit, signInAs }) => {
      await signInAs(mover)
      await visit('/')
      await select(page, ['one.jpg'])
      await page.getByRole('button', { name: 'Move to Collection' }).click()
      const options = page.getByRole('listbox', { name: 'Collection' }).getByRole('option')
      const seeChosen = (name: string) => page.getByRole('option', { name, selected: true }).waitFor()
      await page.getByRole('combobox', { name: 'Collection' }).and(page.locator(':focus')).waitFor()
      await page.keyboard.press('ArrowUp')
      await seeChosen('New collection…')
      await page.keyboard.press('Enter')
      await page.getByLabel('Name', { exact: true }).and(page.locator(':focus')).waitFor()
      await page.keyboard.press('Shift+Tab')
      await page.keyboard.press('ArrowDown')
      await seeChosen('Winter')
      await page.keyboard.type('sum')
      await seeChosen('Summer')
      assert.equal(await options.count(), 2, 'the match and a new collection')
      await page.getByRole('option', { name: 'Summer' }).locator('img').waitFor()
      await page.keyboard.type('mits')
      await seeChosen('New collection "summits"')
      await assertAccessible(page)
      await page.keyboard.press('Enter')
      await seeToast(page, 'Moved to collection', '1 item added to "summits".')
    },
  )

  await story('an item deleted in the meantime is counted as failed', async ({ page, visit, signInAs }) => {
    await mover.addPicture('kept.jpg')
    const lost = await mover.addPicture('lost.jpg')
    await signInAs(mover)
    await visit('/')
    await select(page, ['kept.jpg', 'lost.jpg'])
    await page.getByRole('button', { name: 'Move to Collection' }).click()
    await chooseCollection(page, 'Summer')
    await mover.delete(`/api/media/${lost.id}`)
    await page.getByRole('button', { name: 'Move', exact: true }).click()
    await seeToast(page, 'Moved to collection', '1 item added to "Summer". 1 item failed: Media not found.')
  })

  await story('items are dragged to a collection in the sidebar', async ({ page, visit, signInAs }) => {
    const user = await register(product, 'dragger', ['one.jpg', 'two.jpg', 'three.jpg'])
    await user.post('/api/collections', { name: 'Summer' })
    await signInAs(user)
    await visit('/')
    const summer = page.getByRole('listitem').filter({ hasText: 'Summer' })
    const layer = (words: string) => page.getByText(words, { exact: true })
    const take = async (item: Locator) => {
      const { x, y } = (await item.boundingBox())!
      await page.mouse.move(x + 40, y + 40)
      await page.mouse.down()
      await page.mouse.move(x + 20, y + 50, { steps: 3 })
    }
    await take(cardOf(page, 'one.jpg'))
    await layer('1 item').waitFor()
    await summer.hover()
    await layer('Add 1 item to "Summer"').waitFor()
    await page.keyboard.press('Escape')
    await layer('Add 1 item to "Summer"').waitFor({ state: 'detached' })
    await page.mouse.up()
    await take(cardOf(page, 'one.jpg'))
    await layer('1 item').waitFor()
    await page.getByRole('button', { name: 'Images' }).hover()
    await page.mouse.up()
    await layer('1 item').waitFor({ state: 'detached' })
    await summer.getByText('0', { exact: true }).waitFor()

    await take(cardOf(page, 'one.jpg'))
    await layer('1 item').waitFor()
    await summer.hover()
    await layer('Add 1 item to "Summer"').waitFor()
    await page.mouse.up()
    await holdToast(page, 'Moved to collection', '1 item added to "Summer".')
    await summer.getByText('1', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Undo' }).click()
    await seeToast(page, 'Undone')
    await summer.getByText('0', { exact: true }).waitFor()

    await select(page, ['one.jpg', 'three.jpg'])
    // Dragging an item that is not selected draws a selection rectangle.
    await take(page.getByRole('checkbox', { name: 'Select two.jpg' }))
    await page.getByText('3 selected').waitFor()
    await page.mouse.up()
    await page.getByRole('checkbox', { name: 'Select two.jpg' }).click()
    await page.getByText('2 selected').waitFor()
    await take(page.getByRole('checkbox', { name: 'Select three.jpg' }))
    await layer('2 items').waitFor()
    await summer.hover()
    await layer('Add 2 items to "Summer"').waitFor()
    await page.mouse.up()
    await seeToast(page, 'Moved to collection', '2 items added to "Summer".')
    await summer.getByText('2', { exact: true }).waitFor()
    // The selection has ended, so an item released where it was picked up opens as if clicked.
    await take(cardOf(page, 'two.jpg'))
    await page.mouse.up()
    await viewerOf(page).waitFor()
  })
})
