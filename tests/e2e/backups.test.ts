import assert from 'node:assert/strict'
import { mkdir, readFile, rm } from 'node:fs/promises'
import type { IncomingMessage } from 'node:http'
import { join } from 'node:path'
import { test } from 'node:test'
import type { Route } from 'playwright-core'
import { assertAccessible, openStories, seeToast } from '#tests/support/browser.ts'
import { until } from '#tests/support/until.ts'

/** The layout needs a moment to follow a new window size. */
const soon = { withinMs: 15_000 }

test('backups', async (context) => {
  const { product, story } = await openStories(context)
  // The first automatic backup is postponed until a story needs it.
  const { db } = product.services
  const setFirstAutomatic = (run_at: number) =>
    db.updateTable('jobs').set({ run_at }).where('kind', '=', 'automatic-backup').execute()
  await setFirstAutomatic(Date.now() + 3600_000)
  const admin = await product.register('grace')
  const picture = await admin.addPicture('beach.jpg')

  await story(
    'a backup that failed, timed out or lost its response is reported as such',
    async ({ page, visit }) => {
      await visit('/admin?tab=backups')
      await page.getByText('No backups found. The first automatic backup will be created soon.').waitFor()
      await assertAccessible(page)
      const full = { status: 507, json: { message: 'The disk is full. Free some space and try again.' } }
      await page.route('**/api/admin/backups/create', (route) => route.fulfill(full), { times: 1 })
      await page.getByRole('button', { name: 'Create Backup' }).click()
      await page.getByText('Failed to create backup', { exact: true }).waitFor()
      await seeToast(page, 'Backup Failed', full.json.message)
      // A backup that takes longer than the request is not reported as created, but appears in the list.
      const message = 'The backup is still running. It will appear in the list when it is done.'
      const answerEarly = (route: Route) => route.fulfill({ json: { message, backup: null } })
      await page.route('**/api/admin/backups/create', answerEarly, { times: 1 })
      await page.getByRole('button', { name: 'Create Backup' }).click()
      await seeToast(page, 'Backup in progress', message)
      const { backup } = (await admin.post('/api/admin/backups/create')).json()
      await page.getByText(/^Verified/).waitFor()
      await admin.delete(`/api/admin/backups/${backup.id}`)
      await page.reload()
      // The same holds for a backup whose response was lost.
      await page.route('**/api/admin/backups/create', (route) => route.abort('connectionreset'), { times: 1 })
      await page.getByRole('button', { name: 'Create Backup' }).click()
      await seeToast(page, 'Backup Failed', 'No response. Check the list before retrying.')
      const unreported = (await admin.post('/api/admin/backups/create')).json().backup
      await page.getByText(/^Verified/).waitFor()
      await admin.delete(`/api/admin/backups/${unreported.id}`)
    },
    { as: admin },
  )

  await story(
    'a backup is created, and its row fits on a tablet and on a phone',
    async ({ page, visit }) => {
      await visit('/admin?tab=backups')
      await page.getByRole('button', { name: 'Create Backup' }).click()
      await page.getByText('Backup Created').first().waitFor()
      await page.getByText(/^Verified/).waitFor()
      const restore = page.getByRole('button', { name: 'Restore', exact: true })
      for (const viewport of [1160, 1040, 960, 768]) {
        await page.setViewportSize({ width: viewport, height: 1024 })
        const table = page.getByRole('table').filter({ has: restore })
        await until(
          `the backups end within ${viewport} pixels`,
          async () => {
            const { x, width } = (await table.boundingBox())!
            return x + width < viewport
          },
          soon,
        )
      }
      await page.setViewportSize({ width: 360, height: 740 })
      await until(
        'the state ends before the actions begin',
        async () => {
          const state = (await page.getByText(/^Verified/).boundingBox())!
          const { x: actions } = (await page.getByRole('button', { name: 'Download', exact: true }).boundingBox())!
          return state.x + state.width <= actions
        },
        soon,
      )
    },
    { as: admin },
  )

  await story(
    'a backup is restored with progress, and deleted',
    async ({ page, visit }) => {
      await admin.delete(`/api/media/${picture.id}`)
      await page.setViewportSize({ width: 768, height: 1024 })
      await visit('/admin?tab=backups')
      const restore = page.getByRole('button', { name: 'Restore', exact: true })
      const made = page.locator(`[id="${await restore.getAttribute('aria-describedby')}"]`)
      assert.match((await made.textContent())!, /^\w{3} \d+, \d{4}/)
      await restore.click()
      const dialog = page.getByRole('dialog', { name: 'Restore this backup?' })
      await dialog.getByRole('row', { name: 'Items 1 0 0' }).waitFor()
      await assertAccessible(page)
      const reloaded = page.waitForEvent('load')
      await dialog.getByRole('button', { name: 'Restore' }).click()
      await page.getByText('Restore Complete').first().waitFor()
      await reloaded
      assert.equal((await admin.get('/api/media')).json().pagination.totalCount, 1)

      await page.getByText(/^Created before restoring the backup from/).waitFor()
      await page.getByRole('button', { name: 'Delete', exact: true }).first().click()
      await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click()
      await page.getByText('Backup Deleted').first().waitFor()
    },
    { as: admin },
  )

  await story(
    'the dialog of a running restore cannot be closed, and shows why the restore failed',
    async ({ page, visit }) => {
      let answers = 0
      let isOver = false
      const requests: unknown[] = []
      await page.route('**/api/admin/backups/*/restore', (route) => {
        requests.push(route.request().postDataJSON())
        return route.fulfill({ json: { message: 'begun' } })
      })
      await page.route('**/api/admin/backups/restore-progress', (route) => {
        answers++
        if (answers === 2) return route.abort('connectionrefused')
        return route.fulfill({
          json: {
            progress: 40,
            message: 'Copying the files',
            step: 'Files',
            isRestoring: !isOver,
            ...(isOver && { step: 'Error', message: 'The disk is full.' }),
          },
        })
      })
      await visit('/admin?tab=backups')
      await page.getByRole('button', { name: 'Restore', exact: true }).first().click()
      const dialog = page.getByRole('dialog')
      await dialog.getByText('No items, collections or users would change.').waitFor()
      await dialog.getByRole('button', { name: 'Restore' }).click()
      await dialog.getByText('Copying the files').waitFor()
      await page.getByRole('dialog', { name: 'Restoring the backup' }).waitFor()
      await page.keyboard.press('Escape')
      assert.ok(await dialog.isVisible())
      assert.equal(await dialog.getByRole('button', { name: 'Close' }).count(), 0)
      isOver = true
      await page.getByText('The disk is full.').first().waitFor()
      await page.getByText('Restore Failed').first().waitFor()
      await dialog.getByRole('checkbox', { name: 'Continue without damaged or missing files' }).check()
      await dialog.getByRole('button', { name: 'Restore' }).click()
      await dialog.getByRole('button', { name: 'Cancel' }).click()
      assert.deepEqual(requests, [
        { skipSafetyBackup: false, acceptLostFiles: false },
        { skipSafetyBackup: false, acceptLostFiles: true },
      ])
    },
    { as: admin },
  )

  await story(
    'the progress of a restore is shown even if the response that it has started was lost',
    async ({ page, visit }) => {
      const running = { progress: 40, message: 'Copying the files', step: 'Files', isRestoring: true }
      let answer = { ...running, isRestoring: false }
      await page.route('**/api/admin/backups/restore-progress', (route) => route.fulfill({ json: answer }))
      await page.route('**/api/admin/backups/*/restore', (route) => {
        answer = running
        return route.abort('connectionreset')
      })
      await visit('/admin?tab=backups')
      await page.getByRole('button', { name: 'Restore', exact: true }).first().click()
      const dialog = page.getByRole('dialog')
      await dialog.getByRole('button', { name: 'Restore' }).click()
      await dialog.getByText('Copying the files').waitFor()
      answer = { ...running, isRestoring: false, step: 'Error', message: 'The disk is full.' }
      await seeToast(page, 'Restore Failed', 'The disk is full.')
    },
    { as: admin },
  )

  await story(
    'after a reload the page still shows a running restore and how it ends',
    async ({ page, visit }) => {
      const running = { progress: 40, message: 'Copying the files', step: 'Files', isRestoring: true }
      let answer = { ...running }
      await page.route('**/api/admin/backups/restore-progress', (route) => route.fulfill({ json: answer }))
      await visit('/admin?tab=backups')
      await page.getByText('A backup is being restored').waitFor()
      await page.getByRole('progressbar', { name: 'Copying the files' }).waitFor()
      await assertAccessible(page)
      answer = { progress: 0, message: 'The disk is full.', step: 'Error', isRestoring: false }
      await seeToast(page, 'Restore Failed', 'The disk is full.')
      await page.getByText('A backup is being restored').waitFor({ state: 'detached' })

      answer = { ...running }
      await page.reload()
      await page.getByText('A backup is being restored').waitFor()
      const reloaded = page.waitForEvent('load')
      answer = { progress: 100, message: 'Restore complete', step: 'Complete', isRestoring: false }
      await seeToast(page, 'Restore Complete', 'The page reloads in a moment.')
      await reloaded
    },
    { as: admin },
  )

  await story(
    'when the server refuses to report the progress, the restore status is unknown',
    async ({ page, visit }) => {
      await page.route('**/api/admin/backups/*/restore', (route) => route.fulfill({ json: { message: 'begun' } }))
      await page.route('**/api/admin/backups/restore-progress', (route) => route.fulfill({ status: 500, body: 'no' }))
      const message = 'This backup is damaged: its rows cannot be read. Please choose another one.'
      await page.route('**/api/admin/backups/*/preview', (route) => route.fulfill({ status: 409, json: { message } }))
      await visit('/admin?tab=backups')
      await page.getByRole('button', { name: 'Restore', exact: true }).first().click()
      await page.getByText(`The backup could not be compared with the library. ${message}`).waitFor()
      await page.getByRole('dialog').getByRole('button', { name: 'Restore' }).click()
      await page.getByText('Restore Status Unknown').first().waitFor()
      await page.getByText('Unable to track restore progress. Please check manually.').first().waitFor()
    },
    { as: admin },
  )

  await story(
    'the frequency of automatic backups can be set, and the last automatic backup cannot be deleted',
    async ({ page, visit }) => {
      await setFirstAutomatic(0)
      await product.settled()
      await visit('/admin?tab=backups')
      const rows = page.getByRole('row').filter({ has: page.getByRole('button', { name: 'Delete', exact: true }) })
      const automatic = rows.filter({ hasText: 'Automatic' })
      await automatic.getByText(/^Restore tested/).waitFor()
      assert.ok(await automatic.getByRole('button', { name: 'Delete', exact: true }).isDisabled())
      const byHand = rows.filter({ hasText: 'Manual' }).first()
      assert.ok(await byHand.getByRole('button', { name: 'Delete', exact: true }).isEnabled())
      const frequency = page.getByLabel('Automatic backups')
      await frequency.focus()
      await frequency.selectOption('weekly')
      await page.getByText('Frequency Updated').first().waitFor()
      await frequency.and(page.locator(':focus')).waitFor()
      assert.equal((await admin.get('/api/admin/backup-frequency')).json().frequency, 'weekly')

      await page.route('**/api/admin/backups', async (route) => {
        const { backups, ...rest } = await (await route.fetch()).json()
        const another = { ...backups.find(({ type }: { type: string }) => type === 'automatic'), id: 'another' }
        await route.fulfill({ json: { ...rest, backups: [...backups, another] } })
      })
      await page.reload()
      await automatic.nth(1).waitFor()
      for (const each of await automatic.getByRole('button', { name: 'Delete', exact: true }).all())
        assert.ok(await each.isEnabled(), 'either of two can be deleted')
      await page.unroute('**/api/admin/backups')
    },
    { as: admin, theme: 'light' },
  )

  await story(
    'the list of backups stays when a refresh fails, and names the backups that are damaged',
    async ({ page, visit }) => {
      await visit('/admin?tab=backups')
      const rows = page.getByRole('row').filter({ has: page.getByRole('button', { name: 'Delete', exact: true }) })
      const automatic = rows.filter({ hasText: 'Automatic' })
      const byHand = rows.filter({ hasText: 'Manual' }).first()
      await automatic.waitFor()
      await page.route('**/api/admin/backups', (route) => route.abort())
      await byHand.getByRole('button', { name: 'Delete', exact: true }).click()
      await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click()
      await page.getByRole('alertdialog').waitFor({ state: 'hidden' })
      assert.ok(await automatic.isVisible())
      await page.reload()
      await page.getByText("Couldn't load backups").waitFor()
      await page.unroute('**/api/admin/backups')
      await page.getByRole('button', { name: 'Try again' }).click()
      await automatic.waitFor()

      const half = join(product.directory, 'backups', 'snapshots', '20260101-000000-00000000')
      await mkdir(half)
      await page.reload()
      const notice = page.getByRole('alert').filter({ hasText: '1 backup is not listed' })
      await notice.getByText('20260101-000000-00000000: This backup is damaged: it has no manifest.json.').waitFor()
      await assertAccessible(page)
      await automatic.waitFor()
      await rm(half, { recursive: true })
    },
    { as: admin, theme: 'light' },
  )

  await story(
    'a complete backup is downloaded as a ZIP file and restored from it',
    async ({ page, visit }) => {
      await visit('/admin?tab=backups')
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('button', { name: 'Download complete backup' }).click(),
      ])
      assert.match(download.suggestedFilename(), /^albumen-backup-.*\.zip$/)
      const buffer = await readFile(await download.path())
      await page.setInputFiles('main input[type=file]', {
        name: 'b.zip',
        mimeType: 'application/zip',
        buffer: Buffer.from('no'),
      })
      await page.getByRole('button', { name: 'Replace everything' }).click()
      await page.getByText('Failed to restore complete backup').first().waitFor()
      await page.setInputFiles('main input[type=file]', { name: 'B.ZIP', mimeType: 'application/zip', buffer })
      // The upload is held until its progress bar has been seen, because the bar of the restore replaces it.
      const go = Promise.withResolvers<void>()
      await page.route('**/api/admin/backup/upload', (route) => go.promise.then(() => route.continue()))
      const progress = { progress: 40, message: 'Copying the files', step: 'Files', isRestoring: true }
      await page.route('**/api/admin/backups/restore-progress', (route) => route.fulfill({ json: progress }))
      await page.getByRole('button', { name: 'Replace everything' }).click()
      await page
        .getByRole('alertdialog')
        .getByText(/^0 Bytes of \d/)
        .waitFor()
      // A library this small is restored at once, so an open transaction delays it until the second bar has been seen.
      const seen = Promise.withResolvers<void>()
      const busy = db.transaction().execute(() => seen.promise)
      go.resolve()
      await page.getByRole('progressbar', { name: 'Copying the files' }).waitFor()
      const reloaded = page.waitForEvent('load')
      seen.resolve()
      await busy
      await page.getByText('1 user, 1 item and 0 collections were restored.').first().waitFor()
      await reloaded
    },
    { as: admin },
  )

  await story(
    'a restore from a file whose response is lost is reported as unknown until it starts',
    async ({ page, visit }) => {
      // Like a proxy that times out after it has forwarded the whole request.
      const giveUp = (request: IncomingMessage) => {
        if (request.url !== '/api/admin/backup/upload') return
        request.on('end', () => request.socket.end('HTTP/1.1 504 Gateway Time-out\r\ncontent-length: 0\r\n\r\n'))
      }
      product.app.server.on('request', giveUp)
      const running = { progress: 40, message: 'Copying the files', step: 'Files', isRestoring: true }
      let answer = { ...running, isRestoring: false, step: 'Idle' }
      await page.route('**/api/admin/backups/restore-progress', (route) => route.fulfill({ json: answer }))
      await visit('/admin?tab=backups')
      const file = { name: 'b.zip', mimeType: 'application/zip', buffer: Buffer.from('no') }
      await page.setInputFiles('main input[type=file]', file)
      await page.getByRole('button', { name: 'Replace everything' }).click()
      await seeToast(page, 'Restore Status Unknown', 'It may have been accepted. Check before retrying.')
      await page.getByText('The restore may still start').waitFor()
      await assertAccessible(page)
      answer = running
      await page.getByText('A backup is being restored').waitFor()
      answer = { ...running, isRestoring: false, step: 'Error', message: 'The disk is full.' }
      await seeToast(page, 'Restore Failed', 'The disk is full.')
      await page.getByText('The restore may still start').waitFor({ state: 'detached' })
      product.app.server.off('request', giveUp)
    },
    { as: admin },
  )
})
