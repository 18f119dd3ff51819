import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { CDPSession, Page } from 'playwright-core'
import { openStories } from '#tests/support/browser.ts'
import { makeJpeg } from '#tests/support/pictures.ts'
import { copyManyMedia } from '../support/seed-library.ts'

const cards = 200
const frames = 60
const framesPerReading = 5
/** The cost of a frame relative to the same page without scripts, which excludes the cost of the browser and the machine. */
const mostTimesAsMuch = 1.5

test('a full page of the library scrolls smoothly', async (context) => {
  const { product, story } = await openStories(context)
  const ann = await product.register('ann')
  const picture = await ann.addPicture('first.jpg', await makeJpeg({ width: 800, height: 600 }))
  await copyManyMedia(product.services.db, picture.id, cards - 1)
  const { id: collectionId } = (await ann.post('/api/collections', { name: 'Everything' })).json()
  for (const index of [0, 1, 2]) await ann.patch(`/api/media/${picture.id + index}`, { aiTags: ['sea', 'boat', 'sky'] })
  await ann.post(`/api/collections/${collectionId}/media/${picture.id}`)

  for (const layout of ['grid', 'list'] as const) {
    await story(
      `scrolling ${cards} items as a ${layout} rerenders no card and keeps frames short`,
      async ({ page, visit }) => {
        await visit(`/?pageSize=200&layout=${layout}`)
        await page.getByText(`1-${cards} of ${cards} items`).waitFor()
        const items = page.locator('[data-media-id]')
        await items.nth(cards - 1).waitFor({ state: 'attached' })
        assert.equal(await items.count(), cards)
        const nodes = await page.evaluate(() => document.querySelectorAll('main *').length)
        assert.ok(nodes <= cards * 40, `${nodes} elements for ${cards} items`)
        const height = () => page.evaluate(() => document.documentElement.scrollHeight)
        const expected = await height()
        // Scrolls to the end and back first, because loading pictures may change their cards.
        await scrollThrough(page)
        await page.waitForFunction(areAllPicturesLoaded)
        const missed = Math.abs((await height()) - expected)
        assert.ok(missed <= expected * 0.01, `the page was expected to be ${missed} pixels higher or lower than it is`)

        await page.evaluate(countMutations)
        const [cost, bare] = [await costOfFrame(page), await costOfFrame(await openWithoutScripts(page))]
        assert.deepEqual(await page.evaluate(() => Reflect.get(window, 'mutations')), [], 'changed while scrolling')
        const told = `${cost.toFixed(2)} ms of the page's thread per frame, ${bare.toFixed(2)} without scripts`
        context.diagnostic(`${layout}: ${told}, ${nodes} elements`)
        assert.ok(cost <= bare * mostTimesAsMuch, told)
      },
      { as: ann, viewport: { width: 1920, height: 1080 } },
    )
  }
})

async function scrollThrough(page: Page) {
  await page.evaluate(async () => {
    for (let y = 0; y < document.documentElement.scrollHeight; y += 500) {
      window.scrollTo(0, y)
      await new Promise((resolve) => requestAnimationFrame(resolve))
    }
  })
}

/** A card removes its placeholder when its picture has loaded, so afterwards nothing is left to change. */
function areAllPicturesLoaded() {
  const pictures = [...document.querySelectorAll('[data-media-id] img')]
  return pictures.every(({ parentElement }) => parentElement?.style.backgroundImage === 'none')
}

/** Scrolls one step per frame, as fast as a finger flings. */
async function scrollFrames(count: number) {
  for (let frame = 0; frame < count; frame++) {
    window.scrollBy(0, 60)
    await new Promise((resolve) => requestAnimationFrame(resolve))
  }
}

/** Counts the changes that rendering makes; rendering without a change only costs time, which is measured elsewhere. */
function countMutations() {
  const seen: string[] = []
  Reflect.set(window, 'mutations', seen)
  const observer = new MutationObserver((changes) => {
    for (const { type, target } of changes) seen.push(`${type} of ${target.nodeName}`)
  })
  observer.observe(document.querySelector('main')!, {
    subtree: true,
    childList: true,
    attributes: true,
    characterData: true,
  })
}

/** Replaces the page with a static copy of its HTML at the same address. */
async function openWithoutScripts(page: Page) {
  const body = (await page.content()).replaceAll(/<script[^>]*>.*?<\/script>/gs, '')
  const still = await page.context().newPage()
  await still.route(page.url(), (route) => route.fulfill({ contentType: 'text/html', body }))
  await still.goto(page.url())
  await scrollThrough(still)
  return still
}

/** Measures CPU time instead of elapsed time, so that other processes on the machine do not matter. */
async function costOfFrame(page: Page) {
  await page.bringToFront()
  const session = await page.context().newCDPSession(page)
  await session.send('Performance.enable', { timeDomain: 'threadTicks' })
  await page.evaluate(() => window.scrollTo(0, 0))
  const costs: number[] = []
  for (let done = 0; done < frames; done += framesPerReading) {
    const before = await busyMilliseconds(session)
    await page.evaluate(scrollFrames, framesPerReading)
    costs.push(((await busyMilliseconds(session)) - before) / framesPerReading)
  }
  const end = await page.evaluate(() => window.scrollY)
  assert.ok(end > 1000, `it scrolled by ${end} pixels`)
  return costs.sort((a, b) => a - b)[Math.floor(costs.length / 2)]!
}

async function busyMilliseconds(session: CDPSession) {
  const { metrics } = await session.send('Performance.getMetrics')
  return metrics.find(({ name }) => name === 'TaskDuration')!.value * 1000
}
