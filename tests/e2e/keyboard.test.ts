import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { arriveAt, assertAccessible, openStories, seeFocus, seeToast } from '#tests/support/browser.ts'
import { register } from '#tests/support/selection.ts'
import { viewerOf } from '#tests/support/viewer.ts'
import { expectFocus } from '#ui/testing/expect-focus.ts'

const paletteOf = (page: Page) => page.getByRole('dialog', { name: 'Command palette' })
const optionOf = (page: Page, name: string) => paletteOf(page).getByRole('option', { name })

test('the keyboard alone', async (context) => {
  const { product, story } = await openStories(context)
  const ada = await register(product, 'ada', ['beach 1.jpg', 'beach 2.jpg', 'beach 3.jpg', 'boat.jpg'])
  const coast = (await ada.post('/api/collections', { name: 'Coast 2026' })).json()

  await story(
    'from the search one key leads to the first result, and from chosen items two lead to an action',
    async ({ page, visit }) => {
      await visit('/?sort=name')
      await page.getByRole('button', { name: 'Open boat.jpg' }).waitFor()
      await page.keyboard.press('/')
      await page.keyboard.type('beach')
      // The search has not begun yet: the focus follows when its results are there.
      await page.keyboard.press('Enter')
      await page
        .getByRole('button', { name: /^Open beach/ })
        .and(page.locator(':focus'))
        .waitFor()
      await page.keyboard.press('/')
      await page.keyboard.press('ArrowDown')
      await page
        .getByRole('button', { name: /^Open beach/ })
        .and(page.locator(':focus'))
        .waitFor()
      await page.keyboard.press('Shift+ArrowRight')
      await page.getByText('2 selected').waitFor()
      await page.keyboard.press('Shift+ArrowRight')
      await page.getByText('3 selected').waitFor()
      await page.keyboard.press('F6')
      await seeFocus(page, 'Move to Collection')
      await assertAccessible(page)
      await page.keyboard.press('F6')
      await page
        .getByRole('checkbox', { name: /^Select beach/ })
        .and(page.locator(':focus'))
        .waitFor()
      await page.keyboard.press('t')
      await page.getByRole('dialog', { name: 'Add Tags' }).waitFor()
      await page.keyboard.press('Escape')
      await page.keyboard.press('F6')
      await page.keyboard.press('Enter')
      await page.getByRole('dialog', { name: 'Move to Collection' }).waitFor()
    },
    { as: ada },
  )

  await story(
    'Shift and arrows shrink a selection too, "x" toggles, Enter opens, and Escape ends it',
    async ({ page, visit }) => {
      await visit('/?sort=name')
      await page.getByRole('button', { name: 'Open beach 1.jpg' }).focus()
      await page.keyboard.press('Shift+ArrowRight')
      await page.keyboard.press('Shift+ArrowRight')
      await page.getByText('3 selected').waitFor()
      await page.keyboard.press('Shift+ArrowLeft')
      await page.getByText('2 selected').waitFor()
      await page.keyboard.press('x')
      await page.getByText('1 selected').waitFor()
      await expectFocus(page, 'checkbox', 'Select beach 2.jpg')
      await page.keyboard.press('Enter')
      await viewerOf(page).waitFor()
      await page.keyboard.press('Escape')
      await page.getByText('1 selected').waitFor()
      await page.keyboard.press('Escape')
      await page.getByRole('region', { name: 'Selected items' }).waitFor({ state: 'detached' })
    },
    { as: ada },
  )

  await story(
    'nothing is dimmed until an item is chosen, and the circle on a card chooses it',
    async ({ page, visit }) => {
      await visit('/?sort=name')
      const opacityOf = (name: string) =>
        page.locator(`button[aria-label$="${name}"][data-carries]`).evaluate((card) => getComputedStyle(card).opacity)
      await page.getByRole('button', { name: 'Select', exact: true }).click()
      await page.getByRole('checkbox', { name: 'Select boat.jpg' }).waitFor()
      assert.equal(await opacityOf('boat.jpg'), '1')
      await page.keyboard.press('Escape')
      const card = page.getByRole('listitem').filter({ hasText: 'beach 1.jpg' })
      await card.hover()
      await card.locator('input[type=checkbox]').click()
      await page.getByText('1 selected').waitFor()
      await page.waitForFunction(
        () => getComputedStyle(document.querySelector('[aria-label="Select boat.jpg"]')!).opacity === '0.6',
      )
    },
    { as: ada },
  )

  await story(
    'the palette opens places, collections and items by name, runs commands, and shows the recent ones first',
    async ({ page, visit }) => {
      await visit('/')
      await page.getByRole('button', { name: 'Open boat.jpg' }).waitFor()
      await page.keyboard.press('ControlOrMeta+k')
      await paletteOf(page).waitFor()
      await optionOf(page, 'Coast 2026').waitFor()
      assert.match(
        (await optionOf(page, 'Select all on this page').textContent())!,
        /A$/,
        'its own key stands next to it',
      )
      await assertAccessible(page)
      await page.keyboard.type('coa')
      await page.keyboard.press('Enter')
      await arriveAt(page, `/?collection=${coast.id}`)
      await page.keyboard.press('ControlOrMeta+k')
      await page.getByRole('group', { name: 'Recent' }).getByRole('option', { name: 'Coast 2026' }).waitFor()
      await page.keyboard.type('boat')
      await optionOf(page, 'boat.jpg').waitFor()
      await page.keyboard.press('Enter')
      await viewerOf(page).waitFor()
      // In the viewer the palette has the viewer's commands.
      await page.keyboard.press('ControlOrMeta+k')
      await page.keyboard.type('favor')
      await optionOf(page, 'Favorite').first().waitFor()
      await page.keyboard.press('Enter')
      await page.getByText('Added to Favorites').waitFor({ state: 'attached' })
      await page.keyboard.press('ControlOrMeta+k')
      await page.keyboard.type('light theme')
      await page.keyboard.press('Enter')
      await page.locator('html[data-theme=light]').waitFor()
      await page.keyboard.press('Escape')
      await page.keyboard.press('ControlOrMeta+k')
      await page.keyboard.type('no such thing')
      await page.getByText('Nothing found for "no such thing".').waitFor()
      await page.keyboard.press('ControlOrMeta+k')
      await paletteOf(page).waitFor({ state: 'detached' })
    },
    { as: ada },
  )

  await story(
    'the palette runs the actions of the selection',
    async ({ page, visit }) => {
      await visit('/?sort=name')
      await page.getByRole('button', { name: 'Open boat.jpg' }).focus()
      await page.keyboard.press('x')
      await page.getByText('1 selected').waitFor()
      // Keys typed before the palette has loaded arrive in it, and trigger no shortcuts.
      await page.keyboard.press('ControlOrMeta+k')
      await page.keyboard.type('mtt')
      await page.keyboard.press('Enter')
      await seeToast(page, 'Moved to Trash')
      await page.getByRole('button', { name: 'Open boat.jpg' }).waitFor({ state: 'detached' })
    },
    { as: ada },
  )

  await story(
    'on a phone the palette is in the user menu',
    async ({ page, visit }) => {
      await visit('/')
      await page.getByRole('button', { name: /^Account/ }).tap()
      await page.getByRole('menuitem', { name: 'Command palette' }).tap()
      await page.getByRole('combobox', { name: 'Command palette' }).fill('dupl')
      await assertAccessible(page)
      await optionOf(page, 'Possible duplicates').tap()
      await page.getByRole('heading', { name: 'Possible duplicates' }).waitFor()
    },
    { as: ada, viewport: { width: 390, height: 844 }, hasTouch: true },
  )
})
