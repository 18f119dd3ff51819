import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { arriveAt, assertAccessible, openStories, seeFocus, seeToast } from '#tests/support/browser.ts'
import { fakeWeb } from '#tests/support/fake-web.ts'
import { makeJpeg } from '#tests/support/pictures.ts'

const phone = { width: 360, height: 740 }
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
const see = (page: Page, text: string) => page.getByText(text, { exact: true }).waitFor()

async function analyze(page: Page, url: string) {
  await page.getByLabel('Webpage URL').fill(url)
  await button(page, 'Analyze Page').click()
}

test('images from the web', async (context) => {
  const web = await fakeWeb(context)
  const { product, story } = await openStories(context, web.settings)
  await product.register('admin')
  const [ada, ben, cleo, dan, eve, fay, gil] = await Promise.all(
    ['ada', 'ben', 'cleo', 'dan', 'eve', 'fay', 'gil'].map((name) => product.register(name)),
  )

  const images: string[] = []
  for (let number = 1; number <= 30; number++) {
    web.file(`/photo-${number}.jpg`, await makeJpeg({ width: 90 + number * 10, height: 200 }))
    images.push(`<img src="/photo-${number}.jpg" alt="Old lighthouse ${number}">`)
  }
  const gallery = web.page('/gallery', `<title>Coast of lights</title><h2>At the coast</h2>${images.join('')}`)

  await story(
    'a missing or invalid page URL is reported, and the focus stays in the field',
    async ({ page, visit }) => {
      await visit('/scraper')
      await page.getByRole('heading', { name: 'Web Image Scraper', level: 1 }).waitFor()
      const steps = page.getByRole('list', { name: 'How it works' }).getByRole('listitem')
      assert.equal(await steps.count(), 4)
      assert.ok(await button(page, 'Analyze Page').isDisabled())
      await page.getByLabel('Webpage URL').press('Enter')
      await seeToast(page, 'URL Required', 'Please enter a valid webpage URL')
      await analyze(page, 'example.com')
      await seeToast(page, 'Invalid URL', 'Please enter a valid HTTP or HTTPS URL')
      await page.getByLabel('Webpage URL').fill(`${web.origin}/nowhere`)
      await page.keyboard.press('Enter')
      await seeToast(page, 'Analysis Failed', 'Nothing was found at this URL (404).')
      await page.locator('input[type=url]:focus').fill(gallery)
      await page.getByRole('alert').filter({ hasText: 'Nothing was found at this URL (404).' }).waitFor()
      await page.keyboard.press('Enter')
      await page.locator('h2:focus', { hasText: 'Found 30 Images' }).waitFor()
      assert.equal(await page.getByRole('alert').filter({ hasText: '404' }).count(), 0)
    },
    { as: ada },
  )

  await story(
    'the images found on a page are listed in pages',
    async ({ page, visit }) => {
      await visit('/scraper')
      await analyze(page, gallery)
      await seeToast(page, 'Analysis Complete', 'Found 30 images on "Coast of lights"')
      const steps = page.getByRole('list', { name: 'How it works' }).getByRole('listitem')
      assert.equal(await steps.count(), 4)
      await see(page, 'Page 1 of 2, Showing 24 of 30 images')
      assert.ok(await button(page, 'Previous').isDisabled())
      await button(page, 'Next').click()
      await see(page, 'Page 2 of 2, Showing 6 of 30 images')
      assert.ok(await button(page, 'Next').isDisabled())
      await page.getByLabel('Images per page').selectOption('12')
      await see(page, 'Page 1 of 3, Showing 12 of 30 images')
    },
    { as: ada },
  )

  await story(
    'selected images of a page are uploaded, appear in the library, and are marked on the next analysis',
    async ({ page, visit }) => {
      await visit('/scraper')
      await analyze(page, gallery)
      await page.getByRole('heading', { name: 'Found 30 Images' }).waitFor()
      assert.ok(await button(page, 'Upload Selected (0)').isDisabled())
      await button(page, 'Select All').click()
      await see(page, '30 selected')
      await button(page, 'Clear All').click()
      await see(page, '0 selected')
      await page.getByRole('checkbox', { name: 'Old lighthouse 1', exact: true }).check()
      await page.getByRole('radio', { name: 'List view' }).check()
      await page.getByRole('checkbox', { name: 'Old lighthouse 2', exact: true }).check()
      await page.waitForFunction(() => [...document.images].some((image) => image.naturalWidth > 0))

      await button(page, 'Upload Selected (2)').click()
      await seeToast(page, 'Upload Complete', 'Uploaded 2 images to your media library')
      await page.getByRole('heading', { name: 'Upload complete' }).waitFor()
      await see(page, '2 uploaded')
      await see(page, '0 failed')
      await page.getByRole('heading', { name: 'Found 30 Images' }).waitFor({ state: 'detached' })
      await page.locator('h2:focus', { hasText: 'Upload complete' }).waitFor()
      assert.equal(await page.getByLabel('Webpage URL').inputValue(), '')
      await page.getByRole('button', { name: 'View Media Library' }).click()
      await arriveAt(page, '/')
      await page.getByText('Old lighthouse 1.jpg').first().waitFor()
      await page.getByText('Old lighthouse 2.jpg').first().waitFor()
      await visit('/scraper')
      await analyze(page, gallery)
      await page.getByText('In your library').first().waitFor()
      assert.equal(await page.getByText('In your library').count(), 2)
    },
    { as: ada },
  )

  await story(
    'images are uploaded from URLs, and failed ones show the reason and can be retried',
    async ({ page, visit }) => {
      await visit('/scraper')
      await page.getByRole('tab', { name: 'Upload from URLs' }).click()
      assert.ok(await button(page, 'Upload Images').isDisabled())
      assert.equal(await button(page, 'Remove URL 1').count(), 0)
      await page.getByLabel('Image URL 1').press('Enter')
      await seeToast(page, 'No Valid URLs', 'Please enter at least one valid image URL')
      await button(page, 'Dismiss').click()
      await page.getByLabel('Image URL 1').fill('nonsense')
      await button(page, 'Upload Images').click()
      await seeToast(page, 'No Valid URLs', 'Please enter at least one valid image URL')

      await page.getByLabel('Image URL 1').fill(`${web.origin}/photo-3.jpg`)
      await button(page, 'Add Another URL').click()
      await button(page, 'Add Another URL').click()
      // A new line gets the focus, and removing one moves the focus to the line in its position.
      await page.getByLabel('Image URL 3').and(page.locator(':focus')).waitFor()
      await button(page, 'Remove URL 3').press('Enter')
      await seeFocus(page, 'Remove URL 2')
      await page.getByLabel('Image URL 2').fill(`${web.origin}/later.jpg`)
      await button(page, 'Upload Images').click()
      await seeToast(page, 'Upload Complete', 'Uploaded 1 images from URLs')
      const failed = page.getByRole('region', { name: 'Failed images', exact: true })
      await failed.getByText('Nothing was found at this URL (404).').waitFor()
      await page.getByRole('alert').filter({ hasText: '1 failed' }).waitFor()
      await page.getByLabel('Image URL 2').waitFor({ state: 'detached' })
      assert.equal(await page.getByLabel('Image URL 1').inputValue(), `${web.origin}/later.jpg`, 'it stays to be tried')

      await button(page, 'Upload Images').click()
      await seeToast(page, 'Upload Failed', 'Failed to upload images from URLs')
      await failed.getByText('Nothing was found at this URL (404).').waitFor()
      await page.route('**/api/scrape-runs/retry', (route) => route.abort(), { times: 1 })
      await button(page, 'Try again').click()
      await seeToast(page, 'Upload Failed', 'An unexpected error occurred')
      await failed.getByText('Nothing was found at this URL (404).').waitFor()

      web.file('/later.jpg', await makeJpeg())
      await button(page, 'Try again').click()
      await failed.waitFor({ state: 'detached' })
      await see(page, '1 uploaded')
      await page.waitForFunction(
        () => document.querySelector<HTMLInputElement>('[aria-label="Image URL 1"]')?.value === '',
      )
      await button(page, 'Start Over').click()
      await page.getByRole('heading', { name: 'Upload complete' }).waitFor({ state: 'detached' })
      await page.getByRole('tab', { name: 'Scrape Webpage', selected: true }).waitFor()
      await visit('/')
      await page.getByText('photo-3.jpg').first().waitFor()
      await page.getByText('later.jpg').first().waitFor()
    },
    { as: ben },
  )

  await story(
    'when the server refuses without a message, the toast depends on the action',
    async ({ page, visit }) => {
      const refuse = (call: string) => page.route(`**/api/${call}`, (route) => route.fulfill({ status: 500, json: {} }))
      await visit('/scraper')
      await analyze(page, gallery)
      await button(page, 'Select All').click()
      await refuse('scrape-upload')
      await button(page, 'Upload Selected (30)').click()
      await seeToast(page, 'Upload Failed', 'Failed to upload images')
      await refuse('scrape-preview')
      await button(page, 'Analyze Page').click()
      await seeToast(page, 'Analysis Failed', 'Failed to analyze webpage')
      await refuse('upload-from-urls')
      await page.getByRole('tab', { name: 'Upload from URLs' }).click()
      await page.getByLabel('Image URL 1').fill(`${web.origin}/photo-1.jpg`)
      await button(page, 'Upload Images').click()
      await seeToast(page, 'Upload Failed', 'Failed to upload images from URLs')
    },
    { as: gil },
  )

  await story(
    'an upload from the web continues during a reload, and is shown again after it',
    async ({ page, visit }) => {
      const picture = await makeJpeg()
      const allowed = Promise.withResolvers<void>()
      web.answer('/held.jpg', (_request, response) => allowed.promise.then(() => response.end(picture)))
      await visit('/scraper')
      await page.getByRole('tab', { name: 'Upload from URLs' }).click()
      await page.getByLabel('Image URL 1').fill(`${web.origin}/photo-4.jpg`)
      await button(page, 'Add Another URL').click()
      await page.getByLabel('Image URL 2').fill(`${web.origin}/held.jpg`)
      await button(page, 'Upload Images').click()
      await see(page, '1/2')
      // For a while only a gateway answers, as during a restart.
      await page.route('**/api/scrape-runs/events?*', (route) => route.fulfill({ status: 502, body: '' }), { times: 1 })
      await page.reload()
      await page.getByRole('heading', { name: 'Uploading images' }).waitFor()
      await see(page, 'The server is not responding. Waiting…')
      await see(page, 'Uploading image 2 of 2...')
      await see(page, '1/2')
      assert.equal(await page.getByRole('main').getByRole('progressbar').getAttribute('aria-valuenow'), '50')
      allowed.resolve()
      await seeToast(page, 'Upload Complete', 'Uploaded 2 images from URLs')
      await page.reload()
      await page.getByRole('heading', { name: 'Upload complete' }).waitFor()
    },
    { as: cleo },
  )

  await story(
    'stopping an upload keeps the uploaded images, and the others can still be selected',
    async ({ page, visit }) => {
      const picture = await makeJpeg()
      const allowed = Promise.withResolvers<void>()
      const fourAsked = Promise.withResolvers<void>()
      let asked = 0
      await visit('/scraper')
      await page.getByRole('tab', { name: 'Upload from URLs' }).click()
      for (const number of [1, 2, 3, 4, 5, 6]) {
        const url = web.answer(`/held-${number}.jpg`, async (_request, response) => {
          if (++asked === 4) fourAsked.resolve()
          await allowed.promise
          response.end(picture)
        })
        if (number > 1) await button(page, 'Add Another URL').click()
        await page.getByLabel(`Image URL ${number}`).fill(url)
      }
      await button(page, 'Upload Images').click()
      await fourAsked.promise
      await button(page, 'Stop').click()
      await button(page, 'Stopping…').waitFor()
      await assertAccessible(page)
      allowed.resolve()
      await seeToast(page, 'Upload stopped', 'Uploaded 4 images; 2 images were not uploaded.')
      await page.getByRole('heading', { name: 'Upload stopped' }).waitFor()
      await page.getByText('not uploaded. Uploaded images stay in your media library.').waitFor()
      assert.equal(await page.getByLabel('Image URL 6').inputValue(), `${web.origin}/held-6.jpg`)
      await page.reload()
      await page.getByRole('heading', { name: 'Upload stopped' }).waitFor()
    },
    { as: fay },
  )

  await story(
    'a page without images and one rendered by scripts show different messages',
    async ({ page, visit }) => {
      await visit('/scraper')
      await analyze(page, web.page('/app', '<title>App</title><div id="root"></div><script src="/app.js"></script>'))
      await page.getByRole('heading', { name: 'Found 0 Images' }).waitFor()
      await see(page, 'No images were found on this page.')
      await see(page, 'Some images may be missing')
      await page.getByRole('button', { name: 'Start Over' }).click()
      await page.waitForFunction(() => document.activeElement?.matches('input'))
      assert.equal(await page.getByRole('heading', { name: 'Found 0 Images' }).count(), 0)
    },
    { as: dan },
  )

  for (const [theme, viewport] of [
    ['dark', undefined],
    ['light', undefined],
    ['dark', phone],
  ] as const) {
    await story(
      `every state is accessible: ${theme}, ${viewport ? 'phone' : 'desktop'}`,
      async ({ page, visit }) => {
        await visit('/scraper')
        await page.getByLabel('Webpage URL').waitFor()
        if (theme === 'dark') await assertAccessible(page)
        await analyze(page, gallery)
        await page.getByRole('heading', { name: 'Found 30 Images' }).waitFor()
        // On a phone the steps would take the space of the images.
        assert.equal(await page.getByRole('list', { name: 'How it works' }).isVisible(), viewport !== phone)
        await page.getByRole('checkbox', { name: 'Old lighthouse 5', exact: true }).check()
        await assertAccessible(page)
        await page.getByRole('radio', { name: 'List view' }).check()
        if (theme === 'light') await assertAccessible(page)
        await page.getByRole('tab', { name: 'Upload from URLs' }).click()
        await button(page, 'Add Another URL').click()
        await page.getByLabel('Image URL 1').fill(`${web.origin}/missing.jpg`)
        await button(page, 'Upload Images').click()
        await page.getByRole('heading', { name: 'Upload complete' }).waitFor()
        await page
          .getByRole('region', { name: 'Failed images', exact: true })
          .getByText('Nothing was found at this URL (404).')
          .waitFor()
        await see(page, 'No images could be downloaded.')
        await assertAccessible(page)
        const width = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)
        assert.ok(width <= 0, 'nothing is wider than the screen')
        await button(page, 'Start Over').click()
      },
      { as: eve, theme, viewport },
    )
  }
})
