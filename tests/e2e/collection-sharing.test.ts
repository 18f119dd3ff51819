import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Locator, Page, Route } from 'playwright-core'
import { shareCollection } from '#features/sharing/server/sharing.fixture.ts'
import { assertAccessible, ignoreEvents, openStories, type Story, seeFocus, seeToast } from '#tests/support/browser.ts'
import { chooseAction, collectionsTab } from '#tests/support/collections-tab.ts'

/** Waits until the element is neither scrolled out of view nor covered. */
async function seeInSight(page: Page, target: Locator) {
  await page.waitForFunction(
    (shown) => {
      const { x, y, width, height } = shown!.getBoundingClientRect()
      return shown!.contains(document.elementFromPoint(x + width / 2, y + height / 2))
    },
    await target.elementHandle(),
  )
}

/** Reads the preview from outside, because its frame runs no scripts, not even those of a test. */
const seePreview = (page: Page, selector: string, words = '') =>
  page.waitForFunction(
    ([wanted, text]) => {
      const frame = document.querySelector<HTMLIFrameElement>('iframe[title="Preview of the public page"]')
      const found = frame?.contentDocument?.querySelector<HTMLImageElement>(wanted!)
      return found?.tagName === 'IMG' ? found.naturalWidth : found?.textContent?.includes(text!)
    },
    [selector, words],
  )

test('sharing a collection', async (context) => {
  const { product, story } = await openStories(context)
  const ann = await product.register('ann')
  const ben = await product.register('ben')
  const sea = await shareCollection(ben, { name: 'Sea', count: 3 })
  await ben.post('/api/collections', { name: 'Green hills' })

  await story(
    'the public URL is copied and renamed, invalid letters are dropped, and a taken one is refused',
    async ({ page, browser, visit }) => {
      await browser.grantPermissions(['clipboard-read', 'clipboard-write'])
      const taken = await shareCollection(ann, { name: 'Taken', count: 0 })
      await visit(collectionsTab)
      await chooseAction(page, 'Sea', 'Copy Public URL')
      await seeToast(page, 'Copied to clipboard', 'Public URL copied successfully.')
      assert.match(
        await page.evaluate(() => navigator.clipboard.readText()),
        new RegExp(`/public/collections/${sea.slug}$`),
      )
      await chooseAction(page, 'Sea', 'Rename URL')
      const dialog = page.getByRole('dialog', { name: 'Rename URL' })
      const field = dialog.getByLabel('Public URL')
      const update = dialog.getByRole('button', { name: 'Update' })
      await field.fill('My Sea, 2026!')
      assert.equal(await field.inputValue(), 'mysea2026')
      await dialog.getByText('This URL is available.').waitFor()
      await field.fill('ab')
      assert.equal(await update.isDisabled(), true)
      await field.fill(taken.slug)
      await dialog.getByText('This URL is already taken.').waitFor()
      await assertAccessible(page)
      await update.click()
      await seeToast(page, 'Error', 'This URL is already taken. Please choose another.')
      await field.fill('the-sea')
      await update.click()
      await seeToast(page, 'URL updated')
      const popup = page.waitForEvent('popup')
      await chooseAction(page, 'Sea', 'View Public Page')
      await (await popup).getByRole('heading', { name: 'Sea' }).waitFor()
      assert.match((await popup).url(), /\/public\/collections\/the-sea$/)
    },
    { as: ben },
  )

  await story(
    'the preview of the branding follows the fields, and poor contrast and refused CSS are reported',
    async ({ page, visit }) => {
      await visit('/')
      await page.getByRole('tab', { name: 'Collections' }).click()
      await chooseAction(page, 'Sea', 'Customize & Share')
      const dialog = page.getByRole('dialog', { name: 'Customize & Share' })
      await seePreview(page, '.pub-title', 'Sea')
      await seePreview(page, '.pub-item img')
      await dialog.getByLabel('Title').first().fill('La mer')
      await seePreview(page, '.pub-title', 'La mer')
      await dialog.getByLabel('Text', { exact: true }).fill('#eeeeee')
      await dialog.getByText(/The text is hard to read on this background/).waitFor()
      const background = dialog.getByLabel('Background', { exact: true })
      await background.fill('#10')
      await dialog.getByText('For example, #3b82f6').waitFor()
      await background.fill('101820')
      assert.equal(await background.inputValue(), '#101820')
      assert.equal(await dialog.getByLabel('Background color').inputValue(), '#101820')
      await dialog.getByText(/hard to read/).waitFor({ state: 'detached' })
      await dialog.getByLabel('Custom CSS').fill('.pub-title { letter-spacing: 4px; position: fixed }')
      await dialog.getByText(/The property position is not allowed/).waitFor()
      await page.waitForFunction(() => {
        const frame = document.querySelector<HTMLIFrameElement>('iframe')?.contentDocument
        const title = frame?.querySelector('.pub-title')
        return title && getComputedStyle(title).letterSpacing === '4px'
      })
    },
    { as: ben },
  )

  await story(
    'colors are taken from the logo and from the pictures, and are readable without a warning',
    async ({ page, visit }) => {
      const leaves = await shareCollection(ben, { name: 'Leaves' })
      const colour = (id: number, colours: string[]) =>
        product.services.db
          .updateTable('media')
          .set({ colours: JSON.stringify(colours) })
          .where('id', '=', id)
          .execute()
      await colour(leaves.media[0]!.id, ['#2f6b1f', '#f0f0f0'])
      await colour(leaves.media[1]!.id, ['#c02020'])
      await visit(`/?collection=${leaves.id}`)
      await page.getByRole('button', { name: 'Share', exact: true }).click()
      const dialog = page.getByRole('dialog', { name: 'Customize & Share' })
      await dialog.getByRole('tab', { name: 'Appearance' }).click()
      const pictures = dialog.getByRole('group', { name: 'From the pictures' }).getByRole('button')
      await pictures.first().waitFor()
      assert.deepEqual(await pictures.evaluateAll((all) => all.map(({ ariaLabel }) => ariaLabel).sort()), [
        'Dark green',
        'Dark red',
        'Light green',
        'Light red',
      ])
      assert.equal(await dialog.getByRole('group', { name: 'From the logo' }).count(), 0)
      await dialog.getByRole('textbox', { name: 'Logo' }).fill(leaves.media[1]!.originalUrl)
      const fromLogo = dialog.getByRole('group', { name: 'From the logo' })
      await fromLogo.getByRole('button', { name: 'Dark red' }).press('Enter')
      await fromLogo.getByRole('button', { name: 'Dark red', pressed: true }).waitFor()
      assert.equal(await dialog.getByText(/hard to read|barely stands out/).count(), 0)
      await page.waitForFunction(() => {
        const root = document.querySelector<HTMLIFrameElement>('iframe')?.contentDocument?.documentElement
        return root && getComputedStyle(root).getPropertyValue('--pub-background') === '#1b0404'
      })
      await dialog.getByRole('button', { name: 'Save' }).click()
      await seeToast(page, 'Branding saved')
      const { customBranding } = (await ben.get(`/api/collections/${leaves.id}`)).json()
      assert.equal(customBranding.backgroundColor, '#1b0404')
    },
    { as: ben },
  )

  await story(
    'branding with a header image is saved, and leaving it unsaved asks first',
    async ({ page, visit }) => {
      await visit('/')
      await page.getByRole('tab', { name: 'Collections' }).click()
      await chooseAction(page, 'Sea', 'Customize & Share')
      const dialog = page.getByRole('dialog', { name: 'Customize & Share' })
      await dialog.getByLabel('Title').first().fill('La mer')
      await dialog.getByLabel('Background color').fill('#101820')
      const header = dialog.getByRole('group', { name: 'Header image' })
      await header.getByRole('button', { name: 'Choose from library' }).click()
      const choice = dialog.getByRole('button', { name: 'Choose picture-0.jpg' }).first()
      await seeInSight(page, choice)
      await choice.press('Enter')
      await seeFocus(page, 'Choose from library')
      await seePreview(page, '.pub-header-image')
      await dialog.getByRole('tab', { name: 'Link' }).click()
      await page.keyboard.press('Escape')
      const question = page.getByRole('alertdialog', { name: 'Discard your changes?' })
      await question.getByRole('button', { name: 'Keep editing' }).click()
      await page.evaluate(() => history.back())
      await question.getByRole('button', { name: 'Keep editing' }).click()
      await dialog.getByRole('tab', { name: 'Appearance' }).click()
      await seePreview(page, '.pub-title', 'La mer')
      await dialog.getByRole('button', { name: 'Save' }).click()
      await seeToast(page, 'Branding saved')
      const { customBranding } = (await ben.get(`/api/collections/${sea.id}`)).json()
      assert.deepEqual([customBranding.title, customBranding.backgroundColor], ['La mer', '#101820'])
      assert.match(customBranding.headerImage, /^\/files\/\d+\//)
      // The keys scroll the preview from outside, so Tab does not lead into it.
      await dialog.getByRole('button', { name: 'Save' }).press('Tab')
      await page.keyboard.press('End')
      await page.waitForFunction(() => document.querySelector('iframe')!.contentDocument!.scrollingElement!.scrollTop)
      await page.keyboard.press('Tab')
      await seeFocus(page, 'Close')
      await page.evaluate(() => document.querySelector('iframe')!.remove())
      await assertAccessible(page)
      await page.keyboard.press('Escape')
      await dialog.waitFor({ state: 'detached' })
      assert.equal(await question.count(), 0, 'closing asks nothing after saving')
    },
    { as: ben },
  )

  const openLink = async ({ page, visit }: Story) => {
    await visit(collectionsTab)
    await chooseAction(page, 'Green hills', 'Customize & Share')
    const dialog = page.getByRole('dialog', { name: 'Customize & Share' })
    const link = dialog.getByRole('tab', { name: 'Link' })
    // A collection that is not shared opens on the link.
    if ((await findHills()).isPublic) await link.click()
    await link.and(page.locator('[aria-selected=true]')).waitFor()
    return { dialog, slug: dialog.getByLabel('Public URL'), isPublic: dialog.getByRole('switch', { name: 'Public' }) }
  }
  const findHills = async () =>
    (await ben.get('/api/collections')).json().find(({ name }: { name: string }) => name === 'Green hills')

  await story(
    'a collection is made public, a refused change is reset, and its URL is renamed',
    async (it) => {
      const { page } = it
      const { dialog, slug, isPublic } = await openLink(it)
      const refused = Promise.withResolvers<void>()
      const refuse = (route: Route) => refused.promise.then(() => route.abort())
      await page.route('**/api/collections/*/visibility', refuse, { times: 1 })
      // The switch changes at once, and is reset when the server refuses.
      await isPublic.check()
      refused.resolve()
      await seeToast(page, 'Error', 'Failed to update collection.')
      await dialog.getByRole('switch', { name: 'Public', checked: false }).waitFor()
      await isPublic.check()
      await seeToast(page, 'Collection is now public', 'Green hills')
      const update = dialog.getByRole('button', { name: 'Update' })
      assert.equal(await update.isEnabled(), false, 'the URL is the current one')
      await slug.fill('Green Hills 2')
      assert.equal(await update.isEnabled(), true)
      await slug.press('Enter')
      await seeToast(page, 'URL updated')
      await dialog.locator('a[href$="/public/collections/greenhills2"]').waitFor()
      await slug.and(page.locator(':focus')).waitFor()
      assert.equal(await slug.inputValue(), 'greenhills2')
    },
    { as: ben },
  )

  await story(
    'a URL renamed in another tab updates the field, unless the user has begun to type',
    async (it) => {
      const { dialog, slug } = await openLink(it)
      const { id: hillsId } = await findHills()
      const renameElsewhere = async (publicSlug: string) => {
        await ben.patch(`/api/collections/${hillsId}/url`, { publicSlug })
        await dialog.locator(`a[href$="/public/collections/${publicSlug}"]`).waitFor()
      }
      await renameElsewhere('hills')
      assert.equal(await slug.inputValue(), 'hills')
      await slug.fill('half-typ')
      await renameElsewhere('the-hills')
      assert.equal(await slug.inputValue(), 'half-typ')
    },
    { as: ben },
  )

  await story(
    'a link gets a password and an expiry, and downloads can be turned off',
    async (it) => {
      const { page } = it
      const { dialog } = await openLink(it)
      await dialog.getByLabel('Link password').fill('abcde')
      assert.equal(await dialog.getByRole('button', { name: 'Set password' }).isDisabled(), true)
      assert.equal(await dialog.getByRole('alert').count(), 0)
      await page.keyboard.press('Tab')
      await dialog.getByRole('alert').filter({ hasText: 'At least 6 characters.' }).waitFor()
      await dialog.getByLabel('Link password').fill('open sesame')
      await dialog.getByRole('button', { name: 'Set password' }).click()
      await dialog.getByRole('button', { name: 'Remove password' }).waitFor()
      await dialog.getByText('Anyone with the link and the password can see this collection.').waitFor()
      await dialog.getByLabel('Expires').fill('2001-01-01T00:00')
      await dialog.getByText('Choose a future time.').waitFor()
      assert.equal(await dialog.getByRole('button', { name: 'Set expiry' }).isDisabled(), true)
      await dialog.getByLabel('Expires').fill('2999-01-01T00:00')
      await dialog.getByRole('button', { name: 'Set expiry' }).press('Enter')
      await dialog.getByRole('button', { name: 'Never expire' }).waitFor()
      await seeFocus(page, 'Set expiry')
      // The toast of the previous change has the same text, so the response shows that this one is saved.
      const saved = page.waitForResponse(
        (answer) => answer.url().endsWith('/sharing') && answer.request().method() !== 'GET',
      )
      await dialog.getByRole('switch', { name: 'Allow downloads' }).uncheck()
      await saved
      await seeToast(page, 'Sharing updated')
      await assertAccessible(page)
      const { id } = await findHills()
      const options = (await ben.get(`/api/collections/${id}/sharing`)).json()
      assert.deepEqual([options.hasPassword, options.allowsDownload, options.isExpired], [true, false, false])
    },
    { as: ben },
  )

  await story(
    'the Embed tab mentions the link password, and the collection is made private again',
    async (it) => {
      const { page } = it
      const { dialog, isPublic } = await openLink(it)
      await dialog.getByRole('tab', { name: 'Embed' }).click()
      await dialog.getByText('This collection has a link password').waitFor()
      assert.equal(await dialog.getByText('Any website can read them').count(), 0)
      await dialog.getByRole('tab', { name: 'Link' }).click()
      await isPublic.uncheck()
      await seeToast(page, 'Collection is now private', 'Green hills')
    },
    { as: ben },
  )

  await story(
    'a collection that is public again can get a new link, and its earlier links end',
    async (it) => {
      const { page } = it
      const { dialog, isPublic } = await openLink(it)
      const { publicSlug } = await findHills()
      await isPublic.check()
      await dialog.getByText('This is the same link as before.').waitFor()
      await assertAccessible(page)
      await dialog.getByRole('button', { name: 'Use a new link' }).click()
      await seeToast(page, 'New link created')
      await dialog.getByText('This is the same link as before.').waitFor({ state: 'detached' })
      await seeFocus(page, 'Copy Public URL')
      assert.equal((await product.visitor().get(`/public/collections/${publicSlug}`)).statusCode, 404)
      await isPublic.uncheck()
      await seeToast(page, 'Collection is now private', 'Green hills')
    },
    { as: ben },
  )

  await story(
    'the dialog offers embed snippets for a website and shows the number of visits',
    async ({ page, browser, visit }) => {
      await browser.grantPermissions(['clipboard-read', 'clipboard-write'])
      await product.visitor().get('/public/collections/the-sea', { 'user-agent': 'Firefox' })
      // Opened by a click, so that Back stays in the page.
      await visit('/')
      await page.getByRole('tab', { name: 'Collections' }).click()
      await chooseAction(page, 'Sea', 'Customize & Share')
      const dialog = page.getByRole('dialog', { name: 'Customize & Share' })
      await dialog.getByRole('tab', { name: 'Embed' }).click()
      await dialog.getByLabel('Format').selectOption({ label: 'HTML <img>' })
      await page.waitForFunction(() => document.querySelector('textarea')?.value.split('\n').length === 3)
      assert.match(await dialog.getByLabel('Snippet').inputValue(), /^<img src="http.*width="120" height="90"/)
      await dialog.getByText('Any website can read them.').waitFor()
      await dialog.getByLabel('Items').selectOption({ label: 'picture-1.jpg' })
      await dialog.getByLabel('Format').selectOption({ label: 'Markdown' })
      assert.match(await dialog.getByLabel('Snippet').inputValue(), /^!\[picture-1\]\(http.*picture-1\.jpg\)$/)
      await dialog.getByRole('button', { name: 'Copy' }).click()
      await dialog.getByRole('button', { name: 'Copied' }).waitFor()
      await seeToast(page, 'Copied to clipboard', 'Markdown copied successfully.')
      await assertAccessible(page)
      await dialog.getByRole('tab', { name: 'Visitors' }).click()
      await dialog.getByText(/views? in total/).waitFor()
      assert.ok((await dialog.getByText(/: 1 view|: 2 views/).count()) > 0)
      await assertAccessible(page)
    },
    { as: ben },
  )

  await story(
    'a tab that cannot be loaded shows an error with Try again, and offers nothing to copy',
    async ({ page, visit }) => {
      // Twice, because the page retries once automatically.
      const loseTwice = (path: string) => page.route(path, (route) => route.abort(), { times: 2 })
      await ignoreEvents(page)
      await loseTwice('**/api/collections/*/sharing')
      await loseTwice('**/api/public/collections/*/images')
      await loseTwice('**/api/collections/*/statistics')
      await loseTwice(`**/api/collections/${sea.id}/media`)
      await visit(collectionsTab)
      await chooseAction(page, 'Sea', 'Customize & Share')
      const dialog = page.getByRole('dialog', { name: 'Customize & Share' })
      const retry = page.getByRole('dialog').getByRole('alert').getByRole('button', { name: 'Try again' })
      await dialog.getByRole('tab', { name: 'Link' }).click()
      await dialog.getByText("Couldn't load password and expiry").waitFor()
      await retry.click()
      await dialog.getByLabel('Link password').waitFor()
      await dialog.getByRole('tab', { name: 'Embed' }).click()
      await dialog.getByText("Couldn't load images").waitFor()
      assert.equal(await dialog.getByRole('button', { name: 'Copy' }).count(), 0)
      await retry.click()
      await dialog.getByLabel('Snippet').waitFor()
      await dialog.getByRole('tab', { name: 'Visitors' }).click()
      await dialog.getByText("Couldn't load visitors").waitFor()
      await retry.click()
      await dialog.getByText(/views? in total/).waitFor()
      await page.keyboard.press('Escape')
      await chooseAction(page, 'Sea', 'Arrange & Cover')
      await page.getByRole('dialog').getByText("Couldn't load this collection's items").waitFor()
      await retry.click()
      await page
        .getByRole('dialog')
        .getByRole('button', { name: /^picture-0\.jpg, position/ })
        .waitFor()
    },
    { as: ben },
  )
})
