import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page, Route } from 'playwright-core'
import sharp from 'sharp'
import { startMisbehavingEndpoint } from '#engines/ai/testing/misbehaving-endpoint.ts'
import { openAiTag, tagsOf } from '#tests/support/ai-tag.ts'
import { arriveAt, assertAccessible, holdToast, openStories, seeToast, toastOf } from '#tests/support/browser.ts'
import { makeJpeg } from '#tests/support/pictures.ts'
import { viewerOf } from '#tests/support/viewer.ts'

const phone = { width: 360, height: 740 }

test('AI review, duplicates and AI Rename', async (context) => {
  const endpoint = await startMisbehavingEndpoint()
  context.after(endpoint.close)
  const { product, story } = await openStories(context, {
    AI_BASE_URL: endpoint.baseUrl,
    AI_MODEL: 'refusing-the-second',
  })
  const ann = await product.register('ann')
  const ids: Record<string, number> = {}
  for (const name of ['one.jpg', 'two.jpg', 'three.jpg', 'four.jpg']) ids[name] = (await ann.addPicture(name)).id

  /** Which of the items failed depends on their order, so the stories take the names from the page. */
  const namesUnderReview = async (page: Page) => {
    await page.getByRole('heading', { name: 'AI review' }).waitFor()
    const proposals = page.getByRole('list', { name: 'Proposals' }).getByRole('checkbox', { name: /\.jpg/ })
    await proposals.nth(2).waitFor()
    const names = await Promise.all((await proposals.all()).map((box) => box.evaluate(labelOf)))
    const [whole, partly, rejected] = names as [string, string, string]
    const row = page.getByRole('listitem').filter({ has: page.getByRole('checkbox', { name: partly }) })
    return { whole, partly, rejected, row }
  }

  await story(
    'a run that is reviewed before applying changes nothing yet, and items and tags can be deselected',
    async ({ page, visit }) => {
      await visit('/')
      const dialog = await openAiTag(page, 4)
      await dialog.getByLabel('Review before applying').check()
      await dialog.getByRole('button', { name: 'Tag 4 items' }).click()
      await seeToast(page, 'Ready for your review', '3 items analyzed. 1 item failed.')
      assert.equal(
        await toastOf(page).getByRole('button', { name: 'Review' }).count(),
        0,
        'the page already shows the review',
      )
      await page.getByRole('heading', { name: 'AI review' }).waitFor()
      await page.getByText('The model refused to describe this image.').waitFor()
      for (const id of Object.values(ids)) assert.deepEqual(await tagsOf(ann, id), [], 'nothing has changed yet')
      await assertAccessible(page)

      const { partly, rejected, row } = await namesUnderReview(page)
      await page.getByRole('checkbox', { name: rejected }).uncheck()
      const saved = page.waitForResponse(`**/api/ai-reviews/*/items/${ids[partly]}`)
      await row.getByRole('button', { name: 'Add cat' }).click()
      await page.getByText('2 of 3 items selected').waitFor()
      await saved
    },
    { as: ann },
  )

  await story(
    'a choice in a review that could not be saved is not shown as made',
    async ({ page, visit }) => {
      await visit('/?tool=review')
      const { whole, row } = await namesUnderReview(page)
      // Reads fail too, so the page cannot ask for the current state.
      await page.route('**/api/ai-reviews/**', (route) => route.abort())
      await page.getByRole('checkbox', { name: whole }).click()
      await seeToast(page, 'Review failed', "Your choice wasn't saved.")
      await page.getByText('2 of 3 items selected').waitFor()
      assert.ok(await page.getByRole('checkbox', { name: whole }).isChecked())

      await page.reload()
      await page.getByText("Couldn't load this review").waitFor()
      await page.unroute('**/api/ai-reviews/**')
      await page.getByRole('button', { name: 'Try again' }).click()
      await page.getByText('2 of 3 items selected').waitFor()
      assert.equal(await row.getByRole('button', { name: 'Add cat' }).getAttribute('aria-pressed'), 'false')
    },
    { as: ann },
  )

  await story(
    'applying a review waits for pending choices, and applies nothing if one is lost',
    async ({ page, visit }) => {
      await visit('/?tool=review')
      const { whole, partly, rejected, row } = await namesUnderReview(page)
      const description = row.getByRole('checkbox', { name: 'A close-up of an orange cat.' })
      const apply = page.getByRole('button', { name: 'Apply to 2 items' })
      const pendingChoice = holdNext(page, '**/api/ai-reviews/*/items/*')
      await description.click()
      const lost = await pendingChoice
      await apply.click()
      await lost.abort()
      await seeToast(page, 'Review failed', 'Nothing was applied.')
      assert.deepEqual(await tagsOf(ann, ids[whole]!), [])
      // The lost choice is no longer shown.
      await description.and(page.locator(':checked')).waitFor()
      const nextChoice = holdNext(page, '**/api/ai-reviews/*/items/*')
      await description.uncheck()
      const late = await nextChoice
      await apply.click()
      await late.continue()
      await holdToast(page, 'Suggestions applied', '2 items changed.')
      await arriveAt(page, '/')
      assert.deepEqual(await tagsOf(ann, ids[whole]!), ['cat', 'animal'])
      assert.deepEqual(await tagsOf(ann, ids[partly]!), ['animal'])
      assert.deepEqual(await tagsOf(ann, ids[rejected]!), [])
      assert.equal((await ann.get(`/api/media/${ids[partly]}`)).json().aiDescription, null)

      await page.getByRole('button', { name: 'Undo' }).click()
      await seeToast(page, 'Undone', '2 items reverted.')
      for (const id of Object.values(ids)) assert.deepEqual(await tagsOf(ann, id), [])
    },
    { as: ann },
  )

  await story(
    'administrators see the AI providers with their queue and failures, and can test them',
    async ({ page, visit }) => {
      await ann.post(`/api/media/${ids['four.jpg']}/analyze`)
      await visit('/admin?tab=system')
      const providers = page.getByRole('region', { name: 'AI providers' })
      await providers.getByText('refusing-the-second').waitFor()
      await page.getByText('The built-in AI is switched off (AI_LOCAL=0).').waitFor()
      await page.getByText(/^\d+ items? analyzed$/).waitFor()
      await assertAccessible(page)
      await page.getByRole('button', { name: 'Check now' }).click()
      await providers.getByText('The model gave no usable answer in two attempts.').waitFor()
    },
    { as: ann },
  )

  await story(
    'a pending review stays in the sidebar until it is discarded, and a finished one says so',
    async ({ page, visit }) => {
      const mediaIds = [ids['one.jpg']!, ids['two.jpg']!]
      const { run } = (await ann.post('/api/media/bulk-ai-tag', { mediaIds, review: true })).json()
      await visit('/')
      await page.getByRole('button', { name: 'AI review' }).click()
      await arriveAt(page, `/?tool=review&run=${run.runId}`)
      await page.getByRole('button', { name: 'Open one.jpg' }).click()
      await viewerOf(page).waitFor()
      await page.keyboard.press('Escape')
      // A later review does not replace the one on screen.
      const later = (await ann.post('/api/media/bulk-ai-tag', { mediaIds: [ids['four.jpg']], review: true })).json()
      const shown = page.getByRole('combobox', { name: 'Review' })
      await shown.waitFor()
      assert.equal(await shown.inputValue(), run.runId)
      await page.getByRole('button', { name: 'Open one.jpg' }).waitFor()
      await ann.delete(`/api/ai-reviews/${later.run.runId}`)
      await page.getByRole('button', { name: 'Discard' }).click()
      const question = page.getByRole('alertdialog', { name: 'Discard suggestions?' })
      await question.getByRole('button', { name: 'Discard' }).click()
      await seeToast(page, 'Suggestions discarded')
      await arriveAt(page, '/')
      await page.getByRole('button', { name: 'AI review' }).waitFor({ state: 'detached' })
      assert.deepEqual(await tagsOf(ann, ids['one.jpg']!), [])
      await visit(`/?tool=review&run=${run.runId}`)
      await page.getByText('These suggestions were discarded.').waitFor()
      await visit('/?tool=review')
      await page.getByText('Nothing to review').waitFor()
    },
    { as: ann },
  )

  await story(
    'items that a review would not change are folded into one line and not counted',
    async ({ page, visit }) => {
      const known = (await ann.addPicture('known.jpg')).id
      await ann.post(`/api/media/${known}/analyze`)
      const mediaIds = [known, ids['one.jpg']!]
      const { run } = (await ann.post('/api/media/bulk-ai-tag', { mediaIds, review: true })).json()
      await visit(`/?tool=review&run=${run.runId}`)
      await page.getByText('1 of 1 item selected').waitFor()
      assert.equal(await page.getByRole('checkbox', { name: /\.jpg/ }).count(), 1)
      await page.getByRole('button', { name: /^AI review ?1$/ }).waitFor()
      await page.getByText('1 item unchanged').click()
      await page.getByRole('button', { name: 'Open known.jpg' }).waitFor()
      await assertAccessible(page)
      await page.getByRole('button', { name: 'Apply to 1 item' }).click()
      await holdToast(page, 'Suggestions applied', '1 item changed.')
      await page.getByRole('button', { name: 'Undo' }).click()
      await seeToast(page, 'Undone')

      const empty = (await ann.post('/api/media/bulk-ai-tag', { mediaIds: [known], review: true })).json().run.runId
      await visit(`/?tool=review&run=${empty}`)
      await page.getByText('No changes suggested').waitFor()
      assert.equal(await page.getByRole('button', { name: /^Apply/ }).count(), 0)
      await page.getByRole('button', { name: 'AI review', exact: true }).waitFor()
      await page.getByRole('button', { name: 'Close review' }).click()
      await arriveAt(page, '/')
      assert.equal((await ann.get('/api/ai-reviews')).json().reviews.length, 0)
    },
    { as: ann },
  )

  const bob = await product.register('bob')
  const namesOfBob = async () =>
    (await bob.get('/api/media?sort=name')).json().media.map(({ filename }: { filename: string }) => filename)

  await story(
    'the largest of several duplicates is preselected, and merging the others into it can be undone',
    async ({ page, visit }) => {
      await visit('/')
      await page.getByRole('button', { name: 'Possible duplicates' }).click()
      await arriveAt(page, '/?tool=duplicates')
      await page.getByText('No duplicates found').waitFor()
      const large = await makeJpeg({ width: 640, height: 480 })
      await bob.addPicture('original.jpg', large)
      await bob.addPicture('smaller.jpg', await sharp(large).resize(320).jpeg({ quality: 80 }).toBuffer())
      await bob.addPicture('Copy of original.jpg', large)

      await page.getByText('3 items', { exact: true }).waitFor()
      assert.ok(await page.getByRole('radio', { name: 'Keep original.jpg', exact: true }).isChecked())
      const group = page.getByRole('radiogroup')
      await group.getByText('320 × 240').waitFor()
      await assertAccessible(page)
      await page.getByRole('button', { name: 'Merge 3 items' }).click()
      await holdToast(page, 'Merged', '2 items moved to the Trash.')
      await page.getByText('No duplicates found').waitFor()
      assert.deepEqual(await namesOfBob(), ['original.jpg'])
      await page.getByRole('button', { name: 'Undo' }).click()
      await seeToast(page, 'Undone', '3 items restored.')
    },
    { as: bob },
  )

  await story(
    'the user can choose another duplicate to keep',
    async ({ page, visit }) => {
      await visit('/?tool=duplicates')
      await page.getByRole('radio', { name: 'Keep smaller.jpg' }).check()
      await page.getByRole('button', { name: 'Open smaller.jpg' }).click()
      await viewerOf(page).waitFor()
      await page.keyboard.press('Escape')
      await page.getByRole('button', { name: 'Merge 3 items' }).click()
      await holdToast(page, 'Merged', '2 items moved to the Trash.')
      await page.getByText('No duplicates found').waitFor()
      assert.deepEqual(await namesOfBob(), ['smaller.jpg'])
      await page.getByRole('button', { name: 'Undo' }).click()
      await page.getByRole('radiogroup').locator('[data-media-id]').nth(2).waitFor()
    },
    { as: bob },
  )

  await story(
    'compared duplicates zoom and move together by keys, wheel and mouse, and the other one can be kept',
    async ({ page, visit }) => {
      await visit('/?tool=duplicates')
      await page.getByRole('button', { name: 'Compare', exact: true }).click()
      const dialog = page.getByRole('dialog', { name: 'Compare' })
      await dialog.getByText('640 × 480').first().waitFor()
      const stages = dialog.locator('figure > div')
      /** Waits until both pictures are moved and zoomed alike, and returns how. */
      const seeBoth = (scale: string) =>
        page.waitForFunction(
          ({ wanted }) => {
            const views = [...document.querySelectorAll<HTMLElement>('figure > div > div')].map(
              ({ style }) => style.transform,
            )
            return views.length === 2 && views[0] === views[1] && views[0]!.includes(wanted) && views[0]
          },
          { wanted: `scale(${scale}` },
        )
      await seeBoth('1)')
      await assertAccessible(page)
      await page.keyboard.press('+')
      const atRest = await (await seeBoth('1.5)')).jsonValue()
      await page.keyboard.press('Shift+ArrowLeft')
      await page.waitForFunction(
        (before) => document.querySelector<HTMLElement>('figure > div > div')!.style.transform !== before,
        atRest,
      )
      await seeBoth('1.5)')
      await page.keyboard.press('0')
      await seeBoth('1)')
      // On the second picture the wheel zooms both around the pointer.
      const box = (await stages.nth(1).boundingBox())!
      await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2)
      await page.mouse.wheel(0, -400)
      await seeBoth('1.')
      await page.mouse.down()
      await page.mouse.move(box.x + box.width / 2 - 30, box.y + box.height / 2, { steps: 3 })
      await page.mouse.up()
      await seeBoth('1.')
      await dialog.getByLabel('Compare with').selectOption('smaller.jpg')
      await dialog.getByRole('button', { name: 'Keep the other instead' }).click()
      await dialog.getByText('Keep: smaller.jpg').waitFor()
      await page.keyboard.press('Escape')
      assert.ok(await page.getByRole('radio', { name: 'Keep smaller.jpg' }).isChecked())
    },
    { as: bob },
  )

  await story(
    'duplicates fit on a phone and at four times the text size',
    async ({ page, visit }) => {
      await visit('/?tool=duplicates')
      const copies = page.getByRole('radiogroup').locator('[data-media-id]')
      await copies.nth(2).waitFor()
      for (const width of [360, 320]) {
        await page.setViewportSize({ width, height: 740 })
        const tooWide = await copies.evaluateAll((all) => all.filter((copy) => copy.scrollWidth > copy.clientWidth))
        assert.equal(tooWide.length, 0, `${tooWide.length} of them at ${width}`)
      }
    },
    { as: bob },
  )

  await story(
    'marking one duplicate as different sends one request and keeps the chosen one',
    async ({ page, visit }) => {
      await visit('/?tool=duplicates')
      await page.getByRole('radio', { name: 'Keep Copy of original.jpg' }).check()
      let requests = 0
      page.on('request', (request) => {
        if (request.method() === 'POST' && request.url().endsWith('/dismissals')) requests++
      })
      await page.getByRole('button', { name: 'Mark as different: smaller.jpg' }).dblclick()
      await seeToast(page, 'Marked as different', 'It is no longer shown as a duplicate of the others.')
      await page.getByText('2 items', { exact: true }).waitFor()
      // The focus is not lost when the item disappears.
      await page.locator('section:focus').waitFor()
      assert.equal(requests, 1, 'a double click counts once')
      assert.ok(await page.getByRole('radio', { name: 'Keep Copy of original.jpg' }).isChecked(), 'the choice is kept')
    },
    { as: bob },
  )

  await story(
    'marking duplicates as different can be retried, and undone from its toast',
    async ({ page, visit }) => {
      await visit('/?tool=duplicates')
      await page.getByText('2 items', { exact: true }).waitFor()
      const released = Promise.withResolvers<void>()
      await page.route('**/dismissals', (route) => route.abort(), { times: 1 })
      let isHeld = false
      await page.route(/\/duplicates(\?.*)?$/, async (route) => {
        // `times` cannot be used: Playwright releases held requests when the last route is used up.
        if (isHeld) return route.fallback()
        isHeld = true
        await released.promise
        // The page may have canceled this request because of the next click.
        await route.continue().catch(() => {})
      })
      await page.getByRole('button', { name: 'Mark as different' }).click()
      await seeToast(page, "Couldn't mark as different")
      await page.getByRole('button', { name: 'Mark as different', disabled: false }).waitFor()
      released.resolve()
      await page.getByRole('button', { name: 'Mark as different' }).click()
      await holdToast(page, 'Marked as different')
      await page.getByText('No duplicates found').waitFor()
      // The toast is the only way to undo this, so it offers another try.
      await page.route('**/dismissals/*', (route) => route.abort(), { times: 1 })
      await page.getByRole('button', { name: 'Undo' }).click()
      await holdToast(page, 'Undo failed')
      await page.getByRole('button', { name: 'Try again' }).click()
      await seeToast(page, 'Undone', '2 items can be listed as duplicates again.')
      await page.getByText('2 items', { exact: true }).waitFor()
    },
    { as: bob },
  )

  await story(
    'when more duplicates fail to load, an error is shown and Try again loads them',
    async ({ page, visit, signInAs }) => {
      const dana = await product.register('dana')
      await signInAs(dana)
      const bytes = await makeJpeg()
      await dana.addPicture('first.jpg', bytes)
      await dana.addPicture('again.jpg', bytes)
      const { groups } = (await dana.get('/api/media/duplicates')).json()
      let isLost = true
      // The response pretends that there is more than one page.
      await page.route(/\/api\/media\/duplicates\?/, (route) => {
        const isSecond = route.request().url().includes('before=')
        if (isSecond && isLost) return route.abort()
        return route.fulfill({ json: isSecond ? { groups: [], total: 1, next: null } : { groups, total: 1, next: 7 } })
      })
      await visit('/?tool=duplicates')
      await page.getByRole('button', { name: 'Show more' }).click()
      await page.getByText("Couldn't load more duplicates").waitFor()
      await page.getByText('2 items', { exact: true }).waitFor()
      isLost = false
      await page.getByRole('button', { name: 'Try again' }).click()
      await page.getByText("Couldn't load more duplicates").waitFor({ state: 'detached' })
      await page.getByRole('button', { name: 'Show more' }).waitFor({ state: 'detached' })
      await page.getByText('2 items', { exact: true }).waitFor()
    },
  )

  await story(
    'on a phone the menu leads to AI review and duplicates, and neither is wider than the screen',
    async ({ page, visit, signInAs }) => {
      const cara = await product.register('cara')
      await signInAs(cara)
      const bytes = await makeJpeg()
      const { id } = await cara.addPicture('a-rather-long-name-of-a-picture-from-some-camera-0001.jpg', bytes)
      await cara.addPicture('a-rather-long-name-of-a-picture-from-some-camera-0002.jpg', bytes)
      await cara.post('/api/media/bulk-ai-tag', { mediaIds: [id], review: true })
      for (const name of ['AI review', 'Possible duplicates']) {
        await visit('/')
        await page.getByRole('button', { name: 'Menu' }).click()
        await page.getByRole('dialog', { name: 'Menu' }).getByRole('button', { name }).click()
        await page
          .getByRole('button', { name: /^Open a-rather/ })
          .first()
          .waitFor()
        await assertAccessible(page)
        assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth), name)
      }
    },
    { viewport: phone, hasTouch: true },
  )

  await story(
    'AI Rename Images previews the names, applies them, reports how many, and can be undone',
    async ({ page, visit, signInAs }) => {
      const dora = await product.register('dora')
      await signInAs(dora)
      const { id } = (await dora.post('/api/collections', { name: 'Shoes' })).json()
      for (const [name, tag] of [
        ['IMG_0001.jpg', 'red boot'],
        ['IMG_0002.jpg', 'blue sandal'],
        ['Acme blue slipper.jpg', ''],
      ] as const) {
        const media = await dora.addPicture(name)
        if (tag) await dora.patch(`/api/media/${media.id}`, { aiTags: [tag] })
        await dora.post(`/api/collections/${id}/media/${media.id}`)
      }
      const names = async () =>
        (await dora.get(`/api/media?collectionId=${id}&sort=name`))
          .json()
          .media.map(({ filename }: { filename: string }) => filename)
      const before = await names()
      await visit('/?tab=collections')
      await page.getByRole('button', { name: 'Actions for Shoes', exact: true }).click()
      await page.getByRole('menuitem', { name: 'AI Rename Images' }).click()
      const dialog = page.getByRole('dialog', { name: 'AI Rename Images' })
      await dialog.getByLabel('Company').fill('Acme')
      await dialog.getByLabel('Context').fill('very '.repeat(500))
      await dialog.getByRole('button', { name: 'Preview names' }).click()
      const preview = dialog.getByRole('list', { name: 'New names' })
      await preview.locator('li', { has: page.locator('img'), hasText: 'Acme red boot.jpg' }).waitFor()
      await dialog.getByText('1 item unchanged.').waitFor()
      await dialog.getByText(/^3 names made without the AI\. The model gave no usable answer/).waitFor()
      await assertAccessible(page)
      assert.deepEqual(await names(), before, 'a preview changes nothing')
      await dialog.getByRole('button', { name: 'Rename 2 images' }).click()
      await holdToast(page, 'Images renamed', '2 renamed, 1 unchanged.')
      assert.deepEqual(await names(), ['Acme blue sandal.jpg', 'Acme blue slipper.jpg', 'Acme red boot.jpg'])
      await page.getByRole('button', { name: 'Undo' }).click()
      await seeToast(page, 'Undone', '2 items reverted.')
      assert.deepEqual(await names(), before)
    },
  )
})

/** Holds the next request to this address and returns its route. */
async function holdNext(page: Page, address: string) {
  const { promise, resolve } = Promise.withResolvers<Route>()
  await page.route(address, resolve, { times: 1 })
  return promise
}

/** The label of a checkbox, without the hint below it. */
function labelOf(box: Element) {
  return box.closest('label')!.querySelector('.font-medium')!.textContent
}
