import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Locator } from 'playwright-core'
import { assertAccessible, holdNotice, openStories, seeFocus, seeNotice } from '#tests/support/browser.ts'
import { cardOf, register, select } from '#tests/support/selecting.ts'
import { viewerOf } from '#tests/support/viewer.ts'

test('what is selected, and collections', async (context) => {
  const { product, story } = await openStories(context)

  await story('moving to a collection: none yet, then added, then already there', async ({ page, visit, become }) => {
    const person = await register(product, 'mover', ['one.jpg', 'two.jpg'])
    await become(person)
    await visit('/')
    await select(page, ['one.jpg'])
    await page.getByRole('button', { name: 'Move to Collection' }).click()
    await page.getByText('No collections found. Create a collection first.').waitFor()
    await page.keyboard.press('Escape')
    await seeFocus(page, 'Move to Collection')
    await page.keyboard.press('Enter')
    await page.getByLabel('Name', { exact: true }).fill('Summer')
    await page.getByRole('button', { name: 'Create and Move' }).click()
    await seeNotice(page, 'Moved to collection', '1 item added to "Summer".')
    const [summer] = (await person.get('/api/collections')).json()
    await person.delete(`/api/collections/${summer.id}/media/${summer.sampleMedia[0].id}`)
    await page.route('**/api/collections**', (route) => route.abort())
    await visit('/')
    await select(page, ['one.jpg'])
    await page.getByRole('button', { name: 'Move to Collection' }).click()
    await page.getByText('Your collections could not be loaded').waitFor()
    await page.unroute('**/api/collections**')
    await page.getByRole('dialog').getByRole('button', { name: 'Try again' }).click()
    await page.getByRole('button', { name: 'Move', exact: true }).click()
    await seeNotice(page, 'Moved to collection', '1 item added to "Summer".')
    await select(page, ['one.jpg', 'two.jpg'])
    await page.getByRole('button', { name: 'Move to Collection' }).click()
    await page.getByLabel('Collection', { exact: true }).selectOption({ label: 'Summer' })
    await page.getByRole('button', { name: 'Move', exact: true }).click()
    await seeNotice(page, 'Moved to collection', '1 item already there.')
    await select(page, ['one.jpg'])
    await page.getByRole('button', { name: 'Move to Collection' }).click()
    await page.getByLabel('Collection', { exact: true }).selectOption({ label: 'Summer' })
    await page.getByRole('button', { name: 'Move', exact: true }).click()
    await seeNotice(page, 'Items already in collection')

    await page.getByRole('button', { name: 'More about two.jpg' }).click()
    await page.getByRole('menuitem', { name: 'Move to Collection' }).click()
    await page.getByLabel('Collection', { exact: true }).selectOption({ label: 'New collection…' })
    await page.getByLabel('Name', { exact: true }).fill('Winter')
    await page.getByRole('button', { name: 'Create and Move' }).click()
    await seeNotice(page, 'Moved to collection', '1 item added to "Winter".')
    await page.getByRole('button', { name: 'Open one.jpg' }).click()
    await page.getByRole('button', { name: 'Move to Collection' }).click()
    const field = page.getByLabel('Collection', { exact: true })
    assert.equal(await field.locator('option:checked').textContent(), 'Winter', 'the last one is chosen')
    await assertAccessible(page)
    await page.getByRole('button', { name: 'Move', exact: true }).click()
    // The notice before has the same words.
    await field.waitFor({ state: 'detached' })
    await seeNotice(page, 'Moved to collection', '1 item added to "Winter".')
    assert.deepEqual(
      (await person.get('/api/collections')).json().map(({ mediaCount }: { mediaCount: number }) => mediaCount),
      [2, 2],
    )
  })

  await story('pictures are carried to a collection of the sidebar', async ({ page, visit, become }) => {
    const person = await register(product, 'carrier', ['one.jpg', 'two.jpg', 'three.jpg'])
    await person.post('/api/collections', { name: 'Summer' })
    await become(person)
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
    await holdNotice(page, 'Moved to collection', '1 item added to "Summer".')
    await summer.getByText('1', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Undo' }).click()
    await seeNotice(page, 'Undone')
    await summer.getByText('0', { exact: true }).waitFor()

    await select(page, ['one.jpg', 'three.jpg'])
    // From what is not selected nothing is carried; it is what a rectangle is drawn over.
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
    await seeNotice(page, 'Moved to collection', '2 items added to "Summer".')
    await summer.getByText('2', { exact: true }).waitFor()
    // The selection is over; let go where it was taken, a picture opens as if it had been pressed.
    await take(cardOf(page, 'two.jpg'))
    await page.mouse.up()
    await viewerOf(page).waitFor()
  })
})
