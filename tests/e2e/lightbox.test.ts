import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import type { Page, Route } from 'playwright-core'
import { createClipMaker, mjpegAvi } from '#engines/video/testing/clips.ts'
import { shareCollection } from '#features/sharing/server/sharing.fixture.ts'
import { assertAccessible, countNodes, openStories, seeFocus, seeReleased } from '#tests/support/browser.ts'
import { temporaryFolder } from '#tests/support/temporary-folder.ts'

test('the lightbox of a public collection', async (context) => {
  const { product, story } = await openStories(context)
  const ann = await product.register('ann')
  const summer = await shareCollection(ann, { name: 'Summer by the sea', count: 6 })
  const page = `/public/collections/${summer.slug}`
  await ann.patch(`/api/media/${summer.media[1]!.id}`, { userDescription: 'A pier at low tide' })
  const lines = `Two boats\nand a ${'very-'.repeat(60)}long pier`
  await ann.patch(`/api/media/${summer.media[4]!.id}`, { userDescription: lines })

  await story(
    'a tile opens the lightbox, which shows the picture with its caption, centered and not enlarged',
    async ({ page: tab, visit }) => {
      await visit(page)
      const tiles = tab.locator('.pub-item a')
      const newTab = tab.context().waitForEvent('page')
      await tiles.first().click({ modifiers: ['ControlOrMeta'] })
      await (await newTab).close()
      const lightbox = tab.getByRole('dialog')
      assert.equal(await lightbox.count(), 0, 'a Ctrl+click opens a new tab, as for any link')
      await tiles.first().click()
      await lightbox.getByText('1 / 6').waitFor()
      await lightbox.getByRole('link', { name: 'Download' }).waitFor()
      const announced = lightbox.locator('[aria-live=polite][aria-atomic=true]')
      await announced.getByText(/, 1 of 6$/).waitFor()
      await tab.keyboard.press('ArrowRight')
      await lightbox.getByText('2 / 6').waitFor()
      await announced.getByText('A pier at low tide, 2 of 6', { exact: true }).waitFor()
      await lightbox.locator('.pub-caption', { hasText: 'A pier at low tide' }).waitFor()
      await lightbox.getByRole('img', { name: 'A pier at low tide' }).waitFor()
      await tab.waitForFunction(() => document.querySelector<HTMLImageElement>('.pub-slide img')?.naturalWidth)
      assert.match(
        await tab.evaluate(() => document.querySelector<HTMLImageElement>('.pub-slide img')!.currentSrc),
        /format=avif$/,
      )
      const placeholder = await tab.locator('.pub-slide').evaluate((slide: HTMLElement) => slide.style.backgroundImage)
      assert.match(placeholder, /^url\(/, 'the thumbnail is the placeholder')
      const picture = (await tab.locator('.pub-slide img').boundingBox())!
      const room = (await tab.locator('.pub-show').boundingBox())!
      assert.deepEqual([picture.width, picture.height], [120, 90], 'a picture is not enlarged')
      assert.ok(Math.abs(picture.x + picture.width / 2 - room.x - room.width / 2) < 1, 'centered horizontally')
      assert.ok(Math.abs(picture.y + picture.height / 2 - room.y - room.height / 2) < 1, 'centered vertically')
      await assertAccessible(tab)
    },
  )

  await story(
    'keys and buttons move through the lightbox, and keys with a modifier stay with the browser',
    async ({ page: tab, visit }) => {
      await visit(page)
      const tiles = tab.locator('.pub-item a')
      const lightbox = tab.getByRole('dialog')
      await tiles.nth(1).click()
      await lightbox.getByText('2 / 6').waitFor()
      // With a modifier the keys belong to the browser: Alt+arrow, for example, means Back or Forward.
      for (const keys of ['Alt+ArrowRight', 'Control+End']) await tab.keyboard.press(keys)
      assert.equal(await lightbox.getByText('2 / 6').count(), 1)
      await tab.keyboard.press('End')
      await lightbox.getByText('6 / 6').waitFor()
      assert.equal(await lightbox.getByRole('button', { name: 'Next' }).count(), 0)
      await lightbox.getByRole('button', { name: 'Previous' }).click()
      await lightbox.getByText('5 / 6').waitFor()
      const words = await lightbox
        .locator('.pub-caption')
        .evaluate((box) => ({ space: getComputedStyle(box).whiteSpace, isCut: box.scrollWidth > box.clientWidth }))
      assert.deepEqual(words, { space: 'pre-line', isCut: false }, 'a description keeps its lines, within the window')
      await lightbox.getByRole('button', { name: 'Next' }).press('Enter')
      await lightbox.getByText('6 / 6').waitFor()
      await seeFocus(tab, 'Close')
      await tab.keyboard.press('ArrowLeft')
      await lightbox.getByText('5 / 6').waitFor()
    },
  )

  await story(
    'Escape closes the lightbox, focuses the last tile and scrolls it into view',
    async ({ page: tab, visit }) => {
      await visit(page)
      const tiles = tab.locator('.pub-item a')
      const lightbox = tab.getByRole('dialog')
      await tiles.first().click()
      await tab.keyboard.press('End')
      await tab.keyboard.press('ArrowLeft')
      await lightbox.getByText('5 / 6').waitFor()
      await tab.setViewportSize({ width: 360, height: 300 })
      await tab.keyboard.press('Escape')
      await lightbox.waitFor({ state: 'hidden' })
      // The dialog moves the focus a moment after it has closed.
      await tab.waitForFunction((tile) => tile === document.activeElement, await tiles.nth(4).elementHandle())
      // Going back in the history, the browser may restore an earlier scroll position first.
      await tab.waitForFunction(() => !history.state?.isLightboxOpen)
      await tab.evaluate(() => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn))))
      const { top } = await tiles.nth(4).evaluate((tile) => tile.getBoundingClientRect())
      assert.ok(top > 0 && top < 300, `the tile is visible, at ${top}`)
    },
  )

  await story('the lightbox releases the pictures that it has shown', async ({ page: tab, visit }) => {
    await visit(page)
    const lightbox = tab.getByRole('dialog')
    await tab.locator('.pub-item a').nth(4).click()
    await lightbox.getByText('5 / 6').waitFor()
    const before = await countNodes(tab)
    for (let turned = 0; turned < 8; turned++) {
      for (const key of ['ArrowLeft', 'ArrowRight']) await tab.keyboard.press(key)
      await lightbox.getByText('5 / 6').waitFor()
    }
    await seeReleased(tab, before)
  })

  await story('Back closes the lightbox, and after a reload it leaves the page', async ({ page: tab, visit }) => {
    await visit(page)
    const tiles = tab.locator('.pub-item a')
    const lightbox = tab.getByRole('dialog')
    await tiles.first().click()
    await lightbox.getByText('1 / 6').waitFor()
    await tab.goBack()
    await lightbox.waitFor({ state: 'hidden' })
    assert.equal(new URL(tab.url()).pathname, page)
    await tiles.first().click()
    await lightbox.getByText('1 / 6').waitFor()
    await tab.reload()
    // After the reload the history entry no longer belongs to the lightbox.
    await tab.waitForFunction(() => !history.state?.isLightboxOpen)
  })

  await story(
    'the lightbox formats a large total, and offers no download where downloads are off',
    async ({ page: tab, visit }) => {
      const lightbox = tab.getByRole('dialog')
      await tab.route(`**${page}`, async (route) => {
        const response = await route.fetch()
        const body = (await response.text())
          .replace('data-total="6"', 'data-total="12345"')
          .replaceAll(/,&quot;download&quot;:.+?&quot;(?=})/g, '')
        await route.fulfill({ response, body })
      })
      await visit(page)
      await tab.locator('.pub-item a').first().click()
      await lightbox.getByText('1 / 12,345').waitFor()
      assert.equal(await lightbox.getByRole('link', { name: 'Download' }).count(), 0)
    },
  )

  await story('a double click on Close opens no picture below the button', async ({ page: tab, visit }) => {
    await visit(page)
    await tab.locator('.pub-item a').first().click()
    const lightbox = tab.getByRole('dialog')
    const { x, y } = (await lightbox.getByRole('button', { name: 'Close' }).boundingBox())!
    // On other screens a picture is below the button.
    const place = { position: 'fixed', left: `${x}px`, top: `${y}px`, width: '90px' }
    await tab
      .locator('.pub-item')
      .last()
      .evaluate((tile: HTMLElement, there) => Object.assign(tile.style, there), place)
    await tab.mouse.click(x + 9, y + 9)
    await tab.waitForFunction(() => !history.state?.isLightboxOpen)
    await tab.mouse.down({ clickCount: 2 })
    await tab.mouse.up({ clickCount: 2 })
    assert.deepEqual([await lightbox.count(), new URL(tab.url()).pathname], [0, page])
    await tab.mouse.click(x + 9, y + 9)
    await lightbox.waitFor()
  })

  await story(
    'a picture that fails to load in the lightbox shows an error, and loads when the connection is back',
    async ({ page: tab, browser, visit }) => {
      await tab.route('**/files/**', (route) => route.abort())
      await visit(page)
      const seeBroken = (count: number) =>
        tab.waitForFunction((many) => document.querySelectorAll('.pub-broken').length === many, count)
      await seeBroken(6)
      await tab.locator('.pub-item a').first().click()
      const lightbox = tab.getByRole('dialog')
      await lightbox.getByText("Couldn't load the image.").waitFor()
      assert.equal(await lightbox.getByRole('img').count(), 0, 'no broken image icon')
      await assertAccessible(tab)
      await tab.unroute('**/files/**')
      await browser.setOffline(true)
      await browser.setOffline(false)
      await tab.waitForFunction(() => document.querySelector<HTMLImageElement>('.pub-slide img')?.naturalWidth)
      await seeBroken(0)
    },
  )

  await story('pictures that failed while the server was down load when it is back', async ({ page: tab, visit }) => {
    const refuse = (route: Route) => route.fulfill({ status: 502, body: '' })
    await tab.route('**/files/**', refuse)
    const isAsked = tab.waitForRequest((request) => request.method() === 'HEAD')
    await tab.route(`**${page}`, (route) => (route.request().method() === 'HEAD' ? refuse(route) : route.continue()))
    await visit(page)
    const seeBroken = (count: number) =>
      tab.waitForFunction((many) => document.querySelectorAll('.pub-broken').length === many, count)
    await seeBroken(6)
    await tab.locator('.pub-item a').first().click()
    await tab.getByRole('dialog').getByText("Couldn't load the image.").waitFor()
    await isAsked
    await tab.unroute('**/files/**')
    await tab.unroute(`**${page}`)
    await tab.waitForFunction(() => document.querySelector<HTMLImageElement>('.pub-slide img')?.naturalWidth)
    await seeBroken(0)
  })

  await story(
    'on a phone swipes move through the lightbox and close it',
    async ({ page: tab, visit }) => {
      await visit(page)
      await tab.locator('.pub-item a').first().tap()
      const lightbox = tab.getByRole('dialog')
      await lightbox.getByText('1 / 6').waitFor()
      const swipe = (dx: number, dy: number) =>
        tab.locator('.pub-show').evaluate(
          (show, [x, y]) => {
            const touch = (clientX: number, clientY: number) =>
              new Touch({ identifier: 1, target: show, clientX, clientY })
            const send = (type: string, at: Touch, isDown: boolean) =>
              show.dispatchEvent(
                new TouchEvent(type, { bubbles: true, touches: isDown ? [at] : [], changedTouches: [at] }),
              )
            send('touchstart', touch(200, 200), true)
            send('touchmove', touch(200 + x! / 2, 200 + y! / 2), true)
            send('touchend', touch(200 + x!, 200 + y!), false)
          },
          [dx, dy],
        )
      await swipe(-120, 5)
      await lightbox.getByText('2 / 6').waitFor()
      await swipe(120, 5)
      await lightbox.getByText('1 / 6').waitFor()
      const finger = await tab.context().newCDPSession(tab)
      const touch = (type: 'touchStart' | 'touchMove' | 'touchEnd', ...at: number[]) =>
        finger.send('Input.dispatchTouchEvent', { type, touchPoints: at.map((x, id) => ({ x, y: 360, id })) })
      const shift = () => tab.locator('.pub-slide').evaluate((slide: HTMLElement) => slide.style.transform)
      await touch('touchStart', 200)
      for (const x of [190, 160]) await touch('touchMove', x)
      assert.match(await shift(), /translateX\(-/)
      await touch('touchStart', 160, 300)
      assert.equal(await shift(), '', 'a second finger starts zooming, so the swipe is canceled')
      await touch('touchEnd')
      await swipe(0, 160)
      await lightbox.waitFor({ state: 'hidden' })
    },
    { viewport: { width: 360, height: 740 }, hasTouch: true },
  )

  const clips = createClipMaker(await temporaryFolder(context))
  context.after(clips.close)
  const films = await shareCollection(ann, { name: 'Films', count: 1 })
  const film = await ann.addPicture('film.mp4', await readFile(await clips.make({ index: 'first', audioCodec: 'aac' })))
  const old = await ann.addPicture('camera.avi', await readFile(await clips.make(mjpegAvi)))
  await product.settled()
  for (const { id } of [film, old]) await ann.post(`/api/collections/${films.id}/media/${id}`)
  // Browsers start a video automatically only when it is muted.
  const playMuted = async (tab: Page) => {
    await tab.locator('video').evaluate((video: HTMLVideoElement) => {
      video.muted = true
      return video.play()
    })
    await tab.waitForFunction(() => (document.querySelector('video')?.currentTime ?? 0) > 0.1)
  }
  const reconnect = async (tab: Page) => {
    await tab.unroute(`**${film.playbackUrl}`)
    await tab.context().setOffline(true)
    await tab.context().setOffline(false)
  }

  await story('a video plays in the lightbox, Space pauses it, and it stops when the lightbox closes', async (it) => {
    const { page: tab, visit } = it
    await visit(`/public/collections/${films.slug}`)
    const tiles = tab.locator('.pub-item a')
    assert.equal(await tiles.nth(1).locator('.pub-play').textContent(), '0:02')
    await tiles.nth(1).click()
    const lightbox = tab.getByRole('dialog')
    const player = tab.locator('video')
    await lightbox.getByText('2 / 3').waitFor()
    await playMuted(tab)
    await assertAccessible(tab)
    await player.evaluate((video: HTMLVideoElement) => {
      video.loop = true
      return video.play()
    })
    for (const isPaused of [true, false]) {
      await tab.keyboard.press('Space')
      await tab.waitForFunction((wanted) => document.querySelector('video')?.paused === wanted, isPaused)
    }
    await tab.evaluate(() => Reflect.set(window, 'player', document.querySelector('video')))
    await tab.keyboard.press('Escape')
    await lightbox.waitFor({ state: 'hidden' })
    // The browser pauses a video a moment after it has left the page.
    await tab.waitForFunction(() => (Reflect.get(window, 'player') as HTMLVideoElement).paused)
  })

  await story('the lightbox plays the converted version of a video that browsers cannot play', async (it) => {
    const { page: tab, visit } = it
    await visit(`/public/collections/${films.slug}`)
    const lightbox = tab.getByRole('dialog')
    const player = tab.locator('video')
    await tab.locator('.pub-item a').nth(2).click()
    await lightbox.getByText('3 / 3').waitFor()
    assert.match((await player.getAttribute('src')) ?? '', /~playable\.mp4$/)
    await playMuted(tab)
    await lightbox.getByRole('button', { name: 'Previous' }).click()
    await lightbox.getByText('2 / 3').waitFor()
    assert.equal(await player.getAttribute('src'), film.playbackUrl)
  })

  await story('a video that failed to load on a public page plays when the connection is back', async (it) => {
    const { page: tab, visit } = it
    await tab.route(`**${film.playbackUrl}`, (route) => route.abort())
    await visit(`/public/collections/${films.slug}`)
    await tab.locator('.pub-item a').nth(1).click()
    await tab.getByRole('dialog').getByText("Couldn't play this video.").waitFor()
    await reconnect(tab)
    await playMuted(tab)
    const { publicUrlSlug } = (await ann.post(`/api/media/${film.id}/public`)).json()
    await tab.route(`**${film.playbackUrl}`, (route) => route.abort())
    await visit(`/public/${publicUrlSlug}`)
    await tab.waitForFunction(() => document.querySelector('video')?.error)
    await reconnect(tab)
    await playMuted(tab)
  })

  await story('on a phone the note that a public video is still being prepared has a margin', async (it) => {
    const { page: tab, visit } = it
    const { publicUrlSlug } = (await ann.post(`/api/media/${film.id}/public`)).json()
    await tab.setViewportSize({ width: 360, height: 740 })
    await product.services.db.updateTable('media').set({ playback: 'pending' }).where('id', '=', film.id).execute()
    await visit(`/public/${publicUrlSlug}`)
    const note = tab.getByText('This video is still being prepared.')
    const { paddingLeft, textAlign } = await note.evaluate((paragraph) => getComputedStyle(paragraph))
    assert.deepEqual([paddingLeft, textAlign], ['20px', 'center'])
  })
})
