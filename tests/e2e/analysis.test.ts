import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { Page, Response } from 'playwright-core'
import { startMisbehavingEndpoint } from '#engines/ai/testing/misbehaving-endpoint.ts'
import { makeSketch } from '#features/analysis/server/likeness/sketch.ts'
import { assertAccessible, openStories, seeToast } from '#tests/support/browser.ts'
import { makeJpeg } from '#tests/support/pictures.ts'
import { jpeg, sendFiles } from '#tests/support/upload-dialog.ts'
import { panelOf, seeName } from '#tests/support/viewer.ts'

const tagsOf = (page: Page) => panelOf(page).getByRole('region', { name: 'Tags' })

async function openWithEndpoint(context: TestContext, model: string) {
  const endpoint = await startMisbehavingEndpoint()
  context.after(endpoint.close)
  return openStories(context, { AI_BASE_URL: endpoint.baseUrl, AI_MODEL: model })
}

test('AI analysis of one item', async (context) => {
  const { product, story } = await openWithEndpoint(context, 'good')
  const ann = await product.register('ann')

  await story(
    'tags and a description appear automatically after an upload',
    async ({ page, visit }) => {
      await visit('/')
      const services = page.waitForResponse('**/api/services')
      await page.getByRole('button', { name: 'Upload', exact: true }).first().click()
      const dialog = page.getByRole('dialog', { name: 'Upload Media' })
      assert.equal((await (await services).json()).hasAi, true)
      await dialog.getByText('Adds descriptions and tags after upload.').waitFor()
      const buffer = await makeJpeg({ width: 320, height: 240 })
      await dialog
        .getByLabel('Files', { exact: true })
        .setInputFiles([{ name: 'minka.jpg', mimeType: 'image/jpeg', buffer }])
      await dialog.getByRole('button', { name: /^Upload/ }).click()
      const card = page.locator('[data-media-id]').filter({ has: page.getByRole('button', { name: 'Open minka.jpg' }) })
      await card.getByText('cat', { exact: true }).waitFor()

      await page.getByRole('button', { name: 'Open minka.jpg' }).click()
      const panel = panelOf(page)
      await panel.getByText('A close-up of an orange cat.').waitFor()
      await panel.getByText(/^Described by good/).waitFor()
      await assertAccessible(page)
    },
    { as: ann },
  )

  for (const layout of ['grid', 'list'])
    await story(`nothing moves while AI results arrive in the ${layout}`, async ({ page, visit, signInAs }) => {
      const eve = await product.register(`eve-${layout}`)
      const mediaIds: number[] = []
      for (const name of ['one.jpg', 'two.jpg', 'three.jpg', 'four.jpg'])
        mediaIds.push((await eve.addPicture(name, await makeJpeg({ width: 320, height: 240 }))).id)
      await signInAs(eve)
      await visit(`/?layout=${layout}`)
      await page.getByRole('button', { name: 'Open four.jpg' }).waitFor()
      await page.getByRole('navigation', { name: 'Pages' }).waitFor()
      await page.waitForFunction(() => [...document.images].every(({ complete }) => complete))
      const shifts = await page.evaluateHandle(observeShifts)
      await eve.post('/api/media/bulk-ai-tag', { mediaIds })
      const tagged = page.locator('[data-media-id]').filter({ hasText: 'cat' })
      for (const index of mediaIds.keys()) await tagged.nth(index).waitFor()
      assert.deepEqual(await shifts.evaluate((read) => read()), [])
    })

  await story(
    'a new analysis and a revert both keep the edits of the user',
    async ({ page, visit }) => {
      await visit('/')
      await page.getByRole('button', { name: 'Open minka.jpg' }).click()
      const panel = panelOf(page)
      await panel.getByRole('button', { name: 'Edit' }).click()
      await panel.getByLabel('AI description').fill('Our cat Minka.')
      await panel.getByRole('button', { name: 'Remove cat' }).click()
      await panel.getByRole('combobox', { name: 'Tags' }).fill('minka')
      await panel.getByRole('combobox', { name: 'Tags' }).press('Enter')
      await panel.getByRole('button', { name: 'Save' }).click()
      await seeToast(page, 'Changes saved')

      await panel.getByRole('button', { name: 'Re-run AI analysis' }).click()
      await seeToast(page, 'Analysis complete')
      await panel.getByText('Our cat Minka.').waitFor()
      await tagsOf(page).getByText('minka', { exact: true }).waitFor()
      assert.equal(await tagsOf(page).getByText('cat', { exact: true }).count(), 0)

      await panel.getByRole('button', { name: 'Revert' }).click()
      await seeToast(page, 'Analysis reverted', 'Your own text was kept.')
      await panel.getByText(/^Described by/).waitFor({ state: 'hidden' })
      await tagsOf(page).getByText('minka', { exact: true }).waitFor()
      await panel.getByText('Our cat Minka.').waitFor()
    },
    { as: ann },
  )

  await story(
    'saving an edit keeps what the AI found in the meantime, and Revert removes it',
    async ({ page, visit }) => {
      const { id } = await ann.addPicture('once.jpg')
      await visit(`/?item=${id}`)
      const panel = panelOf(page)
      const analyzeMeanwhile = async () => {
        // A response that the page has replaced by a newer request has no body to read.
        const describes = (response: Response) =>
          response.json().then(
            (media) => media.aiDescription,
            () => false,
          )
        const arrived = page.waitForResponse(
          (response) => response.url().endsWith(`/api/media/${id}`) && describes(response),
        )
        await ann.post(`/api/media/${id}/analyze`)
        await arrived
      }
      await panel.getByRole('button', { name: 'Edit' }).click()
      await panel.getByLabel('Filename').fill('minka.jpg')
      await analyzeMeanwhile()
      await panel.getByRole('button', { name: 'Save' }).click()
      await panel.getByText('A close-up of an orange cat.').waitFor()
      await panel.getByRole('heading', { name: 'minka.jpg', exact: true }).waitFor()
      await tagsOf(page).getByText('cat', { exact: true }).waitFor()
      await panelOf(page).getByRole('button', { name: 'Revert' }).click()
      await tagsOf(page).getByText('cat', { exact: true }).waitFor({ state: 'hidden' })
      await panelOf(page).getByText('A close-up of an orange cat.').waitFor({ state: 'hidden' })

      await panel.getByRole('button', { name: 'Edit' }).click()
      await panel.getByRole('combobox', { name: 'Tags' }).fill('minka')
      await analyzeMeanwhile()
      await panel.getByRole('button', { name: 'Save' }).click()
      for (const tag of ['minka', 'cat']) await tagsOf(page).getByText(tag, { exact: true }).waitFor()
    },
    { as: ann },
  )

  await story(
    'suggested tags can be selected and added',
    async ({ page, visit }) => {
      const { id } = await ann.addPicture('plain.jpg')
      await ann.patch(`/api/media/${id}`, { aiTags: ['animal'] })
      await visit(`/?item=${id}`)
      await panelOf(page).getByRole('button', { name: 'Suggest tags' }).click()
      const suggested = panelOf(page).getByRole('region', { name: 'Suggested tags' })
      assert.ok(await suggested.getByRole('button', { name: 'animal · Added' }).isDisabled())
      await suggested.getByRole('button', { name: 'cat', exact: true }).click()
      await suggested.getByRole('button', { name: 'Add 1 tag' }).click()
      await suggested.getByRole('button', { name: 'cat · Added' }).waitFor()
      assert.deepEqual((await ann.get(`/api/media/${id}`)).json().aiTags, ['animal', 'cat'])
    },
    { as: ann },
  )

  await story(
    'the panel lists similar items and leads from one to the next',
    async ({ page, visit }) => {
      const { db } = product.services
      const vector = Buffer.alloc(1280, 7)
      const bits = Buffer.from(makeSketch(new Int8Array(vector)))
      const pictures = [await ann.addPicture('left.jpg'), await ann.addPicture('right.jpg')]
      await ann.patch(`/api/media/${pictures[0]!.id}`, { isFavorite: true })
      for (const { id } of pictures) {
        const { blob } = await db.selectFrom('media').select('blob').where('id', '=', id).executeTakeFirstOrThrow()
        await db.insertInto('embeddings').values({ sha256: blob, vector }).execute()
        await db.insertInto('sketches').values({ kind: 'picture', media_id: id, owner_id: ann.id, bits }).execute()
      }
      await visit(`/?filter=favorites&item=${pictures[0]!.id}`)
      const strip = panelOf(page).getByRole('region', { name: 'Similar items' })
      await strip.getByRole('button', { name: 'right.jpg' }).click()
      await seeName(page, 'right.jpg')
      await strip.getByRole('button', { name: 'left.jpg' }).waitFor()
      await page.keyboard.press('ArrowLeft')
      await seeName(page, 'left.jpg')
      await page.keyboard.press('ArrowRight')
      await seeName(page, 'right.jpg')
      await panelOf(page).getByRole('link', { name: 'Show all' }).click()
      await page.getByRole('heading', { name: 'Similar items', level: 1 }).waitFor()
      await page.getByText('1-1 of 1 items').waitFor()
      await page.getByRole('button', { name: 'Open left.jpg' }).waitFor()
      await page.getByRole('button', { name: 'Show all items' }).click()
      await page.getByRole('button', { name: 'Actions for left.jpg' }).click()
      await page.getByRole('menuitem', { name: 'Similar Items' }).click()
      await page.getByRole('button', { name: 'Open right.jpg' }).waitFor()
      await page.getByText('1-1 of 1 items').waitFor()
      await assertAccessible(page)
    },
    { as: ann },
  )

  await story(
    'a picture that is chosen, pasted or dropped on the search box finds similar items, also after a reload',
    async ({ page, visit }) => {
      const example = Buffer.from(makeSketch(new Int8Array(1280).fill(7))).toString('base64url')
      await page.route('**/api/media/example', (route) => route.fulfill({ json: { example } }))
      await visit('/')
      const similar = page.getByText('1-2 of 2 items')
      const leave = async () => {
        await page.getByRole('button', { name: 'Show all items' }).click()
        await similar.waitFor({ state: 'hidden' })
      }
      const chooser = page.waitForEvent('filechooser')
      await page.getByRole('button', { name: 'Search by picture' }).press('Enter')
      await (await chooser).setFiles([await jpeg('chosen.jpg')])
      await similar.waitFor()
      await page.getByText('chosen.jpg').waitFor()
      await page.reload()
      await page.getByText('Your picture').waitFor()
      await similar.waitFor()
      await leave()
      await page.getByPlaceholder('Search your media...').focus()
      await sendFiles(page, 'paste', [await jpeg('pasted.jpg')])
      await page.getByText('pasted.jpg').waitFor()
      await leave()
      await sendFiles(page, 'dragenter', [await jpeg('dropped.jpg')], 'input[type=search]')
      await page.getByPlaceholder('Drop to find similar items').waitFor()
      await sendFiles(page, 'drop', [await jpeg('dropped.jpg')], 'input[type=search]')
      await page.getByText('dropped.jpg').waitFor()
      await page.getByText('Drop to upload').waitFor({ state: 'hidden' })
      assert.equal(await page.getByRole('dialog', { name: 'Upload Media' }).count(), 0)
      await page.unroute('**/api/media/example')
      await sendFiles(page, 'drop', [await jpeg('other.jpg')], 'input[type=search]')
      await seeToast(page, 'Search by picture failed', 'which is switched off (AI_LOCAL=0).')
    },
    { as: ann },
  )
})

test('AI Tag for a selection', async (context) => {
  const { product, story } = await openWithEndpoint(context, 'refusing-the-second')
  const ann = await product.register('ann')
  for (const name of ['one.jpg', 'two.jpg', 'three.jpg']) await ann.addPicture(name)
  const openDialog = async (page: Page) => {
    await page.getByRole('button', { name: 'Select', exact: true }).click()
    for (const name of ['one.jpg', 'two.jpg', 'three.jpg'])
      await page.getByRole('checkbox', { name: `Select ${name}` }).click()
    await page.getByRole('button', { name: 'More actions' }).click()
    await page.getByRole('menuitem', { name: 'AI Tag (3)' }).click()
    return page.getByRole('dialog', { name: 'AI Tag' })
  }

  await story(
    'a toast says why the server refused an AI run, or why all its items failed',
    async ({ page, visit }) => {
      await page.route('**/api/media/bulk-ai-tag', (route) =>
        route.fulfill({ status: 503, json: { message: 'The AI is on holiday.', code: 'unavailable' } }),
      )
      const run = { runId: 'x', status: 'done', total: 3, successful: 0, failed: 3 }
      const errors = [{ id: 1, message: 'The endpoint refused the key.' }]
      const nothing = { message: '0 items analyzed. 3 items failed.', errors, run }
      await visit('/')
      const dialog = await openDialog(page)
      await dialog.getByRole('button', { name: 'Tag 3 items' }).click()
      await seeToast(page, 'AI Tagging Failed', 'The AI is on holiday.')
      // A run in which every item failed counts as failed too.
      await page.route('**/api/media/bulk-ai-tag', (route) => route.fulfill({ json: nothing }))
      await page.getByRole('button', { name: 'More actions' }).click()
      await page.getByRole('menuitem', { name: 'AI Tag (3)' }).click()
      await dialog.getByRole('button', { name: 'Tag 3 items' }).click()
      await seeToast(page, 'AI Tagging Failed', '3 items failed. The endpoint refused the key.')
    },
    { as: ann },
  )

  await story(
    'an item that fails in an AI run stays selected, shows the reason and can be retried',
    async ({ page, visit }) => {
      await visit('/')
      const dialog = await openDialog(page)
      await dialog.getByText('3 items to analyze with refusing-the-second.').waitFor()
      await assertAccessible(page)
      await dialog.getByRole('button', { name: 'Tag 3 items' }).click()
      const why = 'The model refused to describe this image.'
      await seeToast(page, 'AI Tagging complete', `2 items analyzed. 1 item failed. ${why}`)
      await page.getByText('1 selected').waitFor()
      await page.keyboard.press('Escape')

      const { media } = (await ann.get('/api/media')).json()
      const failed = media.find(({ aiStatus }: { aiStatus: string }) => aiStatus === 'failed')
      await page.getByRole('button', { name: `Open ${failed.filename}` }).click()
      const alert = panelOf(page).getByText(why)
      await alert.waitFor()
      await panelOf(page).getByRole('button', { name: 'Retry' }).click()
      await seeToast(page, 'Analysis complete')
      await tagsOf(page).getByText('cat', { exact: true }).waitFor()
    },
    { as: ann },
  )
})

/** Records what the browser moved by itself, and returns a function that reads it. */
function observeShifts() {
  const shifts: string[] = []
  const note = (entries: PerformanceEntryList) =>
    entries.forEach((entry) => {
      const { sources = [] } = entry as PerformanceEntry & { sources?: { node?: Element }[] }
      shifts.push(sources.map(({ node }) => node?.className ?? '').join(', '))
    })
  const observer = new PerformanceObserver((list) => note(list.getEntries()))
  observer.observe({ type: 'layout-shift' })
  return () => {
    note(observer.takeRecords())
    return shifts
  }
}
