import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { CDPSession, Page } from 'playwright-core'
import { openStories } from '#tests/support/browser.ts'
import { makeJpeg } from '#tests/support/pictures.ts'
import { copyManyMedia } from '../support/seed-library.ts'

const cards = 200
const frames = 60
const framesPerReading = 5
/** What a frame may cost, against the same page without its scripts; the rest is the browser's own, and the machine's. */
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
      `${cards} items as a ${layout}: nothing is rendered anew, and a frame costs the page little`,
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
        // Once to the end and back: pictures load as they come into view, and that may change their cards.
        await scrollThrough(page)
        await page.waitForFunction(arePicturesThere)
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

/** When one is there, what lay behind it goes: after the last one nothing is left to change. */
function arePicturesThere() {
  const pictures = [...document.querySelectorAll('[data-media-id] img')]
  return pictures.every(({ parentElement }) => parentElement?.style.backgroundImage === 'none')
}

/** One step a frame, as fast as a finger flings. */
async function scrollFrames(count: number) {
  for (let frame = 0; frame < count; frame++) {
    window.scrollBy(0, 60)
    await new Promise((resolve) => requestAnimationFrame(resolve))
  }
}

/** Whatever a component renders anew and differently shows here; what it renders anew and alike costs time, which is measured. */
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

/** A picture of the page, as it stands, at the same address. */
async function openWithoutScripts(page: Page) {
  const body = (await page.content()).replaceAll(/<script[^>]*>.*?<\/script>/gs, '')
  const still = await page.context().newPage()
  await still.route(page.url(), (route) => route.fulfill({ contentType: 'text/html', body }))
  await still.goto(page.url())
  await scrollThrough(still)
  return still
}

/** By the processor's time, not the clock's: whoever else is busy on the machine does not count. */
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
