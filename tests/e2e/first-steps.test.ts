import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { arriveAt, assertAccessible, openStories, seeToast } from '#tests/support/browser.ts'

const cardOf = (page: Page) => page.getByRole('region', { name: 'First steps' })

test('first steps', async (context) => {
  const { product, story } = await openStories(context)
  const newUser = async (name: string) => {
    const user = await product.register(name)
    await user.patch('/api/user/preferences', { firstSteps: 'open' })
    return user
  }
  const admin = await newUser('admin')

  await story(
    'a new user tries sample pictures, creates a collection, shares it, and keeps the pictures',
    async ({ page, visit, signInAs }) => {
      const ann = await newUser('ann')
      await signInAs(ann)
      await visit('/')
      await cardOf(page).getByRole('button', { name: 'Try sample pictures' }).waitFor()
      await assertAccessible(page)
      await cardOf(page).getByRole('button', { name: 'Try sample pictures' }).click()
      await seeToast(page, 'Sample pictures added')
      await page.getByRole('button', { name: 'Open Two dogs.jpg' }).waitFor()
      await cardOf(page).getByRole('button', { name: 'Create collection' }).click()
      await page.getByRole('dialog').getByLabel('Name').fill('Outside')
      await page.getByRole('dialog').getByRole('button', { name: 'Create', exact: true }).click()
      await seeToast(page, 'Collection created')
      await page.getByRole('dialog').waitFor({ state: 'detached' })
      await cardOf(page).getByRole('button', { name: 'Open collection' }).click()
      await page.getByRole('button', { name: 'Share', exact: true }).waitFor()
      const [{ id }] = (await ann.get('/api/collections')).json()
      await arriveAt(page, `/?collection=${id}`)
      assert.equal(await cardOf(page).count(), 0)
      await ann.patch(`/api/collections/${id}/visibility`, { isPublic: true })
      await visit('/')
      await cardOf(page).getByText('Keep the sample pictures?').waitFor()
      const saved = page.waitForResponse((answer) => answer.url().endsWith('/api/user/preferences'))
      await cardOf(page).getByRole('button', { name: 'Keep', exact: true }).click()
      await cardOf(page).waitFor({ state: 'detached' })
      await saved
      await page.reload()
      await page.getByRole('button', { name: 'Open Two dogs.jpg' }).waitFor()
      assert.equal(await cardOf(page).count(), 0)
    },
  )

  await story('a new administrator reads the setup list once and hides it', async ({ page, visit, signInAs }) => {
    await signInAs(admin)
    await visit('/')
    await cardOf(page).getByRole('link', { name: 'Check the server setup' }).click()
    await page.getByText('Backups are on the same disk as the library.').waitFor()
    const saved = page.waitForResponse((answer) => answer.url().endsWith('/api/user/preferences'))
    await page.getByRole('button', { name: 'Hide server setup' }).click()
    await page.getByRole('heading', { name: 'Server setup' }).waitFor({ state: 'detached' })
    await saved
    await page.reload()
    await page.getByRole('heading', { name: 'Health' }).waitFor()
    assert.equal(await page.getByRole('heading', { name: 'Server setup' }).count(), 0)
    await visit('/')
    await cardOf(page).waitFor()
    assert.equal(await cardOf(page).getByRole('link').count(), 0)
  })

  await story(
    'sample pictures are removed with one click, and skipped steps do not return',
    async ({ page, visit, signInAs }) => {
      const ben = await newUser('ben')
      await ben.post('/api/sample-pictures')
      await signInAs(ben)
      await visit('/')
      await cardOf(page).getByRole('button', { name: 'Skip' }).click()
      await cardOf(page).getByText('Share it').waitFor()
      await cardOf(page).getByRole('button', { name: 'Remove sample pictures' }).click()
      await seeToast(page, 'Sample pictures removed', '10 items permanently deleted.')
      await page.getByText('No media files yet').waitFor()
      assert.equal((await ben.get('/api/media')).json().media.length, 0)
      await page.reload()
      await cardOf(page).getByText('Upload images and videos').waitFor()
      await cardOf(page).getByRole('button', { name: 'Skip' }).click()
      await cardOf(page).getByText('Share it').waitFor()
      await cardOf(page).getByRole('button', { name: 'Hide first steps' }).click()
      await cardOf(page).waitFor({ state: 'detached' })
    },
  )

  await story('the first steps are shown even if the sample pictures cannot be counted', async (it) => {
    const { page, visit, signInAs } = it
    const cat = await newUser('cat')
    await cat.post('/api/collections', { name: 'Outside' })
    await page.route('**/api/sample-pictures', (route) => route.abort())
    await signInAs(cat)
    await visit('/')
    await cardOf(page).getByRole('button', { name: 'Skip' }).click()
    await cardOf(page).getByRole('button', { name: 'Skip' }).click()
    await cardOf(page).waitFor({ state: 'detached' })
  })

  await story('the first steps are not shown if the collections cannot be loaded', async (it) => {
    const { page, visit, signInAs } = it
    await page.route('**/api/collections?*', (route) => route.abort())
    await signInAs(await newUser('dan'))
    await visit('/')
    await page.getByText('No media files yet').waitFor()
    await page.locator('.animate-breathe').first().waitFor({ state: 'detached' })
  })
})
