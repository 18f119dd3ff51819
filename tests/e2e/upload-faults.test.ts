import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Route } from 'playwright-core'
import { openStories, seeToast } from '#tests/support/browser.ts'
import {
  type ChosenFile,
  chooseFiles,
  dialogOf,
  filenames,
  jpeg,
  rowOf,
  sendFiles,
} from '#tests/support/upload-dialog.ts'

const liar: ChosenFile = { name: 'lying.jpg', mimeType: 'image/jpeg', buffer: Buffer.from('I am no picture at all.') }
const notes: ChosenFile = { name: 'notes.txt', mimeType: 'text/plain', buffer: Buffer.from('Buy milk.') }

test('uploads that fail in part', async (context) => {
  const { product, story } = await openStories(context)
  const ann = await product.register('ann')
  const ben = await product.register('ben')

  await story(
    'a drop with a file that cannot be read brings the others, and says so',
    async ({ page, visit }) => {
      const file = await jpeg('readable.jpg')
      await visit('/')
      await page.getByText('No media files yet').waitFor()
      await page.evaluate(() => {
        const { slice } = File.prototype
        File.prototype.slice = function (...range) {
          const part = slice.apply(this, range)
          const refuse = () => Promise.reject(new DOMException('Locked', 'NotReadableError'))
          return this.name === 'locked.jpg' ? Object.assign(part, { arrayBuffer: refuse }) : part
        }
      })
      await sendFiles(page, 'drop', [{ ...file, name: 'locked.jpg' }, file])
      await seeToast(page, 'Some files could not be read', '1 file or folder could not be read.')
      await dialogOf(page).getByRole('button', { name: 'Upload 1 file' }).waitFor()
      await rowOf(page, 'readable.jpg').waitFor()
    },
    { as: ann },
  )

  await story(
    'a file of an unsupported type is rejected with a message, and a valid file in the same selection is kept',
    async ({ page, visit }) => {
      await visit('/')
      await chooseFiles(page, [notes, await jpeg('good.jpg')])
      await seeToast(
        page,
        'Some files were rejected',
        'Only images and videos under 500MB are supported. Supported formats: JPEG, PNG, GIF, WebP, MP4, MOV, AVI.',
      )
      await dialogOf(page).getByRole('button', { name: 'Upload 1 file' }).waitFor()
      assert.equal(await dialogOf(page).getByRole('listitem').count(), 1)
    },
    { as: ben },
  )

  await story(
    'a file with false contents is refused with the server’s message, and a valid one in the same selection is uploaded',
    async ({ page, visit }) => {
      await visit('/')
      await chooseFiles(page, [liar, await jpeg('honest.jpg')])
      await dialogOf(page).getByRole('button', { name: 'Upload 2 files' }).click()
      await seeToast(page, 'Upload complete', '1 file was added to your library, 1 was not accepted.')
      const row = rowOf(page, 'lying.jpg')
      await row.getByText(/^Unsupported file type\./).waitFor()
      assert.equal(await row.getByRole('button', { name: 'Retry lying.jpg' }).count(), 0)
      assert.ok(await dialogOf(page).getByRole('button', { name: 'Upload', exact: true }).isDisabled())
      assert.deepEqual(await filenames(ben), ['honest.jpg'])
      await dialogOf(page).getByText('1 file was not accepted').waitFor()
      await dialogOf(page).getByRole('button', { name: 'Done' }).click()
      await dialogOf(page).waitFor({ state: 'hidden' })
      await page.getByRole('button', { name: 'Upload', exact: true }).first().click()
      await dialogOf(page).getByText('Drop files or folders here').waitFor()
    },
    { as: ben },
  )

  await story(
    'a failure keeps the file, says why, and the next try succeeds',
    async ({ page, visit }) => {
      await visit('/')
      await chooseFiles(page, [await jpeg('stubborn.jpg')])
      const sentence = 'The disk is full. Free some space and try again.'
      const refuse = (route: Route) => route.fulfill({ status: 507, json: { message: sentence, code: 'storage-full' } })
      await page.route('**/api/upload', refuse)
      await dialogOf(page).getByRole('button', { name: 'Upload 1 file' }).click()
      await seeToast(page, 'Upload failed', sentence)
      await rowOf(page, 'stubborn.jpg').getByText(sentence).waitFor()
      // What is left of the upload stands above the bar of what is selected, not over its buttons.
      await page.keyboard.press('Escape')
      const pill = page.getByRole('button', { name: '1 file was not uploaded' })
      await page.getByRole('button', { name: 'Select', exact: true }).click()
      for (const width of [1280, 800, 360]) {
        await page.setViewportSize({ width, height: 800 })
        const bar = (await page.getByRole('region', { name: 'Selected items' }).locator('> div').boundingBox())!
        const { y, height } = (await pill.boundingBox())!
        assert.ok(y + height <= bar.y, `${width} px`)
      }
      await page.keyboard.press('Escape')
      await pill.click()
      await page.unroute('**/api/upload', refuse)
      await rowOf(page, 'stubborn.jpg').getByRole('button', { name: 'Retry stubborn.jpg' }).click()
      await seeToast(page, 'Upload complete')
      await dialogOf(page).waitFor({ state: 'hidden' })
      assert.ok((await filenames(ben)).includes('stubborn.jpg'))
    },
    { as: ben },
  )
})
