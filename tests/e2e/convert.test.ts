import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { assertAccessible, openStories, seeNotice } from '#tests/support/browser.ts'
import { makeJpeg, makeWebp } from '#tests/support/pictures.ts'

const dialogOf = (page: Page) => page.getByRole('dialog', { name: /^(Convert to|Compress) WebP$/ })

async function turnQualityTo(page: Page, wanted: number) {
  const slider = dialogOf(page).getByRole('slider', { name: 'Quality' })
  await slider.focus()
  for (let presses = 0; presses < 20; presses++) {
    const value = Number(await slider.getAttribute('aria-valuenow'))
    if (value === wanted) return
    await slider.press(value > wanted ? 'ArrowLeft' : 'ArrowRight')
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
    'a picture is shown beside its WebP with the true size, and converted; the original stays',
    async ({ page, visit }) => {
      await visit(`/?item=${photograph.id}`)
      await page.getByRole('button', { name: 'Convert to WebP' }).click()
      const dialog = dialogOf(page)
      const slider = dialog.getByRole('slider', { name: 'Quality' })
      const range = [await slider.getAttribute('aria-valuemin'), await slider.getAttribute('aria-valuemax')]
      assert.deepEqual([...range, await slider.getAttribute('aria-valuenow')], ['30', '95', '80'])
      await dialog.getByText('Typical saving: 25-35%').waitFor()
      // 80% × 0.35 of the original.
      await dialog.getByText('72% smaller').first().waitFor()
      await dialog.getByRole('img', { name: /^WebP · [\d.]+ KB$/ }).waitFor()
      await dialog.getByRole('img', { name: /^Original · / }).waitFor()
      await assertAccessible(page)

      await slider.press('ArrowLeft')
      assert.equal(await slider.getAttribute('aria-valuenow'), '75')
      await turnQualityTo(page, 45)
      await dialog.getByText(/noticeable degradation.*65-85/).waitFor()
      await turnQualityTo(page, 50)
      await dialog.getByText(/noticeable degradation/).waitFor({ state: 'hidden' })

      await dialog.getByRole('slider', { name: 'Divider between original and WebP' }).fill('20')
      await dialog.getByRole('radio', { name: 'Pixel by pixel' }).check()
      await dialog.getByRole('button', { name: 'Convert (about 65% savings)' }).click()
      await seeNotice(page, 'Conversion complete', '% smaller')
      await dialog.waitFor({ state: 'hidden' })
      const { media } = (await ann.get('/api/media?sort=recent')).json()
      assert.equal(media[0].filename, 'photograph.webp')
      assert.equal((await ann.get(`/api/media/${photograph.id}`)).json().size, bytes.length)
    },
    { as: ann },
  )

  await story(
    'what is WebP already starts at 65, is warned of, and is left alone when nothing is gained',
    async ({ page, visit }) => {
      await visit(`/?item=${webp.id}`)
      await page.getByRole('button', { name: 'Compress WebP' }).click()
      const dialog = dialogOf(page)
      assert.equal(await dialog.getByRole('slider', { name: 'Quality' }).getAttribute('aria-valuenow'), '65')
      await dialog.getByText(/gains may be limited/).waitFor()
      await turnQualityTo(page, 95)
      await dialog.getByText(/not smaller than the original/).waitFor()
      const before = await count()
      await dialog.getByRole('button', { name: 'Compress (about 65% savings)' }).click()
      await seeNotice(page, 'Nothing gained', 'was left as it is')
      assert.equal(await count(), before)
    },
    { as: ann },
  )

  await story(
    'a failure says so and leaves the dialog open',
    async ({ page, visit }) => {
      await visit(`/?item=${photograph.id}`)
      await page.getByRole('button', { name: 'Convert to WebP' }).click()
      await page.route('**/convert-webp', (route) => route.fulfill({ status: 500, body: '' }))
      await dialogOf(page).getByRole('button', { name: 'Convert (about 65% savings)' }).click()
      await seeNotice(page, 'Conversion failed', 'Could not convert image to WebP.')
      await dialogOf(page).waitFor()
      await page.keyboard.press('Escape')
      await dialogOf(page).waitFor({ state: 'hidden' })
      await page.getByRole('dialog', { name: 'Media Details' }).waitFor()
    },
    { as: ann, theme: 'light' },
  )

  await story(
    'on a phone, in the light theme, it is accessible too',
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
