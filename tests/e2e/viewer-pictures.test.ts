import assert from 'node:assert/strict'
import { test } from 'node:test'
import sharp from 'sharp'
import { assertAccessible, openStories } from '#tests/support/browser.ts'
import { makeJpeg } from '#tests/support/pictures.ts'
import { until } from '#tests/support/until.ts'
import { pictureOf, viewerOf } from '#tests/support/viewer.ts'

test('the picture in the viewer', async (context) => {
  const { product, story, address } = await openStories(context)
  const ann = await product.register('ann')
  await ann.addPicture('first.jpg')
  const second = await ann.addPicture('second.jpg', await makeJpeg({ width: 2000, height: 1500 }))

  await story(
    'a picture that does not come can be tried again, and one that is there stays when a larger one does not come',
    async ({ page, visit }) => {
      const files = `**${new URL(second.originalUrl, address).pathname}*`
      await page.route(files, (route) => route.abort())
      await visit(`/?item=${second.id}`)
      await viewerOf(page).getByText("Couldn't load the image.").waitFor()
      await assertAccessible(page)
      await page.unroute(files)
      await viewerOf(page).getByRole('button', { name: 'Try again' }).click()
      const picture = pictureOf(page, 'second.jpg')
      await picture.and(page.locator('.opacity-100')).waitFor()
      const shown = await picture.evaluate((image: HTMLImageElement) => image.currentSrc)
      await page.route(files, (route) => (route.request().url() === shown ? route.continue() : route.abort()))
      const lost = page.waitForEvent('requestfailed')
      await page.keyboard.press('+')
      await page.keyboard.press('+')
      await lost
      await picture.and(page.locator(':not([srcset])')).waitFor()
      assert.ok(await picture.evaluate((image: HTMLImageElement) => image.decode().then(() => image.naturalWidth)))
      assert.equal(await viewerOf(page).getByText("Couldn't load the image.").count(), 0)
    },
    { as: ann },
  )

  await story(
    'a picture comes over its thumbnail, and nothing dark comes in between',
    async ({ page, visit }) => {
      const files = `**${new URL(second.originalUrl, address).pathname}*`
      const { promise: isAwaited, resolve: letCome } = Promise.withResolvers<void>()
      await page.route(files, (route) => isAwaited.then(() => route.continue()))
      await visit(`/?item=${second.id}`)
      // The strip below shows it too, and may be there first.
      const picture = viewerOf(page).locator('img[fetchpriority=high]')
      // Begun, in an object that is not waited for, before the picture may come.
      const watch = await picture.evaluateHandle((image) => {
        const thumbnail = image.previousElementSibling!
        const countDarkFrames = async () => {
          let darkFrames = 0
          do {
            await new Promise(requestAnimationFrame)
            if (!thumbnail.isConnected && getComputedStyle(image).opacity !== '1') darkFrames++
          } while (thumbnail.isConnected || getComputedStyle(image).opacity !== '1')
          return darkFrames
        }
        // As Chromium does under load: told too early, and once more in time.
        image.dispatchEvent(new TransitionEvent('transitionend', { propertyName: 'opacity', bubbles: true }))
        return { counted: countDarkFrames() }
      })
      letCome()
      assert.equal(await watch.evaluate(({ counted }) => counted), 0)
    },
    { as: ann, hasMotion: true },
  )

  const bea = await product.register('bea')
  const onItsSide = await sharp(await makeJpeg({ width: 300, height: 200 }))
    .withMetadata({ orientation: 6 })
    .webp()
    .toBuffer()
  const turned = await bea.addPicture('turned.webp', onItsSide)
  await story(
    'a WebP that lies on its side, which browsers do not turn, is shown upright',
    async ({ page, visit }) => {
      await visit(`/?item=${turned.id}`)
      const picture = viewerOf(page).locator('img[fetchpriority=high]')
      const shownSize = await until('the picture is shown', () =>
        picture.evaluate((image: HTMLImageElement) =>
          getComputedStyle(image).opacity === '1' ? [image.naturalWidth, image.naturalHeight] : null,
        ),
      )
      assert.deepEqual(shownSize, [200, 300])
    },
    { as: bea },
  )

  await story(
    'a picture is magnified by keys, wheel and double press, and moved by dragging',
    async ({ page, visit }) => {
      await visit(`/?item=${second.id}`)
      const percent = viewerOf(page)
        .getByRole('group', { name: 'Zoom' })
        .getByText(/^\d+%$/)
      const picture = pictureOf(page, 'second.jpg')
      // The strip below takes its room, and the picture what is left, before anything is measured.
      await until('the picture lies above the strip', async () => {
        const [shown, strip] = [await picture.boundingBox(), await viewerOf(page).getByRole('navigation').boundingBox()]
        return shown && strip && shown.y + shown.height < strip.y + 1
      })
      const whole = (await percent.textContent()) ?? ''
      assert.ok(Number.parseInt(whole, 10) > 10 && Number.parseInt(whole, 10) < 60, `it fits at ${whole}`)
      const seeWhole = () => percent.filter({ hasText: whole }).waitFor()
      const seeMagnified = () => percent.filter({ hasNotText: whole }).waitFor()
      await page.keyboard.press('+')
      await seeMagnified()
      await page.keyboard.press('0')
      await seeWhole()
      await picture.hover()
      await page.mouse.wheel(0, -200)
      await seeMagnified()
      await page.keyboard.press('0')
      await seeWhole()
      // Two fingers on the trackpad of a Mac, as only Safari tells of them.
      const isKept = await picture.evaluate((element) => {
        const tell = (kind: string, scale: number) =>
          element.dispatchEvent(
            Object.assign(new Event(kind, { bubbles: true, cancelable: true }), { scale, clientX: 400, clientY: 400 }),
          )
        const inOneGo = [tell('gesturestart', 1), tell('gesturechange', 1.3), tell('gesturechange', 1.6)]
        return [...inOneGo, tell('gesturestart', 1), tell('gesturechange', 1.25)]
      })
      assert.ok(!isKept.includes(true), 'the page itself is not magnified')
      await until('the picture is twice as large', async () => {
        const [once, twice] = [whole, (await percent.textContent()) ?? ''].map((words) => Number.parseInt(words, 10))
        return Math.abs(twice! - 2 * once!) <= 1
      })
      await page.keyboard.press('0')
      await seeWhole()
      await page.mouse.dblclick(400, 400)
      await percent.filter({ hasText: '100%' }).waitFor()
      const before = await picture.boundingBox()
      await page.mouse.move(400, 400)
      await page.mouse.down()
      await page.mouse.move(300, 350, { steps: 4 })
      await page.mouse.up()
      await until('the picture follows the hand', async () => {
        const after = await picture.boundingBox()
        return after && before && after.x < before.x - 50 && after.y < before.y - 20
      })
      await page.mouse.dblclick(400, 400)
      await seeWhole()
    },
    { as: ann },
  )
})
