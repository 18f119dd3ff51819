import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startMisbehavingEndpoint } from '#engines/ai/testing/misbehaving-endpoint.ts'
import { openAiTag, tagsOf } from '#tests/support/ai-tag.ts'
import { assertAccessible, holdToast, openStories, seeToast, toastOf } from '#tests/support/browser.ts'
import { chooseMore, select } from '#tests/support/selection.ts'
import { panelOf, viewerOf } from '#tests/support/viewer.ts'

test('AI runs in the background', async (context) => {
  const endpoint = await startMisbehavingEndpoint()
  context.after(endpoint.close)
  const { product, story } = await openStories(context, { AI_BASE_URL: endpoint.baseUrl, AI_MODEL: 'held' })
  const ann = await product.register('ann')
  for (let index = 0; index < 6; index++) await ann.addPicture(`picture ${index}.jpg`)
  await story(
    'live events move the progress of an AI run without polling, and a stopped run keeps its results',
    async ({ page, visit }) => {
      // Requests for the progress fail, so any progress on the page came from live events.
      const progressRequests = /\/api\/ai-runs\/\w+$/
      await page.route(progressRequests, (route) => route.abort())
      await visit('/')
      const dialog = await openAiTag(page, 6)
      await dialog.getByRole('button', { name: 'Tag 6 items' }).click()
      while (endpoint.asked('held').length < 4) await endpoint.nextArrival()
      endpoint.release()
      await dialog.getByText('4 of 6 items').waitFor()
      await page.unroute(progressRequests)
      await page.route('**/api/ai-runs/*/cancel', (route) => route.abort(), { times: 1 })
      await dialog.getByRole('button', { name: 'Stop' }).click()
      await seeToast(page, "Couldn't stop", 'Please try again.')
      await dialog.getByRole('button', { name: 'Stop' }).click()
      await seeToast(page, 'AI Tagging stopped', 'The rest was canceled.')

      await page.getByRole('button', { name: 'Select', exact: true }).click()
      await page.getByRole('button', { name: 'More actions' }).click()
      await page.getByRole('menuitem', { name: 'History' }).click()
      const entry = page.getByRole('listitem').filter({ hasText: /AI Tag4 items/ })
      await entry.getByRole('button', { name: 'Undo' }).click()
      await seeToast(page, 'Undone', '4 items reverted.')
      // Keyboard users continue from here.
      await entry.getByText('Undone').and(page.locator(':focus')).waitFor()
      await assertAccessible(page)
    },
    { as: ann },
  )

  await story(
    'canceling an analysis in the viewer leaves the item unchanged',
    async ({ page, visit }) => {
      const { id } = await ann.addPicture('single.jpg')
      await visit(`/?item=${id}`)
      const viewer = viewerOf(page)
      const arrival = endpoint.nextArrival()
      await viewer.getByRole('button', { name: 'Re-run AI analysis' }).click()
      await arrival
      await viewer.getByText('Analyzing…').waitFor()
      await viewer.getByRole('button', { name: 'Cancel' }).click()
      await viewer.getByText('Analyzing…').waitFor({ state: 'detached' })
      endpoint.release()
      await product.settled()
      assert.deepEqual(await tagsOf(ann, id), [])
    },
    { as: ann },
  )

  await story(
    'an AI run in the background continues when the connection is lost, and a toast shows its end',
    async ({ page, visit }) => {
      const { id } = await ann.addPicture('late.jpg')
      await visit('/')
      await select(page, ['late.jpg'])
      await chooseMore(page, 'AI Tag (1)')
      const arrival = endpoint.nextArrival()
      const cut = page.waitForEvent('requestfailed', (request) => request.url().endsWith('/bulk-ai-tag'))
      const asked = Promise.withResolvers<void>()
      await page.route('**/api/media/bulk-ai-tag', async (route) => {
        void route.fetch().catch(() => undefined) // the response is not needed
        await Promise.all([arrival, asked.promise])
        await route.abort('connectionreset')
      })
      // The progress request that the dialog sends before the connection breaks stays pending until the dialog is closed.
      await page.route(/\/api\/ai-runs\/\w+$/, () => asked.resolve(), { times: 1 })
      const dialog = page.getByRole('dialog', { name: 'AI Tag' })
      await dialog.getByRole('button', { name: 'Tag 1 item' }).click()
      await cut
      await dialog.getByRole('button', { name: 'Continue in background' }).click()
      await dialog.waitFor({ state: 'detached' })
      endpoint.release()
      await holdToast(page, 'AI Tagging complete', '1 item analyzed.')
      assert.deepEqual(await tagsOf(ann, id), ['cat', 'animal'])
      await page.getByRole('button', { name: 'Undo' }).click()
      await seeToast(page, 'Undone', '1 item reverted.')
    },
    { as: ann },
  )

  await story(
    'opening a review from its toast asks before discarding unsaved changes',
    async ({ page, visit }) => {
      await ann.addPicture('reviewed.jpg')
      await visit('/')
      await select(page, ['reviewed.jpg'])
      await chooseMore(page, 'AI Tag (1)')
      const dialog = page.getByRole('dialog', { name: 'AI Tag' })
      await dialog.getByLabel('Review before applying').check()
      const arrival = endpoint.nextArrival()
      await dialog.getByRole('button', { name: 'Tag 1 item' }).click()
      await dialog.getByRole('button', { name: 'Continue in background' }).click()
      await arrival
      await page.getByRole('button', { name: 'Done', exact: true }).click()
      await page.getByRole('button', { name: 'Open single.jpg' }).click()
      await panelOf(page).getByRole('button', { name: 'Edit' }).click()
      await panelOf(page).getByLabel('Description', { exact: true }).fill('Not yet')
      endpoint.release()
      await holdToast(page, 'Ready for your review')
      await toastOf(page).getByRole('button', { name: 'Review' }).click()
      const question = page.getByRole('alertdialog', { name: 'Discard your changes?' })
      await question.getByRole('button', { name: 'Discard' }).click()
      await page.getByRole('heading', { name: 'AI review' }).waitFor()
    },
    { as: ann },
  )

  const lea = await product.register('lea')
  await story(
    'after signing out, the page shows no toast about the end of a run or an analysis',
    async ({ page, visit }) => {
      await lea.addPicture('left.jpg')
      await lea.addPicture('single.jpg')
      await visit('/')
      await page.getByRole('button', { name: 'Open single.jpg' }).click()
      const first = endpoint.nextArrival()
      const analyzed = page.waitForResponse('**/analyze')
      await panelOf(page).getByRole('button', { name: 'Re-run AI analysis' }).click()
      await first
      await page.keyboard.press('Escape')
      await viewerOf(page).waitFor({ state: 'detached' })
      await select(page, ['left.jpg'])
      await chooseMore(page, 'AI Tag (1)')
      const arrival = endpoint.nextArrival()
      const answered = page.waitForResponse('**/api/media/bulk-ai-tag')
      await page.getByRole('button', { name: 'Tag 1 item' }).click()
      await page.getByRole('button', { name: 'Continue in background' }).click()
      await arrival
      await page.getByRole('button', { name: /^Account/ }).click()
      await page.getByRole('menuitem', { name: 'Logout' }).click()
      await seeToast(page, 'Goodbye!')
      endpoint.release()
      for (const answer of [answered, analyzed]) await (await answer).finished()
      // A toast would appear a moment after the response.
      await page.evaluate(() => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn))))
      assert.equal(await page.getByText(/AI Tagging complete|Analysis complete/).count(), 0)
    },
    { as: lea },
  )

  await story(
    'a review that was applied is not called unapplied when the response is lost',
    async ({ page, visit }) => {
      const { id } = await ann.addPicture('cut.jpg')
      endpoint.releasePermanently()
      const { run } = (await ann.post('/api/media/bulk-ai-tag', { mediaIds: [id], review: true })).json()
      await page.route('**/api/ai-reviews/*/apply', async (route) => {
        await route.fetch()
        await route.abort('connectionreset')
      })
      await visit(`/?tool=review&run=${run.runId}`)
      await page.getByRole('button', { name: 'Apply to 1 item' }).click()
      await seeToast(page, 'Review failed', 'Check History to see whether it was applied')
      await page.getByText('These suggestions have already been reviewed.').waitFor()
      assert.deepEqual(await tagsOf(ann, id), ['cat', 'animal'])
    },
    { as: ann },
  )
})
