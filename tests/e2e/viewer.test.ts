import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { startMisbehavingEndpoint } from '#engines/ai/testing/misbehaving-endpoint.ts'
import { createClipMaker, mjpegAvi } from '#engines/video/testing/clips.ts'
import { arriveAt, assertAccessible, noticeOf, openStories, seeFocus, seeNotice } from '#tests/support/browser.ts'
import { makeJpeg } from '#tests/support/pictures.ts'
import { temporaryFolder } from '#tests/support/temporary-folder.ts'
import { until } from '#tests/support/until.ts'

const viewerOf = (page: Page) => page.getByRole('dialog', { name: 'Media Details' })
const panelOf = (page: Page) => viewerOf(page).getByRole('complementary', { name: 'Info' })
/** The one on the stage; the strip below shows it again, small. */
const pictureOf = (page: Page, name: string) => viewerOf(page).getByRole('img', { name }).first()
const seeName = (page: Page, name: string) => panelOf(page).getByRole('heading', { name, exact: true }).waitFor()
/** A link shows the item before the list behind it, and before that it has no neighbours. */
const seeBehind = (page: Page, id: number) => page.locator(`[data-media-id="${id}"]`).waitFor({ state: 'attached' })

test('the viewer', async (context) => {
  const endpoint = await startMisbehavingEndpoint()
  const { product, story, address } = await openStories(context, { AI_BASE_URL: endpoint.baseUrl, AI_MODEL: 'good' })
  context.after(endpoint.close)
  const ann = await product.register('ann')
  const large = await makeJpeg({ width: 2000, height: 1500 })
  const first = await ann.addPicture('first.jpg')
  const second = await ann.addPicture('second.jpg', large)
  const third = await ann.addPicture('third.jpg')
  const load = async (id: number) => (await ann.get(`/api/media/${id}`)).json()

  await story(
    'opens from a card, turns pages by arrow keys, folds its panel and closes by Escape',
    async ({ page, visit }) => {
      await visit('/')
      await page.getByRole('button', { name: 'Open second.jpg' }).click()
      await arriveAt(page, `/?item=${second.id}`)
      await seeName(page, 'second.jpg')
      assert.equal(await viewerOf(page).getAttribute('data-theme'), 'dark')
      await pictureOf(page, 'second.jpg').waitFor()
      const scrolled = await page.evaluateHandle(() => {
        const behaviours: unknown[] = []
        Element.prototype.scrollIntoView = (how) => void behaviours.push((how as ScrollIntoViewOptions).behavior)
        return behaviours
      })
      await page.keyboard.press('ArrowRight')
      await seeName(page, 'first.jpg')
      await viewerOf(page).locator('[aria-live=polite]').getByText('first.jpg, 3 of 3', { exact: true }).waitFor()
      assert.deepEqual(await scrolled.jsonValue(), ['instant'], 'nothing glides for who wants no motion')
      await arriveAt(page, `/?item=${first.id}`)
      await page.keyboard.press('ArrowRight')
      await page.keyboard.press('ArrowLeft')
      await viewerOf(page).getByRole('button', { name: 'Previous' }).click()
      await seeName(page, 'third.jpg')
      await viewerOf(page).getByRole('navigation').getByRole('button', { name: 'first.jpg' }).click()
      await seeName(page, 'first.jpg')
      await assertAccessible(page)
      await viewerOf(page).getByRole('button', { name: 'Close' }).focus()
      const stops = await tabStops(page, 'Edit')
      for (const name of ['Favorite', 'Download', 'Info', 'Previous', 'first.jpg'])
        assert.ok(stops.includes(name), `Tab goes ${stops.join(', ')}`)
      await page.keyboard.press('i')
      await panelOf(page).waitFor({ state: 'hidden' })
      await page.keyboard.press('i')
      // The keys of the viewer rest while they are listed.
      const shortcuts = page.getByRole('dialog', { name: 'Keyboard shortcuts' })
      await page.keyboard.press('?')
      await shortcuts.getByText('Show the whole picture').waitFor()
      await assertAccessible(page)
      await page.keyboard.press('ArrowLeft')
      await page.keyboard.press('Escape')
      await shortcuts.waitFor({ state: 'hidden' })
      await seeName(page, 'first.jpg')
      await page.keyboard.press('Escape')
      await viewerOf(page).waitFor({ state: 'hidden' })
      await arriveAt(page, '/')
      // Not the card that was pressed: the one that was seen last.
      await page.getByRole('button', { name: 'Open first.jpg' }).and(page.locator(':focus')).waitFor()

      await page.keyboard.press('?')
      await shortcuts.waitFor()
      await assertAccessible(page)
      await page.keyboard.press('Escape')
      await shortcuts.waitFor({ state: 'hidden' })

      // Closing is the way back: however hastily it is done, Back then leaves the place and opens nothing again.
      await page.getByRole('button', { name: 'Images', exact: true }).click()
      await page.getByRole('button', { name: 'Open first.jpg' }).click()
      await seeName(page, 'first.jpg')
      await page.keyboard.press('ArrowLeft')
      await seeName(page, 'second.jpg')
      await Promise.all([page.keyboard.press('Escape'), page.keyboard.press('Escape')])
      await arriveAt(page, '/?filter=images')
      await page.goBack()
      await arriveAt(page, '/')
      assert.equal(await viewerOf(page).count(), 0)
    },
    { as: ann, theme: 'light' },
  )

  await story(
    'a link opens the item; one that is not there says so',
    async ({ page, visit }) => {
      await visit(`/?item=${first.id}`)
      await seeName(page, 'first.jpg')
      // The list comes after the viewer here, and is there for the eye only.
      await page.getByRole('button', { name: 'Open first.jpg', includeHidden: true }).waitFor({ state: 'attached' })
      assert.equal(await page.getByRole('button', { name: 'Open first.jpg' }).count(), 0)
      await visit('/?item=987654')
      await viewerOf(page).getByText('This item is not in your library.').waitFor()
      await viewerOf(page).getByRole('button', { name: 'Back to the library' }).click()
      await arriveAt(page, '/')
      // A lost connection says nothing about the item, and what the list behind knows is still shown.
      await page.route(`**/api/media/${first.id}`, (route) => route.abort())
      const lost = page.waitForEvent('requestfailed')
      await page.getByRole('button', { name: 'Open first.jpg' }).click()
      await lost
      await seeName(page, 'first.jpg')
      await visit(`/?filter=favorites&item=${first.id}`)
      await viewerOf(page).getByText('This item could not be loaded.').waitFor()
      await page.unroute(`**/api/media/${first.id}`)
      await viewerOf(page).getByRole('button', { name: 'Try again' }).click()
      await seeName(page, 'first.jpg')
    },
    { as: ann },
  )

  await story(
    'a picture that does not come can be tried again, and one that is there stays when a larger one does not come',
    async ({ page, visit }) => {
      const files = `**${new URL(second.originalUrl, address).pathname}*`
      await page.route(files, (route) => route.abort())
      await visit(`/?item=${second.id}`)
      await viewerOf(page).getByText('The picture could not be loaded.').waitFor()
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
      assert.equal(await viewerOf(page).getByText('The picture could not be loaded.').count(), 0)
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
        return { counted: countDarkFrames() }
      })
      letCome()
      assert.equal(await watch.evaluate(({ counted }) => counted), 0)
    },
    { as: ann, hasMotion: true },
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
      await page.mouse.dblclick(400, 400)
      await percent.filter({ hasText: '100%' }).waitFor()
      const before = await picture.boundingBox()
      await page.mouse.move(400, 400)
      await page.mouse.down()
      await page.mouse.move(300, 350, { steps: 4 })
      await page.mouse.up()
      const after = await picture.boundingBox()
      assert.ok(after && before && after.x < before.x - 50 && after.y < before.y - 20, 'the picture follows the hand')
      await page.mouse.dblclick(400, 400)
      await seeWhole()
    },
    { as: ann },
  )

  await story(
    'Cancel and a discarded edit restore what was there; Save keeps what was written',
    async ({ page, visit }) => {
      await visit('/')
      await page.getByRole('button', { name: 'Open first.jpg' }).click()
      const panel = panelOf(page)
      await panel.getByRole('button', { name: 'Edit' }).click()
      await panel.getByLabel('Filename').fill('wrong.jpg')
      await panel.getByRole('button', { name: 'Cancel' }).click()
      await panel.getByRole('button', { name: 'Edit' }).and(page.locator(':focus')).waitFor()

      await page.keyboard.press('e')
      assert.equal(await panel.getByLabel('Filename').inputValue(), 'first.jpg')
      await panel.getByLabel('Description', { exact: true }).fill('Not yet')
      await page.keyboard.press('Escape')
      const question = page.getByRole('alertdialog', { name: 'Discard your changes?' })
      await question.getByRole('button', { name: 'Keep editing' }).click()
      assert.equal(await panel.getByLabel('Description', { exact: true }).inputValue(), 'Not yet')
      await page.keyboard.press('Escape')
      await question.getByRole('button', { name: 'Discard' }).click()
      await seeName(page, 'first.jpg')
      // What had the focus is gone; the page behind the viewer must not get it.
      await viewerOf(page).and(page.locator(':focus')).waitFor()

      // Back, on a phone the usual way out, asks as well.
      await page.keyboard.press('e')
      await panel.getByLabel('Description', { exact: true }).fill('Not yet')
      await page.evaluate(() => history.back())
      await question.getByRole('button', { name: 'Keep editing' }).click()
      await arriveAt(page, `/?item=${first.id}`)
      assert.equal(await panel.getByLabel('Description', { exact: true }).inputValue(), 'Not yet')
      await page.evaluate(() => history.back())
      await question.getByRole('button', { name: 'Discard' }).click()
      await arriveAt(page, '/')
      await viewerOf(page).waitFor({ state: 'hidden' })
      await page.getByRole('button', { name: 'Open first.jpg' }).click()
      await seeName(page, 'first.jpg')
      // A draft is one item's, also when the history leads to another.
      await page.keyboard.press('e')
      await panel.getByLabel('Filename').waitFor()
      const lead = (id: number) => page.evaluate((address) => history.pushState(null, '', address), `/?item=${id}`)
      await lead(second.id)
      await seeName(page, 'second.jpg')
      await lead(first.id)
      await panel.getByRole('button', { name: 'Cancel' }).click()

      await panel.getByRole('button', { name: 'Edit' }).click()
      await panel.getByLabel('Filename').fill('  ')
      assert.ok(await panel.getByRole('button', { name: 'Save' }).isDisabled())
      await panel.getByLabel('Filename').fill('harbour.jpg')
      await panel.getByLabel('Description', { exact: true }).fill('The old harbour')
      await panel.getByLabel('AI description').fill('Boats')
      for (const tag of ['Sea', 'sea ', 'boat,']) {
        await panel.getByRole('textbox', { name: 'Tags' }).fill(tag.replace(',', ''))
        await panel.getByRole('textbox', { name: 'Tags' }).press(tag.endsWith(',') ? ',' : 'Enter')
      }
      await panel.getByRole('textbox', { name: 'Tags' }).fill(`${'x'.repeat(51)}, evening light, summer holiday`)
      await panel.getByRole('textbox', { name: 'Tags' }).press('Enter')
      await panel.getByText('A tag has at most 50 characters.').waitFor()
      await panel.getByRole('button', { name: 'Remove xxx' }).press('Enter')
      await seeFocus(page, 'Remove evening light')
      await panel.getByRole('textbox', { name: 'Tags' }).fill('harbour')
      await assertAccessible(page)
      await panel.getByRole('button', { name: 'Save' }).click()
      await seeNotice(page, 'Changes saved')
      await seeName(page, 'harbour.jpg')
      await panel.getByText('The old harbour').waitFor()
      const saved = await load(first.id)
      assert.deepEqual(
        [saved.filename, saved.userDescription, saved.aiDescription, saved.aiTags],
        ['harbour.jpg', 'The old harbour', 'Boats', ['sea', 'boat', 'evening light', 'summer holiday', 'harbour']],
      )
    },
    { as: ann, hasMotion: true },
  )

  await story(
    'more than 10 tags are counted, and each leads to what it finds',
    async ({ page, visit }) => {
      const tags = Array.from({ length: 10 }, (_, index) => `tag ${index}`)
      await ann.patch(`/api/media/${third.id}`, { aiTags: tags })
      const shape = 'sort=name&pageSize=100&layout=list'
      await visit(`/?filter=images&${shape}&item=${third.id}`)
      await panelOf(page).getByText('tag 9').waitFor()
      assert.equal(
        await panelOf(page)
          .getByText(/^Total/)
          .count(),
        0,
      )
      await ann.patch(`/api/media/${third.id}`, { aiTags: [...tags, 'one more'] })
      await panelOf(page).getByText('Total: 11 tags').waitFor()
      // A tag leads to everything that has it, laid out as the list behind, and Back to the item.
      await panelOf(page).getByRole('link', { name: 'one more' }).click()
      await arriveAt(page, `/?search=one+more&${shape}`)
      await viewerOf(page).waitFor({ state: 'hidden' })
      await page.getByText('1-1 of 1 items').waitFor()
      assert.equal(await page.getByPlaceholder('Search your media...').inputValue(), 'one more')
      await page.goBack()
      await seeName(page, 'third.jpg')
    },
    { as: ann },
  )

  await story(
    'analysis describes and tags with a spark, suggestions show what is there as added, a failure can be retried',
    async ({ page, visit }) => {
      const cat = await ann.addPicture('cat.jpg')
      await visit(`/?item=${cat.id}`)
      const panel = panelOf(page)
      await panel.getByRole('button', { name: 'Re-run AI analysis' }).click()
      await seeNotice(page, 'Analysis complete')
      await panel.getByText('A close-up of an orange cat.').waitFor()
      await panel
        .getByRole('listitem')
        .filter({ hasText: 'animal' })
        .getByRole('img', { name: 'Found by AI' })
        .waitFor()
      await page.keyboard.press('e')
      await panel.getByRole('listitem').filter({ hasText: 'animal' }).getByRole('img').waitFor()
      await panel.getByRole('button', { name: 'Cancel' }).click()

      await ann.patch(`/api/media/${cat.id}`, { aiTags: ['cat'] })
      await panel.getByText('animal', { exact: true }).waitFor({ state: 'hidden' })
      await page.route('**/suggest-tags', (route) =>
        route.fulfill({ json: { suggestedTags: ['cat', 'sofa', 'home'] } }),
      )
      await panel.getByRole('button', { name: 'Suggest tags' }).click()
      const suggested = panel.getByRole('region', { name: 'Suggested tags' })
      await panel.getByRole('status').getByText('2 tags suggested').waitFor()
      assert.ok(await suggested.getByRole('button', { name: 'cat · Added' }).isDisabled())
      await suggested.getByRole('button', { name: 'sofa' }).click()
      await suggested.getByRole('button', { name: 'Add 1 tag' }).click()
      await seeNotice(page, 'Tags added')
      await suggested.getByRole('button', { name: 'sofa · Added' }).waitFor()
      assert.deepEqual((await load(cat.id)).aiTags, ['cat', 'sofa'])
      await page.unroute('**/suggest-tags')
      await page.route('**/suggest-tags', (route) => route.fulfill({ json: { suggestedTags: ['cat'] } }))
      await panel.getByRole('button', { name: 'Suggest tags' }).click()
      await suggested.getByText('Nothing more comes to mind for this item.').waitFor()
      await suggested.getByRole('button', { name: 'cat · Added' }).waitFor()
      assert.equal(await suggested.getByRole('button', { name: /^Add/ }).count(), 0)
      await page.unroute('**/suggest-tags')
      await page.route('**/suggest-tags', (route) => route.fulfill({ status: 500, body: '' }))
      await panel.getByRole('button', { name: 'Suggest tags' }).click()
      await seeNotice(page, 'Tag generation failed', 'Could not generate tag suggestions.')

      const failed = { ai_status: 'failed' as const, ai_error: 'The model refused to describe it.' }
      await product.services.db.updateTable('media').set(failed).where('id', '=', cat.id).execute()
      await page.reload()
      await panel.getByText('The model refused to describe it.').waitFor()
      await panel.getByRole('button', { name: 'Retry' }).click()
      await seeNotice(page, 'Analysis complete')
      await panel.getByText('AI analysis failed').waitFor({ state: 'hidden' })
    },
    { as: ann },
  )

  await story(
    'a public address is made and copied, renamed within its rules, and taken away',
    async ({ page, browser, visit }) => {
      await browser.grantPermissions(['clipboard-read', 'clipboard-write'])
      await visit(`/?item=${second.id}`)
      const panel = panelOf(page)
      await panel.getByRole('button', { name: 'Create public URL' }).click()
      await seeNotice(page, 'Public URL created', 'The address was copied to your clipboard.')
      const { publicUrlSlug } = await load(second.id)
      assert.equal(await page.evaluate(() => navigator.clipboard.readText()), `${address}/public/${publicUrlSlug}`)
      await panel.getByRole('button', { name: 'Copy public URL' }).and(page.locator(':focus')).waitFor()
      await page.keyboard.press('Escape')
      await page.getByRole('button', { name: 'More about second.jpg' }).click()
      await page.getByRole('menuitem', { name: 'Copy public URL' }).click()
      await seeNotice(page, 'Copied to clipboard', 'Public URL copied successfully.')
      await page.getByRole('button', { name: 'Open second.jpg' }).click()

      await panel.getByRole('button', { name: 'Rename URL' }).click()
      const field = panel.getByRole('textbox', { name: 'Public URL' })
      const update = panel.getByRole('button', { name: 'Update' })
      await field.fill('')
      assert.ok(await update.isDisabled())
      await field.fill('My Öld_Harbour!')
      assert.equal(await field.inputValue(), 'myldharbour')
      await field.fill('ab')
      assert.ok(await update.isDisabled())
      await field.fill('x'.repeat(60))
      assert.equal((await field.inputValue()).length, 50)
      await ann.post(`/api/media/${third.id}/public`)
      await ann.patch(`/api/media/${third.id}/public-url`, { publicUrlSlug: 'taken-address' })
      await field.fill('taken-address')
      await update.click()
      await seeNotice(page, 'Error')
      await panel.getByRole('alert').waitFor()
      await field.fill('old-harbour')
      await update.click()
      await seeNotice(page, 'URL updated')
      await panel.getByRole('link', { name: /\/public\/old-harbour$/ }).waitFor()
      assert.equal((await load(second.id)).publicUrlSlug, 'old-harbour')

      await panel.getByRole('button', { name: 'Make private' }).click()
      await panel.getByText('Only you can see this.').waitFor()
      assert.equal((await load(second.id)).publicUrl, null)

      const { id: collectionId } = (await ann.post('/api/collections', { name: 'Harbour week' })).json()
      await ann.post(`/api/collections/${collectionId}/media/${second.id}`)
      await ann.patch(`/api/collections/${collectionId}/visibility`, { isPublic: true })
      await ann.post(`/api/media/${second.id}/public`)
      await page.reload()
      await panel.getByRole('button', { name: 'Make private' }).click()
      await seeNotice(page, 'Public URL removed')
      await panel.getByText('Shown on the public page of “Harbour week”.').waitFor()
      await ann.delete(`/api/collections/${collectionId}`)
    },
    { as: ann },
  )

  await story(
    'a heart, a copy, a download, and a name for a cloud that is not there',
    async ({ page, visit }) => {
      await visit(`/?item=${second.id}`)
      const saved = page.waitForResponse((response) => response.request().method() === 'PATCH')
      await viewerOf(page).getByRole('button', { name: 'Favorite' }).click()
      await viewerOf(page).getByRole('button', { name: 'Favorite', pressed: true }).waitFor()
      await viewerOf(page).locator('[aria-live=polite]').getByText('Added to Favorites').waitFor()
      await saved
      assert.equal((await load(second.id)).isFavorite, true)
      await panelOf(page).getByRole('button', { name: 'Copy media' }).click()
      await seeNotice(page, 'Media copied', '"Copy of second.jpg" was added to your library.')
      const downloading = page.waitForEvent('download')
      await viewerOf(page).getByRole('link', { name: 'Download' }).click()
      const file = await downloading
      assert.equal(file.suggestedFilename(), 'second.jpg')
      assert.deepEqual(await readFile(await file.path()), large)
      await panelOf(page).getByRole('button', { name: 'Sync name to ImageKit' }).click()
      await seeNotice(page, 'URL sync failed')
    },
    { as: ann },
  )

  await story(
    'moving to the trash goes on to the next item and can be undone; deleting asks with the specified words',
    async ({ page, visit, become }) => {
      const ben = await product.register('ben')
      const kept = await ben.addPicture('kept.jpg')
      const gone = await ben.addPicture('gone.jpg')
      await become(ben)
      await visit(`/?item=${gone.id}`)
      await seeName(page, 'gone.jpg')
      await seeBehind(page, kept.id)
      // Not all is up to date again when it is undone.
      const counted = Promise.withResolvers<void>()
      await page.route('**/api/user/storage', (route) => counted.promise.then(() => route.continue()))
      // Held too long, it still takes one.
      for (const _ of [1, 2, 3]) await page.keyboard.down('Delete')
      await page.keyboard.up('Delete')
      await seeName(page, 'kept.jpg')
      await seeNotice(page, 'Moved to Trash')
      await noticeOf(page).getByText('Undo').click()
      await seeNotice(page, 'Restored')
      await seeBehind(page, gone.id)
      counted.resolve()
      await viewerOf(page).getByRole('button', { name: 'Previous' }).click()
      await seeName(page, 'gone.jpg')

      await panelOf(page).getByRole('button', { name: 'Delete', exact: true }).click()
      const question = page.getByRole('alertdialog')
      await question
        .getByText('Are you sure you want to delete this media? This action cannot be undone.', { exact: true })
        .waitFor()
      await assertAccessible(page)
      const harmless = question.getByRole('button', { name: 'Cancel' })
      assert.ok(await harmless.evaluate((button) => button === document.activeElement), 'the question has the focus')
      await harmless.click()
      await panelOf(page).getByRole('button', { name: 'Delete', exact: true }).click()
      // Whoever asks for what is gone waits for long; the person does not.
      const moved = Promise.withResolvers<void>()
      await page.route(`**/api/media/${gone.id}`, async (route) => {
        if (route.request().method() === 'GET') await moved.promise
        await route.continue()
      })
      await question.getByRole('button', { name: 'Delete', exact: true }).click()
      await seeNotice(page, 'Media deleted')
      await seeName(page, 'kept.jpg')
      await question.waitFor({ state: 'hidden' })
      moved.resolve()
      assert.equal((await ben.get(`/api/media/${gone.id}`)).statusCode, 404)
      await panelOf(page).getByRole('button', { name: 'Move to Trash' }).click()
      await viewerOf(page).waitFor({ state: 'hidden' })

      await visit(`/?filter=trash&item=${kept.id}`)
      await panelOf(page).getByText('In the Trash').waitFor()
      await panelOf(page).getByRole('button', { name: 'Restore' }).click()
      await seeNotice(page, 'Restored')
      assert.equal((await ben.get(`/api/media/${kept.id}`)).json().trashedAt, null)
    },
  )

  await story(
    'an item that leaves the list behind it keeps its neighbours; one that was trashed is none, unless that is refused',
    async (it) => {
      const { page, visit, become } = it
      const cleo = await product.register('cleo')
      const ids: number[] = []
      for (const name of ['last.jpg', 'middle.jpg', 'newest.jpg']) ids.push((await cleo.addPicture(name)).id)
      for (const id of ids) await cleo.patch(`/api/media/${id}`, { isFavorite: true })
      await become(cleo)
      await visit(`/?filter=favorites&item=${ids[1]}`)
      await seeName(page, 'middle.jpg')
      await seeBehind(page, ids[1]!)
      await page.keyboard.press('f')
      await page.locator(`[data-media-id="${ids[1]}"]`).waitFor({ state: 'detached' })
      await page.keyboard.press('ArrowRight')
      await seeName(page, 'last.jpg')

      // Faster than the list behind: it still shows what is in the trash already.
      await visit(`/?item=${ids[0]}`)
      await seeName(page, 'last.jpg')
      await seeBehind(page, ids[0]!)
      const listed = Promise.withResolvers<void>()
      await page.route('**/api/media?*', (route) => listed.promise.then(() => route.continue()))
      // The first is refused when the second is in the trash: it alone comes back.
      const refused = Promise.withResolvers<void>()
      await page.route('**/api/media/bulk-trash', (route) => refused.promise.then(() => route.abort()), { times: 1 })
      await page.keyboard.press('Delete')
      await seeName(page, 'middle.jpg')
      await page.keyboard.press('Delete')
      await seeName(page, 'newest.jpg')
      await seeNotice(page, 'Moved to Trash')
      refused.resolve()
      await seeNotice(page, 'Delete failed')
      await viewerOf(page).getByRole('button', { name: 'Next' }).click()
      await seeName(page, 'last.jpg')
      await page.keyboard.press('Delete')
      await seeName(page, 'newest.jpg')
      listed.resolve()
      await page.locator(`[data-media-id="${ids[1]}"]`).waitFor({ state: 'detached' })
      assert.equal(await viewerOf(page).getByRole('button', { name: 'Next' }).count(), 0)
    },
  )

  const clips = createClipMaker(await temporaryFolder(context))
  context.after(clips.close)

  await story(
    'a video plays, and one that browsers cannot play is prepared and then plays',
    async ({ page, visit }) => {
      const film = await ann.addPicture(
        'film.mp4',
        await readFile(await clips.make({ index: 'first', audioCodec: 'aac' })),
      )
      await visit(`/?item=${film.id}`)
      const player = viewerOf(page).locator('video')
      await player.waitFor()
      assert.equal(await player.getAttribute('src'), film.playbackUrl)
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
      await viewerOf(page).getByText('This video is being prepared').waitFor()
      await viewerOf(page).getByRole('progressbar', { name: 'Preparing' }).waitFor()
      await set({ playback: 'failed', processing_error: 'This video could not be made playable.' })
      await page.reload()
      await panelOf(page).getByText('This video could not be made playable.').waitFor()
    },
    { as: ann },
  )

  await story(
    'what failed is tried again from the card, its menu and the viewer, and then plays without a reload',
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
          await card.getByRole('button', { name: 'More about again.avi' }).click()
          await page.getByRole('menuitem', { name: 'Retry processing' }).click()
        }
        // A row of the list does not say that it cannot be played: only the answer tells that the work has begun.
        await begun
        await card.getByText('Cannot play').waitFor({ state: 'detached' })
        await product.settled()
        assert.equal((await load(film.id)).playback, 'rendition')
      }

      await fail()
      await visit(`/?item=${film.id}`)
      await viewerOf(page).getByText('This video cannot be played here').waitFor()
      await assertAccessible(page)
      await panelOf(page).getByRole('alert').getByRole('button', { name: 'Retry processing again.avi' }).click()
      await page.waitForFunction(() => document.querySelector('video')?.src.endsWith('~playable.mp4'))
      await panelOf(page).getByRole('alert').waitFor({ state: 'detached' })

      await page.route('**/reprocess', (route) =>
        route.fulfill({ status: 409, json: { message: 'This video is already being prepared.', code: 'conflict' } }),
      )
      await fail()
      await page.reload()
      await panelOf(page).getByRole('alert').getByRole('button', { name: 'Retry processing again.avi' }).click()
      await seeNotice(page, 'Processing failed', 'This video is already being prepared.')
    },
    { as: ann },
  )

  await story(
    'on a phone the panel is a sheet below, and a finger turns the page',
    async ({ page, visit }) => {
      await visit(`/?item=${second.id}`)
      await pictureOf(page, 'second.jpg').waitFor()
      assert.equal(await panelOf(page).count(), 0, 'the picture comes first')
      await seeBehind(page, first.id)
      await swipeLeft(page)
      await pictureOf(page, 'The old harbour').waitFor()
      const unseen = await viewerOf(page).getByRole('button', { name: 'Previous' }).boundingBox()
      assert.equal(unseen?.width, 1, 'it is there for screen readers')
      // On a film a finger seeks.
      const film = (await ann.get('/api/media?type=video')).json().media.at(-1)
      await visit(`/?item=${film.id}`)
      await viewerOf(page).getByRole('button', { name: 'Next' }).tap()
      await pictureOf(page, 'Copy of second.jpg').waitFor()
      await visit(`/?item=${second.id}`)
      await viewerOf(page).getByRole('button', { name: 'Info' }).tap()
      const [panel, screen] = [await panelOf(page).boundingBox(), page.viewportSize()]
      assert.ok(panel && screen && panel.width === screen.width && panel.y > screen.height * 0.3)
      await assertAccessible(page)
    },
    { as: ann, hasTouch: true, viewport: { width: 360, height: 720 } },
  )
})

/** What Tab comes by on its way to the one with this name. */
async function tabStops(page: Page, last: string) {
  const stops: string[] = []
  while (stops.at(-1) !== last && stops.length < 20) {
    await page.keyboard.press('Tab')
    stops.push(await page.evaluate(() => document.activeElement?.getAttribute('aria-label') ?? ''))
  }
  return stops
}

async function swipeLeft(page: Page) {
  const finger = await page.context().newCDPSession(page)
  const at = (x: number) => ({ touchPoints: [{ x, y: 360 }] })
  await finger.send('Input.dispatchTouchEvent', { type: 'touchStart', ...at(300) })
  for (const x of [250, 200, 150, 100]) await finger.send('Input.dispatchTouchEvent', { type: 'touchMove', ...at(x) })
  await finger.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] })
}
