import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Locator } from 'playwright-core'
import { findAccessibilityFaults } from '#tests/support/accessibility.ts'
import { until } from '#tests/support/until.ts'
import { expectFocus } from './testing/expect-focus.ts'
import { openWorkbench } from './testing/open-workbench.ts'

let workbench: Awaited<ReturnType<typeof openWorkbench>>
before(async () => {
  workbench = await openWorkbench()
})
after(() => workbench[Symbol.asyncDispose]())

test('both themes pass the accessibility checks without console errors', async () => {
  for (const theme of ['dark', 'light'] as const) {
    const { page, errors } = await workbench.newPage({ theme })
    assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), theme)
    assert.deepEqual(await findAccessibilityFaults(page), [])
    await page.getByRole('button', { name: 'Actions' }).click()
    await page.getByRole('menuitem', { name: 'Rename' }).click()
    await page.getByRole('dialog').getByLabel('Order').selectOption('name')
    await page.getByRole('button', { name: 'Inside' }).click()
    if (theme === 'light') assert.deepEqual(await findAccessibilityFaults(page), [])
    // The images that are missing on purpose.
    assert.deepEqual(
      errors.filter((error) => !error.includes('404')),
      [],
    )
  }
})

test('arrow keys, Home and End select tabs, and Tab moves from the selected tab into its panel', async () => {
  const { page } = await workbench.newPage()
  const panel = (name: string) => page.getByRole('tabpanel', { name })
  await page.getByRole('tab', { name: 'Place one' }).focus()
  for (const [key, name] of [
    ['ArrowRight', 'Place two'],
    ['ArrowRight', 'Place three'],
    ['ArrowRight', 'Place one'],
    ['ArrowLeft', 'Place three'],
    ['Home', 'Place one'],
    ['End', 'Place three'],
  ] as const) {
    await page.keyboard.press(key)
    await expectFocus(page, 'tab', name)
    await panel(name).waitFor()
    assert.equal(await page.getByRole('tab', { selected: true }).textContent(), name)
  }
  await page.keyboard.press('Control+Home')
  await expectFocus(page, 'tab', 'Place three')
  await page.keyboard.press('Tab')
  await expectFocus(page, 'button', 'In three')
  await page.keyboard.press('Shift+Tab')
  await expectFocus(page, 'tab', 'Place three')
  await page.getByRole('tab', { name: 'Place two' }).click()
  await panel('Place two').getByRole('button', { name: 'In two' }).waitFor()
  assert.equal(await page.getByRole('tabpanel').count(), 1)
})

test('an icon button shows its name on keyboard focus', async () => {
  const { page } = await workbench.newPage()
  await page.getByRole('button', { name: 'Save changes' }).focus()
  await page.keyboard.press('Tab')
  await page.getByRole('tooltip').filter({ hasText: 'Edit' }).waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('tooltip').waitFor({ state: 'detached' })
})

test('a tooltip shows after 700 ms, and the next one at once within 300 ms', async () => {
  const { page } = await workbench.newPage()
  const tooltip = page.getByRole('tooltip')
  const rest = () => page.getByRole('button', { name: 'Edit' }).dispatchEvent('pointerover')
  const leave = () => page.getByRole('button', { name: 'Edit' }).dispatchEvent('pointerout')
  await page.clock.install()
  await page.clock.pauseAt(Date.now() + 60_000)
  await rest()
  await page.clock.runFor(699)
  assert.equal(await tooltip.count(), 0)
  await page.clock.runFor(1)
  assert.equal(await tooltip.count(), 1)
  await leave()
  await page.clock.runFor(100)
  assert.equal(await tooltip.count(), 0)
  await page.clock.runFor(250)
  await rest()
  assert.equal(await tooltip.count(), 1)
  await page.getByRole('button', { name: 'Edit' }).dispatchEvent('pointerdown')
  assert.equal(await tooltip.count(), 0, 'a click closes the tooltip')
  await leave()
  await page.clock.runFor(100)
  assert.equal(await tooltip.count(), 0)
  await page.clock.runFor(301)
  await rest()
  assert.equal(await tooltip.count(), 0)
})

test('a spinner shows its label after a second', async () => {
  const { page } = await workbench.newPage()
  const words = page.getByRole('status').getByText('Reading the list')
  const opacities = await words.evaluate((element) => {
    const fade = element.getAnimations()[0]!
    fade.pause()
    return [999, 1300].map((milliseconds) => {
      fade.currentTime = milliseconds
      return getComputedStyle(element).opacity
    })
  })
  assert.deepEqual(opacities, ['0', '1'])
  assert.ok((await words.boundingBox())!.width > 40)
})

test('copying without the clipboard API, as on plain http, keeps the focus', async () => {
  const { page } = await workbench.newPage()
  await page.evaluate(() => Object.defineProperty(navigator, 'clipboard', { value: undefined }))
  await page.getByRole('button', { name: 'Copy' }).press('Enter')
  await expectFocus(page, 'button', 'Copied')
})

test('a pending button keeps its name and ignores clicks', async () => {
  const { page, log } = await workbench.newPage()
  const save = page.getByRole('button', { name: 'Save changes' })
  await save.focus()
  await page.keyboard.press('Enter')
  assert.equal(await save.getAttribute('aria-busy'), 'true')
  assert.equal(await log(), '')
})

test('keyboard shortcuts are off while the user types or a dialog is open', async () => {
  const { page, log } = await workbench.newPage()
  await page.getByLabel('Email').press('k')
  await page.getByRole('button', { name: 'Ask' }).click()
  await page.getByRole('alertdialog').waitFor()
  await page.keyboard.press('k')
  await page.keyboard.press('Escape')
  await page.getByRole('alertdialog').waitFor({ state: 'detached' })
  assert.equal(await log(), '')
  await page.keyboard.press('k')
  assert.equal(await log(), 'hotkey')
})

test('an image that fails is replaced by the next source, and finally by an icon', async () => {
  const { page } = await workbench.newPage()
  await page.locator('img[src="/picture.svg"]').scrollIntoViewIfNeeded()
  await page.getByRole('img', { name: 'No choice left' }).locator('svg').waitFor()
  assert.equal(await page.locator('img[alt="Second choice"]').getAttribute('src'), '/picture.svg')
})

test('a field is described by its error and hint', async () => {
  const { page } = await workbench.newPage()
  const email = page.getByRole('textbox', { name: 'Email' })
  assert.equal(await email.getAttribute('aria-invalid'), 'true')
  const ids = (await email.getAttribute('aria-describedby'))!.split(' ')
  const words = await Promise.all(ids.map((id) => page.locator(`[id="${id}"]`).textContent()))
  assert.deepEqual(words, ['Enter an address such as name@example.org.', 'Not shown to others.'])
})

test('with forced colors, selected controls still differ from others', async () => {
  const { page } = await workbench.newPage()
  await page.emulateMedia({ forcedColors: 'active' })
  const fill = (locator: Locator) => locator.evaluate((element) => getComputedStyle(element).backgroundColor)
  for (const box of [page.getByRole('switch', { name: 'Public' }), page.getByRole('checkbox', { name: 'Delete' })]) {
    const off = await fill(box)
    await box.check()
    assert.notEqual(await fill(box), off)
  }
  const segment = (name: string) => page.locator('label', { has: page.getByRole('radio', { name }) })
  assert.notEqual(await fill(segment('Grid')), await fill(segment('List')))
  assert.notEqual(
    await fill(page.getByRole('button', { name: 'chosen' })),
    await fill(page.getByRole('button', { name: 'Neighbour' })),
  )
  const bar = page.getByRole('progressbar', { name: 'Uploading' })
  assert.notEqual(await fill(bar.locator('div')), await fill(bar))
})

test('the chosen theme is stored', async () => {
  const { page } = await workbench.newPage()
  await page.getByRole('button', { name: 'Theme' }).click()
  await page.getByRole('menuitemradio', { name: 'Light' }).click()
  assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), 'light')
  assert.equal(await page.evaluate(() => localStorage.getItem('albumen-theme')), 'light')
  // A choice that cannot be stored applies until the page is left.
  await page.evaluate(() => {
    Storage.prototype.setItem = () => {
      throw new DOMException('It is full', 'QuotaExceededError')
    }
  })
  await page.getByRole('button', { name: 'Theme' }).click()
  await page.getByRole('menuitemradio', { name: 'Dark' }).click()
  assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), 'dark')
})

test('on a phone a dialog is a bottom sheet', async () => {
  const { page } = await workbench.newPage({ isPhone: true })
  await page.getByRole('button', { name: 'Ask' }).tap()
  const sheet = page.getByRole('alertdialog')
  await until('it has risen to the foot', async () => {
    const { width, y, height } = (await sheet.boundingBox())!
    return width === 360 && Math.round(y + height) === 640
  })
})

test('touch targets of buttons, fields and list options are 44 pixels high', async () => {
  const { page } = await workbench.newPage({ isPhone: true })
  /** Uses hit testing instead of a tap, since browsers move a near miss to the closest target. */
  const isReached = (name: string) =>
    page.getByRole('button', { name, exact: true }).evaluate((button) => {
      const { x, y, width, height } = button.getBoundingClientRect()
      return button === document.elementFromPoint(x + width / 2, y + height / 2 - 21.5)
    })
  assert.ok(await isReached('Neighbour'))
  assert.equal((await page.getByLabel('Email').boundingBox())!.height, 44)
  await page.getByRole('button', { name: 'Ask' }).tap()
  // Waits for the animations of the sheet and the list.
  await until('the cross is reached', () => isReached('Close'))
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Actions' }).tap()
  await page.getByRole('menuitem', { name: 'Rename' }).tap()
  await page.getByRole('dialog').getByLabel('Order').tap()
  const option = page.getByRole('option').first()
  await until('a choice is 44 pixels high', async () => (await option.boundingBox())?.height === 44)
})
