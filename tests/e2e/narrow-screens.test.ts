import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { shareCollection } from '#features/sharing/server/sharing.fixture.ts'
import { openStories, seeFocus } from '#tests/support/browser.ts'
import { chooseMore, select } from '#tests/support/selection.ts'

const phone = { width: 360, height: 740 }
const longName = 'A_name_without_a_space_at_which_a_line_could_break_as_cameras_write_it.jpg'

/** Dialogs scroll in themselves, so those of their parts that scroll are measured too. */
const widthOutside = (page: Page) =>
  page.evaluate(() => {
    const parts = [...document.querySelectorAll('[role=dialog] *')]
    const scrolling = parts.filter((part) => getComputedStyle(part).overflowY === 'auto')
    scrolling.push(document.documentElement)
    return Math.max(0, ...scrolling.map(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth))
  })

test('screens of 360 pixels', async (context) => {
  const { product, story } = await openStories(context)
  const ann = await product.register('ann')
  const sea = await shareCollection(ann, { name: 'Sea', count: 3 })
  const media = await ann.addPicture(longName)
  await ann.patch(`/api/media/${media.id}`, { aiTags: ['a tag that is rather long', 'and another long tag', 'third'] })

  const screens = {
    '/': `Open ${longName}`,
    '/?layout=list': `Open ${longName}`,
    [`/?collection=${sea.id}`]: 'Open picture-0.jpg',
    '/?search=boat': 'Clear search',
    '/?filter=trash': 'Back to the library',
    '/?tab=collections': 'Actions for Sea',
    '/?tool=duplicates': 'Menu',
    '/scraper': 'Analyze Page',
    [`/?item=${media.id}`]: 'Add to Collection',
    '/admin': 'Menu',
    '/admin?tab=database': 'Menu',
    '/admin?tab=backups': 'Menu',
    '/admin?tab=users': 'Menu',
    '/admin?tab=system': 'Menu',
  }
  for (const [path, name] of Object.entries(screens))
    await story(
      `nothing scrolls sideways at ${path.replaceAll(/\d+/g, 'N')}`,
      async ({ page, visit }) => {
        await visit(path)
        await page.getByRole('button', { name, exact: true }).first().waitFor()
        await page.waitForLoadState('load')
        assert.equal(await widthOutside(page), 0)
      },
      { as: ann, viewport: phone, hasTouch: true },
    )

  for (const path of ['/', `/?collection=${sea.id}`])
    await story(
      `a phone shows one row of controls above the first picture at ${path.replaceAll(/\d+/g, 'N')}`,
      async ({ page, visit }) => {
        await visit(path)
        await page
          .getByRole('button', { name: /^Open / })
          .first()
          .waitFor()
        await page.getByRole('button', { name: 'Sort and layout' }).waitFor()
        if (path !== '/') await page.getByRole('button', { name: 'Actions for Sea' }).waitFor()
        const { middles, picture } = await page.getByRole('main').evaluate((main) => {
          const picture = main.querySelector('[data-media-id]')!.getBoundingClientRect().top
          const controls = [...main.querySelectorAll('button, select, input, a, [role=tab]')]
          const boxes = controls.filter((each) => each.checkVisibility()).map((each) => each.getBoundingClientRect())
          const above = boxes.filter(({ bottom }) => bottom <= picture)
          return { picture, middles: above.map(({ top, bottom }) => (top + bottom) / 2) }
        })
        assert.ok(middles.length >= 4, `${middles.length} controls`)
        assert.ok(Math.max(...middles) - Math.min(...middles) < 6, `the controls are at ${middles}`)
        assert.ok(picture < 160, `the first picture begins at ${picture}`)
        await page.getByRole('button', { name: 'Sort and layout' }).tap()
        await page.getByRole('menuitemradio', { name: 'List view' }).tap()
        await page.getByRole('table').waitFor()
        await page.getByRole('button', { name: 'Sort and layout' }).tap()
        await page.getByRole('menuitemradio', { name: 'Grid view' }).tap()
        await page.getByRole('table').waitFor({ state: 'detached' })
      },
      { as: ann, viewport: phone, hasTouch: true },
    )

  await story(
    'on a touch screen nothing covers a picture or takes its taps until it was touched',
    async ({ page, visit }) => {
      await visit('/')
      const menu = page.getByRole('button', { name: `Actions for ${longName}` })
      const opacity = () => menu.evaluate((button) => getComputedStyle(button).opacity)
      await menu.waitFor()
      assert.equal(await opacity(), '0')
      const { x, y, width, height } = (await menu.boundingBox())!
      await page.touchscreen.tap(x + width / 2, y + height / 2)
      await page.getByRole('dialog', { name: 'Media Details' }).waitFor()
      await page.getByRole('button', { name: 'Close', exact: true }).tap()
      await seeFocus(page, `Open ${longName}`)
      assert.equal(await opacity(), '1')
      await menu.tap()
      await page.getByRole('menuitem', { name: 'Add to Favorites' }).waitFor()
    },
    { as: ann, viewport: phone, hasTouch: true },
  )

  await story(
    'no dialog of the selection scrolls sideways',
    async ({ page, visit }) => {
      await visit('/')
      await select(page, [longName])
      for (const action of ['Move to Collection', 'Add Tags']) {
        await page.getByRole('button', { name: action }).tap()
        await page.getByRole('dialog').waitFor()
        assert.equal(await widthOutside(page), 0, action)
        await page.keyboard.press('Escape')
        await page.getByRole('dialog').waitFor({ state: 'detached' })
      }
      for (const action of ['Rename', 'Edit Descriptions', 'Convert to WebP', 'Create URLs', 'Export Document']) {
        await chooseMore(page, `${action} (1)`)
        await page.getByRole('dialog').waitFor()
        assert.equal(await widthOutside(page), 0, action)
        await page.keyboard.press('Escape')
        await page.getByRole('dialog').waitFor({ state: 'detached' })
      }
    },
    { as: ann, viewport: phone, hasTouch: true },
  )

  await story(
    'no tab of Customize & Share scrolls sideways',
    async ({ page, visit }) => {
      await visit(`/?collection=${sea.id}`)
      await page.getByRole('button', { name: 'Share', exact: true }).tap()
      for (const tab of ['Appearance', 'Link', 'Embed', 'Visitors']) {
        await page.getByRole('tab', { name: tab, exact: true }).tap()
        await page.getByRole('tabpanel').last().waitFor()
        assert.equal(await widthOutside(page), 0, tab)
      }
    },
    { as: ann, viewport: phone, hasTouch: true },
  )
})
