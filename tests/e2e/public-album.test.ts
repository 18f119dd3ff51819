import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { addCopies, shareCollection } from '#features/sharing/server/sharing.fixture.ts'
import { openStories } from '#tests/support/browser.ts'

const viewport = { width: 1280, height: 800 }

test('a public album of 200 pictures', async (context) => {
  const { product, address, story } = await openStories(context)
  const album = await shareCollection(await product.register('ann'), { count: 1 })
  await addCopies(product.services.db, album, { count: 199 })
  const url = `${address}/public/collections/${album.slug}`

  await story(
    'before scrolling, only pictures up to one screen below the window are loaded',
    async ({ page, visit }) => {
      const requested = picturesOf(page)
      await visit(url)
      const tops = await topsOfTiles(page)
      await page.waitForLoadState('networkidle')
      const near = tops.filter((top) => top < 2 * viewport.height).length
      assert.ok(
        requested.size >= tops.filter((top) => top < viewport.height).length,
        'those in the window are among them',
      )
      assert.ok(requested.size <= near, `${requested.size} pictures were requested, ${near} are within two screens`)
    },
    { viewport },
  )

  await story(
    'every picture is loaded when the visitor has scrolled to the end',
    async ({ page, visit }) => {
      await visit(url)
      await page.evaluate(async () => {
        const end = () => document.documentElement.scrollHeight - window.innerHeight
        const frame = () => new Promise(requestAnimationFrame)
        while (window.scrollY < end() - 1 || document.querySelectorAll('.pub-item').length < 200) {
          window.scrollBy(0, window.innerHeight / 2)
          await frame()
          await frame()
        }
      })
      await seeAllLoaded(page, 200)
    },
    { viewport },
  )

  await story('pictures are uncovered after ten seconds if the script does not load', async ({ page, visit }) => {
    await page.route('**/assets/*.js', (route) => route.abort())
    await visit(url)
    const uncovering = await page.evaluate(async () => {
      const animations = document.getAnimations()
      const delays = animations.map(({ effect }) => effect!.getTiming().delay)
      for (const animation of animations) animation.finish()
      return new Set(delays).size === 1 && delays[0]
    })
    assert.equal(uncovering, 10_000)
    const far = page.locator('.pub-item').nth(100)
    await far.scrollIntoViewIfNeeded()
    const isUncovered = (tile: Element) => tile.querySelector('img')!.getBoundingClientRect().top >= 0
    assert.equal(await far.evaluate(isUncovered), true)
  })

  await story('without JavaScript, every picture is loaded when the visitor comes near it', async ({ page }) => {
    const window = await page.context().browser()!.newContext({ javaScriptEnabled: false, viewport })
    try {
      const plainPage = await window.newPage()
      const requested = picturesOf(plainPage)
      await plainPage.goto(url)
      await plainPage.mouse.move(600, 400)
      for (let step = 0; step < 20; step++) await plainPage.mouse.wheel(0, viewport.height / 2)
      await plainPage.waitForLoadState('networkidle')
      assert.equal(requested.size, 120, 'every picture of the first page')
    } finally {
      await window.close()
    }
  })
})

/** The pictures that the page has requested so far. */
function picturesOf(page: Page) {
  const requested = new Set<string>()
  page.on('request', (request) => request.resourceType() === 'image' && requested.add(new URL(request.url()).pathname))
  return requested
}

const seeAllLoaded = (page: Page, count: number) =>
  page.waitForFunction((expected) => {
    const pictures = [...document.querySelectorAll<HTMLImageElement>('.pub-item img')]
    return pictures.length === expected && pictures.every(({ complete, naturalWidth }) => complete && naturalWidth > 0)
  }, count)

const topsOfTiles = (page: Page) =>
  page.locator('.pub-item').evaluateAll((tiles) => tiles.map((tile) => tile.getBoundingClientRect().top))
