import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { assertAccessible, holdResponse, loseResponse, openStories, seeToast } from '#tests/support/browser.ts'
import { makeJpeg, makeWebp } from '#tests/support/pictures.ts'
import { viewerOf } from '#tests/support/viewer.ts'

const dialogOf = (page: Page) => page.getByRole('dialog', { name: /^(Convert to|Compress) WebP$/ })

const qualityOf = (page: Page) => dialogOf(page).getByRole('slider', { name: 'Quality' })
const seeQuality = (page: Page, value: number) =>
  qualityOf(page)
    .and(page.locator(`[aria-valuenow="${value}"]`))
    .waitFor()

/** Changes the quality with the arrow keys, in steps of five. */
async function turnQuality(page: Page, { from, to }: { from: number; to: number }) {
  const step = Math.sign(to - from) * 5
  for (let value = from; value !== to; value += step) {
    await qualityOf(page).press(step < 0 ? 'ArrowLeft' : 'ArrowRight')
    await seeQuality(page, value + step)
  }
}

test('converting to WebP', async (context) => {
  const { product, story } = await openStories(context)
  const ann = await product.register('ann')
  const bytes = await makeJpeg({ width: 1600, height: 1200 })
  const photograph = await ann.addPicture('photograph.jpg', bytes)
  const webp = await ann.addPicture('small.webp', await makeWebp({ width: 400, height: 300, quality: 30 }))
  const count = async () => (await ann.get('/api/media')).json().pagination.totalCount

  await story(
    'the dialog compares an image with its WebP and their sizes, and converting keeps the original',
    async ({ page, visit }) => {
      const measure = await holdResponse(page, '**/webp-preview*')
      await visit(`/?item=${photograph.id}`)
      await page.getByRole('button', { name: 'Convert to WebP' }).click()
      const dialog = dialogOf(page)
      await seeQuality(page, 80)
      const limits = ['aria-valuemin', 'aria-valuemax'].map((name) => qualityOf(page).getAttribute(name))
      assert.deepEqual(await Promise.all(limits), ['30', '95'])
      await dialog.getByText('Typical saving: 25-35%').waitFor()
      // 80% × 0.35 of the original.
      await dialog.getByText('72% smaller').waitFor()
      await dialog.getByRole('button', { name: 'Convert (about 65% savings)' }).waitFor()
      measure()
      const convert = dialog.getByRole('button', { name: /^Convert \(\d+% smaller\)$/ })
      await convert.waitFor()
      await dialog.getByText(/72% smaller|Typical saving|about/).waitFor({ state: 'hidden' })
      await dialog.getByRole('img', { name: /^WebP · [\d.]+ KB$/ }).waitFor()
      await dialog.getByRole('img', { name: /^Original · / }).waitFor()
      await assertAccessible(page)

      await turnQuality(page, { from: 80, to: 45 })
      await dialog.getByText(/noticeable degradation.*65-85/).waitFor()
      await turnQuality(page, { from: 45, to: 50 })
      await dialog.getByText(/noticeable degradation/).waitFor({ state: 'hidden' })

      await dialog.getByRole('slider', { name: 'Divider between original and WebP' }).fill('20')
      await dialog.getByRole('radio', { name: 'Actual size' }).check()
      const before = await count()
      await loseResponse(page, '**/convert-webp')
      await convert.click()
      await seeToast(page, 'Conversion failed', 'Could not convert image to WebP.')
      await convert.click()
      await seeToast(page, 'Conversion complete', '% smaller than the original')
      await dialog.waitFor({ state: 'hidden' })
      const { media } = (await ann.get('/api/media?sort=recent')).json()
      assert.equal(media[0].filename, 'photograph.webp')
      assert.equal(await count(), before + 1, 'only the response was lost')
      assert.equal((await ann.get(`/api/media/${photograph.id}`)).json().size, bytes.length)
    },
    { as: ann },
  )

  await story(
    'converting a WebP image starts at quality 65 with a warning, and skips the image if nothing is saved',
    async ({ page, visit }) => {
      await visit(`/?item=${webp.id}`)
      await page.getByRole('button', { name: 'Compress WebP' }).click()
      const dialog = dialogOf(page)
      await seeQuality(page, 65)
      await dialog.getByText(/gains may be limited/).waitFor()
      await turnQuality(page, { from: 65, to: 95 })
      await dialog.getByText(/not smaller than the original/).waitFor()
      const before = await count()
      await dialog.getByRole('button', { name: 'Compress (not smaller)' }).click()
      await seeToast(page, 'No savings', 'was not changed')
      assert.equal(await count(), before)
    },
    { as: ann },
  )

  await story(
    'a failed conversion shows an error and leaves the dialog open',
    async ({ page, visit }) => {
      await visit(`/?item=${photograph.id}`)
      await page.getByRole('button', { name: 'Convert to WebP' }).click()
      await page.route('**/convert-webp', (route) =>
        route.fulfill({ status: 413, json: { message: 'There is no room.' } }),
      )
      await dialogOf(page)
        .getByRole('button', { name: /^Convert \(/ })
        .click()
      await seeToast(page, 'Conversion failed', 'Could not convert image to WebP.There is no room.')
      await dialogOf(page).waitFor()
      await page.keyboard.press('Escape')
      await dialogOf(page).waitFor({ state: 'hidden' })
      await viewerOf(page).waitFor()
    },
    { as: ann, theme: 'light' },
  )

  await story(
    'the conversion dialog is accessible on a phone in the light theme',
    async ({ page, visit }) => {
      await visit(`/?item=${webp.id}`)
      await page.getByRole('button', { name: 'Info' }).tap()
      await page.getByRole('button', { name: 'Compress WebP' }).tap()
      await dialogOf(page)
        .getByRole('img', { name: /^WebP · [\d.]+ KB$/ })
        .waitFor()
      await assertAccessible(page)
    },
    { as: ann, theme: 'light', hasTouch: true, viewport: { width: 360, height: 720 } },
  )
})
