import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import type { Route } from 'playwright-core'
import { startMisbehavingEndpoint } from '#engines/ai/testing/misbehaving-endpoint.ts'
import {
  arriveAt,
  asksBeforeLeaving,
  assertAccessible,
  holdPatch,
  holdToast,
  loseResponse,
  openStories,
  seeFocus,
  seeToast,
} from '#tests/support/browser.ts'
import { restrictClipboardToPress } from '#tests/support/clipboard.ts'
import { makeJpeg } from '#tests/support/pictures.ts'
import { panelOf, seeName, viewerOf } from '#tests/support/viewer.ts'

test('what the viewer tells and changes', async (context) => {
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
    'Cancel and a discarded edit restore the previous values',
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
      // What is only looked at is left without a question.
      assert.equal(await asksBeforeLeaving(page), false)
      await page.keyboard.press('Escape')
      await panel.getByRole('button', { name: 'Edit' }).waitFor()
      await page.keyboard.press('e')
      // The keys of the viewer rest.
      await panel.getByRole('button', { name: 'Cancel' }).press('Delete')
      await panel.getByLabel('Description', { exact: true }).fill('Not yet')
      assert.ok(await asksBeforeLeaving(page))
      await page.keyboard.press('Escape')
      const question = page.getByRole('alertdialog', { name: 'Discard your changes?' })
      await question.getByRole('button', { name: 'Keep editing' }).click()
      assert.equal(await panel.getByLabel('Description', { exact: true }).inputValue(), 'Not yet')
      await viewerOf(page).getByRole('button', { name: 'Previous' }).click()
      await question.getByRole('button', { name: 'Keep editing' }).click()
      await page.keyboard.press('Escape')
      await question.getByRole('button', { name: 'Discard' }).click()
      await seeName(page, 'first.jpg')
      assert.equal(await asksBeforeLeaving(page), false)
      // What had the focus is gone; the page behind the viewer must not get it.
      await question.waitFor({ state: 'detached' })
      await viewerOf(page).and(page.locator(':focus-within')).waitFor()
    },
    { as: ann, hasMotion: true },
  )

  await story(
    'Back asks before unsaved text is lost, and a draft belongs to one item',
    async ({ page, visit }) => {
      await visit('/')
      await page.getByRole('button', { name: 'Open first.jpg' }).click()
      const panel = panelOf(page)
      const question = page.getByRole('alertdialog', { name: 'Discard your changes?' })
      await panel.getByRole('button', { name: 'Edit' }).waitFor()
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
      await page.keyboard.press('e')
      await panel.getByLabel('Filename').waitFor()
      const lead = (id: number) => page.evaluate((address) => history.pushState(null, '', address), `/?item=${id}`)
      await lead(second.id)
      await seeName(page, 'second.jpg')
      await lead(first.id)
      await panel.getByRole('button', { name: 'Cancel' }).click()
    },
    { as: ann, hasMotion: true },
  )

  await story(
    'Save stores name, descriptions and tags, and can be repeated after a failure',
    async ({ page, visit }) => {
      await visit(`/?item=${first.id}`)
      const panel = panelOf(page)
      await panel.getByRole('button', { name: 'Edit' }).click()
      await panel.getByLabel('Filename').fill('  ')
      assert.ok(await panel.getByRole('button', { name: 'Save' }).isDisabled())
      await panel.getByLabel('Filename').fill('harbour.jpg')
      await panel.getByLabel('Description', { exact: true }).fill('The old harbour')
      await panel.getByLabel('AI description').fill('Boats')
      for (const tag of ['Sea', 'sea ', 'boat,']) {
        await panel.getByRole('combobox', { name: 'Tags' }).fill(tag.replace(',', ''))
        await panel.getByRole('combobox', { name: 'Tags' }).press(tag.endsWith(',') ? ',' : 'Enter')
      }
      // Aloud: the line is empty again, and the list below says nothing by itself.
      const aloud = panel.locator('[aria-live=polite][aria-atomic=true]')
      await aloud.getByText('Added boat', { exact: true }).waitFor()
      await panel.getByRole('combobox', { name: 'Tags' }).fill(`${'x'.repeat(51)}, evening light, summer holiday`)
      await panel.getByRole('combobox', { name: 'Tags' }).press('Enter')
      await panel.getByText('A tag can have up to 50 characters.').waitFor()
      await panel.getByRole('button', { name: 'Remove xxx' }).press('Enter')
      await seeFocus(page, 'Remove evening light')
      await aloud.getByText(/^Removed x+$/).waitFor()
      await panel.getByRole('combobox', { name: 'Tags' }).fill('harbour')
      await assertAccessible(page)
      // What could not be saved is still there, and is saved by the next try.
      const refuse = (route: Route) => (route.request().method() === 'PATCH' ? route.abort() : route.continue())
      await page.route(`**/api/media/${first.id}`, refuse)
      await panel.getByRole('button', { name: 'Save' }).click()
      await seeToast(page, 'Update failed')
      await page.unroute(`**/api/media/${first.id}`, refuse)
      await panel.getByRole('button', { name: 'Save' }).click()
      await seeToast(page, 'Changes saved')
      await seeName(page, 'harbour.jpg')
      await panel.getByText('The old harbour').waitFor()
      await viewerOf(page).locator('[aria-live=polite]', { hasText: 'Image. The old harbour' }).waitFor()
      const saved = await load(first.id)
      assert.deepEqual(
        [saved.filename, saved.userDescription, saved.aiDescription, saved.aiTags],
        ['harbour.jpg', 'The old harbour', 'Boats', ['sea', 'boat', 'evening light', 'summer holiday', 'harbour']],
      )
    },
    { as: ann, hasMotion: true },
  )

  await story(
    'text that is typed during a slow save is kept, and is saved by the next press',
    async ({ page, visit }) => {
      await visit(`/?item=${second.id}`)
      const panel = panelOf(page)
      await panel.getByRole('button', { name: 'Edit' }).click()
      const description = panel.getByLabel('Description', { exact: true })
      await description.fill('At the sea')
      const saving = await holdPatch(page, `**/api/media/${second.id}`)
      const save = panel.getByRole('button', { name: 'Save' })
      await save.click()
      await description.fill('At the sea, at noon')
      // Saving must not remove a tag that was added elsewhere meanwhile.
      await ann.patch(`/api/media/${second.id}`, { aiTags: ['sand'] })
      saving.answer()
      await seeToast(page, 'Changes saved')
      await panel.getByRole('button', { name: 'Save', disabled: false }).waitFor()
      assert.equal(await description.inputValue(), 'At the sea, at noon')
      assert.ok(await asksBeforeLeaving(page))
      assert.equal((await load(second.id)).userDescription, 'At the sea')
      await save.click()
      await panel.getByText('At the sea, at noon').waitFor()
      await panel.getByRole('button', { name: 'Edit' }).waitFor()
      const { userDescription, aiTags } = await load(second.id)
      assert.deepEqual([userDescription, aiTags], ['At the sea, at noon', ['sand']])
    },
    { as: ann },
  )

  await story(
    'a user who is signed out while writing stays on the page, signs in in another tab, and saves',
    async ({ page, browser, visit }) => {
      await visit(`/?item=${first.id}`)
      const panel = panelOf(page)
      await panel.getByRole('button', { name: 'Edit' }).click()
      await panel.getByLabel('Description', { exact: true }).fill('What took long to write')
      await browser.clearCookies()
      const save = panel.getByRole('button', { name: 'Save' })
      await save.click()
      await seeToast(page, "You've been signed out", 'Sign in from another tab')

      const other = await browser.newPage()
      await other.goto('/auth')
      await other.getByLabel('Username').fill('ann')
      await other.getByLabel('Password', { exact: true }).fill('correct horse')
      await other.keyboard.press('Enter')
      await arriveAt(other, '/')
      await other.close()
      await save.click()
      await seeToast(page, 'Changes saved')
      assert.equal((await load(first.id)).userDescription, 'What took long to write')
      await ann.patch(`/api/media/${first.id}`, { userDescription: '' })
    },
    { as: ann },
  )

  await story(
    'words in Hebrew go from right to left, where they are read and where they are written',
    async ({ page, visit }) => {
      const words = 'הים, בערב.'
      await ann.patch(`/api/media/${third.id}`, { userDescription: words })
      await visit(`/?item=${third.id}`)
      const fromTheRight = page.locator(':dir(rtl)')
      await panelOf(page).getByText(words).and(fromTheRight).waitFor()
      await page.keyboard.press('e')
      await panelOf(page).getByLabel('Description', { exact: true }).and(fromTheRight).waitFor()
      await panelOf(page).getByLabel('Filename').fill(words)
      await panelOf(page).getByLabel('Filename').and(fromTheRight).waitFor()
      await ann.patch(`/api/media/${third.id}`, { userDescription: '' })
    },
    { as: ann },
  )

  await story(
    'a confirmation that opens again before the focus has returned still returns it',
    async ({ page, visit }) => {
      await visit(`/?item=${second.id}`)
      await panelOf(page).getByRole('button', { name: 'Edit' }).click()
      const description = panelOf(page).getByLabel('Description', { exact: true })
      await description.fill('Not yet')
      const question = page.getByRole('alertdialog', { name: 'Discard your changes?' })
      // A visitor who came by a link closes the viewer without going back in the history, so nothing asks earlier.
      await viewerOf(page).getByRole('button', { name: 'Close', exact: true }).click()
      await question.getByRole('button', { name: 'Keep editing' }).click()
      await seeFocus(page, 'Close')
      await description.focus()
      /** Escape, then again in the very moment in which the question has gone. */
      const askTwice = async () => {
        await page.keyboard.press('Escape')
        await question.waitFor()
        const asked = await page.evaluateHandle(() => {
          const { promise, resolve } = Promise.withResolvers<void>()
          const watching = new MutationObserver(() => {
            if (document.querySelector('[role=alertdialog]')) return
            watching.disconnect()
            window.dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape' }))
            resolve()
          })
          watching.observe(document.body, { childList: true, subtree: true })
          return { promise }
        })
        await question.getByRole('button', { name: 'Keep editing' }).click()
        await asked.evaluate(({ promise }) => promise)
      }
      await askTwice()
      await question.getByRole('button', { name: 'Keep editing' }).click()
      await description.and(page.locator(':focus')).waitFor()
      await askTwice()
      await question.getByRole('button', { name: 'Discard' }).click()
      await question.waitFor({ state: 'detached' })
      await viewerOf(page).and(page.locator(':focus-within')).waitFor()
    },
    { as: ann },
  )

  for (const viewport of [undefined, { width: 390, height: 740 }]) {
    await story(
      `an error while saving is shown next to the save button: ${viewport ? 'phone' : 'desktop'}`,
      async ({ page, visit }) => {
        await visit(`/?item=${first.id}`)
        if (viewport) await viewerOf(page).getByRole('button', { name: 'Info' }).click()
        await panelOf(page).getByRole('button', { name: 'Edit' }).click()
        await panelOf(page)
          .getByLabel('Description', { exact: true })
          .fill(viewport ? 'By the sea' : 'By a lake')
        const save = panelOf(page).getByRole('button', { name: 'Save' })
        await page.route('**/api/media/*', (route) => route.abort(), { times: 1 })
        await save.click()
        await holdToast(page, 'Update failed')
        await save.click()
        await seeToast(page, 'Changes saved')
      },
      { as: ann, viewport },
    )
  }

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
      await arriveAt(page, `/?search=tag%3A%22one+more%22&${shape}`)
      await viewerOf(page).waitFor({ state: 'hidden' })
      await page.getByText('1-1 of 1 items').waitFor()
      await page.getByRole('button', { name: 'Remove filter Tag: one more' }).waitFor()
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
      await seeToast(page, 'Analysis complete')
      await panel.getByText('A close-up of an orange cat.').waitFor()
      await panel
        .getByRole('listitem')
        .filter({ hasText: 'animal' })
        .getByRole('img', { name: 'Added by AI' })
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
      // What another tab has added at this moment stays.
      const adding = await holdPatch(page, `**/api/media/${cat.id}`)
      await suggested.getByRole('button', { name: 'Add 1 tag' }).click()
      await adding.asked
      await ann.patch(`/api/media/${cat.id}`, { aiTags: ['cat', 'garden'] })
      adding.answer()
      await seeToast(page, 'Tags added')
      await suggested.getByRole('button', { name: 'sofa · Added' }).waitFor()
      assert.deepEqual((await load(cat.id)).aiTags, ['cat', 'garden', 'sofa'])
      await page.unroute('**/suggest-tags')
      await page.route('**/suggest-tags', (route) => route.fulfill({ json: { suggestedTags: ['cat'] } }))
      await panel.getByRole('button', { name: 'Suggest tags' }).click()
      await suggested.getByText('No more suggestions for this item.').waitFor()
      await suggested.getByRole('button', { name: 'cat · Added' }).waitFor()
      assert.equal(await suggested.getByRole('button', { name: /^Add/ }).count(), 0)
      await page.unroute('**/suggest-tags')
      await page.route('**/suggest-tags', (route) => route.fulfill({ status: 500, body: '' }))
      await panel.getByRole('button', { name: 'Suggest tags' }).click()
      await seeToast(page, 'Tag generation failed', 'Could not generate tag suggestions.')

      const failed = { ai_status: 'failed' as const, ai_error: 'The model refused to describe it.' }
      await product.services.db.updateTable('media').set(failed).where('id', '=', cat.id).execute()
      await page.reload()
      await panel.getByText('The model refused to describe it.').waitFor()
      await panel.getByRole('button', { name: 'Retry' }).click()
      await seeToast(page, 'Analysis complete')
      await panel.getByText('AI analysis failed').waitFor({ state: 'hidden' })
    },
    { as: ann },
  )

  await story(
    'a public URL is created, copied and renamed within its rules',
    async ({ page, browser, visit }) => {
      await restrictClipboardToPress(browser)
      await visit(`/?item=${second.id}`)
      const panel = panelOf(page)
      await panel.getByRole('button', { name: 'Create public URL' }).click()
      await seeToast(page, 'Public URL created', 'The link was copied to your clipboard.')
      const { publicUrlSlug } = await load(second.id)
      assert.equal(await page.evaluate(() => navigator.clipboard.readText()), `${address}/public/${publicUrlSlug}`)
      await panel.getByRole('button', { name: 'Copy public URL' }).and(page.locator(':focus')).waitFor()
      await page.keyboard.press('Escape')
      await page.getByRole('button', { name: 'Actions for second.jpg' }).click()
      await page.getByRole('menuitem', { name: 'Copy public URL' }).click()
      await seeToast(page, 'Copied to clipboard', 'Public URL copied successfully.')
      await page.getByRole('button', { name: 'Open second.jpg' }).click()

      await panel.getByRole('button', { name: 'Rename URL' }).click()
      const field = panel.getByRole('textbox', { name: 'Public URL' })
      const update = panel.getByRole('button', { name: 'Update' })
      await field.press('Escape')
      await seeFocus(page, 'Rename URL')
      await page.keyboard.press('Enter')
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
      await seeToast(page, 'Error')
      await panel.getByRole('alert').waitFor()
      await field.fill('old-harbour')
      await field.press('Enter')
      await seeToast(page, 'URL updated')
      await seeFocus(page, 'Rename URL')
      await panel.getByRole('link', { name: /\/public\/old-harbour$/ }).waitFor()
      assert.equal((await load(second.id)).publicUrlSlug, 'old-harbour')
    },
    { as: ann },
  )

  await story(
    'an item that is made private and public again can have a new link',
    async ({ page, browser, visit }) => {
      await restrictClipboardToPress(browser)
      await visit(`/?item=${second.id}`)
      const panel = panelOf(page)
      await panel.getByRole('button', { name: 'Make private' }).click()
      await panel.getByText('Only you can see this.').waitFor()
      assert.equal((await load(second.id)).publicUrl, null)

      await panel.getByRole('button', { name: 'Create public URL' }).click()
      await panel.getByText('This is the same link as before.').waitFor()
      await panel.getByRole('button', { name: 'Use a new link' }).click()
      await seeToast(page, 'New link created')
      await seeFocus(page, 'Copy public URL')
      await panel.getByRole('link', { name: /\/public\/(?!old-harbour)/ }).waitFor()
      assert.equal((await product.visitor().get('/public/old-harbour')).statusCode, 404)
      await ann.delete(`/api/media/${second.id}/public`)
    },
    { as: ann },
  )

  await story(
    'an item without its own link is still shown on the public page of its collection',
    async ({ page, visit }) => {
      const { id: collectionId } = (await ann.post('/api/collections', { name: 'Harbour week' })).json()
      await ann.post(`/api/collections/${collectionId}/media/${second.id}`)
      await ann.patch(`/api/collections/${collectionId}/visibility`, { isPublic: true })
      await ann.post(`/api/media/${second.id}/public`)
      await visit(`/?item=${second.id}`)
      const panel = panelOf(page)
      await panel.getByRole('button', { name: 'Make private' }).click()
      await seeToast(page, 'Public URL removed')
      await panel.getByText('Shown on the public page of "Harbour week".').waitFor()
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
      const copying: string[] = []
      page.on('request', (request) => request.url().endsWith('/copy') && copying.push(request.url()))
      await panelOf(page).getByRole('button', { name: 'Duplicate' }).focus()
      // A key that is let go late presses once.
      await page.keyboard.down('Enter')
      await seeToast(page, 'Item duplicated', '"Copy of second.jpg" was added to your library.')
      await page.keyboard.down('Enter')
      await page.keyboard.up('Enter')
      const downloading = page.waitForEvent('download')
      await viewerOf(page).getByRole('link', { name: 'Download' }).click()
      const file = await downloading
      assert.equal(file.suggestedFilename(), 'second.jpg')
      assert.deepEqual(await readFile(await file.path()), large)
      assert.equal(await panelOf(page).getByRole('button', { name: 'Sync name to ImageKit' }).count(), 0)
      assert.equal(copying.length, 1)

      // Only the answer gets lost: the second press wishes the same copy, and the third another.
      const copies = async () => (await ann.get('/api/media?search=second')).json().media.length
      const before = await copies()
      const copy = panelOf(page).getByRole('button', { name: 'Duplicate' })
      await loseResponse(page, '**/copy')
      await copy.click()
      await seeToast(page, 'Copy failed', 'Could not copy the media.')
      await copy.click()
      await seeToast(page, 'Item duplicated')
      assert.equal(await copies(), before + 1)
      const again = page.waitForResponse('**/copy')
      await copy.click()
      await again
      assert.equal(await copies(), before + 2)
    },
    { as: ann },
  )
})
