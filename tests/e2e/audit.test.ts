import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { startMisbehavingEndpoint } from '#engines/ai/testing/misbehaving-endpoint.ts'
import { assertAccessible, openStories, seeToast } from '#tests/support/browser.ts'
import { fakeWeb } from '#tests/support/fake-web.ts'
import { makeJpeg, makeWebp } from '#tests/support/pictures.ts'

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })

const clipboardText = (page: Page) => page.evaluate(() => navigator.clipboard.readText())

async function downloaded(page: Page, press: () => Promise<void>) {
  const [download] = await Promise.all([page.waitForEvent('download'), press()])
  const bytes = await readFile(await download.path())
  return { name: download.suggestedFilename(), start: bytes.subarray(0, 4).toString('latin1'), bytes }
}

test('audits of other websites', async (context) => {
  const web = await fakeWeb(context)
  const endpoint = await startMisbehavingEndpoint()
  context.after(endpoint.close)
  const ai = { AI_BASE_URL: endpoint.baseUrl, AI_MODEL: 'alt-texts' }
  const { product, story } = await openStories(context, { ...web.settings, ...ai })
  await product.register('admin')
  const ada = await product.register('ada')
  for (const number of [1, 2, 3])
    web.file(`/IMG_100${number}.jpg`, await makeJpeg({ width: 900 + 100 * number, height: 600 }))
  web.file('/harbour-at-dawn.webp', await makeWebp({ width: 80, height: 60 }), 'image/webp')
  const pictures = [1, 2, 3].map((number) => `<img src="/IMG_100${number}.jpg" width="200" height="120">`)
  const good = '<img src="/harbour-at-dawn.webp" alt="The harbour at dawn" width="80" height="60">'
  const port = web.page('/port', `<title>The port</title>${pictures.join('')}${good}`)
  const about = web.page('/about', `<title>About us</title>${good}`)
  await ada.post('/api/websites', { name: 'Port of Lights', languages: ['de', 'en'], url: web.origin })

  await story(
    'a client’s page is audited, and its worst pictures are imported, described in two languages and handed over',
    async ({ page, browser, visit }) => {
      await browser.grantPermissions(['clipboard-read', 'clipboard-write'])
      await visit('/scraper')
      await page.getByLabel('Webpage URL').fill(port)
      await button(page, 'Analyze Page').click()
      await page.getByRole('heading', { name: 'Found 4 Images' }).waitFor()
      await page.getByRole('tab', { name: 'Audit', exact: true }).click()
      await button(page, 'Audit Page').click()
      await page.getByText('3 of 4 pictures have problems.').waitFor()
      await page.getByText('Not measured').waitFor()
      await assertAccessible(page)

      const worst = page.getByRole('checkbox', { name: /^IMG_100/ })
      assert.equal(await worst.count(), 3)
      await page.getByRole('button', { name: /^No alt text/ }).click()
      await page.getByRole('checkbox', { name: 'harbour-at-dawn.webp' }).waitFor({ state: 'detached' })
      await button(page, 'Select All').click()
      await page.getByText('3 selected').waitFor()
      await button(page, 'Measure Savings').click()
      await page.getByText(/% of 3 measured pictures/).waitFor()
      await page
        .getByText(/AVIF .* at 400 pixels/)
        .first()
        .waitFor()

      await button(page, 'Import').click()
      await seeToast(page, 'Import complete', 'Uploaded 3 images.')
      await page.getByText('In your library').nth(2).waitFor()
      const { media } = (await ada.get('/api/media?sort=name')).json()
      assert.equal(media.length, 3)
      assert.ok(media.every(({ filename }: { filename: string }) => /^[a-z0-9-]+\.jpg$/.test(filename)))

      assert.equal(await page.getByLabel('Website for names, languages and logo').inputValue(), '1')
      const zip = await downloaded(page, () => button(page, 'Download ZIP').click())
      assert.match(zip.name, /^audit-127\.0\.0\.1-\d+-[\d-]+\.zip$/)
      assert.equal(zip.start, 'PK\x03\x04')
      for (const name of [
        'images.csv',
        ...media.map(({ filename }: { filename: string }) => `images/${filename.replace('.jpg', '.webp')}`),
      ])
        assert.ok(zip.bytes.includes(name), name)
      const report = await downloaded(page, () => button(page, 'PDF Report').click())
      assert.equal(report.start, '%PDF')

      await button(page, 'Write Alt Texts').click()
      await page.getByRole('heading', { name: 'AI review' }).waitFor()
      await page.getByText('told in de').nth(2).waitFor()
      await button(page, 'Apply to 3 items').click()
      await seeToast(page, 'Suggestions applied', '3 items changed.')

      await visit('/')
      for (const { filename } of media) {
        await page.getByRole('button', { name: `Actions for ${filename}` }).click()
        await page.getByRole('menuitem', { name: 'Copy for Website…' }).click()
        const dialog = page.getByRole('dialog', { name: 'Copy for website' })
        await dialog.getByRole('button', { name: 'Make public and copy' }).click()
        await seeToast(page, 'The item is public', 'The code was copied to your clipboard.')
        const html = await clipboardText(page)
        assert.match(html, /^<picture>\n {2}<source type="image\/avif"/)
        assert.match(html, /alt="An orange cat looks up, told in (de|en)"/)
        await page.keyboard.press('Escape')
        await dialog.waitFor({ state: 'detached' })
      }
    },
    { as: ada },
  )

  await story(
    'several pages are audited together, and a page that cannot be read says why',
    async ({ page, visit }) => {
      await visit('/scraper')
      await page.getByRole('tab', { name: 'Audit Pages' }).click()
      await page.getByText('Recent audits').waitFor()
      await page.getByRole('radio', { name: 'Sitemap' }).check()
      await page.getByLabel('Sitemap URL').fill(port)
      await button(page, 'Start Audit').click()
      await page.getByRole('alert').filter({ hasText: 'This URL is not an XML sitemap.' }).waitFor()
      await page.getByRole('radio', { name: 'Pages' }).check()
      await page.getByLabel('Page URLs').fill(`${port}\n${about}\n${web.origin}/gone`)
      await button(page, 'Start Audit').click()
      await page.getByText('1 page could not be read').waitFor()
      await page.getByText('Nothing was found at this URL (404).').waitFor()
      await assertAccessible(page)
      await page.getByRole('button', { name: /^About us/ }).click()
      await page.getByRole('checkbox', { name: /^IMG_/ }).first().waitFor({ state: 'detached' })
      await page.getByRole('checkbox', { name: 'harbour-at-dawn.webp' }).waitFor()
      await page.reload()
      await page.getByRole('heading', { name: `Audit of ${web.pair}` }).waitFor()
    },
    { as: ada },
  )
})
