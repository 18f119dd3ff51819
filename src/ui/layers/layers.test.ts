import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import sharp from 'sharp'
import { until } from '#tests/support/until.ts'
import { expectFocus } from '../testing/expect-focus.ts'
import { openWorkbench } from '../testing/open-workbench.ts'

let workbench: Awaited<ReturnType<typeof openWorkbench>>
before(async () => {
  workbench = await openWorkbench()
})
after(() => workbench[Symbol.asyncDispose]())

test('a menu supports arrow keys, letters and Escape, and returns the focus', async () => {
  const { page, log } = await workbench.newPage()
  await page.getByRole('button', { name: 'Actions' }).focus()
  await page.keyboard.press('ArrowDown')
  await expectFocus(page, 'menuitem', 'Rename')
  await page.keyboard.press('ArrowDown')
  await expectFocus(page, 'menuitem', 'Preview names')
  await page.keyboard.press('d')
  await expectFocus(page, 'menuitem', 'Delete')
  await page.keyboard.press('ArrowDown')
  await expectFocus(page, 'menuitem', 'Rename')
  await page.keyboard.press('k')
  assert.equal(await log(), '', 'the page does not hear the keys of a menu')
  await page.keyboard.press('Escape')
  await page.getByRole('menu').waitFor({ state: 'detached' })
  await expectFocus(page, 'button', 'Actions')
})

test('a popover follows its button and returns the focus', async () => {
  const { page } = await workbench.newPage()
  const button = page.getByRole('button', { name: 'Filter' })
  const panel = page.getByRole('dialog', { name: 'Filter' })
  await button.click()
  await expectFocus(page, 'textbox', 'Company')
  const below = async () => (await panel.boundingBox())!.y - (await button.boundingBox())!.y
  const gap = await below()
  const before = (await button.boundingBox())!.y
  await page.evaluate(() => window.scrollBy({ top: 20, behavior: 'instant' }))
  await until('the page has moved', async () => (await button.boundingBox())!.y < before)
  await until('the panel has followed', async () => (await below()) === gap)
  await page.keyboard.press('Escape')
  await panel.waitFor({ state: 'detached' })
  await expectFocus(page, 'button', 'Filter')
})

test('a click outside an open menu only closes it', async () => {
  const { page, log } = await workbench.newPage()
  await page.getByRole('button', { name: 'Actions' }).click()
  await page.waitForFunction(() => document.body.style.pointerEvents === 'none')
  const neighbour = (await page.getByRole('button', { name: 'Neighbour' }).boundingBox())!
  await page.mouse.click(neighbour.x + 5, neighbour.y + 5)
  await page.getByRole('menu').waitFor({ state: 'detached' })
  assert.equal(await log(), '')
})

test('a dialog opened from a menu returns the focus to the menu’s button', async () => {
  const { page, log } = await workbench.newPage()
  await page.getByRole('button', { name: 'Actions' }).click()
  await page.getByRole('menuitem', { name: 'Rename' }).click()
  await expectFocus(page, 'textbox', 'Name')
  assert.equal(await page.evaluate(() => getComputedStyle(document.documentElement).overflowY), 'hidden')
  await page.keyboard.press('Enter')
  assert.equal(await log(), 'renamed')
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await expectFocus(page, 'button', 'Actions')
})

test('in Safari, too, a dialog returns the focus to the button that opened it', async () => {
  const { page } = await workbench.newPage()
  // Safari does not focus a clicked button without a tabindex.
  await page.evaluate(() =>
    window.addEventListener('mousedown', (event) => {
      if (!(event.target as Element).closest('button')?.hasAttribute('tabindex')) event.preventDefault()
    }),
  )
  await page.getByRole('button', { name: 'Ask' }).click()
  await expectFocus(page, 'button', 'Cancel')
  await page.keyboard.press('Escape')
  await page.getByRole('alertdialog').waitFor({ state: 'detached' })
  await expectFocus(page, 'button', 'Ask')
})

test('closing a dialog from its field does not scroll the page', async () => {
  const { page } = await workbench.newPage()
  await page.evaluate(() => {
    document.body.style.minHeight = '300vh'
    // Imitates Safari, which scrolls to the position of a removed focused field.
    const remove = Node.prototype.removeChild
    Node.prototype.removeChild = function removeAsSafari<Child extends Node>(this: Node, child: Child): Child {
      if (child.contains(document.activeElement))
        window.scrollTo({ top: document.body.scrollHeight, behavior: 'instant' })
      remove.call(this, child)
      return child
    }
  })
  await page.getByRole('button', { name: 'Actions' }).click()
  await page.getByRole('menuitem', { name: 'Rename' }).click()
  await expectFocus(page, 'textbox', 'Name')
  const place = await page.evaluate(() => window.scrollY)
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await expectFocus(page, 'button', 'Actions')
  assert.equal(await page.evaluate(() => window.scrollY), place)
})

test('inside a dialog, Escape first closes an open menu or list, then the dialog', async () => {
  const { page } = await workbench.newPage()
  await page.getByRole('button', { name: 'Actions' }).click()
  await page.getByRole('menuitem', { name: 'Rename' }).click()
  await page.getByRole('button', { name: 'Inside' }).click()
  await page.keyboard.press('Escape')
  await page.getByRole('menu').waitFor({ state: 'detached' })
  await expectFocus(page, 'button', 'Inside')
  await page.getByLabel('Order').focus()
  await page.keyboard.press('Space')
  await page.waitForFunction(() => document.querySelector('select:open'))
  await page.keyboard.press('Escape')
  await page.waitForFunction(() => !document.querySelector('select:open'))
  assert.equal(await page.getByRole('dialog').count(), 1)
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
})

test('inside a dialog, a click on the dialog or its backdrop closes only an open menu', async () => {
  const { page } = await workbench.newPage()
  await page.getByRole('button', { name: 'Actions' }).click()
  await page.getByRole('menuitem', { name: 'Rename' }).click()
  const dialog = page.getByRole('dialog')
  const field = (await page.getByRole('textbox', { name: 'Name' }).boundingBox())!
  for (const [x, y] of [
    [5, 5],
    [field.x + 5, field.y + 5],
  ] as const) {
    await page.getByRole('button', { name: 'Inside' }).click()
    await page.getByRole('menu').waitFor()
    await page.mouse.click(x, y)
    await page.getByRole('menu').waitFor({ state: 'detached' })
    assert.equal(await dialog.count(), 1)
    await expectFocus(page, 'button', 'Inside')
  }
  await page.mouse.click(5, 5)
  await dialog.waitFor({ state: 'detached' })
})

test('the target of a menu item keeps the focus', async () => {
  const { page } = await workbench.newPage()
  await page.getByRole('button', { name: 'Actions' }).click()
  await page.getByRole('menuitem', { name: 'Rename' }).click()
  await page.getByRole('button', { name: 'Inside' }).click()
  await page.getByRole('menuitem', { name: 'Write' }).click()
  await page.getByRole('menu').waitFor({ state: 'detached' })
  await expectFocus(page, 'textbox', 'Name')
})

test('a dialog dims the page up to the window’s edge, including the scrollbar’s gutter', async () => {
  for (const theme of ['dark', 'light'] as const) {
    const { page } = await workbench.newPage({ theme })
    await page.getByRole('button', { name: 'Ask' }).click()
    await page.getByRole('alertdialog').waitFor()
    const corner = await page.screenshot({ clip: { x: 1230, y: 790, width: 50, height: 1 } })
    const { channels } = await sharp(corner).removeAlpha().stats()
    // Browsers may round the color by one step.
    for (const { min, max } of channels) assert.ok(max - min <= 1, `${theme}: from ${min} to ${max}`)
  }
})

test('a confirmation focuses the cancel button, and a locked dialog cannot be closed', async () => {
  const { page, log } = await workbench.newPage()
  await page.getByRole('button', { name: 'Ask' }).click()
  await page.getByRole('alertdialog', { name: 'Delete 3 files?' }).waitFor()
  await expectFocus(page, 'button', 'Cancel')
  await page.keyboard.press('Enter')
  await page.getByRole('alertdialog').waitFor({ state: 'detached' })
  assert.equal(await log(), '')
  await page.getByRole('button', { name: 'Lock' }).click()
  await page.getByRole('dialog', { name: 'Restoring' }).waitFor()
  await page.keyboard.press('Escape')
  await page.mouse.click(5, 5)
  assert.equal(await page.getByRole('button', { name: 'Close' }).count(), 0)
  assert.equal(await page.getByRole('dialog', { name: 'Restoring' }).count(), 1)
})

test('a dialog adds no banner landmark, and a slider announces its value once', async () => {
  const { page } = await workbench.newPage()
  assert.equal(await page.getByRole('slider', { name: 'Quality' }).getAttribute('aria-valuetext'), '80')
  assert.equal(await page.getByRole('status').filter({ hasText: '80' }).count(), 0)
  await page.getByRole('button', { name: 'Ask' }).click()
  await page.getByRole('alertdialog').getByRole('heading', { name: 'Delete 3 files?' }).waitFor()
  assert.equal(await page.getByRole('banner').count(), 0)
})
