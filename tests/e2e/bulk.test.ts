import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { insertRun } from '#platform/server/runs/runs-store.ts'
import {
  assertAccessible,
  holdResponse,
  holdToast,
  ignoreEvents,
  loseResponse,
  openStories,
  type Story,
  seeFocus,
  seeToast,
  toastOf,
} from '#tests/support/browser.ts'
import { cardOf, chooseMore, register, select } from '#tests/support/selection.ts'

test('bulk actions', async (context) => {
  const { product, story } = await openStories(context)
  const renaming = async ({ page, visit, signInAs }: Story) => {
    await signInAs(await register(product, 'renamer', ['one.jpg', 'two.jpg', 'three.jpg']))
    await visit('/')
    await select(page, ['one.jpg', 'two.jpg'])
    await chooseMore(page, /^Rename/)
    const preview = page.getByRole('list', { name: 'Preview' }).getByRole('listitem')
    await preview.first().getByText('one.jpg', { exact: true }).first().waitFor()
    await page.getByLabel('Base name').fill('Trip')
    await preview.getByText('Trip-2.jpg').waitFor()
    assert.deepEqual(await preview.allTextContents(), ['one.jpgTrip-1.jpg', 'two.jpgTrip-2.jpg'])
    await assertAccessible(page)
    await page.keyboard.press('Enter')
    await holdToast(page, 'Images renamed', 'Renamed 2 items.')
    await cardOf(page, 'Trip-1.jpg').waitFor()
    await seeFocus(page, 'Select')
    await page.getByRole('button', { name: 'Undo' }).click()
    await seeToast(page, 'Undone', '2 items restored.')
    await cardOf(page, 'one.jpg').waitFor()
  }
  await story('a bulk rename can be undone from its toast', renaming, { hasMotion: true })

  await story(
    'Add Tags previews lower-case tags and adds them, and History can undo it',
    async ({ page, visit, signInAs }) => {
      await signInAs(await register(product, 'tagger', ['one.jpg']))
      await ignoreEvents(page)
      await visit('/')
      await select(page, ['one.jpg'])
      await page.getByRole('button', { name: 'Add Tags' }).click()
      const add = page.getByRole('dialog').getByRole('button', { name: 'Add Tags' })
      assert.equal(await add.isDisabled(), true)
      await page.getByRole('combobox', { name: 'Tags' }).fill('Beach, , SUN')
      const preview = page.getByRole('list', { name: 'Preview' }).getByRole('listitem')
      await preview.nth(1).waitFor()
      assert.deepEqual(await preview.allTextContents(), ['beach', 'sun'])
      await add.click()
      await seeToast(page, 'Tags added', 'Added 2 tags to 1 item.')
      await page.getByRole('tabpanel').getByText('beach', { exact: true }).waitFor()
      await page.getByRole('button', { name: 'Select', exact: true }).click()
      // Twice, because the page retries once automatically.
      await page.route('**/api/history?*', (route) => route.abort(), { times: 2 })
      await chooseMore(page, 'History')
      const history = page.getByRole('dialog', { name: 'History' })
      await history.getByText("Couldn't load history").waitFor()
      await history.getByText('Please check your connection.').waitFor()
      assert.equal(await history.getByText('No changes yet').count(), 0)
      await history.getByRole('button', { name: 'Try again' }).click()
      await history.getByRole('button', { name: 'Undo' }).click()
      await page.getByText('Undone', { exact: true }).first().waitFor()
      // History needs no selection, so the account menu offers it too.
      await page.keyboard.press('Escape')
      await page.keyboard.press('Escape')
      await page.getByRole('button', { name: 'Account: tagger' }).click()
      await page.getByRole('menuitem', { name: 'History' }).click()
      await history.getByText('1 item ·').waitFor()
    },
  )

  await story('two undos run one after the other even if the first is slow', async ({ page, visit, signInAs }) => {
    const user = await register(product, 'undoer', ['one.jpg'])
    const [{ id }] = (await user.get('/api/media')).json().media
    for (const baseName of ['older', 'newer']) await user.post('/api/media/bulk-rename', { mediaIds: [id], baseName })
    await signInAs(user)
    await visit('/')
    await page.getByRole('button', { name: 'Account: undoer' }).click()
    await page.getByRole('menuitem', { name: 'History' }).click()
    const entries = page.getByRole('dialog', { name: 'History' }).getByRole('listitem')
    const undo = entries.getByRole('button', { name: 'Undo' })
    await undo.nth(1).waitFor()
    const asked = page.waitForRequest('**/undo')
    const answer = await holdResponse(page, '**/undo')
    await undo.first().click()
    await undo.nth(1).click()
    await asked
    for (const index of [0, 1]) await undo.and(page.locator('[aria-busy]')).nth(index).waitFor()
    answer()
    await entries.getByText('Undone', { exact: true }).nth(1).waitFor()
    assert.equal((await user.get(`/api/media/${id}`)).json().filename, 'one.jpg')
  })

  await story(
    'History loads more than its first hundred entries, and shows runs in progress',
    async ({ page, visit, signInAs }) => {
      const user = await register(product, 'historian', [])
      const { db } = product.services
      const [owner_id, kind] = [user.id, 'rename' as const]
      const changes = Array.from({ length: 120 }, (_, index) => ({
        title: `Change ${index + 1}`,
        created_at: index * 2,
      }))
      const ended = { owner_id, kind, options: '{}', status: 'ended' as const, total: 1, updated_at: 1 }
      await db
        .insertInto('runs')
        .values(changes.map((change) => ({ ...change, ...ended })))
        .execute()
      const runs = Array.from({ length: 30 }, (_, index) => ({ key: `run-${index}`, created_at: index * 2 + 1 }))
      await db
        .insertInto('runs')
        .values(runs.map((run) => ({ ...run, ...ended, kind: 'ai-rename-run' })))
        .execute()
      await signInAs(user)
      await visit('/')
      const openHistory = async () => {
        await page.getByRole('button', { name: 'Account: historian' }).click()
        await page.getByRole('menuitem', { name: 'History' }).click()
      }
      await openHistory()
      const history = page.getByRole('dialog', { name: 'History' })
      const entries = history.getByRole('listitem')
      await history.getByText('Change 120').waitFor()
      assert.equal(await entries.count(), 100)
      // Twice, because the page retries once automatically.
      await page.route('**/api/history?*', (route) => route.abort(), { times: 2 })
      await history.getByRole('button', { name: 'Show more' }).click()
      await history.getByText("Couldn't load history").waitFor()
      assert.equal(await entries.count(), 100, 'the loaded entries stay')
      await history.getByRole('button', { name: 'Try again' }).click()
      await history.getByText('Change 1', { exact: true }).waitFor()
      assert.equal(await entries.count(), 150)
      assert.equal(await history.getByRole('button', { name: 'Show more' }).count(), 0)
      await entries.last().getByText('Change 1', { exact: true }).waitFor()

      // A run continues without the page that started it.
      const left = { key: 'left', kind: 'bulk-convert-webp', ownerId: user.id }
      await insertRun(db, left, [{ input: '1' }, { input: '2' }])
      await page.keyboard.press('Escape')
      await openHistory()
      const run = entries.filter({ hasText: 'Convert to WebP' })
      await run.getByText('0 of 2 items').waitFor()
      await run.getByRole('button', { name: 'Stop' }).click()
      await run.waitFor({ state: 'detached' })
    },
  )

  await story(
    'items are described, copied and deleted in bulk, and a late response blocks a second request',
    async ({ page, visit, signInAs }) => {
      await signInAs(await register(product, 'describer', ['one.jpg', 'two.jpg']))
      await visit('/')
      await select(page, ['one.jpg', 'two.jpg'])
      await chooseMore(page, /^Edit Descriptions/)
      await page.getByRole('textbox', { name: 'Description' }).fill('By the sea')
      await page.getByRole('button', { name: 'Update Descriptions' }).click()
      // The toast must not cover the controls used next.
      await holdToast(page, 'Descriptions updated')
      await select(page, ['one.jpg', 'two.jpg'])
      await chooseMore(page, /^Copy Images/)
      const copying = page.getByRole('dialog', { name: 'Copy Images' })
      // While the response is late, the dialog shows progress and does not accept a second request.
      const go = Promise.withResolvers<void>()
      await page.route('**/api/media/bulk-copy', async (route) => {
        const response = await route.fetch()
        await go.promise
        await route.fulfill({ response })
      })
      const copy = copying.getByRole('button', { name: 'Copy 2 items' })
      // The layout width is used because the dialog may still be animating.
      const widthOf = () => copy.evaluate((button) => (button as HTMLElement).offsetWidth)
      const widthBefore = await widthOf()
      await copy.click()
      await copying.getByText('2 of 2 items').waitFor()
      assert.equal(await widthOf(), widthBefore)
      assert.equal(await copy.locator('> span').evaluate((label) => getComputedStyle(label).opacity), '1')
      await page.keyboard.press('Escape')
      assert.ok(await copying.getByRole('button', { name: 'Copy 2 items' }).isDisabled())
      go.resolve()
      await seeToast(page, 'Images copied', 'Copied 2 items.')
      await page.getByText('1-4 of 4 items').waitFor()
      await select(page, ['one.jpg'])
      await chooseMore(page, 'Delete permanently (1)…')
      const remove = page.getByRole('dialog', { name: 'Delete Images' }).getByRole('button', { name: 'Delete 1 item' })
      await loseResponse(page, '**/api/media/bulk-delete')
      await remove.click()
      await seeToast(page, 'Delete failed', 'Failed to delete selected images: Unknown error')
      await remove.click()
      await seeToast(page, 'Images deleted', 'This was already done.')
      await page.getByText('1-3 of 3 items').waitFor()
      await select(page, ['two.jpg'])
      await chooseMore(page, /^Delete/)
      await remove.click()
      await seeToast(page, 'Images deleted', 'Deleted 1 item.')
      await page.getByText('1-2 of 2 items').waitFor()
    },
  )

  await story('Create URLs offers public links in four formats', async ({ page, visit, signInAs }) => {
    const user = await register(product, 'publisher', ['one.jpg', 'two.jpg', 'gone.jpg'])
    await signInAs(user)
    await ignoreEvents(page)
    await visit('/')
    await select(page, ['one.jpg', 'two.jpg', 'gone.jpg'])
    const [{ id }] = (await user.get('/api/media?search=gone')).json().media
    await user.delete(`/api/media/${id}`)
    await chooseMore(page, /^Create URLs/)
    await page.getByRole('button', { name: 'Create 3 URLs' }).click()
    const dialog = page.getByRole('dialog', { name: '2 URLs ready' })
    await dialog.getByText('1 item failed: Media not found.').waitFor()
    const text = page.getByRole('textbox', { name: 'URLs' })
    assert.match(await text.inputValue(), /^http\S+\/public\/one-\w{6}\nhttp\S+$/)
    await page.getByRole('radio', { name: 'Markdown' }).check()
    assert.match(await text.inputValue(), /^- \[one\.jpg\]\(http/)
    await page.getByRole('radio', { name: 'HTML' }).check()
    assert.match(await text.inputValue(), /^<a href="http/)
    await page.getByRole('radio', { name: 'CSV' }).check()
    assert.match(await text.inputValue(), /^"Name","URL"\r?\n"one\.jpg","http/)
    await dialog.getByRole('button', { name: 'Close' }).first().click()
    await page.getByRole('region', { name: 'Selected items' }).waitFor({ state: 'detached' })
  })

  await story('a document or the files of a selection are downloaded', async ({ page, visit, signInAs }) => {
    await signInAs(await register(product, 'exporter', ['one.jpg']))
    await visit('/')
    await select(page, ['one.jpg'])
    await chooseMore(page, /^Export Document/)
    const dialog = page.getByRole('dialog', { name: 'Export Document' })
    await holdResponse(page, '**/api/media/export')
    await dialog.getByRole('button', { name: 'Export' }).click()
    await dialog.getByRole('button', { name: 'Stop' }).click()
    await dialog.waitFor({ state: 'detached' })
    assert.equal(await toastOf(page).count(), 0)
    await chooseMore(page, /^Export Document/)
    await page.getByLabel('Format').selectOption('csv')
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Export' }).click(),
    ])
    assert.equal(download.suggestedFilename(), 'albumen-export.csv')
    assert.match(await readFile(await download.path(), 'utf8'), /one\.jpg/)

    await select(page, ['one.jpg'])
    const archive = page.waitForEvent('download')
    const prepared = Promise.withResolvers<void>()
    await page.route('**/api/media/download', (route) => prepared.promise.then(() => route.continue()))
    await chooseMore(page, /^Download/)
    await seeToast(page, 'Preparing download', '1 file.')
    await page.getByRole('button', { name: 'More actions' }).click()
    assert.ok(await page.getByRole('menuitem', { name: /^Download/ }).isDisabled())
    prepared.resolve()
    await seeToast(page, 'Download started', '1 file, ')
    assert.match((await archive).suggestedFilename(), /^albumen-.*\.zip$/)
    assert.match(await readFile(await (await archive).path(), 'latin1'), /^PK.*one\.jpg/s)
  })

  await story(
    'replacing images with WebP asks first, can be undone, and stopping it can be retried',
    async ({ page, visit, signInAs }) => {
      await signInAs(await register(product, 'converter', ['one.png', 'two.png']))
      await visit('/')
      await select(page, ['one.png', 'two.png'])
      await chooseMore(page, /^Convert to WebP/)
      const refused = page.waitForRequest('**/api/media/bulk-convert-webp')
      const isFull = { status: 507, json: { message: 'The disk is full.' } }
      await page.route('**/api/media/bulk-convert-webp', (route) => route.fulfill(isFull), { times: 1 })
      await page.getByRole('button', { name: 'Convert 2 items' }).click()
      await seeToast(page, 'Conversion Error', 'The disk is full.')
      await page.getByLabel('Delete originals').check()
      const asked = page.waitForRequest('**/api/media/bulk-convert-webp')
      const go = Promise.withResolvers<void>()
      await page.route('**/api/media/bulk-convert-webp', (route) => go.promise.then(() => route.continue()))
      await page.route('**/api/bulk-runs/*/cancel', (route) => route.abort(), { times: 1 })
      await page.getByRole('button', { name: 'Replace 2 items…' }).click()
      const question = page.getByRole('alertdialog', { name: 'Replace originals?' })
      await question.getByText('The originals are kept as versions for 30 days').waitFor()
      await assertAccessible(page)
      await question.getByRole('button', { name: 'Replace 2 items' }).click()
      await page.getByRole('button', { name: 'Stop' }).click()
      const [first, second] = [await refused, await asked].map((request) => request.postDataJSON().runId)
      assert.notEqual(first, second, 'other options start another run')
      await seeToast(page, "Couldn't stop", 'Please try again.')
      await page.route('**/api/bulk-runs/*/cancel', (route) => route.fulfill({ json: { message: 'It stops.' } }))
      await page.getByRole('button', { name: 'Stop' }).click()
      assert.ok(await page.getByRole('button', { name: 'Stopping…' }).isDisabled())
      go.resolve()
      await seeToast(page, 'Conversion complete', '2 images replaced, ')
      await cardOf(page, 'one.webp').waitFor()
      await page.getByRole('button', { name: 'Undo' }).click()
      await seeToast(page, 'Undone', '2 originals restored. The converted files are kept as versions.')
      await cardOf(page, 'one.png').waitFor()
    },
  )

  await story(
    'a toast reports that a conversion was stopped, and the remaining items stay selected',
    async ({ page, visit, signInAs }) => {
      const user = await register(product, 'stopper', ['one.png', 'two.png'])
      const left = (await user.get('/api/media?search=two')).json().media.map(({ id }: { id: number }) => id)
      await signInAs(user)
      await visit('/')
      await select(page, ['one.png', 'two.png'])
      await chooseMore(page, /^Convert to WebP/)
      const message = '1 WebP copy added, 2 KB smaller than its original. 1 item not processed.'
      const savings = { formattedSavings: '2 KB', savedBytes: 2048, unchanged: 0 }
      const json = { message, summary: { successful: 1, failed: 0 }, errors: [], ...savings, left }
      await page.route('**/api/media/bulk-convert-webp', (route) => route.fulfill({ json }))
      await page.getByRole('button', { name: 'Convert 2 items' }).click()
      await seeToast(page, 'Conversion stopped', message)
      await page.getByText('1 selected').waitFor()
    },
  )

  await story('a bulk action in which every item failed is reported as failed', async ({ page, visit, signInAs }) => {
    const user = await register(product, 'unlucky', ['film.jpg'])
    // A video cannot be converted, and a deleted item cannot be copied.
    const { db } = product.services
    await db.updateTable('media').set({ type: 'video' }).where('owner_id', '=', user.id).execute()
    await signInAs(user)
    await ignoreEvents(page)
    await visit('/')
    await select(page, ['film.jpg'])
    await chooseMore(page, 'Convert to WebP (1)')
    await page.getByText("Videos can't be converted and stay selected").waitFor()
    await page.getByRole('button', { name: 'Convert 1 item' }).click()
    await seeToast(page, 'Conversion Error', '1 item failed: Only images can be converted to WebP.')
    await page.getByText('1 selected').waitFor()
    await chooseMore(page, 'Copy Images (1)')
    const [{ id }] = (await user.get('/api/media')).json().media
    await user.delete(`/api/media/${id}`)
    await page.getByRole('button', { name: 'Copy 1 item' }).click()
    await seeToast(page, 'Copy failed', 'Failed to copy selected images.')
  })

  await story(
    'an item deleted during a bulk action counts as failed and is no longer selected',
    async ({ page, visit, signInAs }) => {
      const user = await register(product, 'loser', ['one.jpg', 'two.jpg', 'three.jpg'])
      await signInAs(user)
      await ignoreEvents(page)
      await visit('/')
      await select(page, ['one.jpg', 'two.jpg'])
      const [{ id }] = (await user.get('/api/media?search=one')).json().media
      await user.delete(`/api/media/${id}`)
      await chooseMore(page, /^Edit Descriptions/)
      await page.getByRole('textbox', { name: 'Description' }).fill('x')
      await page.getByRole('button', { name: 'Update Descriptions' }).click()
      await seeToast(page, 'Descriptions updated', 'Updated the description of 1 item. 1 item failed: Media not found.')
      await page.getByRole('region', { name: 'Selected items' }).waitFor({ state: 'detached' })

      // The same holds on another page that the user went back to in the meantime.
      await page.getByRole('button', { name: 'Images', exact: true }).click()
      await cardOf(page, 'two.jpg').waitFor()
      await select(page, ['two.jpg', 'three.jpg'])
      await user.delete(`/api/media/${id + 1}`)
      const answered = Promise.withResolvers<void>()
      await page.route('**/api/media/bulk-rename', (route) => answered.promise.then(() => route.continue()))
      await chooseMore(page, /^Rename/)
      await page.getByLabel('Base name').fill('Trip')
      await page.keyboard.press('Enter')
      await page.goBack()
      answered.resolve()
      await seeToast(page, 'Images renamed', '1 item failed')
      await page.getByRole('dialog').waitFor({ state: 'hidden' })
      assert.equal(await page.getByRole('region', { name: 'Selected items' }).count(), 0)
    },
  )
})
