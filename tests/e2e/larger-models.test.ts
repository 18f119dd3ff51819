import { test } from 'node:test'
import { startFakeHub } from '#engines/ai/testing/fake-hub.ts'
import { makeTinyModel } from '#engines/ai/testing/tiny-hub-models.ts'
import { assertAccessible, openStories } from '#tests/support/browser.ts'

const phone = { width: 390, height: 844 }

test('larger AI models', async (context) => {
  const hub = await startFakeHub(context, {
    siglip2: await makeTinyModel('siglip2', { isConfused: true }),
    florence2: await makeTinyModel('florence2'),
  })
  const { product, story } = await openStories(context, { AI_HUB_URL: hub.url })
  const admin = await product.register('grace')

  await story(
    'an administrator sees what a larger model costs, cancels its download, sets it up and stops using it',
    async ({ page, visit }) => {
      hub.misbehave('tokenizer.json', { do: 'stall' })
      await visit('/admin?tab=system')
      const models = page.getByRole('region', { name: 'Larger models' })
      await models.getByText('MIT · about 10 s per picture').waitFor()
      await models.getByText('Apache-2.0 · about 1 s per picture').waitFor()
      await assertAccessible(page)
      await models.getByRole('button', { name: 'Set up: Florence-2 base' }).click()
      await models.getByRole('progressbar', { name: 'Downloading' }).waitFor()
      await assertAccessible(page)
      await models.getByRole('button', { name: 'Cancel: Florence-2 base' }).click()
      await models.getByRole('button', { name: 'Set up: Florence-2 base' }).click()
      await models.getByText(/In use\. Passed: 12 of 12 descriptions/).waitFor()
      await page.getByText('florence-2-base-int8').waitFor()
      await models.getByRole('button', { name: 'Stop using: Florence-2 base' }).click()
      await models.getByRole('button', { name: 'Use: Florence-2 base' }).waitFor()
    },
    { as: admin },
  )

  await story(
    'a larger model that fails its examination says why',
    async ({ page, visit }) => {
      await visit('/admin?tab=system')
      const models = page.getByRole('region', { name: 'Larger models' })
      await models.getByRole('button', { name: 'Set up: SigLIP 2 base' }).click()
      await models.getByText(/Not used\. It got 0 of 12 labels right and needs 10/).waitFor()
      await models.getByRole('button', { name: 'Try again: SigLIP 2 base' }).waitFor()
      await assertAccessible(page)
    },
    { as: admin, viewport: phone },
  )
})
