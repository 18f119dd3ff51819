import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type TestContext, test } from 'node:test'
import type { Page } from 'playwright-core'
import type { MediaDetails } from '#features/media/contract.ts'
import { assertAccessible, openStories, seeToast } from '#tests/support/browser.ts'
import { makeJpeg } from '#tests/support/pictures.ts'
import { panelOf } from '#tests/support/viewer.ts'

const clipboardText = (page: Page) => page.evaluate(() => navigator.clipboard.readText())

test('pictures for other websites', async (context) => {
  const { product, story, address } = await openStories(context)
  const ann = await product.register('ann')
  const pier = await ann.addPicture('pier.jpg', await makeJpeg({ width: 1500, height: 1000 }))
  await ann.patch(`/api/media/${pier.id}`, { userDescription: 'A pier at low tide' })
  const load = async (): Promise<MediaDetails> => (await ann.get(`/api/media/${pier.id}`)).json()

  await story(
    'a private picture is made public and copied from its card, and shown by another website in the right size',
    async ({ page, browser, visit }) => {
      await browser.grantPermissions(['clipboard-read', 'clipboard-write'])
      await visit('/')
      await page.getByRole('button', { name: 'Actions for pier.jpg' }).click()
      await page.getByRole('menuitem', { name: 'Copy for Website…' }).click()
      const dialog = page.getByRole('dialog', { name: 'Copy for website' })
      await dialog.getByText('Only you can see this item.').waitFor()
      await dialog.getByLabel('Width on the page').selectOption({ label: 'Half' })
      await dialog.getByRole('option', { name: /^640 px wide · \d/ }).waitFor({ state: 'attached' })
      await assertAccessible(page)
      await dialog.getByRole('button', { name: 'Make public and copy' }).click()
      await seeToast(page, 'The item is public', 'The code was copied to your clipboard.')
      const html = await clipboardText(page)
      assert.match(html, /^<picture>\n {2}<source type="image\/avif"/)
      await dialog.getByRole('button', { name: 'Copy' }).waitFor()

      const shown = await showElsewhere(context, page, html)
      assert.equal(shown.alt, 'A pier at low tide')
      assert.deepEqual(shown.size, [640, 427], 'half of a window of 1280 pixels')
      assert.match(shown.source, new RegExp(`^${address}/i/pier-\\w{6}\\.avif\\?w=640$`))
      assert.deepEqual(shown.problems, [])
    },
    { as: ann },
  )

  await story(
    'the viewer copies the same picture with the last choice, in a preset of the user',
    async ({ page, browser, visit }) => {
      await browser.grantPermissions(['clipboard-read', 'clipboard-write'])
      await visit(`/?item=${pier.id}`)
      await panelOf(page).getByRole('button', { name: 'Copy for website…' }).click()
      const dialog = page.getByRole('dialog', { name: 'Copy for website' })
      assert.equal(await dialog.getByLabel('Width on the page').inputValue(), 'half', 'the last choice')
      await dialog.getByLabel('Size').selectOption('p:share')
      await dialog.getByRole('button', { name: 'Copy' }).click()
      await seeToast(page, 'Copied to clipboard', 'HTML <picture> copied successfully.')
      const shown = await showElsewhere(context, page, await clipboardText(page))
      assert.deepEqual(shown.size, [1200, 630])
      assert.match(shown.source, /\.avif\?p=share$/)
      assert.deepEqual(shown.problems, [])
    },
    { as: ann },
  )

  await story(
    'the focal point is moved by dragging and by keys, its crops follow at once, and the share preset moves when it is saved',
    async ({ page, visit }) => {
      const share = async () => (await product.visitor().get(`/i/${(await load()).publicUrlSlug}?p=share`)).headers.etag
      const before = await share()
      await visit(`/?item=${pier.id}`)
      const panel = panelOf(page)
      await panel.getByRole('button', { name: 'Edit' }).click()
      const dot = panel.getByRole('slider', { name: 'Focal point' })
      const shareCrop = panel.locator('[data-preset=share] img')
      const topOf = () => shareCrop.evaluate((image) => Number.parseFloat(image.style.top))
      const centered = await topOf()
      await dot.scrollIntoViewIfNeeded()
      const { x, y, width, height } = (await dot.boundingBox())!
      await page.mouse.move(x + width / 2, y + height / 2)
      await page.mouse.down()
      await page.mouse.move(x - 60, y - 60, { steps: 5 })
      await page.mouse.up()
      const dragged = await topOf()
      assert.ok(dragged > centered, `${dragged} is farther down than ${centered}`)
      const told = await dot.getAttribute('aria-valuetext')
      await dot.press('ArrowLeft')
      assert.notEqual(await dot.getAttribute('aria-valuetext'), told)
      await panel.getByLabel('Filename').waitFor()
      await assertAccessible(page)
      await panel.getByRole('button', { name: 'Save' }).click()
      await panel.getByRole('button', { name: 'Edit' }).waitFor()
      const { focalPoint } = await load()
      assert.ok(focalPoint && focalPoint.x < 0.45, JSON.stringify(focalPoint))
      assert.notEqual(await share(), before)
    },
    { as: ann },
  )

  await story(
    'presets are changed, added and deleted in a dialog',
    async ({ page, visit }) => {
      await visit('/')
      await page.getByRole('button', { name: /^Account/ }).click()
      await page.getByRole('menuitem', { name: 'Presets' }).click()
      const dialog = page.getByRole('dialog', { name: 'Presets' })
      await dialog.getByRole('button', { name: 'Edit card' }).click()
      await dialog.getByLabel('Width').fill('700')
      await dialog.getByRole('button', { name: 'Save' }).click()
      await dialog.getByText('700 × 600 · cropped').waitFor()
      await dialog.getByRole('button', { name: 'New preset' }).click()
      await dialog.getByLabel('Name').fill('Banner!')
      await dialog.getByLabel('Height').fill('90')
      await assertAccessible(page)
      await dialog.getByRole('button', { name: 'Add preset' }).click()
      await dialog.getByText('90 high · fitted').waitFor()
      await dialog.getByRole('button', { name: 'Delete banner…' }).click()
      await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click()
      await dialog.getByText('90 high').waitFor({ state: 'detached' })
    },
    { as: ann },
  )
})

/** Shows the HTML in a page of another website, in a window of 1280 pixels. */
async function showElsewhere(context: TestContext, page: Page, html: string) {
  const server = createServer((_request, response) => {
    response.setHeader('content-type', 'text/html')
    response.end(`<!doctype html><title>Elsewhere</title><style>img{max-width:none}</style>${html}`)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  context.after(() => server.close())
  const other = await page
    .context()
    .browser()!
    .newPage({ viewport: { width: 1280, height: 800 } })
  const problems: string[] = []
  other.on('console', (message) => message.type() === 'error' && problems.push(message.text()))
  other.on('requestfailed', (request) => problems.push(request.url()))
  try {
    await other.route('**/favicon.ico', (route) => route.fulfill({ status: 204 }))
    await other.goto(`http://localhost:${(server.address() as AddressInfo).port}`)
    const image = other.getByRole('img')
    await image.evaluate((element: HTMLImageElement) => element.decode())
    const shown = await image.evaluate(async (element: HTMLImageElement) => {
      const bitmap = await createImageBitmap(await (await fetch(element.currentSrc)).blob())
      return { alt: element.alt, source: element.currentSrc, size: [bitmap.width, bitmap.height] }
    })
    return { ...shown, problems }
  } finally {
    await other.close()
  }
}
