import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Locator, Page, Route } from 'playwright-core'
import { shareCollection } from '#features/sharing/server/testing.ts'
import { arriveAt, assertAccessible, holdNotice, openStories, seeFocus, seeNotice } from '#tests/support/browser.ts'

const cardOf = (page: Page, name: string) => page.getByRole('article', { name, exact: true })

async function choose(page: Page, collection: string, action: string) {
  await page.getByRole('button', { name: `Actions for ${collection}`, exact: true }).click()
  await page.getByRole('menuitem', { name: action }).click()
}

/** Waits until it is neither scrolled away nor covered. */
async function seeInSight(page: Page, target: Locator) {
  await page.waitForFunction(
    (shown) => {
      const { x, y, width, height } = shown!.getBoundingClientRect()
      return shown!.contains(document.elementFromPoint(x + width / 2, y + height / 2))
    },
    await target.elementHandle(),
  )
}

test('collections', async (context) => {
  const { product, story } = await openStories(context)
  const ann = await product.register('ann')
  const tab = '/?tab=collections'

  await story(
    'the first collection is created; a blank name is not sent; an empty one shows four placeholders',
    async ({ page, visit }) => {
      await visit(tab)
      await page.getByRole('tabpanel').getByText('No collections yet').waitFor()
      await assertAccessible(page)
      await page.getByRole('button', { name: 'Create Collection' }).click()
      const dialog = page.getByRole('dialog', { name: 'Create Collection' })
      assert.equal(await dialog.getByRole('button', { name: 'Create' }).isDisabled(), true)
      await dialog.getByLabel('Name').fill('   ')
      assert.equal(await dialog.getByRole('button', { name: 'Create' }).isDisabled(), true)
      await dialog.getByLabel('Name').fill('  Summer ')
      await dialog.getByLabel('Company').fill('Acme')
      await assertAccessible(page)
      await page.keyboard.press('Enter')
      await seeNotice(page, 'Collection created', '"Summer"')
      const card = cardOf(page, 'Summer')
      await card.getByText('0 items · Acme').waitFor()
      assert.equal(await card.getByTestId('placeholder-tile').count(), 4)
      await assertAccessible(page)

      await page.getByRole('button', { name: 'New collection' }).click()
      await dialog.getByLabel('Name').fill('Autumn')
      await page.keyboard.press('Enter')
      await page.getByRole('heading', { name: 'Autumn', level: 1 }).waitFor()
      await assertAccessible(page)
    },
    { as: ann },
  )

  const ben = await product.register('ben')
  const sea = await shareCollection(ben, { name: 'Sea', count: 3 })
  await ben.post('/api/collections', { name: 'Hills' })

  await story(
    'a card shows its pictures, a broken one as an icon, and opens the collection, which says that it is public and has its menu',
    async ({ page, visit }) => {
      await page.route(`**${sea.media[0]!.thumbnailUrl}*`, (route) => route.abort())
      await page.route(`**${sea.media[0]!.originalUrl}*`, (route) => route.abort())
      await visit(tab)
      const card = cardOf(page, 'Sea')
      await card.getByText('Public').waitFor()
      assert.equal(await card.getByTestId('placeholder-tile').count(), 1)
      await card.locator('svg.lucide-image').first().waitFor()
      await card.getByRole('button', { name: 'Sea', exact: true }).click()
      await page.getByRole('heading', { name: 'Sea', level: 1 }).waitFor()
      await page.getByText('1-3 of 3 items').waitFor()
      await page.getByText('Public', { exact: true }).waitFor()
      await assertAccessible(page)
      await choose(page, 'Sea', 'Customize & Share')
      await page.getByRole('dialog').getByText('Sea').first().waitFor()
      await page.keyboard.press('Escape')
      await choose(page, 'Sea', 'Arrange & Cover')
      await page.getByRole('dialog').waitFor()
      await page.waitForURL(/sort=manual/)
    },
    { as: ben },
  )

  await story(
    'renaming and describing; when it fails it is said',
    async ({ page, visit }) => {
      await visit(tab)
      await choose(page, 'Hills', 'Rename Collection')
      const dialog = page.getByRole('dialog', { name: 'Rename Collection' })
      await dialog.getByLabel('Name').fill('Green hills')
      await dialog.getByLabel('Description').fill('Up and down')
      await dialog.getByRole('button', { name: 'Save' }).click()
      await seeNotice(page, 'Collection updated')
      await cardOf(page, 'Green hills').getByText('Up and down').waitFor()
      await page.route('**/api/collections/*', (route) =>
        route.request().method() === 'PATCH' ? route.fulfill({ status: 500, body: '{}' }) : route.continue(),
      )
      await choose(page, 'Green hills', 'Rename Collection')
      await dialog.getByLabel('Name').press('Enter')
      await seeNotice(page, 'Error', 'Failed to update collection.')
    },
    { as: ben },
  )

  await story(
    'duplicating for another website starts with a name of its own and counts the copies',
    async ({ page, visit }) => {
      await visit(tab)
      await choose(page, 'Sea', 'Duplicate for Other Website')
      const dialog = page.getByRole('dialog', { name: 'Duplicate for Other Website' })
      assert.equal(await dialog.getByLabel('Name').inputValue(), 'Sea - Copy')
      await dialog.getByLabel('Company').fill('Elsewhere')
      await dialog.getByRole('button', { name: 'Duplicate' }).click()
      await seeNotice(page, 'Collection duplicated', '3 items copied to "Sea - Copy".')
      await cardOf(page, 'Sea - Copy').getByText('3 items · Elsewhere').waitFor()
    },
    { as: ben },
  )

  await story(
    'deleting says that the media stay, and they do; nobody is led to a collection that is gone',
    async ({ page, visit }) => {
      await visit(tab)
      await cardOf(page, 'Sea - Copy').getByRole('button', { name: 'Sea - Copy', exact: true }).click()
      await page.getByText('1-3 of 3 items').waitFor()
      await page.getByRole('tab', { name: 'Collections' }).click()
      await choose(page, 'Sea - Copy', 'Delete Collection')
      const dialog = page.getByRole('alertdialog')
      await dialog.getByText(/media files inside are not deleted/).waitFor()
      await dialog.getByRole('button', { name: 'Delete Collection' }).click()
      await seeNotice(page, 'Collection deleted')
      await cardOf(page, 'Sea - Copy').waitFor({ state: 'detached' })
      await page.getByRole('tab', { name: 'Media Library' }).click()
      await page.getByRole('heading', { name: 'All Media' }).waitFor()
      await page.getByText('1-6 of 6 items').waitFor()

      const short = (await ben.post('/api/collections', { name: 'Short' })).json()
      await visit(`/?collection=${short.id}`)
      await choose(page, 'Short', 'Delete Collection')
      await dialog.getByRole('button', { name: 'Delete Collection' }).click()
      await page.getByRole('heading', { name: 'All Media' }).waitFor()
      // The menu that was pressed is gone with the collection; the screen is there.
      await page.locator('main:focus').waitFor()

      const { id } = (await ben.post('/api/collections', { name: 'Brief' })).json()
      await ben.post(`/api/collections/${id}/media/${(await ben.get('/api/media')).json().media[0].id}`)
      await visit(`/?collection=${id}`)
      await page.getByText('1-1 of 1 items').waitFor()
      await ben.delete(`/api/collections/${id}`)
      await page.getByText('This collection is no longer there').waitFor()
      assert.equal(await page.getByRole('button', { name: /^Open / }).count(), 0)
      await assertAccessible(page)
      await page.getByRole('button', { name: 'Back to the library' }).click()
      await page.getByText('1-6 of 6 items').waitFor()
    },
    { as: ben },
  )

  await story(
    'the public address is copied and renamed: letters that cannot be there disappear, a taken one is told',
    async ({ page, browser, visit }) => {
      await browser.grantPermissions(['clipboard-read', 'clipboard-write'])
      const taken = await shareCollection(ann, { name: 'Taken', count: 0 })
      await visit(tab)
      await choose(page, 'Sea', 'Copy Public URL')
      await seeNotice(page, 'Copied to clipboard', 'Public URL copied successfully.')
      assert.match(
        await page.evaluate(() => navigator.clipboard.readText()),
        new RegExp(`/public/collections/${sea.slug}$`),
      )
      await choose(page, 'Sea', 'Rename URL')
      const dialog = page.getByRole('dialog', { name: 'Rename URL' })
      const field = dialog.getByLabel('Public URL')
      const update = dialog.getByRole('button', { name: 'Update' })
      await field.fill('My Sea, 2026!')
      assert.equal(await field.inputValue(), 'mysea2026')
      await dialog.getByText('This address is free.').waitFor()
      await field.fill('ab')
      assert.equal(await update.isDisabled(), true)
      await field.fill(taken.slug)
      await dialog.getByText('This address is already taken.').waitFor()
      await assertAccessible(page)
      await update.click()
      await seeNotice(page, 'Error', 'This address is already taken. Please choose another one.')
      await field.fill('the-sea')
      await update.click()
      await seeNotice(page, 'URL updated')
      const popup = page.waitForEvent('popup')
      await choose(page, 'Sea', 'View Public Page')
      await (await popup).getByRole('heading', { name: 'Sea' }).waitFor()
      assert.match((await popup).url(), /\/public\/collections\/the-sea$/)
    },
    { as: ben },
  )

  await story(
    'the look: a preview follows the fields, poor contrast and refused CSS are told, and it is saved',
    async ({ page, visit }) => {
      await visit('/')
      await page.getByRole('tab', { name: 'Collections' }).click()
      await choose(page, 'Sea', 'Customize & Share')
      const dialog = page.getByRole('dialog', { name: 'Customize & Share' })
      // From outside: nothing runs in that frame, not even what a test would send there.
      const preview = (selector: string, words = '') =>
        page.waitForFunction(
          ([wanted, text]) => {
            const frame = document.querySelector<HTMLIFrameElement>('iframe[title="Preview of the public page"]')
            const found = frame?.contentDocument?.querySelector<HTMLImageElement>(wanted!)
            return found?.tagName === 'IMG' ? found.naturalWidth : found?.textContent?.includes(text!)
          },
          [selector, words],
        )
      await preview('.pub-title', 'Sea')
      await preview('.pub-item img')
      await dialog.getByLabel('Title').first().fill('La mer')
      await preview('.pub-title', 'La mer')
      await dialog.getByLabel('Text').fill('#eeeeee')
      await dialog.getByText(/The text is hard to read on this background/).waitFor()
      await dialog.getByLabel('Background').fill('#101820')
      await dialog.getByText(/hard to read/).waitFor({ state: 'detached' })
      await dialog.getByLabel('Custom CSS').fill('.pub-title { letter-spacing: 4px; position: fixed }')
      await dialog.getByText(/The property position is not allowed/).waitFor()
      await page.waitForFunction(() => {
        const frame = document.querySelector<HTMLIFrameElement>('iframe')?.contentDocument
        const title = frame?.querySelector('.pub-title')
        return title && getComputedStyle(title).letterSpacing === '4px'
      })
      await dialog.getByRole('button', { name: 'Choose from library' }).last().click()
      const choice = dialog.getByRole('button', { name: 'Choose picture-0.jpg' }).first()
      await seeInSight(page, choice)
      await choice.press('Enter')
      await seeFocus(page, 'Choose from library')
      await preview('.pub-header-image')
      await dialog.getByRole('tab', { name: 'Link' }).click()
      await page.keyboard.press('Escape')
      const question = page.getByRole('alertdialog', { name: 'Discard your changes?' })
      await question.getByRole('button', { name: 'Keep editing' }).click()
      await page.evaluate(() => history.back())
      await question.getByRole('button', { name: 'Keep editing' }).click()
      await dialog.getByRole('tab', { name: 'Look' }).click()
      await preview('.pub-title', 'La mer')
      await dialog.getByRole('button', { name: 'Save' }).click()
      await seeNotice(page, 'Collection branding updated')
      const { customBranding } = (await ben.get(`/api/collections/${sea.id}`)).json()
      assert.deepEqual([customBranding.title, customBranding.backgroundColor], ['La mer', '#101820'])
      assert.match(customBranding.headerImage, /^\/files\/\d+\//)
      // The keys scroll the preview from outside: nobody gets lost in it by Tab.
      await dialog.getByRole('button', { name: 'Save' }).press('Tab')
      await page.keyboard.press('End')
      await page.waitForFunction(() => document.querySelector('iframe')!.contentDocument!.scrollingElement!.scrollTop)
      await page.keyboard.press('Tab')
      await seeFocus(page, 'Close')
      await page.evaluate(() => document.querySelector('iframe')!.remove())
      await assertAccessible(page)
      await page.keyboard.press('Escape')
      await dialog.waitFor({ state: 'detached' })
    },
    { as: ben },
  )

  await story(
    'the link: public and private, password, expiry, download',
    async ({ page, visit }) => {
      await visit(tab)
      await choose(page, 'Green hills', 'Customize & Share')
      const dialog = page.getByRole('dialog', { name: 'Customize & Share' })
      await dialog.getByRole('tab', { name: 'Link' }).click()
      const isPublic = dialog.getByRole('switch', { name: 'Public' })
      const refused = Promise.withResolvers<void>()
      const refuse = (route: Route) => refused.promise.then(() => route.abort())
      await page.route('**/api/collections/*/visibility', refuse, { times: 1 })
      // It shows the wish at once, and goes back when the wish was refused.
      await isPublic.check()
      refused.resolve()
      await seeNotice(page, 'Error', 'Failed to update collection.')
      await dialog.getByRole('switch', { name: 'Public', checked: false }).waitFor()
      await isPublic.check()
      await seeNotice(page, 'Collection is now public', 'Green hills')
      assert.equal(await dialog.getByRole('button', { name: 'Update' }).isEnabled(), true)
      await dialog.getByLabel('Link password').fill('abc')
      assert.equal(await dialog.getByRole('button', { name: 'Set password' }).isDisabled(), true)
      assert.equal(await dialog.getByRole('alert').count(), 0)
      await page.keyboard.press('Tab')
      await dialog.getByRole('alert').filter({ hasText: 'At least 4 characters.' }).waitFor()
      await dialog.getByLabel('Link password').fill('open sesame')
      await dialog.getByRole('button', { name: 'Set password' }).click()
      await dialog.getByRole('button', { name: 'Remove password' }).waitFor()
      await dialog.getByText('Anyone with the link and the password can see this collection.').waitFor()
      await dialog.getByLabel('Expires').fill('2001-01-01T00:00')
      await dialog.getByText('Choose a time that is still to come.').waitFor()
      assert.equal(await dialog.getByRole('button', { name: 'Set expiry' }).isDisabled(), true)
      await dialog.getByLabel('Expires').fill('2999-01-01T00:00')
      await dialog.getByRole('button', { name: 'Set expiry' }).press('Enter')
      await dialog.getByRole('button', { name: 'Never expire' }).waitFor()
      await seeFocus(page, 'Set expiry')
      // The notice of the change before has the same words: the answer tells that this one is kept.
      const kept = page.waitForResponse(
        (answer) => answer.url().endsWith('/sharing') && answer.request().method() !== 'GET',
      )
      await dialog.getByRole('switch', { name: 'Allow download' }).uncheck()
      await kept
      await seeNotice(page, 'Sharing updated')
      await assertAccessible(page)
      const { id } = (await ben.get('/api/collections'))
        .json()
        .find(({ name }: { name: string }) => name === 'Green hills')
      const options = (await ben.get(`/api/collections/${id}/sharing`)).json()
      assert.deepEqual([options.hasPassword, options.allowsDownload, options.isExpired], [true, false, false])
      await dialog.getByRole('tab', { name: 'Embed' }).click()
      await dialog.getByText('A link password is set: other websites cannot show these pictures').waitFor()
      assert.equal(await dialog.getByText('Any website may read them').count(), 0)
      await dialog.getByRole('tab', { name: 'Link' }).click()
      await isPublic.uncheck()
      await seeNotice(page, 'Collection is now private', 'Green hills')
    },
    { as: ben },
  )

  await story(
    'snippets for a website, and who came',
    async ({ page, browser, visit }) => {
      await browser.grantPermissions(['clipboard-read', 'clipboard-write'])
      await product.visitor().get('/public/collections/the-sea', { 'user-agent': 'Firefox' })
      await visit(tab)
      await choose(page, 'Sea', 'Customize & Share')
      const dialog = page.getByRole('dialog', { name: 'Customize & Share' })
      await dialog.getByRole('tab', { name: 'Embed' }).click()
      await page.waitForFunction(() => document.querySelector('textarea')?.value.split('\n').length === 3)
      assert.match(await dialog.getByLabel('Snippet').inputValue(), /^<img src="http.*srcset=/)
      await dialog.getByText('Any website may read them.').waitFor()
      await dialog.getByLabel('Pictures').selectOption({ label: 'picture-1.jpg' })
      await dialog.getByRole('radio', { name: 'Markdown' }).check()
      assert.match(await dialog.getByLabel('Snippet').inputValue(), /^!\[picture-1\]\(http.*picture-1\.jpg\)$/)
      await dialog.getByRole('button', { name: 'Copy' }).click()
      await dialog.getByRole('button', { name: 'Copied' }).waitFor()
      await seeNotice(page, 'Copied to clipboard', 'Markdown copied successfully.')
      await assertAccessible(page)
      await dialog.getByRole('tab', { name: 'Visitors' }).click()
      await dialog.getByText(/views? in all/).waitFor()
      assert.ok((await dialog.getByText(/: 1 view|: 2 views/).count()) > 0)
      await assertAccessible(page)
    },
    { as: ben },
  )

  await story(
    'what cannot be loaded says so and can be tried again, and nothing empty can be copied',
    async ({ page, visit }) => {
      // The first try and the one that follows by itself.
      const loseTwice = (path: string) => page.route(path, (route) => route.abort(), { times: 2 })
      await loseTwice('**/api/collections/*/sharing')
      await loseTwice('**/api/public/collections/*/images')
      await loseTwice('**/api/collections/*/statistics')
      await loseTwice(`**/api/collections/${sea.id}/media`)
      await visit(tab)
      await choose(page, 'Sea', 'Customize & Share')
      const dialog = page.getByRole('dialog', { name: 'Customize & Share' })
      const retry = page.getByRole('dialog').getByRole('alert').getByRole('button', { name: 'Try again' })
      await dialog.getByRole('tab', { name: 'Link' }).click()
      await dialog.getByText('Password and expiry could not be loaded').waitFor()
      await retry.click()
      await dialog.getByLabel('Link password').waitFor()
      await dialog.getByRole('tab', { name: 'Embed' }).click()
      await dialog.getByText('The pictures could not be loaded').waitFor()
      assert.equal(await dialog.getByRole('button', { name: 'Copy' }).count(), 0)
      await retry.click()
      await dialog.getByLabel('Snippet').waitFor()
      await dialog.getByRole('tab', { name: 'Visitors' }).click()
      await dialog.getByText('The visitors could not be loaded').waitFor()
      await retry.click()
      await dialog.getByText(/views? in all/).waitFor()
      await page.keyboard.press('Escape')
      await choose(page, 'Sea', 'Arrange & Cover')
      await page.getByRole('dialog').getByText('The media of this collection could not be loaded').waitFor()
      await retry.click()
      await page
        .getByRole('dialog')
        .getByRole('button', { name: /^picture-0\.jpg, place/ })
        .waitFor()
    },
    { as: ben },
  )

  const names = async () =>
    (await ben.get(`/api/collections/${sea.id}/media`))
      .json()
      .media.map(({ filename }: { filename: string }) => filename)

  await story(
    'items are put in order by keyboard, by pressing and by dragging, and one becomes the cover',
    async ({ page, visit }) => {
      await visit(tab)
      await choose(page, 'Sea', 'Arrange & Cover')
      const dialog = page.getByRole('dialog', { name: 'Arrange & Cover' })
      const tile = (name: string) => dialog.getByRole('button', { name: new RegExp(`^${name}, place`) })
      const arranged = () => page.waitForResponse((answer) => answer.url().endsWith('/order') && answer.ok())
      await tile('picture-0.jpg').focus()
      await page.keyboard.press('Space')
      await page.keyboard.press('ArrowRight')
      await dialog.getByText('picture-0.jpg, place 2 of 3').waitFor({ state: 'attached' })
      await page.keyboard.press('Escape')
      assert.equal(await tile('picture-0.jpg').getAttribute('aria-label'), 'picture-0.jpg, place 1 of 3')
      await page.keyboard.press('Space')
      await page.keyboard.press('End')
      let saved = arranged()
      await page.keyboard.press('Space')
      await saved
      assert.deepEqual(await names(), ['picture-1.jpg', 'picture-2.jpg', 'picture-0.jpg'])

      await tile('picture-2.jpg').click()
      saved = arranged()
      await tile('picture-1.jpg').click()
      await saved
      assert.deepEqual(await names(), ['picture-2.jpg', 'picture-1.jpg', 'picture-0.jpg'])

      saved = arranged()
      await tile('picture-0.jpg').dragTo(tile('picture-2.jpg'))
      await saved
      assert.deepEqual(await names(), ['picture-0.jpg', 'picture-2.jpg', 'picture-1.jpg'])

      await dialog.getByRole('button', { name: 'Make picture-1.jpg the cover' }).click()
      await dialog.getByRole('button', { name: 'picture-1.jpg is the cover' }).waitFor()
      await assertAccessible(page)
      assert.equal((await ben.get(`/api/collections/${sea.id}`)).json().coverMediaId, sea.media[1]!.id)
    },
    { as: ben },
  )

  await story(
    "the library's own list of a collection can be put in order, and keeps it",
    async ({ page, visit }) => {
      await ben.patch(`/api/collections/${sea.id}/order`, { mediaIds: sea.media.map(({ id }) => id), beforeId: null })
      const newestFirst = ['picture-2.jpg', 'picture-1.jpg', 'picture-0.jpg']
      const shown = (order: string[]) =>
        page.waitForFunction(
          (wanted) =>
            [...document.querySelectorAll('main [data-media-id] [aria-label^="Open "]')]
              .map((card) => card.getAttribute('aria-label')?.slice('Open '.length))
              .join() === wanted,
          order.join(),
        )
      await visit(`/?collection=${sea.id}`)
      await shown(newestFirst)
      await page.getByLabel('Sort by').selectOption('Manual order')
      await shown(newestFirst.toReversed())
      await visit(`/?collection=${sea.id}`)
      await choose(page, 'Sea', 'Arrange & Cover')
      const dialog = page.getByRole('dialog', { name: 'Arrange & Cover' })
      await dialog.getByRole('button', { name: /^picture-0.jpg, place 1/ }).focus()
      for (const key of ['Space', 'ArrowRight', 'Space']) await page.keyboard.press(key)
      await shown(['picture-1.jpg', 'picture-0.jpg', 'picture-2.jpg'])
      await page.keyboard.press('Escape')
      await dialog.waitFor({ state: 'detached' })
      await page.reload()
      await shown(['picture-1.jpg', 'picture-0.jpg', 'picture-2.jpg'])
      assert.equal(await page.getByLabel('Sort by').inputValue(), 'manual')
      await page.getByRole('button', { name: 'Open picture-0.jpg' }).click()
      const viewer = page.getByRole('dialog', { name: 'Media Details' })
      await viewer.getByRole('heading', { name: 'picture-0.jpg' }).waitFor()
      await page.keyboard.press('ArrowRight')
      await viewer.getByRole('heading', { name: 'picture-2.jpg' }).waitFor()
      await page.keyboard.press('Escape')
      // Elsewhere there is no such order.
      await page.getByRole('complementary', { name: 'Sidebar' }).getByRole('button', { name: 'All Media' }).click()
      await page.getByRole('heading', { name: 'All Media' }).waitFor()
      assert.equal(await page.getByLabel('Sort by').inputValue(), 'recent')
      assert.equal(await page.getByRole('option', { name: 'Manual order' }).count(), 0)
    },
    { as: ben },
  )

  await story(
    'an item is taken out of a collection, stays in the library, and comes back by Undo',
    async ({ page, visit }) => {
      const before = await names()
      assert.notEqual(before.at(-1), 'picture-1.jpg')
      await visit(`/?collection=${sea.id}`)
      await page.getByText('1-3 of 3 items').waitFor()
      await page.getByRole('button', { name: 'More about picture-1.jpg' }).click()
      await page.getByRole('menuitem', { name: 'Remove from collection' }).click()
      await holdNotice(page, 'Removed from collection', 'The item was taken out of "Sea".')
      await page.getByText('1-2 of 2 items').waitFor()
      assert.deepEqual((await ben.get(`/api/media/${sea.media[1]!.id}`)).json().collections, [])
      const putBack = page.waitForResponse((answer) => answer.url().endsWith('/order'))
      await page.getByRole('button', { name: 'Undo' }).click()
      await page.getByText('1-3 of 3 items').waitFor()
      await putBack
      assert.deepEqual(await names(), before, 'at its old place')
      await page.getByRole('main').getByRole('button', { name: 'All Media' }).click()
      await page.getByRole('heading', { name: 'All Media' }).waitFor()
      await page.getByRole('button', { name: 'More about picture-1.jpg' }).first().click()
      assert.equal(await page.getByRole('menuitem', { name: 'Remove from collection' }).count(), 0)
    },
    { as: ben },
  )

  await story(
    'AI Rename Images wants a company',
    async ({ page, visit }) => {
      await visit(tab)
      await choose(page, 'Sea', 'AI Rename Images')
      const dialog = page.getByRole('dialog', { name: 'AI Rename Images' })
      await dialog.getByLabel('Company').waitFor()
      assert.equal(await dialog.getByRole('button', { name: 'Show names' }).isDisabled(), true)
      await dialog.getByLabel('Company').fill('Acme')
      assert.equal(await dialog.getByRole('button', { name: 'Show names' }).isDisabled(), false)
    },
    { as: ben },
  )

  await story(
    'on a phone the tab is called Folders and dialogs rise from below',
    async ({ page, visit }) => {
      await visit('/')
      await ben.post('/api/collections', { name: 'A name that is far too long for the narrow screen of a phone' })
      await page.getByRole('tab', { name: 'Folders' }).click()
      await arriveAt(page, tab)
      await cardOf(page, 'A name that is far too long for the narrow screen of a phone').waitFor()
      assert.ok(
        (await page.evaluate(() => document.documentElement.scrollWidth)) <= 360,
        'nothing is wider than the screen',
      )
      await choose(page, 'Sea', 'Customize & Share')
      await page.getByRole('dialog', { name: 'Customize & Share' }).waitFor()
      const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)
      assert.ok(overflow <= 0)
    },
    { as: ben, viewport: { width: 360, height: 740 }, hasTouch: true },
  )
})
