import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Dialog, Route } from 'playwright-core'
import {
  asksBeforeLeaving,
  assertAccessible,
  holdToast,
  openStories,
  seeFocus,
  seeToast,
  toastOf,
} from '#tests/support/browser.ts'
import { makePng, makeWebp } from '#tests/support/pictures.ts'
import { temporaryFolder } from '#tests/support/temporary-folder.ts'
import {
  chooseFiles,
  dialogOf,
  dropPath,
  filenames,
  filenamesIn,
  jpeg,
  rowOf,
  sendFiles,
} from '#tests/support/upload-dialog.ts'

test('uploading', async (context) => {
  const { product, story } = await openStories(context)
  const ann = await product.register('ann')
  const ben = await product.register('ben')

  await story(
    'by the picker: files are listed, uploaded and in the grid, and the dialog is as new afterwards',
    async ({ page, visit }) => {
      await visit('/')
      await page.getByRole('button', { name: 'Upload', exact: true }).first().click()
      const dialog = dialogOf(page)
      await dialog.getByText('Up to 20 files').waitFor()
      assert.ok(await dialog.getByRole('button', { name: 'Upload', exact: true }).isDisabled())
      assert.ok(await dialog.getByRole('switch', { name: 'AI analysis' }).isChecked())
      await dialog.getByText('AI is not set up on this server.').waitFor()
      assert.ok(await dialog.getByRole('switch', { name: 'Keep original WebP filenames' }).isChecked())
      await dialog.getByText('When off, files are renamed to the date plus a number.').waitFor()
      assert.ok(!(await dialog.getByRole('switch', { name: 'Custom naming' }).isChecked()))
      await dialog.getByRole('switch', { name: 'AI analysis' }).uncheck()
      await dialog.getByText('Up to 200 files').waitFor()
      await assertAccessible(page)

      const files = [await jpeg('beach.jpg'), await jpeg('boat %22.jpg'), await jpeg('not this.jpg')]
      await dialog.getByLabel('Files', { exact: true }).setInputFiles(files)
      await rowOf(page, 'beach.jpg').locator('img').waitFor()
      // The same one can be chosen again after it was removed.
      assert.equal(await dialog.getByLabel('Files', { exact: true }).inputValue(), '')
      await rowOf(page, 'not this.jpg').getByRole('button', { name: 'Remove not this.jpg' }).press('Enter')
      await seeFocus(page, 'Remove boat %22.jpg')
      await assertAccessible(page)
      await dialog.getByRole('button', { name: 'Upload 2 files' }).click()

      await seeToast(page, 'Upload complete', '2 files were added to your library.')
      await dialog.waitFor({ state: 'hidden' })
      await page.getByText('1-2 of 2 items').waitFor()
      await page.getByRole('button', { name: 'Open boat %22.jpg' }).waitFor()
      await page.getByRole('button', { name: 'Upload', exact: true }).first().click()
      assert.ok(await dialog.getByRole('switch', { name: 'AI analysis' }).isChecked(), 'options are as at first')
      assert.equal(await dialog.getByRole('listitem').count(), 0)
    },
    { as: ann, hasMotion: true },
  )

  await story(
    'by a drop anywhere: a veil says so, and the file waits in the dialog',
    async ({ page, visit }) => {
      const file = await jpeg('dropped.jpg')
      await visit('/')
      await page.getByText('1-2 of 2 items').waitFor()
      // Another dialog asks its own question first.
      await page.keyboard.press('?')
      const keys = page.getByRole('dialog', { name: 'Keyboard shortcuts' })
      await keys.getByRole('button', { name: 'Close' }).focus()
      for (const kind of ['drop', 'paste'] as const) await sendFiles(page, kind, [await jpeg('not here.jpg')])
      await page.keyboard.press('Escape')
      await keys.waitFor({ state: 'detached' })
      // What is pasted into a line that is being written is no file for the library.
      await page.getByPlaceholder('Search your media...').focus()
      await sendFiles(page, 'paste', [await jpeg('nor here.jpg')])
      // A folder in which nothing is.
      await dropPath(page, await temporaryFolder(context))
      await seeToast(page, 'Nothing to upload', 'The items you dropped contain no files.')
      await sendFiles(page, 'dragenter', [file])
      await page.getByText('Drop to upload').waitFor()
      await sendFiles(page, 'drop', [file])
      await page.getByText('Drop to upload').waitFor({ state: 'hidden' })
      await rowOf(page, 'dropped.jpg').waitFor()
      // If the check for duplicates fails, the file is uploaded anyway.
      await page.route('**/api/upload/begin', (route) => route.abort())
      await dialogOf(page).getByRole('button', { name: 'Upload 1 file' }).click()
      await seeToast(page, 'Upload complete', '1 file was added to your library.')
      await page.getByText('1-3 of 3 items').waitFor()
    },
    { as: ann },
  )

  await story(
    'by pasting: a copied picture gets the moment as its name',
    async ({ page, visit }) => {
      await visit('/')
      await page.getByText('1-3 of 3 items').waitFor()
      await sendFiles(page, 'paste', [{ name: 'image.png', mimeType: 'image/png', buffer: await makePng() }])
      await rowOf(page, 'Pasted 2').waitFor()
      await dialogOf(page).getByRole('button', { name: 'Upload 1 file' }).click()
      await page.getByText('1-4 of 4 items').waitFor()
      assert.match((await filenames(ann)).at(-1)!, /^Pasted \d{4}-\d\d-\d\d \d\d\.\d\d\.\d\d\.png$/)
    },
    { as: ann },
  )

  await story(
    'custom naming numbers the whole selection, independent of the order in which uploads finish',
    async ({ page, visit, signInAs }) => {
      const cleo = await product.register('cleo')
      await signInAs(cleo)
      await visit('/')
      const webp = { name: 'd.webp', mimeType: 'image/webp', buffer: await makeWebp() }
      await chooseFiles(page, [await jpeg('a.jpg'), await jpeg('b.jpg'), await jpeg('c.jpg'), webp])
      await dialogOf(page).getByRole('switch', { name: 'Custom naming' }).check()
      await dialogOf(page).getByLabel('Prefix').fill('summer')
      await dialogOf(page).getByText('For example summer-a-1.jpg').waitFor()
      await dialogOf(page).getByRole('button', { name: 'Upload 4 files' }).click()
      await seeToast(page, 'Upload complete', '4 files were added to your library.')
      assert.deepEqual(await filenames(cleo), ['summer-a-1.jpg', 'summer-b-2.jpg', 'summer-c-3.jpg', 'summer-d-4.webp'])
    },
  )

  await story(
    'duplicates are reported after an upload, and can be moved to the trash with one press',
    async ({ page, visit, signInAs }) => {
      const eve = await product.register('eve')
      const again = await jpeg('again.jpg')
      await eve.addPicture('first.jpg', again.buffer)
      await signInAs(eve)
      await visit('/')
      await chooseFiles(page, [again, await jpeg('new.jpg')])
      await dialogOf(page).getByRole('button', { name: 'Upload 2 files' }).click()
      await holdToast(page, 'Upload complete', '2 files were added to your library. 1 of them was there already.')
      await assertAccessible(page)
      await toastOf(page).getByRole('button', { name: 'Move copy to Trash' }).click()
      await seeToast(page, 'Moved to Trash', '1 item will be permanently deleted after 30 days.')
      assert.deepEqual(await filenames(eve), ['first.jpg', 'new.jpg'])

      // An upload into a collection is not skipped as a duplicate.
      const { id } = (await eve.post('/api/collections', { name: 'Sea' })).json()
      await visit(`/?collection=${id}`)
      await chooseFiles(page, [{ ...again, name: 'third.jpg' }])
      await dialogOf(page).getByRole('button', { name: 'Upload 1 file' }).click()
      await holdToast(page, 'Upload complete', '1 file was added to "Sea". It was in your library already.')
      assert.equal(await toastOf(page).getByRole('button', { name: 'Trash' }).count(), 0)
    },
  )

  await story(
    'a long upload can be left alone, stopped in part and stopped as a whole; leaving the page asks first',
    async ({ page, visit }) => {
      await ben.addPicture('there.jpg')
      await visit('/')
      const held: Route[] = []
      await page.route('**/api/upload', (route) => void held.push(route))
      const names = ['one.jpg', 'two.jpg', 'three.jpg', 'four.jpg']
      await chooseFiles(page, await Promise.all(names.map(jpeg)))
      // Aloud: the window of the files has hidden that something came into the list.
      const aloud = dialogOf(page).locator('[aria-live=polite][aria-atomic=true]')
      await aloud.getByText('4 files chosen', { exact: true }).waitFor()
      await dialogOf(page).getByRole('button', { name: 'Upload 4 files' }).press('Enter')
      await aloud.getByText('Uploading 4 files', { exact: true }).waitFor()
      await seeFocus(page, 'Uploading')
      await page.keyboard.press('Enter')
      await rowOf(page, 'four.jpg').getByText('Waiting').waitFor()
      assert.ok(await dialogOf(page).getByRole('button', { name: 'Uploading' }).isDisabled())
      await page.waitForFunction(
        () => document.querySelector('[aria-label="Uploading one.jpg"]')?.getAttribute('aria-valuenow') === '90',
      )
      await assertAccessible(page)

      await page.keyboard.press('Escape')
      await dialogOf(page).waitFor({ state: 'hidden' })
      // Meanwhile something is downloaded: that is no leaving, which would ask first and in Firefox end the upload.
      const stay = (question: Dialog) => question.dismiss()
      page.on('dialog', stay)
      await page.getByRole('button', { name: 'Actions for there.jpg' }).click()
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('menuitem', { name: 'Download' }).click(),
      ])
      assert.equal(download.suggestedFilename(), 'there.jpg')
      page.off('dialog', stay)
      await page.getByRole('button', { name: /^Uploading/ }).click()
      await dialogOf(page).waitFor()

      const asked = page.waitForEvent('dialog')
      await page.evaluate(() => setTimeout(() => window.location.reload()))
      const question = await asked
      assert.equal(question.type(), 'beforeunload')
      await question.dismiss()

      await rowOf(page, 'four.jpg').getByRole('button', { name: 'Cancel four.jpg' }).click()
      await rowOf(page, 'four.jpg').getByText('Canceled').waitFor()
      await dialogOf(page).getByRole('button', { name: 'Cancel all' }).click()
      for (const name of names) await rowOf(page, name).getByText('Canceled').waitFor()
      await page.unroute('**/api/upload')
      await Promise.all(held.map((route) => route.abort().catch(() => undefined)))
      await dialogOf(page).getByRole('button', { name: 'Upload 4 files' }).click()
      await seeToast(page, 'Upload complete', '4 files were added to your library.')
      await dialogOf(page).waitFor({ state: 'hidden' })
      assert.equal(await asksBeforeLeaving(page), false)
    },
    { as: ben },
  )

  await story(
    'in an open collection files go into it, in their order: by button, drop and paste; one that is deleted meanwhile keeps nothing out',
    async ({ page, visit, signInAs }) => {
      const dora = await product.register('dora')
      const { id } = (await dora.post('/api/collections', { name: 'Harbour week' })).json()
      const members = async () => filenamesIn((await dora.get(`/api/collections/${id}/media`)).json())
      await signInAs(dora)
      await visit(`/?collection=${id}`)
      await page.getByRole('button', { name: 'Upload Media' }).click()
      await dialogOf(page).getByText('Add to "Harbour week"').waitFor()
      const names = ['one.jpg', 'two.jpg', 'three.jpg']
      await dialogOf(page)
        .getByLabel('Files', { exact: true })
        .setInputFiles(await Promise.all(names.map(jpeg)))
      // The first one is overtaken by the two others.
      const isOvertaken = Promise.withResolvers<void>()
      let answered = 0
      page.on('response', (response) => {
        if (response.url().endsWith('/api/upload') && ++answered === 2) isOvertaken.resolve()
      })
      let asked = 0
      await page.route('**/api/upload', async (route) => {
        if (asked++ === 0) await isOvertaken.promise
        await route.continue()
      })
      await dialogOf(page).getByRole('button', { name: 'Upload 3 files' }).click()
      await seeToast(page, 'Upload complete', '3 files were added to "Harbour week".')
      await page.unroute('**/api/upload')
      await page.getByText('1-3 of 3 items').waitFor()
      assert.deepEqual(await members(), names)
      assert.deepEqual(filenamesIn((await dora.get('/api/media')).json()), names.toReversed())

      await sendFiles(page, 'drop', [await jpeg('dropped.jpg')])
      await rowOf(page, 'dropped.jpg').waitFor()
      await sendFiles(page, 'paste', [await jpeg('pasted.jpg')])
      await dialogOf(page).getByText('Add to "Harbour week"').waitFor()
      // What failed belongs to the collection at the next try too.
      await page.route('**/api/upload', (route) => route.abort(), { times: 2 })
      await dialogOf(page).getByRole('button', { name: 'Upload 2 files' }).click()
      await seeToast(page, 'Upload failed')
      await dialogOf(page).getByRole('button', { name: 'Upload 2 files' }).click()
      await seeToast(page, 'Upload complete', '2 files were added to "Harbour week".')
      assert.deepEqual(await members(), [...names, 'dropped.jpg', 'pasted.jpg'])

      // A collection that is not seen gets nothing.
      await page.getByRole('tab', { name: 'Collections' }).click()
      await page.getByRole('button', { name: 'Upload', exact: true }).first().click()
      await dialogOf(page).getByText('Drop files or folders here').waitFor()
      assert.equal(await dialogOf(page).getByText('Into').count(), 0)
      await page.keyboard.press('Escape')
      await page.getByRole('tab', { name: 'Media Library' }).click()

      await page.getByRole('button', { name: 'Add Media' }).click()
      await dialogOf(page)
        .getByLabel('Files', { exact: true })
        .setInputFiles([await jpeg('late.jpg')])
      await dora.delete(`/api/collections/${id}`)
      await dialogOf(page).getByRole('button', { name: 'Upload 1 file' }).click()
      await seeToast(page, 'Upload complete', '1 file was added to your library; the collection no longer exists.')
      assert.equal((await filenames(dora)).length, 6)
    },
  )

  await story(
    'on a phone in the light theme the dialog is accessible too',
    async ({ page, visit }) => {
      await visit('/')
      await chooseFiles(page, [await jpeg('phone.jpg')])
      await dialogOf(page).getByRole('switch', { name: 'Custom naming' }).check()
      await assertAccessible(page)
    },
    { as: ben, theme: 'light', hasTouch: true, viewport: { width: 360, height: 720 } },
  )
})
