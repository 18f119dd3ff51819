import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type TestContext, test } from 'node:test'
import type { Page, Route } from 'playwright-core'
import { shareCollection } from '#features/sharing/server/sharing.fixture.ts'
import { assertAccessible, holdResponse, openStories } from '#tests/support/browser.ts'
import { restrictClipboardToPress } from '#tests/support/clipboard.ts'
import { makeJpeg } from '#tests/support/pictures.ts'
import { until } from '#tests/support/until.ts'
import { copyManyMedia } from '../support/seed-library.ts'

test('public pages', async (context) => {
  const { product, address, story } = await openStories(context)
  const ann = await product.register('ann')
  const summer = await shareCollection(ann, { name: 'Summer by the sea', count: 5 })
  const page = `/public/collections/${summer.slug}`
  await ann.patch(`/api/media/${summer.media[1]!.id}`, { userDescription: 'A pier at low tide' })
  const tall = await ann.addPicture('tall.jpg', await makeJpeg({ width: 60, height: 120 }))
  await ann.post(`/api/collections/${summer.id}/media/${tall.id}`)

  await story(
    'a collection is shown with its title, its owner and tiles of their true shape',
    async ({ page: tab, visit }) => {
      await visit(page)
      assert.equal(await tab.title(), 'Summer by the sea')
      await tab.getByRole('heading', { name: 'Summer by the sea' }).waitFor()
      await tab.getByText('By ann').waitFor()
      await tab.getByText('6 items').waitFor()
      const tiles = tab.locator('.pub-item')
      assert.equal(await tiles.count(), 6)
      const wide = (await tab.locator('.pub-item a').first().boundingBox())!
      const high = (await tab.locator('.pub-item a').last().boundingBox())!
      assert.ok(Math.abs(wide.height / wide.width - 0.75) < 0.03, `${wide.height / wide.width}`)
      assert.ok(Math.abs(high.height / high.width - 2) < 0.06, `${high.height / high.width}`)
      await assertAccessible(tab)
    },
  )

  const album = await shareCollection(ann, { name: 'Album', count: 13 })

  await story('from 2 columns on a phone to 6 on a wide screen', async ({ page: tab, visit }) => {
    await visit(`/public/collections/${album.slug}`)
    for (const [width, columns] of [
      [360, 2],
      [700, 3],
      [1000, 4],
      [1300, 5],
      [1920, 6],
    ] as const) {
      await tab.setViewportSize({ width, height: 800 })
      const found = await tab
        .locator('.pub-grid')
        .evaluate((grid) => getComputedStyle(grid).gridTemplateColumns.split(' ').length)
      assert.equal(found, columns, `${width} px`)
      const overflow = await tab.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)
      assert.ok(overflow <= 0, `${width} px scrolls sideways`)
    }
  })

  await story('the pictures of a small collection fill whole rows', async ({ page: tab, visit }) => {
    await visit(page)
    for (const [width, rows] of [
      [700, 2],
      [1440, 2],
      [1920, 1],
    ] as const) {
      await tab.setViewportSize({ width, height: 800 })
      const tiles = await tab.locator('.pub-item a').evaluateAll((links) =>
        links.map((link) => {
          const { top, bottom, right } = link.getBoundingClientRect()
          return { top: Math.round(top), bottom: Math.round(bottom), right: Math.round(right) }
        }),
      )
      const perRow = Object.values(Object.groupBy(tiles, ({ top }) => top)) as (typeof tiles)[]
      assert.equal(perRow.length, rows, `${width} px`)
      const ends = perRow.map((row) => row.at(-1)!.right)
      assert.ok(Math.max(...ends) - Math.min(...ends) <= 1, `${width} px: rows end at ${ends}`)
      for (const row of perRow) assert.ok(row.every(({ bottom }) => Math.abs(bottom - row[0]!.bottom) <= 1))
    }
  })

  const long = await shareCollection(ann, { name: 'A long summer', count: 1 })
  const copies = await copyManyMedia(product.services.db, long.media[0]!.id, 299)
  for (const [index, id] of copies.entries()) {
    await product.services.db
      .insertInto('collection_media')
      .values({ collection_id: long.id, media_id: id, media_created_at: index, position: index + 2, added_at: 0 })
      .execute()
  }
  const countTiles = (tab: Page, wanted: number) =>
    tab.waitForFunction((count) => document.querySelectorAll('.pub-item').length === count, wanted)

  await story(
    'a long collection shows its first part at once and the rest as the visitor scrolls',
    async ({ page: tab, browser, visit }) => {
      // A busy browser tells at once what is seen now and what was seen before it.
      await tab.addInitScript(() => {
        const Observer = IntersectionObserver
        window.IntersectionObserver = class extends Observer {
          constructor(tell: IntersectionObserverCallback, options?: IntersectionObserverInit) {
            const before = { isIntersecting: false } as IntersectionObserverEntry
            super((entries, observer) => tell([before, ...entries], observer), options)
          }
        }
      })
      await visit(`/public/collections/${long.slug}`)
      await tab.getByText('300 items').waitFor()
      const tiles = tab.locator('.pub-item')
      assert.equal(await tiles.count(), 120)
      // What does not come for want of a connection comes when it is back.
      const missed = tab.waitForEvent('requestfailed', (request) => request.url().endsWith('?page=2'))
      await browser.setOffline(true)
      await tiles.last().scrollIntoViewIfNeeded()
      await missed
      await browser.setOffline(false)
      await countTiles(tab, 240)
      await tiles.last().scrollIntoViewIfNeeded()
      await countTiles(tab, 300)
      assert.equal(await tab.getByRole('link', { name: 'Show more' }).count(), 0)
      await tiles.last().scrollIntoViewIfNeeded()
      await tab.waitForFunction(
        () => [...document.querySelectorAll<HTMLImageElement>('.pub-item img')].at(-1)?.naturalWidth,
      )
      const shapes = await tiles.evaluateAll((all) =>
        all.map((tile) => Math.round(tile.querySelector('a')!.getBoundingClientRect().height)),
      )
      assert.equal(new Set(shapes).size, 1, 'tiles of a later part have the shape of the first')
      await tiles.nth(150).locator('a').click()
      await tab.getByRole('dialog').getByText('151 / 300').waitFor()
      await tab.keyboard.press('End')
      await tab.getByRole('dialog').getByText('300 / 300').waitFor()
      await tab.keyboard.press('Escape')
      await tab.waitForFunction(() => !history.state?.isLightboxOpen)
    },
  )

  await story(
    'the lightbox goes on to the next part of a long collection, also after a failed request',
    async ({ page: tab, visit }) => {
      await visit(`/public/collections/${long.slug}`)
      const tiles = tab.locator('.pub-item')
      await tiles.first().locator('a').click()
      const lost = tab.waitForEvent('requestfailed', (request) => request.url().endsWith('?page=2'))
      await tab.route('**?page=2', (route) => route.abort(), { times: 1 })
      await tab.keyboard.press('End')
      await lost
      await tab.getByRole('dialog').getByText('120 / 300').waitFor()
      // What came to its beginning meanwhile pushes the last of the first part into the second.
      const first = { mediaIds: [copies.at(-1)], beforeId: long.media[0]!.id }
      await ann.patch(`/api/collections/${long.id}/order`, first)
      await tab.keyboard.press('ArrowRight')
      await countTiles(tab, 239)
      await tab.keyboard.press('ArrowRight')
      await tab.getByRole('dialog').getByText('121 / 300').waitFor()
    },
  )

  await story('all addresses are copied, and when that fails it is said', async ({ page: tab, browser, visit }) => {
    await restrictClipboardToPress(browser)
    await visit(page)
    const copy = tab.getByRole('button', { name: 'Copy URLs' })
    await copy.click()
    await tab.getByText('URLs copied successfully.').waitFor()
    const copied = (await tab.evaluate(() => navigator.clipboard.readText())).split('\n')
    assert.equal(copied.length, 6)
    assert.ok(copied.every((url) => url.startsWith(`${address}/files/`)))
    await tab.route('**/urls', (route) => route.abort(), { times: 1 })
    await copy.click()
    await tab.getByText('Copy failed').waitFor()
    await tab.getByText('Could not copy URLs to clipboard.').waitFor()
    // The line is back. What is called a button is pressed by Space too.
    await copy.press('Space')
    await tab.getByText('URLs copied successfully.').waitFor()
    assert.equal(await tab.locator('.pub-toast').count(), 1, 'one notice at a time')
  })

  await story('without https all addresses are copied in Safari too', async ({ page: tab, browser, visit }) => {
    await restrictClipboardToPress(browser)
    await browser.addInitScript(() => {
      Object.defineProperty(Navigator.prototype, 'clipboard', { value: undefined })
      document.addEventListener('copy', () => {
        document.title = (document.activeElement as HTMLTextAreaElement).value
      })
    })
    await visit(page)
    await until('they are copied', async () => {
      await tab.getByRole('button', { name: 'Copy URLs' }).click()
      return (await tab.locator('.pub-toast').textContent())!.includes('URLs copied successfully.')
    })
    assert.ok((await tab.title()).startsWith(`${address}/files/`))
  })

  await story(
    'before any script arrives the pictures are there and every tile leads to its picture',
    async ({ page: tab }) => {
      const held: Route[] = []
      await tab.route('**/assets/*.js', (route) => void held.push(route))
      await tab.goto(page, { waitUntil: 'commit' })
      await tab.waitForFunction(() => document.querySelector<HTMLImageElement>('.pub-item img')?.naturalWidth)
      await tab.locator('.pub-item a').first().click()
      await tab.waitForURL(/\/files\/.*format=webp/)
      await Promise.all(held.splice(0).map((route) => route.abort().catch(() => undefined)))
      // A picture that failed before the script came is an icon too.
      await tab.route('**/files/**', (route) => route.abort())
      await tab.goto(page, { waitUntil: 'commit' })
      await tab.waitForFunction(() => {
        const image = document.querySelector<HTMLImageElement>('.pub-item img')
        return image?.complete && image.naturalWidth === 0
      })
      await until('the script is asked for', () => held.length > 0)
      await tab.unroute('**/assets/*.js')
      await Promise.all(held.map((route) => route.continue()))
      await tab.locator('.pub-item.pub-broken').first().waitFor()
    },
  )

  await story('the owner colours the page, and their CSS stays inside', async ({ page: tab, browser, visit }) => {
    await ann.patch(`/api/collections/${summer.id}/branding`, {
      title: 'La mer',
      subtitle: 'Two days in June',
      backgroundColor: '#101820',
      textColor: '#fefefe',
      accentColor: '#fee715',
      customCss: '.pub-title { letter-spacing: 3px } body { display: none }',
      headerImage: summer.media[0]!.originalUrl,
      logoUrl: summer.media[1]!.originalUrl,
    })
    await visit(page)
    await tab.getByRole('heading', { name: 'La mer' }).waitFor()
    const styles = await tab.evaluate(() => ({
      background: getComputedStyle(document.documentElement).backgroundColor,
      spacing: getComputedStyle(document.querySelector('.pub-title')!).letterSpacing,
    }))
    assert.deepEqual([styles.background, styles.spacing], ['rgb(16, 24, 32)', '3px'])
    const headerShare = () =>
      tab.evaluate(() => document.querySelector<HTMLElement>('.pub-header')!.offsetHeight / window.innerHeight)
    assert.ok((await headerShare()) <= 0.41)
    await tab.setViewportSize({ width: 740, height: 360 })
    assert.ok((await headerShare()) <= 0.41, 'on a phone that lies on its side')
    const header = tab.locator('.pub-header-image')
    await tab.waitForFunction(() => document.querySelector<HTMLImageElement>('.pub-header-image')?.naturalWidth)
    await assertAccessible(tab)
    await tab.route('**/files/**', (route) => route.abort())
    await tab.reload()
    for (const gone of [header, tab.locator('.pub-logo')]) await gone.waitFor({ state: 'hidden' })
    assert.equal(await tab.locator('.pub-has-image').count(), 0, 'without its picture the title stands on the page')
    await tab.unroute('**/files/**')
    await browser.setOffline(true)
    await browser.setOffline(false)
    await header.waitFor()
  })

  await story('the embedded view stands in the frame of another website, without any script', async ({ page: tab }) => {
    const elsewhere = await serveFrames(context, address)
    await tab.goto(`${elsewhere}${page}?embed=1`)
    const frame = tab.frameLocator('iframe')
    await frame.locator('.pub-item img').first().waitFor()
    assert.equal(await frame.locator('script').count(), 0)
  })

  await story('the page itself refuses to stand in such a frame', async ({ browser }) => {
    // A window of its own: the refusal is reported as a fault of the page, and here it is what we want.
    const tab = await browser.newPage()
    const refused = tab.waitForEvent('console', (message) => message.text().includes('frame-ancestors'))
    await tab.goto((await serveFrames(context, address)) + page)
    await refused
  })

  const empty = await shareCollection(ann, { name: 'Nothing yet', count: 0 })
  await story('an empty collection and one that is not there say so', async ({ page: tab, visit }) => {
    await visit(`/public/collections/${empty.slug}`)
    await tab.getByText('No media in this collection').waitFor()
    await assertAccessible(tab)
    await visit('/public/collections/never-was')
    await tab.getByRole('heading', { name: 'Collection Not Found' }).waitFor()
    await tab.getByText("The collection you're looking for doesn't exist or is private.").waitFor()
    await assertAccessible(tab)
  })

  const closed = await shareCollection(ann, { name: 'Family', count: 1 })
  await ann.patch(`/api/collections/${closed.id}/sharing`, { password: 'open sesame', allowsDownload: false })
  await story("in another website's frame it leads to a tab where the password can be given", async ({ page: tab }) => {
    await tab.goto(`${await serveFrames(context, address)}/public/collections/${closed.slug}?embed=1`)
    const opened = tab.waitForEvent('popup')
    await tab.frameLocator('iframe').getByRole('link', { name: 'Open the collection' }).click()
    await (await opened).getByLabel('Password').waitFor()
  })

  await story('a protected collection asks for its password and then stays open', async ({ page: tab, visit }) => {
    await visit(`/public/collections/${closed.slug}`)
    await tab.getByRole('heading', { name: 'Protected collection' }).waitFor()
    assert.equal(await tab.title(), 'Protected collection')
    assert.equal(await tab.getByLabel('Password').getAttribute('aria-invalid'), 'false')
    await assertAccessible(tab)
    await tab.getByLabel('Password').fill('wrong')
    await tab.getByRole('button', { name: 'Open' }).click()
    await tab.getByText('Incorrect password.').waitFor()
    await tab.getByLabel('Password').fill('open sesame')
    // Meanwhile the owner gives it another address.
    await ann.patch(`/api/collections/${closed.id}/url`, { publicSlug: 'our-family' })
    await tab.keyboard.press('Enter')
    await tab.getByRole('heading', { name: 'Family' }).waitFor()
    await tab.waitForFunction(() => document.querySelector<HTMLImageElement>('.pub-item img')?.naturalWidth)
    const { x, width } = (await tab.locator('.pub-item a').boundingBox())!
    assert.equal(Math.round(x + width / 2), 640, 'a single picture stands in the middle')
    assert.equal(Math.round(width), 768, 'and is as large as suits it')
    assert.equal(await tab.getByText('Download all').count(), 0)
    await tab.reload()
    await tab.getByRole('heading', { name: 'Family' }).waitFor()
  })

  const { publicUrlSlug } = (await ann.post(`/api/media/${summer.media[1]!.id}/public`)).json()
  await story('one item has a page of its own', async ({ page: tab, browser, visit }) => {
    await browser.grantPermissions(['clipboard-read', 'clipboard-write'])
    await tab.route('**/files/**', (route) => route.abort())
    await visit(`/public/${publicUrlSlug}`)
    await tab.unroute('**/files/**')
    // The connection was gone, and is back.
    await browser.setOffline(true)
    await browser.setOffline(false)
    await tab.waitForFunction(() => document.querySelector<HTMLImageElement>('.pub-stage img')?.naturalWidth)
    await tab.getByRole('heading', { name: 'picture-1' }).waitFor()
    await tab.getByRole('img', { name: 'A pier at low tide' }).waitFor()
    await assertAccessible(tab)
    await tab.getByRole('button', { name: 'Copy link' }).press('Space')
    await tab.getByText('Link copied successfully.').waitFor()
    const download = tab.waitForEvent('download')
    await tab.getByRole('link', { name: 'Download' }).click()
    assert.equal((await download).suggestedFilename(), 'picture-1.jpg')
  })

  await story('a visitor is told if a download is no longer offered or fails', async ({ page: tab, visit }) => {
    const brief = await shareCollection(ann, { name: 'For a day', count: 1 })
    const { publicUrlSlug: single } = (await ann.post(`/api/media/${brief.media[0]!.id}/public`)).json()
    await visit(`/public/${single}`)
    await ann.delete(`/api/media/${brief.media[0]!.id}/public`)
    await ann.patch(`/api/collections/${brief.id}/sharing`, { password: 'open sesame' })
    await tab.getByRole('link', { name: 'Download' }).click()
    await tab.getByRole('heading', { name: 'File Not Found' }).waitFor()
    await ann.patch(`/api/collections/${brief.id}/sharing`, { password: null })
    await visit(`/public/collections/${brief.slug}`)
    await ann.patch(`/api/collections/${brief.id}/sharing`, { password: 'open sesame' })
    await tab.getByRole('link', { name: 'Download all' }).click()
    await tab.getByLabel('Password').waitFor()
    await ann.patch(`/api/collections/${brief.id}/sharing`, { password: null })
    await tab.reload()
    const lightbox = tab.getByRole('dialog')
    const answerHead = (route: Route) =>
      route.request().method() === 'HEAD' ? route.fulfill({ status: 503 }) : route.continue()
    await tab.route('**/files/**', answerHead)
    await tab.locator('.pub-item a').click()
    await lightbox.getByRole('link', { name: 'Download' }).click()
    await lightbox.getByRole('alert').getByText('Download failed').waitFor()
    await assertAccessible(tab)
    await tab.unroute('**/files/**')
    await ann.patch(`/api/collections/${brief.id}/visibility`, { isPublic: false })
    await lightbox.getByRole('link', { name: 'Download' }).click()
    await tab.getByRole('heading', { name: 'Collection Not Found' }).waitFor()
  })

  await story('a small picture is no larger there than it is, and its place is kept', async ({ page: tab }) => {
    const { width, height } = summer.media[1]!
    const picture = tab.getByRole('img', { name: 'A pier at low tide' })
    const sizeShown = () => picture.evaluate(({ clientWidth, clientHeight }) => [clientWidth, clientHeight])
    const answer = await holdResponse(tab, '**/files/**')
    await tab.goto(`/public/${publicUrlSlug}`, { waitUntil: 'domcontentloaded' })
    assert.deepEqual(await sizeShown(), [width, height])
    answer()
    await picture.evaluate((image: HTMLImageElement) => image.decode())
    assert.deepEqual(await sizeShown(), [width, height])
  })
})

/** Another website, whose pages are frames around ours. */
async function serveFrames(context: TestContext, framed: string) {
  const server = createServer((request, response) => {
    response.setHeader('content-type', 'text/html')
    response.end(`<title>Elsewhere</title><iframe src="${framed}${request.url}" width="600" height="400"></iframe>`)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  context.after(() => server.close())
  return `http://localhost:${(server.address() as AddressInfo).port}`
}
