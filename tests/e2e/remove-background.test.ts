import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { modelsForTests, samplesForTests } from '#engines/ai/testing/models-for-tests.ts'
import { assertAccessible, openStories, seeToast } from '#tests/support/browser.ts'
import { chooseMore, select } from '#tests/support/selection.ts'

test('removing backgrounds', async (context) => {
  const settings = { AI_LOCAL: '1', AI_MODELS_DIR: await modelsForTests() }
  const { product, story } = await openStories(context, settings)
  const samples = await samplesForTests()
  const ann = await product.register('ann')
  const shoe = await ann.addPicture('shoe.jpg', await readFile(samples.photograph('shoe')))
  const names = async () =>
    (await ann.get('/api/media?sort=name')).json().media.map(({ filename }: { filename: string }) => filename)

  await story(
    'the dialog shows the subject on a checkerboard before the image is added, and History undoes it',
    async ({ page, visit }) => {
      await visit(`/?item=${shoe.id}`)
      await page.getByRole('button', { name: 'Remove background' }).click()
      const dialog = page.getByRole('dialog', { name: 'Remove background' })
      await dialog.getByRole('img', { name: /^No background · [\d.]+ KB$/ }).waitFor({ timeout: 30_000 })
      await assertAccessible(page)
      await dialog.getByRole('slider', { name: 'Divider between original and result' }).fill('0')
      await dialog.getByRole('radio', { name: 'PNG' }).check()
      await dialog.getByRole('button', { name: 'Add image' }).click()
      await seeToast(page, 'Background removed', 'Added "shoe-no-background.png".')
      await dialog.waitFor({ state: 'hidden' })
      assert.deepEqual(await names(), ['shoe-no-background.png', 'shoe.jpg'])
      const [change] = (await ann.get('/api/history')).json().changes
      assert.equal(change.title, 'Removed background')
      await ann.post(`/api/history/${change.id}/undo`)
    },
    { as: ann },
  )

  await story(
    'the background of several selected images is removed in one run',
    async ({ page, visit }) => {
      await visit('/')
      await select(page, ['shoe.jpg'])
      await chooseMore(page, 'Remove Background (1)')
      await page.getByRole('button', { name: 'Process 1 item' }).click()
      await seeToast(page, 'Backgrounds removed', '1 image without a background added.')
      assert.deepEqual(await names(), ['shoe-no-background.webp', 'shoe.jpg'])
    },
    { as: ann },
  )
})
