import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Locator } from 'playwright-core'
import sharp from 'sharp'
import { openStories } from '#tests/support/browser.ts'

/** A tall picture that is gray except for a red head near its upper left corner. */
async function makeTallPicture() {
  const head = await sharp({ create: { width: 60, height: 60, channels: 3, background: '#f00' } })
    .png()
    .toBuffer()
  return sharp({ create: { width: 300, height: 900, channels: 3, background: '#777' } })
    .composite([{ input: head, left: 30, top: 30 }])
    .jpeg()
    .toBuffer()
}

/** The red part of what the page shows of a picture. */
async function countRed(picture: Locator) {
  const { data, info } = await sharp(await picture.screenshot())
    .removeAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true })
  let red = 0
  for (let index = 0; index < data.length; index += 3)
    if (data[index]! > data[index + 1]! * 2 && data[index]! > 60) red++
  return red / (info.width * info.height)
}

test('focal points', async (context) => {
  const { product, story } = await openStories(context)
  const ann = await product.register('ann')
  const tall = await ann.addPicture('tall.jpg', await makeTallPicture())
  const collection = (await ann.post('/api/collections', { name: 'Heads' })).json()
  await ann.post(`/api/collections/${collection.id}/media/${tall.id}`)
  const { publicSlug } = (await ann.patch(`/api/collections/${collection.id}/visibility`, { isPublic: true })).json()
  await ann.patch(`/api/collections/${collection.id}/branding`, { headerImage: tall.originalUrl })

  await story(
    'a head near the edge of a tall image is cut off in its card and in a header until the focal point is there',
    async ({ page, visit }) => {
      const redOf = async () => {
        await visit('/')
        const card = page.getByRole('img', { name: 'tall.jpg' }).first()
        await card.waitFor()
        const inCard = await countRed(card)
        await visit(`/public/collections/${publicSlug}`)
        const header = page.locator('.pub-header-image')
        await header.waitFor()
        return { inCard, inHeader: await countRed(header) }
      }
      const before = await redOf()
      assert.deepEqual(before, { inCard: 0, inHeader: 0 })
      await ann.patch(`/api/media/${tall.id}`, { focalPoint: { x: 0.2, y: 0.07 } })
      for (const width of [390, 1280]) {
        await page.setViewportSize({ width, height: 800 })
        const { inCard, inHeader } = await redOf()
        // The head is a fifth of the width, so a 25th of a square of that width.
        assert.ok(inCard > 0.035, `${inCard} of the card is red`)
        assert.ok(inHeader > 0.01, `${inHeader} of the header is red`)
      }
    },
    { as: ann },
  )
})
