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

test('a menu is walked through by arrows, letters and Escape, and gives the focus back', async () => {
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

test('a panel beside its button goes with it, and gives the focus back', async () => {
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

test('a press beside an open menu only closes it', async () => {
  const { page, log } = await workbench.newPage()
  await page.getByRole('button', { name: 'Actions' }).click()
  await page.waitForFunction(() => document.body.style.pointerEvents === 'none')
  const neighbour = (await page.getByRole('button', { name: 'Neighbour' }).boundingBox())!
  await page.mouse.click(neighbour.x + 5, neighbour.y + 5)
  await page.getByRole('menu').waitFor({ state: 'detached' })
  assert.equal(await log(), '')
})

test('a dialog opened from a menu gives the focus back to the button of the menu', async () => {
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

test('a dialog gives the focus back to the button that was pressed in Safari too', async () => {
  const { page } = await workbench.newPage()
  // There a button without a tabindex is pressed without being given the focus.
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

test('a dialog that is closed from its field leaves the page where it is', async () => {
  const { page } = await workbench.newPage()
  await page.evaluate(() => {
    document.body.style.minHeight = '300vh'
    // As in Safari: where a field goes with the focus in it, the page follows, here to the end of the document.
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

test('inside a dialog, Escape closes the menu or the list that is open, and the dialog only after them', async () => {
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

test('what an item of a menu leads to keeps the focus', async () => {
  const { page } = await workbench.newPage()
  await page.getByRole('button', { name: 'Actions' }).click()
  await page.getByRole('menuitem', { name: 'Rename' }).click()
  await page.getByRole('button', { name: 'Inside' }).click()
  await page.getByRole('menuitem', { name: 'Write' }).click()
  await page.getByRole('menu').waitFor({ state: 'detached' })
  await expectFocus(page, 'textbox', 'Name')
})

test('a dialog dims the page up to the edge of the window, also where its scrollbar was', async () => {
  for (const theme of ['dark', 'light'] as const) {
    const { page } = await workbench.newPage({ theme })
    await page.getByRole('button', { name: 'Ask' }).click()
    await page.getByRole('alertdialog').waitFor()
    const corner = await page.screenshot({ clip: { x: 1230, y: 790, width: 50, height: 1 } })
    const { channels } = await sharp(corner).removeAlpha().stats()
    // One step of brightness is how differently browsers may round.
    for (const { min, max } of channels) assert.ok(max - min <= 1, `${theme}: from ${min} to ${max}`)
  }
})

test('a dangerous question starts on the harmless answer; a locked dialog cannot be left', async () => {
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

test('the head of a dialog is no second banner, and a slider says its value itself, once', async () => {
  const { page } = await workbench.newPage()
  assert.equal(await page.getByRole('slider', { name: 'Quality' }).getAttribute('aria-valuetext'), '80')
  assert.equal(await page.getByRole('status').filter({ hasText: '80' }).count(), 0)
  await page.getByRole('button', { name: 'Ask' }).click()
  await page.getByRole('alertdialog').getByRole('heading', { name: 'Delete 3 files?' }).waitFor()
  assert.equal(await page.getByRole('banner').count(), 0)
})
