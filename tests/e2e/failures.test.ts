import { test } from 'node:test'
import type { Locator, Page } from 'playwright-core'
import { shareCollection } from '#features/sharing/server/sharing.fixture.ts'
import { holdToast, ignoreEvents, openStories, type Story, seeToast, toastOf } from '#tests/support/browser.ts'
import { chooseCollection } from '#tests/support/selection.ts'

/** An action of the user, and the toast it shows when the connection is lost. */
type Failure = { title: string; sentence: string; at: string; press: (page: Page) => Promise<void> }

const button = (within: Page | Locator, name: string) => within.getByRole('button', { name, exact: true })
const choose = async (page: Page, menu: string, action: string | RegExp) => {
  await button(page, menu).click()
  await page.getByRole('menuitem', { name: action }).click()
}
const confirm = (page: Page, action: string) => button(page.getByRole('alertdialog'), action).click()

/** Loads the page, then lets every change fail. An action that leaves unsaved text is the last one on its page. */
async function seeAll({ page, visit }: Story, failures: Failure[]) {
  await page.route('**/api/**', (route) => (route.request().method() === 'GET' ? route.fallback() : route.abort()))
  let opened = ''
  for (const { title, sentence, at, press } of failures) {
    await (at === opened ? closeToastAndDialog(page) : visit(at))
    opened = at
    await press(page)
    await holdToast(page, title, sentence)
  }
}

/** Closes the toast, so that it is not taken for the next one, and any dialog above the page. */
async function closeToastAndDialog(page: Page) {
  await button(toastOf(page), 'Dismiss').click()
  await toastOf(page).waitFor({ state: 'detached' })
  // The viewer is a dialog too, and stays open.
  const viewer = page.getByRole('heading', { name: 'Media Details' })
  const question = page.getByRole('dialog').or(page.getByRole('alertdialog')).filter({ hasNot: viewer })
  if ((await question.count()) === 0) return
  await page.keyboard.press('Escape')
  await question.waitFor({ state: 'detached' })
}

const cardFailures: Failure[] = [
  {
    title: 'Delete failed',
    sentence: 'Could not delete the file.',
    at: '/',
    async press(page) {
      await choose(page, 'Actions for boat.jpg', 'Delete permanently…')
      await confirm(page, 'Delete')
    },
  },
  {
    title: 'Rename failed',
    sentence: 'Could not rename the file.',
    at: '/',
    async press(page) {
      await button(page, 'Rename boat.jpg').click()
      await page.getByLabel('File name').fill('ship.jpg')
      await page.keyboard.press('Enter')
    },
  },
]

/** Changes in the viewer; `shown` has a public URL. */
const viewerFailures = (boat: { id: number }, shown: { id: number }): Failure[] => [
  {
    title: 'Analysis failed',
    sentence: 'Could not analyze the media.',
    at: `/?item=${boat.id}`,
    press: (page) => button(page, 'Re-run AI analysis').click(),
  },
  {
    title: 'Tag generation failed',
    sentence: 'Could not generate tag suggestions.',
    at: `/?item=${boat.id}`,
    press: (page) => button(page, 'Suggest tags').click(),
  },
  {
    title: 'URL sync failed',
    sentence: 'Could not update ImageKit URL.',
    at: `/?item=${boat.id}`,
    press: (page) => button(page, 'Sync name to ImageKit').click(),
  },
  {
    title: 'Failed to create URL',
    sentence: 'Could not create public URL.',
    at: `/?item=${boat.id}`,
    async press(page) {
      // A clipboard that refuses writing never reads the promise that it was given.
      await page.evaluate(() => {
        Clipboard.prototype.write = () => Promise.reject(new DOMException('Closed', 'NotAllowedError'))
      })
      await button(page, 'Create public URL').click()
    },
  },
  {
    title: 'Copy failed',
    sentence: 'Could not copy the media.',
    at: `/?item=${boat.id}`,
    press: (page) => button(page, 'Duplicate').click(),
  },
  {
    title: 'Update failed',
    sentence: 'Failed to save changes.',
    at: `/?item=${boat.id}`,
    async press(page) {
      await button(page, 'Edit').click()
      await page.getByLabel('Description', { exact: true }).fill('By the sea')
      await button(page, 'Save').click()
    },
  },
  {
    title: 'Error',
    sentence: 'Failed to update URL.',
    at: `/?item=${shown.id}`,
    press: (page) => button(page, 'Make private').click(),
  },
]

const selectionFailures: Failure[] = [
  {
    title: 'Rename failed',
    sentence: 'Failed to rename images.',
    at: '/',
    async press(page) {
      await button(page, 'Select').click()
      await page.getByRole('checkbox', { name: 'Select boat.jpg' }).click()
      await choose(page, 'More actions', /^Rename/)
      await page.getByLabel('Base name').fill('Trip')
      await page.keyboard.press('Enter')
    },
  },
  {
    title: 'Tag Addition Failed',
    sentence: "Couldn't add the tags.",
    at: '/',
    async press(page) {
      await button(page, 'Add Tags').click()
      await page.getByRole('combobox', { name: 'Tags' }).fill('beach')
      await button(page.getByRole('dialog'), 'Add Tags').click()
    },
  },
  {
    title: 'Description update failed',
    sentence: "Couldn't update the descriptions.",
    at: '/',
    async press(page) {
      await choose(page, 'More actions', /^Edit Descriptions/)
      await page.getByRole('textbox', { name: 'Description' }).fill('By the sea')
      await button(page, 'Update Descriptions').click()
    },
  },
  {
    title: 'Copy failed',
    sentence: 'Failed to copy selected images.',
    at: '/',
    async press(page) {
      await choose(page, 'More actions', /^Copy Images/)
      await button(page, 'Copy 1 item').click()
    },
  },
  // The selection stays after a failure.
  {
    title: 'Delete failed',
    sentence: "Couldn't move the items to the trash.",
    at: '/',
    press: (page) => button(page, 'Move to Trash').click(),
  },
  {
    title: 'Delete failed',
    sentence: "Couldn't move the items to the trash.",
    at: '/',
    press: (page) => page.keyboard.press('Delete'),
  },
  {
    title: 'Move failed',
    sentence: 'Failed to move media to collection.',
    at: '/',
    async press(page) {
      await button(page, 'Move to Collection').click()
      await chooseCollection(page, 'Sea')
      await button(page, 'Move').click()
    },
  },
  {
    title: 'Delete failed',
    sentence: 'Failed to delete selected images: Unknown error',
    at: '/',
    async press(page) {
      await choose(page, 'More actions', 'Delete permanently (1)…')
      await button(page.getByRole('dialog'), 'Delete 1 item').click()
    },
  },
]

const collectionFailures: Failure[] = [
  {
    title: 'Error',
    sentence: 'Failed to create collection.',
    at: '/?tab=collections',
    async press(page) {
      await button(page, 'Create Collection').click()
      await page.getByLabel('Name').fill('Hills')
      await button(page.getByRole('dialog'), 'Create').click()
    },
  },
  {
    title: 'Error',
    sentence: 'Failed to duplicate collection.',
    at: '/?tab=collections',
    async press(page) {
      await choose(page, 'Actions for Sea', 'Duplicate for Other Website')
      await button(page.getByRole('dialog'), 'Duplicate').click()
    },
  },
  {
    title: 'Error',
    sentence: 'Failed to rename images with AI.',
    at: '/?tab=collections',
    async press(page) {
      await choose(page, 'Actions for Sea', 'AI Rename Images')
      await page.getByLabel('Company').fill('Acme')
      await button(page, 'Preview names').click()
    },
  },
  {
    title: 'Error',
    sentence: 'Failed to update URL.',
    at: '/?tab=collections',
    async press(page) {
      await choose(page, 'Actions for Sea', 'Rename URL')
      await page.getByLabel('Public URL').fill('our-sea')
      await button(page.getByRole('dialog'), 'Update').click()
    },
  },
  {
    title: 'Error',
    sentence: 'Failed to delete collection.',
    at: '/?tab=collections',
    async press(page) {
      await choose(page, 'Actions for Sea', 'Delete Collection')
      await confirm(page, 'Delete Collection')
    },
  },
  {
    title: 'Error',
    sentence: 'Failed to update collection branding.',
    at: '/?tab=collections',
    async press(page) {
      await choose(page, 'Actions for Sea', 'Customize & Share')
      await page.getByRole('dialog').getByLabel('Title').first().fill('La mer')
      await button(page.getByRole('dialog'), 'Save').click()
    },
  },
]

const scraperAndSignOutFailures: Failure[] = [
  {
    title: 'Upload Failed',
    sentence: 'An unexpected error occurred',
    at: '/scraper',
    async press(page) {
      await page.getByRole('tab', { name: 'Upload from URLs' }).click()
      await page.getByLabel('Image URL 1').fill('https://example.com/boat.jpg')
      await button(page, 'Upload Images').click()
    },
  },
  {
    title: 'Logout failed',
    sentence: 'The server could not be reached. Please try again.',
    at: '/',
    press: (page) => choose(page, 'Account: ann', 'Logout'),
  },
]

const userAndDatabaseFailures: Failure[] = [
  {
    title: 'Failed to update admin status',
    sentence: 'Please try again.',
    at: '/admin?tab=users',
    press: (page) => choose(page, 'Actions for ann', 'Make admin'),
  },
  {
    title: 'Failed to update password',
    sentence: 'Please try again.',
    at: '/admin?tab=users',
    async press(page) {
      await choose(page, 'Actions for ann', 'Reset password')
      await page.getByPlaceholder('min 6 characters').fill('correct horse')
      await button(page, 'Reset password').click()
    },
  },
  {
    title: 'Failed to delete user',
    sentence: 'Please try again.',
    at: '/admin?tab=users',
    async press(page) {
      await choose(page, 'Actions for ann', 'Delete user')
      await confirm(page, 'Delete user')
    },
  },
  {
    title: 'Failed to download database',
    sentence: 'Download failed',
    at: '/admin?tab=database',
    press: (page) => button(page, 'Download database').click(),
  },
  {
    title: 'Failed to reset database',
    sentence: 'Please try again.',
    at: '/admin?tab=database',
    async press(page) {
      await button(page, 'Reset database').click()
      await page.getByLabel('Type RESET to confirm').fill('RESET')
      await button(page, 'Delete everything').click()
    },
  },
]

const backupFailures: Failure[] = [
  {
    title: 'Backup Failed',
    sentence: 'Failed to create backup',
    at: '/admin?tab=backups',
    press: (page) => button(page, 'Create Backup').click(),
  },
  {
    title: 'Update Failed',
    sentence: 'Failed to update backup frequency',
    at: '/admin?tab=backups',
    press: async (page) => void (await page.getByLabel('Automatic backups').selectOption('weekly')),
  },
  {
    title: 'Restore Failed',
    sentence: 'Failed to start backup restore',
    at: '/admin?tab=backups',
    async press(page) {
      await button(page, 'Restore').first().click()
      await button(page.getByRole('dialog'), 'Restore').click()
    },
  },
  {
    title: 'Delete Failed',
    sentence: 'Failed to delete backup',
    at: '/admin?tab=backups',
    async press(page) {
      await button(page, 'Delete').first().click()
      await confirm(page, 'Delete')
    },
  },
  {
    title: 'Failed to download complete backup',
    sentence: 'Download failed',
    at: '/admin?tab=backups',
    press: (page) => button(page, 'Download complete backup').click(),
  },
]

test('toasts when the connection is lost', async (context) => {
  // Nothing answers at these addresses; they are set so that the actions of these services are offered.
  const { product, story } = await openStories(context, {
    ...{ AI_BASE_URL: 'http://127.0.0.1:9', AI_MODEL: 'none' },
    ...{ IMAGEKIT_PRIVATE_KEY: 'none', IMAGEKIT_URL_ENDPOINT: 'https://127.0.0.1:9/none' },
  })
  const admin = await product.register('grace')
  const ann = await product.register('ann')
  await shareCollection(ann, { name: 'Sea', count: 1 })
  const boat = await ann.addPicture('boat.jpg')
  const shown = await ann.addPicture('shown.jpg')
  await ann.post(`/api/media/${shown.id}/public`)

  await story('a change on a card that fails shows its specified toast', (it) => seeAll(it, cardFailures), { as: ann })

  await story(
    'a change in the viewer that fails shows its specified toast',
    (it) => seeAll(it, viewerFailures(boat, shown)),
    { as: ann },
  )

  await story('a bulk action that fails shows its specified toast', (it) => seeAll(it, selectionFailures), { as: ann })

  await story('a change to a collection that fails shows its specified toast', (it) => seeAll(it, collectionFailures), {
    as: ann,
  })

  await story(
    'an upload from URLs or a sign-out that fails shows its specified toast',
    (it) => seeAll(it, scraperAndSignOutFailures),
    { as: ann },
  )

  await admin.post('/api/admin/backups/create')
  await story(
    'an admin action on users or the database that fails shows its specified toast',
    async (it) => {
      // A download is a GET request, so it has to fail separately.
      await it.page.route('**/api/admin/database/download*', (route) => route.abort())
      await seeAll(it, userAndDatabaseFailures)
    },
    { as: admin },
  )

  await story(
    'an admin action on backups that fails shows its specified toast',
    async (it) => {
      await it.page.route('**/api/admin/database/download*', (route) => route.abort())
      await seeAll(it, backupFailures)
    },
    { as: admin },
  )
})

test('toasts when the server refuses a change', async (context) => {
  const { product, story } = await openStories(context)
  const ann = await product.register('ann')
  const sea = await shareCollection(ann, { name: 'Sea', count: 1 })
  const lake = await shareCollection(ann, { name: 'Lake', count: 1 })
  const boat = await ann.addPicture('boat.jpg')
  const raft = await ann.addPicture('raft.jpg')

  await story(
    'a toast gives the reason: no AI, or a collection or item that no longer exists',
    async ({ page, visit }) => {
      // The page was opened before the server was restarted without an AI.
      await page.route('**/api/services', (route) => route.fulfill({ json: { hasAi: true, hasImageKit: false } }))
      await visit(`/?item=${boat.id}`)
      const noAi = 'No AI is configured. Set AI_LOCAL=1'
      await button(page, 'Suggest tags').click()
      await seeToast(page, 'Tag generation failed', `Could not generate tag suggestions.${noAi}`)
      await button(page, 'Re-run AI analysis').click()
      await seeToast(page, 'Analysis failed', `Could not analyze the media.${noAi}`)

      await ignoreEvents(page)
      await visit(`/?item=${raft.id}`)
      await button(page, 'Duplicate').waitFor()
      await ann.delete(`/api/media/${raft.id}`)
      await button(page, 'Duplicate').click()
      await seeToast(page, 'Copy failed', 'Could not copy the media.Media not found')
      await visit('/?tab=collections')
      await choose(page, 'Actions for Lake', 'Duplicate for Other Website')
      await ann.delete(`/api/collections/${lake.id}`)
      await button(page.getByRole('dialog'), 'Duplicate').click()
      await seeToast(page, 'Error', 'Failed to duplicate collection.Collection not found')

      await visit('/')
      await choose(page, 'Actions for boat.jpg', 'Move to Collection')
      await chooseCollection(page, 'Sea')
      await ann.delete(`/api/collections/${sea.id}`)
      await button(page, 'Move').click()
      await seeToast(page, 'Move failed', 'Failed to move media to collection.Collection not found')
      await visit('/')
      await button(page, 'Rename boat.jpg').click()
      await page.getByLabel('File name').fill('ship.jpg')
      await ann.delete(`/api/media/${boat.id}`)
      await page.keyboard.press('Enter')
      await seeToast(page, 'Rename failed', 'Could not rename the file.Media not found')
    },
    { as: ann },
  )
})
