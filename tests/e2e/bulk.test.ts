import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import type { Locator, Page } from 'playwright-core'
import { assertAccessible, holdNotice, openStories, type Story, seeFocus, seeNotice } from '#tests/support/browser.ts'
import { makePng } from '#tests/support/pictures.ts'
import type { TestUser } from '#tests/support/test-user.ts'

async function addPictures(person: TestUser, names: string[]) {
  for (const name of names)
    await person.addPicture(name, name.endsWith('.png') ? await makePng({ width: 160, height: 120 }) : undefined)
}

async function select(page: Page, names: string[]) {
  await page.getByRole('button', { name: 'Select', exact: true }).click()
  for (const name of names) await page.getByRole('checkbox', { name: `Select ${name}` }).click()
}

const more = async (page: Page, action: string | RegExp) => {
  await page.getByRole('button', { name: 'More actions' }).click()
  await page.getByRole('menuitem', { name: action }).click()
}

const card = (page: Page, name: string) => page.getByRole('button', { name: `Open ${name}` })

test('select mode and bulk work', async (context) => {
  const { product, story } = await openStories(context)
  const freshPerson = async (name: string, pictures: string[]) => {
    const person = await product.register(name)
    await addPictures(person, pictures)
    return person
  }

  const renaming = async ({ page, visit, become }: Story) => {
    await become(await freshPerson('renamer', ['one.jpg', 'two.jpg', 'three.jpg']))
    await visit('/')
    await select(page, ['one.jpg', 'two.jpg'])
    await more(page, /^Rename/)
    await page.getByLabel('Base name').fill('Trip')
    await assertAccessible(page)
    await page.keyboard.press('Enter')
    await holdNotice(page, 'Images renamed', 'Renamed 2 items.')
    await card(page, 'Trip-1.jpg').waitFor()
    await seeFocus(page, 'Select')
    await page.getByRole('button', { name: 'Undo' }).click()
    await seeNotice(page, 'Undone', '2 items restored.')
    await card(page, 'one.jpg').waitFor()
  }
  await story('two pictures are renamed, and undone from the notice', renaming, { hasMotion: true })

  await story('tags are previewed lower-case and added; history can undo them', async ({ page, visit, become }) => {
    await become(await freshPerson('tagger', ['one.jpg']))
    await visit('/')
    await select(page, ['one.jpg'])
    await page.getByRole('button', { name: 'Add Tags' }).click()
    const add = page.getByRole('dialog').getByRole('button', { name: 'Add Tags' })
    assert.equal(await add.isDisabled(), true)
    await page.getByRole('textbox', { name: 'Tags' }).fill('Beach, , SUN')
    const preview = page.getByRole('list', { name: 'Preview' }).getByRole('listitem')
    await preview.nth(1).waitFor()
    assert.deepEqual(await preview.allTextContents(), ['beach', 'sun'])
    await add.click()
    await seeNotice(page, 'Tags added', 'Added 2 tags to 1 item.')
    await page.getByRole('tabpanel').getByText('beach', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Select', exact: true }).click()
    // Twice: the first try and the one that follows by itself.
    await page.route('**/api/history', (route) => route.abort(), { times: 2 })
    await more(page, 'History')
    const history = page.getByRole('dialog', { name: 'History' })
    await history.getByText('The history could not be loaded').waitFor()
    await history.getByText('Please check your connection.').waitFor()
    assert.equal(await history.getByText('No bulk changes yet').count(), 0)
    await history.getByRole('button', { name: 'Try again' }).click()
    await history.getByRole('button', { name: 'Undo' }).click()
    await page.getByText('Undone', { exact: true }).first().waitFor()
    // It needs no selection, so the account menu has it too.
    await page.keyboard.press('Escape')
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Account: tagger' }).click()
    await page.getByRole('menuitem', { name: 'History' }).click()
    await history.getByText('1 item ·').waitFor()
  })

  await story('descriptions, copies and deletion', async ({ page, visit, become }) => {
    await become(await freshPerson('describer', ['one.jpg', 'two.jpg']))
    await visit('/')
    await select(page, ['one.jpg', 'two.jpg'])
    await more(page, /^Edit Descriptions/)
    await page.getByRole('textbox', { name: 'Description' }).fill('By the sea')
    await page.getByRole('button', { name: 'Update Descriptions' }).click()
    // It is not in the way.
    await holdNotice(page, 'Descriptions updated')
    await select(page, ['one.jpg', 'two.jpg'])
    await more(page, /^Copy Images/)
    const copying = page.getByRole('dialog', { name: 'Copy Images' })
    // The answer is late: meanwhile it says how far it is, and cannot be asked for a second time.
    const go = Promise.withResolvers<void>()
    await page.route('**/api/media/bulk-copy', async (route) => {
      const response = await route.fetch()
      await go.promise
      await route.fulfill({ response })
    })
    const copy = copying.getByRole('button', { name: 'Copy 2 items' })
    // Not what is on the screen: the dialog may still be coming up.
    const widthOf = () => copy.evaluate((button) => (button as HTMLElement).offsetWidth)
    const widthBefore = await widthOf()
    await copy.click()
    await copying.getByText('2 of 2 items').waitFor()
    assert.equal(await widthOf(), widthBefore)
    assert.equal(await copy.locator('> span').evaluate((words) => getComputedStyle(words).opacity), '1')
    await page.keyboard.press('Escape')
    assert.ok(await copying.getByRole('button', { name: 'Copy 2 items' }).isDisabled())
    go.resolve()
    await seeNotice(page, 'Images copied', 'Copied 2 items.')
    await page.getByText('1-4 of 4 items').waitFor()
    await select(page, ['one.jpg'])
    await more(page, /^Delete/)
    await page.getByRole('dialog', { name: 'Delete Images' }).getByRole('button', { name: 'Delete 1 item' }).click()
    await seeNotice(page, 'Images deleted', 'Deleted 1 item.')
    await page.getByText('1-3 of 3 items').waitFor()
  })

  await story('moving to a collection: none yet, then added, then already there', async ({ page, visit, become }) => {
    const person = await freshPerson('mover', ['one.jpg', 'two.jpg'])
    await become(person)
    await visit('/')
    await select(page, ['one.jpg'])
    await page.getByRole('button', { name: 'Move to Collection' }).click()
    await page.getByText('No collections found. Create a collection first.').waitFor()
    await page.keyboard.press('Escape')
    await seeFocus(page, 'Move to Collection')
    await page.keyboard.press('Enter')
    await page.getByLabel('Name', { exact: true }).fill('Summer')
    await page.getByRole('button', { name: 'Create and Move' }).click()
    await seeNotice(page, 'Moved to collection', '1 item added to "Summer".')
    const [summer] = (await person.get('/api/collections')).json()
    await person.delete(`/api/collections/${summer.id}/media/${summer.sampleMedia[0].id}`)
    await page.route('**/api/collections**', (route) => route.abort())
    await visit('/')
    await select(page, ['one.jpg'])
    await page.getByRole('button', { name: 'Move to Collection' }).click()
    await page.getByText('Your collections could not be loaded').waitFor()
    await page.unroute('**/api/collections**')
    await page.getByRole('dialog').getByRole('button', { name: 'Try again' }).click()
    await page.getByRole('button', { name: 'Move', exact: true }).click()
    await seeNotice(page, 'Moved to collection', '1 item added to "Summer".')
    await select(page, ['one.jpg', 'two.jpg'])
    await page.getByRole('button', { name: 'Move to Collection' }).click()
    await page.getByLabel('Collection', { exact: true }).selectOption({ label: 'Summer' })
    await page.getByRole('button', { name: 'Move', exact: true }).click()
    await seeNotice(page, 'Moved to collection', '1 item already there.')
    await select(page, ['one.jpg'])
    await page.getByRole('button', { name: 'Move to Collection' }).click()
    await page.getByLabel('Collection', { exact: true }).selectOption({ label: 'Summer' })
    await page.getByRole('button', { name: 'Move', exact: true }).click()
    await seeNotice(page, 'Items already in collection')

    await page.getByRole('button', { name: 'More about two.jpg' }).click()
    await page.getByRole('menuitem', { name: 'Move to Collection' }).click()
    await page.getByLabel('Collection', { exact: true }).selectOption({ label: 'New collection…' })
    await page.getByLabel('Name', { exact: true }).fill('Winter')
    await page.getByRole('button', { name: 'Create and Move' }).click()
    await seeNotice(page, 'Moved to collection', '1 item added to "Winter".')
    await page.getByRole('button', { name: 'Open one.jpg' }).click()
    await page.getByRole('button', { name: 'Move to Collection' }).click()
    const field = page.getByLabel('Collection', { exact: true })
    assert.equal(await field.locator('option:checked').textContent(), 'Winter', 'the last one is chosen')
    await assertAccessible(page)
    await page.getByRole('button', { name: 'Move', exact: true }).click()
    // The notice before has the same words.
    await field.waitFor({ state: 'detached' })
    await seeNotice(page, 'Moved to collection', '1 item added to "Winter".')
    assert.deepEqual(
      (await person.get('/api/collections')).json().map(({ mediaCount }: { mediaCount: number }) => mediaCount),
      [2, 2],
    )
  })

  await story('pictures are carried to a collection of the sidebar', async ({ page, visit, become }) => {
    const person = await freshPerson('carrier', ['one.jpg', 'two.jpg', 'three.jpg'])
    await person.post('/api/collections', { name: 'Summer' })
    await become(person)
    await visit('/')
    const summer = page.getByRole('listitem').filter({ hasText: 'Summer' })
    const layer = (words: string) => page.getByText(words, { exact: true })
    const take = async (item: Locator) => {
      const { x, y } = (await item.boundingBox())!
      await page.mouse.move(x + 40, y + 40)
      await page.mouse.down()
      await page.mouse.move(x + 20, y + 50, { steps: 3 })
    }
    await take(card(page, 'one.jpg'))
    await layer('1 item').waitFor()
    await summer.hover()
    await layer('Add 1 item to "Summer"').waitFor()
    await page.keyboard.press('Escape')
    await layer('Add 1 item to "Summer"').waitFor({ state: 'detached' })
    await page.mouse.up()
    await take(card(page, 'one.jpg'))
    await layer('1 item').waitFor()
    await page.getByRole('button', { name: 'Images' }).hover()
    await page.mouse.up()
    await layer('1 item').waitFor({ state: 'detached' })
    await summer.getByText('0', { exact: true }).waitFor()

    await take(card(page, 'one.jpg'))
    await summer.hover()
    await layer('Add 1 item to "Summer"').waitFor()
    await page.mouse.up()
    await holdNotice(page, 'Moved to collection', '1 item added to "Summer".')
    await summer.getByText('1', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Undo' }).click()
    await seeNotice(page, 'Undone')
    await summer.getByText('0', { exact: true }).waitFor()

    await select(page, ['one.jpg', 'three.jpg'])
    await take(page.getByRole('checkbox', { name: 'Select three.jpg' }))
    await summer.hover()
    await layer('Add 2 items to "Summer"').waitFor()
    await page.mouse.up()
    await seeNotice(page, 'Moved to collection', '2 items added to "Summer".')
    await summer.getByText('2', { exact: true }).waitFor()
    // The selection is over; let go where it was taken, a picture opens as if it had been pressed.
    await take(card(page, 'two.jpg'))
    await page.mouse.up()
    await page.getByRole('dialog', { name: 'Media Details' }).waitFor()
  })

  await story('public addresses in four forms', async ({ page, visit, become }) => {
    const person = await freshPerson('publisher', ['one.jpg', 'two.jpg', 'gone.jpg'])
    await become(person)
    await visit('/')
    await select(page, ['one.jpg', 'two.jpg', 'gone.jpg'])
    const [{ id }] = (await person.get('/api/media?search=gone')).json().media
    await person.delete(`/api/media/${id}`)
    await more(page, /^Create URLs/)
    await page.getByRole('button', { name: 'Create 3 URLs' }).click()
    const dialog = page.getByRole('dialog', { name: '2 URLs ready' })
    await dialog.getByText('1 item failed: Media not found.').waitFor()
    const text = page.getByRole('textbox', { name: 'Addresses' })
    assert.match(await text.inputValue(), /^http\S+\/public\/one-\w{6}\nhttp\S+$/)
    await page.getByRole('radio', { name: 'Markdown' }).check()
    assert.match(await text.inputValue(), /^- \[one\.jpg\]\(http/)
    await page.getByRole('radio', { name: 'HTML' }).check()
    assert.match(await text.inputValue(), /^<a href="http/)
    await page.getByRole('radio', { name: 'CSV' }).check()
    assert.match(await text.inputValue(), /^"Name","URL"\r?\n"one\.jpg","http/)
    await dialog.getByRole('button', { name: 'Close' }).first().click()
    await page.getByText('1 selected').waitFor()
  })

  await story('a selection stays in its place; the trash offers what can be done there', async (it) => {
    const { page, visit, become } = it
    const person = await freshPerson('sorter', ['kept.jpg', 'trashed.jpg'])
    const [{ id }] = (await person.get('/api/media?search=trashed')).json().media
    await person.post('/api/media/bulk-trash', { mediaIds: [id] })
    await become(person)
    await visit('/')
    await select(page, ['kept.jpg'])
    // Neither an answer that comes late nor what the place before showed is selected in the next one.
    const listed = Promise.withResolvers<void>()
    await page.route('**/api/media?*trashed=true*', (route) => listed.promise.then(() => route.continue()))
    await page.route('**/api/media/recent-uploads', (route) => listed.promise.then(() => route.continue()))
    await page.getByRole('button', { name: 'Recent Uploads' }).click()
    await page.getByRole('button', { name: 'Trash', exact: true }).click()
    await page.getByRole('heading', { name: 'Trash' }).waitFor()
    await page.keyboard.press('Control+a')
    await page.getByText('0 selected').waitFor()
    const answered = page.waitForResponse('**/api/media/recent-uploads')
    listed.resolve()
    await answered
    await page.getByRole('checkbox', { name: 'Select trashed.jpg' }).click()
    await page.getByText('1 selected').waitFor()
    await page.getByRole('button', { name: 'More actions' }).click()
    await page.getByRole('menuitem', { name: 'History' }).waitFor()
    assert.deepEqual(await page.getByRole('menuitem').allTextContents(), ['History', 'Delete (1)'])
    await assertAccessible(page)
  })

  await story('a document is downloaded, and the files themselves', async ({ page, visit, become }) => {
    await become(await freshPerson('exporter', ['one.jpg']))
    await visit('/')
    await select(page, ['one.jpg'])
    await more(page, /^Export Document/)
    await page.getByLabel('Format').selectOption('csv')
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Export' }).click(),
    ])
    assert.equal(download.suggestedFilename(), 'albumen-export.csv')
    assert.match(await readFile(await download.path(), 'utf8'), /one\.jpg/)

    await select(page, ['one.jpg'])
    const archive = page.waitForEvent('download')
    const prepared = Promise.withResolvers<void>()
    await page.route('**/api/media/download', (route) => prepared.promise.then(() => route.continue()))
    await more(page, /^Download/)
    await seeNotice(page, 'Preparing the download', '1 file.')
    await page.getByRole('button', { name: 'More actions' }).click()
    assert.ok(await page.getByRole('menuitem', { name: /^Download/ }).isDisabled())
    prepared.resolve()
    await seeNotice(page, 'Download started', '1 file, ')
    assert.match((await archive).suggestedFilename(), /^albumen-.*\.zip$/)
    assert.match(await readFile(await (await archive).path(), 'latin1'), /^PK.*one\.jpg/s)
  })

  await story('pictures are converted in place', async ({ page, visit, become }) => {
    await become(await freshPerson('converter', ['one.png', 'two.png']))
    await visit('/')
    await select(page, ['one.png', 'two.png'])
    await more(page, /^Convert to WebP/)
    const refused = page.waitForRequest('**/api/media/bulk-convert-webp')
    const isFull = { status: 507, json: { message: 'The disk is full.' } }
    await page.route('**/api/media/bulk-convert-webp', (route) => route.fulfill(isFull), { times: 1 })
    await page.getByRole('button', { name: 'Convert 2 items' }).click()
    await seeNotice(page, 'Conversion Error', 'The disk is full.')
    await page.getByLabel('Delete originals').check()
    const asked = page.waitForRequest('**/api/media/bulk-convert-webp')
    const go = Promise.withResolvers<void>()
    await page.route('**/api/media/bulk-convert-webp', (route) => go.promise.then(() => route.continue()))
    await page.route('**/api/bulk-runs/*/cancel', (route) => route.abort(), { times: 1 })
    await page.getByRole('button', { name: 'Convert 2 items' }).click()
    await page.getByRole('button', { name: 'Stop' }).click()
    const [first, second] = [await refused, await asked].map((request) => request.postDataJSON().runId)
    assert.notEqual(first, second, 'other wishes are another run')
    await seeNotice(page, 'Could not stop', 'Please try again.')
    await page.route('**/api/bulk-runs/*/cancel', (route) => route.fulfill({ json: { message: 'It stops.' } }))
    await page.getByRole('button', { name: 'Stop' }).click()
    assert.ok(await page.getByRole('button', { name: 'Stopping' }).isDisabled())
    go.resolve()
    await seeNotice(page, 'Conversion complete', 'Converted 2 pictures to WebP')
    await card(page, 'one.webp').waitFor()
  })

  await story('what came to nothing is told as a failure', async ({ page, visit, become }) => {
    const person = await freshPerson('unlucky', ['film.jpg'])
    // As a film it cannot be converted, and a full storage takes no copy.
    const { db } = product.services
    await db.updateTable('media').set({ type: 'video' }).where('owner_id', '=', person.id).execute()
    await db
      .updateTable('users')
      .set({ storage_used: 10 * 1024 ** 3 })
      .where('id', '=', person.id)
      .execute()
    await become(person)
    await visit('/')
    await select(page, ['film.jpg'])
    await more(page, 'Convert to WebP (1)')
    await page.getByText('videos cannot be converted and stay selected').waitFor()
    await page.getByRole('button', { name: 'Convert 1 item' }).click()
    await seeNotice(page, 'Conversion Error', '1 item failed: Only pictures can be converted to WebP.')
    await page.getByText('1 selected').waitFor()
    await more(page, 'Copy Images (1)')
    await page.getByRole('button', { name: 'Copy 1 item' }).click()
    await seeNotice(page, 'Copy failed', 'Failed to copy selected images.')
  })

  await story('ranges, a drawn rectangle, everything, and Escape', async ({ page, visit, become }) => {
    await become(await freshPerson('selector', ['a.jpg', 'b.jpg', 'c.jpg', 'd.jpg']))
    await visit('/?layout=list')
    const cell = page.getByRole('cell', { name: 'JPEG' }).first()
    await cell.hover()
    await page.mouse.down()
    const { x, y } = (await cell.boundingBox())!
    await page.mouse.move(x + 5, y + 5, { steps: 5 })
    await page.mouse.up()
    await page.getByRole('dialog', { name: 'Media Details' }).waitFor()
    await page.keyboard.press('Escape')
    await cell.click({ modifiers: ['ControlOrMeta'] })
    await page.getByText('1 selected').waitFor()
    await page.getByRole('checkbox', { name: 'Select b.jpg' }).click({ modifiers: ['Shift'] })
    await page.getByText('3 selected').waitFor()
    // The box beside it is pressed like the row, and is no second stop of Tab.
    await page.getByRole('row', { name: 'a.jpg' }).getByRole('cell').first().click()
    await page.getByText('4 selected').waitFor()
    await visit('/')
    // So are the words below a picture, but for the name.
    await page.getByRole('article').filter({ hasText: 'd.jpg' }).getByText('Today').click()
    await page.getByRole('dialog', { name: 'Media Details' }).waitFor()
    await page.keyboard.press('Escape')
    await select(page, ['d.jpg'])
    assert.ok(await page.getByRole('checkbox', { name: 'Select d.jpg' }).isChecked())
    await page.keyboard.press('Tab')
    assert.equal(await page.evaluate(() => document.activeElement?.ariaLabel), 'Select c.jpg')
    await page.getByRole('checkbox', { name: 'Select b.jpg' }).click({ modifiers: ['Shift'] })
    await page.getByText('3 selected').waitFor()
    await page.getByText('a.jpg', { exact: true }).click()
    await page.getByText('4 selected').waitFor()
    await page.getByRole('button', { name: 'Add Media' }).waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Select', exact: true }).click()
    const from = (await page.getByRole('checkbox', { name: 'Select d.jpg' }).boundingBox())!
    const to = (await page.getByRole('checkbox', { name: 'Select c.jpg' }).boundingBox())!
    await page.mouse.click(from.x + 16, from.y + 16)
    await page.getByText('1 selected').waitFor()
    await page.mouse.move(from.x + 40, from.y + 40)
    await page.mouse.down()
    await page.mouse.move(to.x + 40, to.y + 60, { steps: 5 })
    await page.mouse.up()
    await page.getByText('2 selected').waitFor()
    await page.keyboard.press('Escape')
    // From beside the cards it begins the select mode; what is dragged on a picture neither selects nor marks words.
    const draw = async (x: number, y: number) => {
      await page.mouse.move(from.x + x, from.y + y)
      await page.mouse.down()
      await page.mouse.move(to.x + 40, to.y + to.height + 40, { steps: 5 })
      await page.mouse.up()
    }
    await draw(40, 40)
    assert.equal(await page.evaluate(() => String(getSelection())), '')
    await card(page, 'd.jpg').waitFor()
    // Let go where nobody saw it, it is over.
    await page.mouse.move(from.x - 8, from.y - 8)
    await page.mouse.down()
    await page.mouse.move(from.x, 20)
    await page.mouse.up()
    await page.mouse.move(to.x + 40, to.y + 40, { steps: 5 })
    await card(page, 'd.jpg').waitFor()
    assert.equal(await page.getByRole('region', { name: 'Selected items' }).count(), 0)
    await draw(-8, -8)
    await page.getByText('2 selected').waitFor()
    await page.keyboard.press('Control+a')
    await page.getByText('4 selected').waitFor()
    await page.keyboard.press('Delete')
    await seeNotice(page, 'Moved to Trash', '4 items')
    await page.getByText('No media files yet').waitFor()
  })

  await story(
    'everything that matches, beyond the page, and the latest upload session',
    async ({ page, visit, become }) => {
      const person = await freshPerson(
        'chooser',
        Array.from({ length: 27 }, (_, index) => `p${index}.jpg`),
      )
      await become(person)
      await visit('/?pageSize=25')
      await page.getByRole('button', { name: 'Select', exact: true }).click()
      await page.getByRole('button', { name: 'Select All' }).click()
      await page.getByText('25 selected').waitFor()
      await page.getByRole('button', { name: 'Select all 27 that match' }).click()
      await page.getByText('27 selected').waitFor()
      await page.getByRole('button', { name: 'Next' }).click()
      await page.getByText('27 selected').waitFor()
      await page.keyboard.press('Escape')
      await page.getByRole('button', { name: 'Recent Uploads' }).click()
      await seeNotice(page, 'Recent uploads selected', '27 items uploaded within a minute.')
      await page.getByText('27 selected').waitFor()
      // Elsewhere, those of them that are there: nobody changes what they do not see.
      await visit('/?search=p25')
      await page.getByText('1-1 of 1 items').waitFor()
      await page.getByRole('button', { name: 'Recent Uploads' }).click()
      await seeNotice(page, 'Recent uploads selected', '1 item uploaded within a minute.')
      await page.getByText('1 selected', { exact: true }).waitFor()

      // A library with more than can be changed at once.
      await page.route('**/api/media?*', async (route) => {
        const response = await route.fetch()
        const { media, pagination } = await response.json()
        await route.fulfill({ response, json: { media, pagination: { ...pagination, totalCount: 25_000 } } })
      })
      await page.route('**/api/media/matching-ids', (route) =>
        route.fulfill({ json: { ids: Array.from({ length: 10_000 }, (_, index) => 100_000 + index) } }),
      )
      await visit('/?pageSize=25')
      await page.getByRole('button', { name: 'Select', exact: true }).click()
      await page.getByRole('button', { name: 'Select All' }).click()
      await page.getByRole('button', { name: 'Select the newest 10,000' }).click()
      await page.getByText('10,000 selected').waitFor()
      assert.ok(await page.getByRole('button', { name: 'Move to Trash' }).isEnabled())
      await page.getByRole('button', { name: 'Select All' }).click()
      await page.getByText('10,025 selected, at most 10,000 at once').waitFor()
      assert.ok(await page.getByRole('button', { name: 'Move to Trash' }).isDisabled())
    },
  )

  await story('the bar stands in the middle of what is beside the sidebar', async ({ page, visit, become }) => {
    await become(await freshPerson('tablet', ['one.jpg']))
    await visit('/')
    await select(page, ['one.jpg'])
    // 1024 pixels are a tablet on its side, where the sidebar is icons.
    for (const width of [800, 1024, 1280]) {
      await page.setViewportSize({ width, height: 768 })
      await page.waitForFunction(() => {
        const middleOf = (selector: string) => {
          const { x, width } = document.querySelector(selector)!.getBoundingClientRect()
          return x + width / 2
        }
        return Math.abs(middleOf('[data-bar-below] > div') - middleOf('main')) <= 1
      })
    }
  })

  await story('an item that is gone meanwhile is counted as failed', async ({ page, visit, become }) => {
    const person = await freshPerson('loser', ['one.jpg', 'two.jpg', 'three.jpg'])
    await become(person)
    await visit('/')
    await select(page, ['one.jpg', 'two.jpg'])
    const [{ id }] = (await person.get('/api/media?search=one')).json().media
    await person.delete(`/api/media/${id}`)
    await more(page, /^Edit Descriptions/)
    await page.getByRole('textbox', { name: 'Description' }).fill('x')
    await page.getByRole('button', { name: 'Update Descriptions' }).click()
    await seeNotice(page, 'Descriptions updated', 'Described 1 item. 1 item failed: Media not found.')
    await page.getByText('1 selected').waitFor()

    // It stays selected, but not in another place that somebody went back to meanwhile.
    await page.getByRole('button', { name: 'Images', exact: true }).click()
    await card(page, 'two.jpg').waitFor()
    await select(page, ['two.jpg', 'three.jpg'])
    await person.delete(`/api/media/${id + 1}`)
    const answered = Promise.withResolvers<void>()
    await page.route('**/api/media/bulk-rename', (route) => answered.promise.then(() => route.continue()))
    await more(page, /^Rename/)
    await page.getByLabel('Base name').fill('Trip')
    await page.keyboard.press('Enter')
    await page.goBack()
    answered.resolve()
    await seeNotice(page, 'Images renamed', '1 item failed')
    await page.getByRole('dialog').waitFor({ state: 'hidden' })
    assert.equal(await page.getByRole('region', { name: 'Selected items' }).count(), 0)
  })
})
