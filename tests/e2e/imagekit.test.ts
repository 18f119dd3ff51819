import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Route } from 'playwright-core'
import { assertAccessible, openStories, seeToast } from '#tests/support/browser.ts'
import { startFakeImageKit } from '#tests/support/fake-imagekit.ts'

test('files at ImageKit', async (context) => {
  const imageKit = await startFakeImageKit(context)
  const { product, story } = await openStories(context, imageKit.settings)
  const admin = await product.register('grace')
  const first = await admin.addPicture('beach.jpg')
  await admin.addPicture('dog.jpg')

  await story(
    'a migration to ImageKit can be stopped and resumed',
    async ({ page, visit }) => {
      const begun = Promise.withResolvers<void>()
      const go = Promise.withResolvers<void>()
      imageKit.behavior.onUpload = () => {
        begun.resolve()
        return go.promise
      }
      // Twice, because the page retries once automatically.
      await page.route('**/api/admin/migrate-to-imagekit', (route) => route.abort(), { times: 2 })
      await visit('/admin?tab=system')
      await page.getByText("Couldn't load file status").waitFor()
      await page.getByRole('button', { name: 'Try again' }).click()
      await page.getByText('0 of 2').waitFor()
      await assertAccessible(page)
      await page.getByRole('button', { name: 'Migrate to ImageKit' }).click()
      await begun.promise
      await page.getByText('Copying to ImageKit').waitFor()
      const stopped = page.waitForResponse((answer) => answer.url().endsWith('/stop'))
      await page.getByRole('button', { name: 'Stop' }).click()
      await stopped
      go.resolve()
      await seeToast(page, 'Migration to ImageKit', '1 file was copied to ImageKit.')
      await page.getByText('1 of 2').waitFor()
      await page.getByRole('button', { name: 'Migrate to ImageKit' }).click()
      await page.getByText('2 of 2').waitFor()
      assert.equal(imageKit.files.size, 2)
    },
    { as: admin },
  )

  await story(
    'the viewer offers to sync the name to ImageKit only if ImageKit is configured',
    async ({ page, visit }) => {
      await visit(`/?item=${first.id}`)
      await page.getByRole('button', { name: 'Sync name to ImageKit' }).click()
      await seeToast(page, 'Name synced to ImageKit')
      // The AI is off in this story, and so are its actions.
      for (const name of ['Re-run AI analysis', 'Suggest tags'])
        assert.equal(await page.getByRole('button', { name }).count(), 0)
      await page.route('**/api/services', (route) => route.fulfill({ json: { hasAi: false, hasImageKit: false } }))
      const services = page.waitForResponse('**/api/services')
      await page.reload()
      await services
      await page.getByRole('button', { name: 'Convert to WebP' }).waitFor()
      assert.equal(await page.getByRole('button', { name: 'Sync name to ImageKit' }).count(), 0)
    },
    { as: admin },
  )

  await story(
    'a file that fails to migrate is listed with its name and the reason',
    async ({ page, visit }) => {
      const late = await admin.addPicture('late.jpg')
      imageKit.behavior.corruptsBytes = true
      await visit('/admin?tab=system')
      await page.getByRole('button', { name: 'Migrate to ImageKit' }).click()
      await seeToast(page, 'Failed to migrate to ImageKit')
      await page.getByText('late.jpg: The copy at ImageKit does not match the file.').waitFor()
      await assertAccessible(page)
      imageKit.resetBehavior()
      await admin.delete(`/api/media/${late.id}`)
    },
    { as: admin, theme: 'light' },
  )

  await story(
    'local files are removed only after a confirmation, are still shown, and can be moved back',
    async ({ page, visit }) => {
      await visit('/admin?tab=system')
      await page.getByRole('button', { name: 'Remove local copies' }).click()
      const question = page.getByRole('alertdialog', { name: 'Remove the local copies?' })
      await question.waitFor()
      await assertAccessible(page)
      await question.getByRole('button', { name: 'Cancel' }).click()
      await question.waitFor({ state: 'hidden' })
      assert.equal((await admin.get('/api/admin/migrate-to-imagekit')).json().onlyThere, 0)
      // A response before the end of the run does not claim that it has ended.
      const early = { ...(await admin.get('/api/admin/migrate-to-imagekit')).json(), isRunning: true }
      const answerEarly = (route: Route) => route.fulfill({ json: { ...early, message: 'It goes on.' } })
      await page.route('**/free-local', answerEarly, { times: 1 })
      await page.getByRole('button', { name: 'Remove local copies' }).click()
      await question.getByRole('button', { name: 'Remove local copies' }).click()
      await seeToast(page, 'Still running', 'It goes on.')
      await page.getByRole('button', { name: 'Remove local copies' }).click()
      await question.getByRole('button', { name: 'Remove local copies' }).click()
      await page.getByText(/kept at ImageKit only/).waitFor()
      assert.equal((await admin.get(first.originalUrl)).statusCode, 200)

      await page.getByRole('button', { name: 'Move all files back' }).click()
      await page.getByRole('alertdialog').getByRole('button', { name: 'Move all files back' }).click()
      await seeToast(page, 'Files moved back', '2 files were moved back from ImageKit.')
      await page.getByText('0 of 2').waitFor()
      assert.equal(imageKit.files.size, 0)
    },
    { as: admin },
  )

  await story(
    'on a phone the card fits',
    async ({ page, visit }) => {
      await visit('/admin?tab=system')
      await page.getByRole('button', { name: 'Migrate to ImageKit' }).waitFor()
      const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)
      assert.ok(overflow <= 0, `${overflow} px too wide`)
    },
    { as: admin, viewport: { width: 360, height: 740 }, hasTouch: true },
  )
})
