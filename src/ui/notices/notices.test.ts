import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { expectFocus } from '../testing/expect-focus.ts'
import { openWorkbench } from '../testing/open-workbench.ts'

let workbench: Awaited<ReturnType<typeof openWorkbench>>
before(async () => {
  workbench = await openWorkbench()
})
after(() => workbench[Symbol.asyncDispose]())

test('a toast above an open dialog is reachable by screen reader and keyboard, and the dialog stays open', async () => {
  const { page, log } = await workbench.newPage()
  await page.getByRole('button', { name: 'Actions' }).click()
  await page.getByRole('menuitem', { name: 'Rename' }).click()
  await page.getByRole('button', { name: 'Hold' }).press('Enter')
  // A query by role does not find elements hidden from screen readers.
  await page
    .getByRole('region', { name: /Notification/ })
    .getByText('Held')
    .waitFor()
  await page.keyboard.press('F8')
  await page.waitForFunction(() => document.activeElement?.closest('[role=region]'))
  await page.keyboard.press('Tab')
  await page.keyboard.press('Tab')
  await expectFocus(page, 'button', 'Undo')
  await page.keyboard.press('Enter')
  assert.equal(await log(), 'undone')
  assert.equal(await page.getByRole('dialog', { name: 'Rename' }).count(), 1)
  await page.getByRole('textbox', { name: 'Name' }).focus()
  await expectFocus(page, 'textbox', 'Name')
  await page.getByRole('button', { name: 'Neighbour', includeHidden: true }).evaluate((button) => button.focus())
  await expectFocus(page, 'textbox', 'Name')
})

test('a new toast replaces the last one, F8 focuses it, and its action works', async () => {
  const { page, log } = await workbench.newPage()
  await page.getByRole('button', { name: 'Fail' }).click()
  await page.getByRole('listitem').filter({ hasText: 'Move failed' }).waitFor()
  await page.getByRole('button', { name: 'Notify' }).click()
  await page.getByRole('listitem').filter({ hasText: 'Moved' }).waitFor()
  assert.equal(await page.getByRole('listitem').filter({ hasText: 'Move failed' }).count(), 0)
  await page.keyboard.press('F8')
  await page.waitForFunction(() => document.activeElement?.closest('[role=region]'))
  await page.getByRole('button', { name: 'Undo' }).click()
  await page.getByRole('listitem').filter({ hasText: 'Moved' }).waitFor({ state: 'detached' })
  assert.equal(await log(), 'undone')
})

test('F8 reaches a toast while a menu is open', async () => {
  const { page } = await workbench.newPage()
  await page.getByRole('button', { name: 'Notify' }).click()
  await page.getByRole('listitem').filter({ hasText: 'Moved' }).waitFor()
  await page.getByRole('button', { name: 'Actions' }).click()
  await page.getByRole('menuitem', { name: 'Rename' }).waitFor()
  await page.keyboard.press('F8')
  await page.waitForFunction(() => document.activeElement?.closest('[role=region]'))
})

test('F8 keeps the focus at the toasts when the field that it leaves shows a toast of its own', async () => {
  const { page } = await workbench.newPage()
  await page.getByRole('button', { name: 'Notify' }).click()
  await page.getByRole('listitem').filter({ hasText: 'Moved' }).waitFor()
  await page.evaluate(() => {
    const field = document.body.appendChild(document.createElement('input'))
    // As a rename does: the field saves what was typed, goes away, and the result is shown.
    field.addEventListener('blur', () => {
      field.remove()
      const button = [...document.querySelectorAll('button')].find(({ textContent }) => textContent === 'Fail')
      setTimeout(() => button?.click())
    })
    field.focus()
  })
  await page.keyboard.press('F8')
  await page.getByRole('listitem').filter({ hasText: 'Move failed' }).waitFor()
  await page.waitForFunction(() => document.activeElement?.closest('[role=region]'))
  await page.keyboard.press('Tab')
  await page.waitForFunction(() => document.activeElement?.closest('[role=region]'))
})

test('F8 reaches a toast from a field that keeps its keys to itself', async () => {
  const { page } = await workbench.newPage()
  await page.getByRole('button', { name: 'Notify' }).click()
  await page.getByRole('listitem').filter({ hasText: 'Moved' }).waitFor()
  await page.evaluate(() => {
    const field = document.body.appendChild(document.createElement('input'))
    field.addEventListener('keydown', (event) => event.stopPropagation())
    field.focus()
  })
  await page.keyboard.press('F8')
  await page.waitForFunction(() => document.activeElement?.closest('[role=region]'))
})

test('a toast is announced once and in full by a permanent live region, even while a dialog closes', async () => {
  const { page } = await workbench.newPage()
  const urgent = page.locator('[aria-live=assertive]')
  const polite = page.locator('[aria-live=polite]').filter({ hasText: /^(Held|$)/ })
  assert.equal(await urgent.textContent(), '')
  await page.getByRole('button', { name: 'Fail' }).click()
  await urgent.getByText('Move failed. Could not move the file.', { exact: true }).waitFor()
  assert.equal(await urgent.getAttribute('aria-atomic'), 'true')
  await page.getByRole('button', { name: 'Actions' }).click()
  await page.getByRole('menuitem', { name: 'Rename' }).click()
  await page.getByRole('button', { name: 'Hold' }).press('Enter')
  await page.keyboard.press('Escape')
  await page.getByRole('dialog', { name: 'Rename' }).waitFor({ state: 'detached' })
  await polite.getByText('Held. Press F8 to reach Undo.', { exact: true }).waitFor()
  // A live region added by a library would announce it a second time.
  assert.equal(await page.getByRole('status').filter({ hasText: 'Held' }).count(), 0)
  assert.equal(await page.getByRole('alert').filter({ hasText: 'Move failed' }).count(), 0)
})

test('a toast never covers the main button of a dialog, whichever opens first', async () => {
  for (const [isPhone, size] of [
    [false, { width: 700, height: 270 }],
    [true, { width: 740, height: 270 }],
  ] as const) {
    const { page } = await workbench.newPage({ isPhone })
    await page.setViewportSize(size)
    const dialog = page.getByRole('dialog', { name: 'Rename' })
    const save = dialog.getByRole('button', { name: 'Save' })
    const isFree = async () => {
      await save.scrollIntoViewIfNeeded()
      await page.waitForFunction(
        (button) => {
          const { x, y, width, height } = button!.getBoundingClientRect()
          const corners = [x + 2, x + width - 2].flatMap((left) => [y + 2, y + height - 2].map((top) => [left, top]))
          return corners.every(([left, top]) => button!.contains(document.elementFromPoint(left!, top!)))
        },
        await save.elementHandle(),
        { timeout: 5000 },
      )
    }
    const notice = page.getByRole('listitem').filter({ hasText: /Held|Moved/ })
    const open = async () => {
      await page.getByRole('button', { name: 'Actions' }).press('Enter')
      await page.getByRole('menuitem', { name: 'Rename' }).press('Enter')
      await dialog.waitFor()
    }
    await open()
    await dialog.getByRole('button', { name: 'Hold' }).press('Enter')
    await notice.waitFor()
    await isFree()
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Notify' }).press('Enter')
    await notice.filter({ hasText: 'Moved' }).waitFor()
    await open()
    await isFree()
    assert.equal(await notice.getAttribute('data-state'), 'open', 'it is still there')
  }
})

test('a toast stays for five seconds, and for ten with an action', async () => {
  const { page } = await workbench.newPage()
  const notice = page.getByRole('listitem').filter({ hasText: 'Move failed' })
  await page.clock.install()
  await page.clock.pauseAt(Date.now() + 60_000)
  await page.getByRole('button', { name: 'Fail' }).click()
  await page.clock.runFor(4900)
  assert.equal(await notice.getAttribute('data-state'), 'open')
  await page.clock.runFor(200)
  // The exit animation does not use the mocked clock.
  await notice.waitFor({ state: 'detached' })
  const undoable = page.getByRole('listitem').filter({ hasText: 'Moved' })
  await page.getByRole('button', { name: 'Notify' }).click()
  await page.clock.runFor(9900)
  assert.equal(await undoable.getAttribute('data-state'), 'open')
  await page.clock.runFor(200)
  await undoable.waitFor({ state: 'detached' })
})
