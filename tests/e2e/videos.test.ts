import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { createClipMaker, mjpegAvi } from '#engines/video/testing/clips.ts'
import { assertAccessible, openStories, seeToast } from '#tests/support/browser.ts'
import { temporaryFolder } from '#tests/support/temporary-folder.ts'
import { panelOf, pictureOf, viewerOf } from '#tests/support/viewer.ts'

test('videos', async (context) => {
  const { product, story } = await openStories(context)
  const ann = await product.register('ann')
  await ann.addPicture('picture.jpg')
  const clips = createClipMaker(await temporaryFolder(context))
  context.after(clips.close)

  await story(
    'a video plays, and one that browsers cannot play is prepared and then plays',
    async ({ page, visit }) => {
      const film = await ann.addPicture(
        'film.mp4',
        await readFile(await clips.make({ index: 'first', audioCodec: 'aac', width: 960, height: 540 })),
      )
      await visit(`/?item=${film.id}`)
      const player = viewerOf(page).locator('video')
      await player.waitFor()
      assert.equal(await player.getAttribute('src'), film.playbackUrl)
      await viewerOf(page).locator('video[poster$="?w=1280"]').waitFor()
      await player.evaluate((video: HTMLVideoElement) => {
        video.muted = true
        return video.play()
      })
      await page.waitForFunction(() => (document.querySelector('video')?.currentTime ?? 0) > 0.1)
      await assertAccessible(page)

      const old = await ann.addPicture('camera.avi', await readFile(await clips.make(mjpegAvi)))
      assert.equal(old.playback, 'pending')
      await visit(`/?item=${old.id}`)
      await product.settled()
      await page.waitForFunction(() => document.querySelector('video')?.src.endsWith('~playable.mp4'))
      await player.evaluate((video: HTMLVideoElement) => {
        video.muted = true
        return video.play()
      })
      await page.waitForFunction(() => (document.querySelector('video')?.currentTime ?? 0) > 0.1)

      // Its own address, opened by itself: the browser makes a page around it.
      await visit(film.originalUrl)
      await page.waitForFunction(() => document.querySelector('video')?.videoWidth === 960)
    },
    { as: ann },
  )

  await story(
    'the preview of a video under the mouse keeps the rounded corners of its card',
    async ({ page, visit }) => {
      const film = await ann.addPicture('corners.mp4', await readFile(await clips.make({ frames: 60 })))
      await product.settled()
      await visit('/')
      const picture = page.getByRole('button', { name: `Open ${film.filename}` })
      await picture.hover()
      const preview = picture.locator('div:has(> [style*="background-position"])')
      await preview.waitFor()
      const cornerOf = (element: Element) => {
        const { borderRadius, overflow } = getComputedStyle(element)
        return [borderRadius, overflow]
      }
      const corner = await preview.evaluate(cornerOf)
      assert.deepEqual(corner, await picture.evaluate(cornerOf))
      assert.notEqual(corner[0], '0px')
    },
    { as: ann },
  )

  await story(
    'Space plays a video and pauses it, and presses the button that has the focus',
    async ({ page, visit }) => {
      const film = await ann.addPicture('space.mp4', await readFile(await clips.make({ frames: 600 })))
      await visit(`/?item=${film.id}`)
      const seePaused = (isPaused: boolean) =>
        page.waitForFunction((wanted) => document.querySelector('video')?.paused === wanted, isPaused)
      await viewerOf(page).locator('video').waitFor()
      await page.keyboard.press('Space')
      await seePaused(false)
      await page.keyboard.press('Space')
      await seePaused(true)
      await viewerOf(page).getByRole('button', { name: 'Favorite' }).press('Space')
      await viewerOf(page).getByRole('button', { name: 'Favorite', pressed: true }).waitFor()
      await seePaused(true)
    },
    { as: ann },
  )

  await story(
    'while a video is being prepared the viewer says so, and when that failed, why',
    async ({ page, visit }) => {
      const film = await ann.addPicture('waiting.mp4', await readFile(await clips.make({ scenes: 2 })))
      const set = (change: { playback: 'pending' | 'failed'; processing_error?: string }) =>
        product.services.db.updateTable('media').set(change).where('id', '=', film.id).execute()
      await set({ playback: 'pending' })
      await visit(`/?item=${film.id}`)
      await viewerOf(page).getByText('Preparing this video').waitFor()
      await viewerOf(page).getByRole('progressbar', { name: 'Preparing' }).waitFor()
      await set({ playback: 'failed', processing_error: 'This video could not be made playable.' })
      await page.reload()
      await panelOf(page).getByText('This video could not be made playable.').waitFor()
    },
    { as: ann },
  )

  await story(
    'a video that did not arrive can be tried again, and is not called one of an unknown format',
    async ({ page, visit }) => {
      const film = await ann.addPicture('far.mp4', await readFile(await clips.make({ index: 'first' })))
      await page.route(`**${film.playbackUrl}`, (route) => route.abort())
      await visit(`/?item=${film.id}`)
      await viewerOf(page).getByText("Couldn't load this video").waitFor()
      assert.equal(await viewerOf(page).getByText("This browser doesn't support the format").count(), 0)
      await assertAccessible(page)
      await page.unroute(`**${film.playbackUrl}`)
      await viewerOf(page).getByRole('button', { name: 'Try again' }).click()
      await page.waitForFunction(() => (document.querySelector('video')?.readyState ?? 0) > 0)

      await page.route(`**${film.playbackUrl}`, (route) => route.fulfill({ contentType: 'video/mp4', body: 'no film' }))
      await page.reload()
      await viewerOf(page).getByText("This browser doesn't support the format").waitFor()
    },
    { as: ann },
  )

  await story(
    'a failed conversion is retried from the card, its menu and the viewer, and then plays without a reload',
    async ({ page, visit }) => {
      const film = await ann.addPicture('again.avi', await readFile(await clips.make(mjpegAvi)))
      await product.settled()
      const fail = () =>
        product.services.db
          .updateTable('media')
          .set({ playback: 'failed', processing_error: 'This video could not be made playable.' })
          .where('id', '=', film.id)
          .execute()
      const card = page.locator(`[data-media-id="${film.id}"]`)
      for (const layout of ['grid', 'list']) {
        await fail()
        await visit(`/?layout=${layout}`)
        const begun = page.waitForResponse('**/reprocess')
        if (layout === 'grid') await card.getByRole('button', { name: 'Retry processing again.avi' }).click()
        else {
          await card.getByRole('button', { name: 'Actions for again.avi' }).click()
          await page.getByRole('menuitem', { name: 'Retry processing' }).click()
        }
        // A row of the list does not say that it cannot be played: only the answer tells that the work has begun.
        await begun
        await card.getByText("Can't play").waitFor({ state: 'detached' })
        await product.settled()
        assert.equal((await ann.get(`/api/media/${film.id}`)).json().playback, 'rendition')
      }

      await fail()
      await visit(`/?item=${film.id}`)
      await viewerOf(page).getByText("Can't play this video").waitFor()
      await assertAccessible(page)
      const begun = page.waitForResponse('**/reprocess')
      await panelOf(page).getByRole('alert').getByRole('button', { name: 'Retry processing again.avi' }).click()
      await begun
      await product.settled()
      await page.waitForFunction(() => document.querySelector('video')?.src.endsWith('~playable.mp4'))
      await panelOf(page).getByRole('alert').waitFor({ state: 'detached' })

      await page.route('**/reprocess', (route) =>
        route.fulfill({ status: 409, json: { message: 'This video is already being prepared.', code: 'conflict' } }),
      )
      await fail()
      await page.reload()
      await panelOf(page).getByRole('alert').getByRole('button', { name: 'Retry processing again.avi' }).click()
      await seeToast(page, 'Processing failed', 'This video is already being prepared.')
    },
    { as: ann },
  )

  await story(
    'on a phone a finger on a film seeks, and a button turns the page',
    async ({ page, visit }) => {
      const film = (await ann.get('/api/media?type=video')).json().media.at(-1)
      await visit(`/?item=${film.id}`)
      await viewerOf(page).getByRole('button', { name: 'Next' }).tap()
      await pictureOf(page, 'picture.jpg').waitFor()
    },
    { as: ann, hasTouch: true, viewport: { width: 360, height: 720 } },
  )
})
