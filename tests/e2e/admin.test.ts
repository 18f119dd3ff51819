import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import type { Route } from 'playwright-core'
import { assertAccessible, holdResponse, openStories, seeFocus, seeToast } from '#tests/support/browser.ts'

const phone = { width: 360, height: 740 }

test('the admin panel', async (context) => {
  const { product, story } = await openStories(context)
  const admin = await product.register('grace')
  const ada = await product.register('ada')
  await ada.addPicture('beach.jpg')
  const failed = (kind: string, error: string, updatedAt: number) => ({
    kind,
    key: null,
    payload: '{"mediaId":0}',
    status: 'failed' as const,
    run_at: 0,
    attempts: 5,
    leased_until: null,
    lease: null,
    error,
    created_at: 0,
    updated_at: updatedAt,
  })
  await product.services.db
    .insertInto('jobs')
    .values([
      failed('make-sprite', 'The video is damaged', Date.now()),
      failed('make-playable', 'The picture is damaged', Date.now() - 1),
    ])
    .execute()

  await story(
    'the overview shows figures, activity and failed jobs that can be dismissed',
    async ({ page, visit }) => {
      await visit('/admin')
      await page.getByText('Version 2.1.0').waitFor()
      await page.getByText('Production').first().waitFor()
      await page.getByText('Total Users').waitFor()
      await page.getByText('beach.jpg').waitFor()
      await page.getByText('ada@example.com').waitFor()
      await page.getByText('The video is damaged').waitFor()
      await assertAccessible(page)
      const dismissed: string[] = []
      page.on('request', (request) => request.method() === 'DELETE' && dismissed.push(request.url()))
      const answer = await holdResponse(page, '**/api/admin/jobs/*')
      const dismiss = page.getByRole('button', { name: 'Dismiss: Make sprite' })
      await dismiss.click()
      await dismiss.and(page.locator('[aria-busy=true]')).waitFor()
      await page.keyboard.press('Enter')
      answer()
      await page.getByText('The video is damaged').waitFor({ state: 'detached' })
      await seeFocus(page, 'Retry: Make playable')
      assert.equal(dismissed.length, 1)
      await page.getByRole('button', { name: 'Dismiss: Make playable' }).click()
      await page.getByText('The picture is damaged').waitFor({ state: 'detached' })
      await page.locator('main:focus').waitFor()
    },
    { as: admin },
  )

  await story(
    'an administrator can promote and demote other users, but not themselves',
    async ({ page, visit }) => {
      await visit('/admin?tab=users')
      await page.getByText('grace (you)').waitFor()
      assert.equal(await page.getByRole('button', { name: 'Actions for grace' }).count(), 0)
      await assertAccessible(page)
      const users = page.getByRole('table').filter({ has: page.getByRole('button', { name: 'Actions for ada' }) })
      for (const width of [390, 768]) {
        await page.setViewportSize({ width, height: 844 })
        await users.getByText('Joined today').first().waitFor()
        const box = (await users.boundingBox())!
        assert.ok(box.x + box.width < width, `the users end at ${box.x + box.width} of ${width}`)
      }
      await page.setViewportSize({ width: 1280, height: 800 })
      await page.getByRole('button', { name: 'Actions for ada' }).click()
      await page.getByRole('menuitem', { name: 'Make admin' }).click()
      await page.getByText('Admin status updated').first().waitFor()
      await page.getByRole('button', { name: 'Actions for ada' }).click()
      await page.getByRole('menuitem', { name: 'Revoke admin' }).click()
      await page.getByText('ada is no longer an administrator.').first().waitFor()
    },
    { as: admin },
  )

  await story(
    'an administrator resets the password of a user',
    async ({ page, visit }) => {
      await visit('/admin?tab=users')
      await page.getByRole('button', { name: 'Actions for ada' }).click()
      await page.getByRole('menuitem', { name: 'Reset password' }).click()
      const field = page.getByPlaceholder('min 6 characters')
      await field.fill('12345')
      assert.ok(await page.getByRole('button', { name: 'Reset password' }).isDisabled())
      await field.fill('123456')
      // The administrator has to pass the password on, so it can be shown.
      await page.getByRole('button', { name: 'Show password' }).click()
      assert.equal(await field.getAttribute('type'), 'text')
      await page.getByRole('button', { name: 'Reset password' }).click()
      await page.getByText('Password updated').first().waitFor()
    },
    { as: admin },
  )

  await story(
    'an administrator adds and deletes a user',
    async ({ page, visit }) => {
      await visit('/admin?tab=users')
      await page.getByRole('button', { name: 'Add user' }).click()
      const dialog = page.getByRole('dialog', { name: 'Add a user' })
      await dialog.getByLabel('Username').fill('Ada')
      await dialog.getByLabel('Email').fill('shortlived@example.com')
      await dialog.getByLabel('Password', { exact: true }).fill('12345')
      await dialog.getByRole('button', { name: 'Add user' }).click()
      await dialog.getByText('The password must have at least 6 characters.').waitFor()
      await dialog.getByLabel('Password', { exact: true }).fill('123456')
      await dialog.getByRole('button', { name: 'Add user' }).click()
      await dialog.getByText('This username is already taken.').waitFor()
      await assertAccessible(page)
      await dialog.getByLabel('Username').fill('shortlived')
      await dialog.getByRole('button', { name: 'Add user' }).click()
      await seeToast(page, 'User added', 'Created an account for shortlived.')
      await page.getByRole('button', { name: 'Actions for shortlived' }).click()
      await page.getByRole('menuitem', { name: 'Delete user' }).click()
      await page
        .getByRole('alertdialog', { name: 'Delete shortlived?' })
        .getByRole('button', { name: 'Delete user' })
        .click()
      await page.getByText('User deleted').first().waitFor()
      await page.getByRole('button', { name: 'Actions for shortlived' }).waitFor({ state: 'detached' })
    },
    { as: admin },
  )

  await story(
    'a deleted user and a deleted backup leave the list even if the response was lost',
    async ({ page, visit }) => {
      const lose = async (route: Route) => {
        if (route.request().method() !== 'DELETE') return route.continue()
        await route.fetch()
        await route.abort('connectionreset')
      }
      await page.route(/\/api\/admin\/(users|backups)\/\w/, lose)
      const question = page.getByRole('alertdialog')
      await product.register('fleeting')
      await visit('/admin?tab=users')
      await page.getByRole('button', { name: 'Actions for fleeting' }).click()
      await page.getByRole('menuitem', { name: 'Delete user' }).click()
      await question.getByRole('button', { name: 'Delete user' }).click()
      await seeToast(page, 'Failed to delete user')
      await page.getByRole('button', { name: 'Actions for fleeting' }).waitFor({ state: 'detached' })

      await admin.post('/api/admin/backups/create')
      await visit('/admin?tab=backups')
      const byHand = page.getByRole('row').filter({ hasText: 'Manual' })
      await byHand.getByRole('button', { name: 'Delete', exact: true }).click()
      await question.getByRole('button', { name: 'Delete' }).click()
      await seeToast(page, 'Delete Failed')
      await byHand.waitFor({ state: 'detached' })
    },
    { as: admin },
  )

  await story(
    'the system tab shows the current settings and checks the files',
    async ({ page, visit }) => {
      await visit('/admin?tab=system')
      await page.getByText('QUOTA_GB').waitFor()
      await page.getByText('Not checked yet.').waitFor()
      await page.getByText(/^Set IMAGEKIT_PRIVATE_KEY and IMAGEKIT_URL_ENDPOINT/).waitFor()
      assert.equal(await page.getByRole('button', { name: 'Migrate to ImageKit' }).count(), 0)
      await assertAccessible(page)
      // The page polls while the check is running.
      const runs = async (route: Route) => {
        const answer = await (await route.fetch()).json()
        await route.fulfill({ json: { ...answer, integrity: { ...answer.integrity, isRunning: true } } })
      }
      await page.route('**/api/admin/system', runs, { times: 1 })
      await page.getByRole('button', { name: 'Check files' }).click()
      await page
        .getByRole('status')
        .getByText(/^The only file is intact, checked /)
        .waitFor()
    },
    { as: admin, theme: 'light' },
  )

  await story(
    'an error shown in place of a table has a margin within its card',
    async ({ page, visit }) => {
      await page.route('**/api/admin/users', (route) => route.abort())
      await visit('/admin?tab=users')
      const failure = page.getByRole('alert').filter({ hasText: "Couldn't load users" })
      await failure.waitFor()
      const card = page.getByRole('tabpanel').locator('section').filter({ has: failure })
      const [inner, outer] = [(await failure.boundingBox())!, (await card.boundingBox())!]
      assert.ok(inner.x - outer.x >= 16 && outer.y + outer.height - inner.y - inner.height >= 16)
    },
    { as: admin },
  )

  await story(
    'on a phone no admin tab is wider than the page',
    async ({ page, visit }) => {
      for (const tab of ['overview', 'database', 'backups', 'users', 'system']) {
        await visit(`/admin?tab=${tab}`)
        await page.getByRole('tab', { selected: true }).waitFor()
        await page.getByRole('status').filter({ hasText: 'Loading' }).first().waitFor({ state: 'detached' })
        const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)
        assert.ok(overflow <= 0, `${tab} is ${overflow} px too wide`)
        const { x, width } = (await page.getByRole('tab', { selected: true }).boundingBox())!
        assert.ok(x >= 0 && x + width <= phone.width, `the selected tab is visible: ${tab}`)
      }
      await assertAccessible(page)
    },
    { as: admin, viewport: phone, hasTouch: true },
  )

  await story(
    'a file that is not a database export is refused',
    async ({ page, visit }) => {
      await visit('/admin?tab=database')
      await page.getByRole('button', { name: 'Reset database' }).waitFor()
      await assertAccessible(page)
      await page.setInputFiles('main input[type=file]', {
        name: 'notes.txt',
        mimeType: 'text/plain',
        buffer: Buffer.from('x'),
      })
      await page.getByText('Please choose a .json file.').first().waitFor()
      assert.equal(await page.inputValue('main input[type=file]'), '', 'the same file can be chosen again')
      await page.setInputFiles('main input[type=file]', {
        name: 'broken.json',
        mimeType: 'application/json',
        buffer: Buffer.from('{"a":'),
      })
      await page.getByRole('button', { name: 'Replace everything' }).click()
      await page.getByText('Failed to upload database').first().waitFor()
      await page
        .getByText(/Line 1: the file ends here/)
        .first()
        .waitFor()
    },
    { as: admin },
  )

  await story(
    'the database is downloaded, reset after typing RESET, and uploaded again',
    async ({ page, visit }) => {
      await visit('/admin?tab=database')
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('button', { name: 'Download database' }).click(),
      ])
      assert.match(download.suggestedFilename(), /^albumen-database-.*\.json$/)
      const path = await download.path()

      await page.getByRole('button', { name: 'Reset database' }).click()
      const destroy = page.getByRole('button', { name: 'Delete everything' })
      assert.ok(await destroy.isDisabled())
      await page.getByLabel('Type RESET to confirm').fill('RESET')
      await destroy.click()
      await page.getByText('Database reset').first().waitFor()
      await destroy.waitFor({ state: 'detached' })
      assert.equal((await admin.get('/api/admin/users')).json().length, 1)

      await page.setInputFiles('main input[type=file]', {
        name: 'database.json',
        mimeType: 'application/json',
        buffer: await readFile(path),
      })
      const go = Promise.withResolvers<void>()
      await page.route('**/api/admin/database/upload', (route) => go.promise.then(() => route.continue()))
      await page.getByRole('button', { name: 'Replace everything' }).click()
      await page.getByRole('alertdialog').getByRole('progressbar', { name: 'Sending' }).waitFor()
      go.resolve()
      await page
        .getByText(/2 users, 1 item and 0 collections were imported/)
        .first()
        .waitFor()
    },
    { as: admin },
  )
})
