import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page, Route } from 'playwright-core'
import { arriveAt, assertAccessible, openStories, seeToast, toastOf } from '#tests/support/browser.ts'
import { until } from '#tests/support/until.ts'

test('navigation, sign-in redirects and the app shell', async (context) => {
  const { product, story } = await openStories(context)
  const admin = await product.register('grace')
  const ada = await product.register('ada')

  await story('a visitor who is not signed in is sent to the sign-in page', async ({ page, visit }) => {
    for (const path of ['/', '/?filter=videos', '/scraper', '/admin', '/database']) {
      await visit(path)
      await arriveAt(page, '/auth')
    }
    for (const promise of ['Smart Upload', 'AI Analysis', 'Fast Search'])
      await page.getByRole('heading', { name: promise }).waitFor()
  })

  await story(
    'a signed-in user who opens the sign-in page is sent to the library',
    async ({ page, visit }) => {
      await visit('/auth')
      await arriveAt(page, '/')
    },
    { as: ada },
  )

  await story(
    'a user who is no administrator is sent from admin screens to the library',
    async ({ page, visit }) => {
      for (const path of ['/admin', '/database']) {
        await visit(path)
        await arriveAt(page, '/')
      }
    },
    { as: ada },
  )

  await story(
    'administrators see them',
    async ({ page, visit }) => {
      await visit('/admin')
      await page.getByRole('heading', { name: 'Admin Panel' }).waitFor()
      await visit('/database')
      await page.getByRole('heading', { name: 'Database Viewer' }).waitFor()
    },
    { as: admin },
  )

  await story(
    'at 200% zoom on a phone everything is reachable without horizontal scrolling',
    async ({ page, visit, signInAs }) => {
      const isWithin = () => page.waitForFunction(() => document.documentElement.scrollWidth <= window.innerWidth)
      await visit('/admin?tab=users')
      const title = page.getByRole('heading', { name: 'Users' })
      const addUser = page.getByRole('button', { name: 'Add user' })
      await addUser.waitFor()
      assert.ok((await addUser.boundingBox())!.y > (await title.boundingBox())!.y + 20, 'the title is above it')
      await isWithin()
      const ida = await product.register('ida')
      await ida.addPicture('one.jpg')
      await signInAs(ida)
      await visit('/')
      await page.getByRole('button', { name: 'Open one.jpg' }).waitFor()
      await isWithin()
      await page.getByRole('button', { name: 'Account: ida' }).tap()
      await page.getByRole('menuitem', { name: 'Logout' }).waitFor()
    },
    { as: admin, viewport: { width: 180, height: 370 }, hasTouch: true },
  )

  await story('an unknown URL shows Page Not Found', async ({ page }) => {
    for (const path of ['/Auth', '/Public/picture', '/public/no/such', '/public.html', '/no/such/page']) {
      const answer = await page.goto(path)
      assert.equal(answer?.status(), 404, path)
      await page.getByRole('heading', { name: 'Page Not Found' }).waitFor()
      assert.equal(await page.title(), 'Page Not Found · Albumen', path)
    }
    await page.getByText('Did you forget to add it to the router?').waitFor()
    await page.getByRole('link', { name: 'Back to the library' }).click()
    await arriveAt(page, '/auth')
  })

  await story(
    'a screen whose code does not load shows an error, and other screens still work',
    async ({ page, visit }) => {
      await page.route(/scraper-screen/, (route) => route.abort())
      await visit('/scraper')
      await page.getByRole('heading', { name: 'Something went wrong. Please refresh the page.', level: 1 }).waitFor()
      await page.getByText("Part of the page didn't load. Please check your connection.").waitFor()
      await page.getByRole('button', { name: 'All Media' }).click()
      await page.getByRole('heading', { name: 'All Media' }).waitFor()

      // A dialog or a menu that does not load leaves the rest of the page unchanged.
      await page.route(/(upload-dialog|keys-dialog|user-menu-items)-/, (route) => route.abort())
      await page.getByRole('button', { name: 'Upload', exact: true }).click()
      await seeToast(page, 'Something went wrong', "Couldn't load this. Check your connection, then refresh the page.")
      await page.keyboard.press('?')
      const account = page.getByRole('button', { name: 'Account: ada' })
      await account.click()
      await account.and(page.locator('[aria-expanded=false]:focus')).waitFor()
      await page.getByRole('heading', { name: 'All Media' }).waitFor()
    },
    { as: ada },
  )

  const eve = await product.register('eve')
  const { id: mediaId } = await eve.addPicture('one.jpg')
  const { id: collectionId } = (await eve.post('/api/collections', { name: 'Sea' })).json()
  await eve.post(`/api/collections/${collectionId}/media/${mediaId}`)
  const seeLoadFailure = async (page: Page, press: () => Promise<unknown>) => {
    await press()
    await seeToast(page, 'Something went wrong', "Couldn't load this. Check your connection, then refresh the page.")
    await toastOf(page).getByRole('button', { name: 'Dismiss' }).click()
    await toastOf(page).waitFor({ state: 'detached' })
  }

  await story(
    'a dialog, menu or viewer whose code does not load shows a toast',
    async ({ page, visit }) => {
      const parts = /(media-viewer|bulk-dialogs|delete-dialog|selection-bar|share-dialog)-/
      await page.route(parts, (route) => route.abort())
      await visit(`/?collection=${collectionId}`)
      const seeFailure = (press: () => Promise<unknown>) => seeLoadFailure(page, press)
      const choose = async (menu: string, name: string) => {
        await page.getByRole('button', { name: menu }).click()
        await page.getByRole('menuitem', { name, exact: true }).click()
      }
      await seeFailure(() => page.getByRole('button', { name: 'Open one.jpg' }).click())
      await arriveAt(page, `/?collection=${collectionId}`)
      await seeFailure(() => choose('Actions for one.jpg', 'Move to Collection'))
      await seeFailure(() => choose('Actions for one.jpg', 'Delete permanently…'))
      await seeFailure(() => choose('Actions for Sea', 'Customize & Share'))
      await seeFailure(() => page.getByRole('button', { name: 'Select', exact: true }).click())
      await page.unroute(parts)
      await page.reload()
      await page.getByRole('button', { name: 'Open one.jpg' }).click()
      await page.route(/(move-dialog|convert-dialog)-/, (route) => route.abort())
      await seeFailure(() => page.getByRole('button', { name: 'Convert to WebP' }).click())
      await page.getByRole('dialog', { name: 'Media Details' }).waitFor()
    },
    { as: eve },
  )

  await story(
    'a part of the page that did not load is loaded when the connection is back, even during a failing retry',
    async ({ page, browser, visit }) => {
      const refuse = (route: Route) => route.abort()
      await page.route(/open-collection-/, refuse)
      await seeLoadFailure(page, () => visit(`/?collection=${collectionId}`))
      const held = Promise.withResolvers<Route>()
      await page.route(/open-collection-/, held.resolve, { times: 1 })
      await page.unroute(/open-collection-/, refuse)
      await page.evaluate(() => window.dispatchEvent(new Event('focus')))
      // Focusing the window starts a retry, which is still pending when the connection is back.
      const earlyRetry = await held.promise
      for (const isOffline of [true, false]) {
        await browser.setOffline(isOffline)
        await until('the page has noticed the connection', () =>
          page.evaluate((is) => navigator.onLine !== is, isOffline),
        )
      }
      await earlyRetry.abort()
      await page.getByRole('button', { name: 'Actions for Sea' }).waitFor()
    },
    { as: eve },
  )

  await story(
    'single-key shortcuts can be turned off and on for a browser',
    async ({ page, visit }) => {
      await visit('/')
      await page.getByRole('heading', { name: 'All Media' }).waitFor()
      const keys = page.getByRole('dialog', { name: 'Keyboard shortcuts' })
      const areOn = keys.getByRole('switch', { name: 'Single-key shortcuts' })
      const search = page.getByPlaceholder('Search your media...')
      await page.keyboard.press('?')
      await areOn.press('Space')
      await assertAccessible(page)
      await page.keyboard.press('Escape')
      await keys.waitFor({ state: 'detached' })
      for (const key of ['?', '/']) await page.keyboard.press(key)
      assert.equal(await keys.count(), 0)
      await page.reload()
      await page.getByRole('heading', { name: 'All Media' }).waitFor()
      for (const key of ['?', '/']) await page.keyboard.press(key)
      assert.equal(await keys.count(), 0)
      assert.ok(!(await search.evaluate((field) => field === document.activeElement)))
      // The menu still opens the list of shortcuts.
      await page.getByRole('button', { name: 'Account: ada' }).click()
      await page.getByRole('menuitem', { name: 'Keyboard shortcuts' }).click()
      await areOn.press('Space')
      await page.keyboard.press('Escape')
      await keys.waitFor({ state: 'detached' })
      // The page handles shortcuts again a moment after the dialog has closed.
      await until('the key leads to the search', async () => {
        await page.keyboard.press('/')
        return search.evaluate((field) => field === document.activeElement)
      })
    },
    { as: ada },
  )

  await story('the app can be installed on a phone with a name and an icon', async ({ page, browser, visit }) => {
    await visit('/auth')
    const inspector = await browser.newCDPSession(page)
    const { data, errors } = await inspector.send('Page.getAppManifest')
    assert.deepEqual(errors, [])
    const { icons } = JSON.parse(data!) as { icons: { src: string; sizes: string }[] }
    const touchIcon = await page.locator('link[rel=apple-touch-icon]').getAttribute('href')
    for (const { src, sizes } of [...icons, { src: touchIcon!, sizes: '180x180' }]) {
      const size = await sizeOf(page, src)
      assert.equal(sizes === 'any' ? 'any' : size, sizes, src)
    }
  })

  await story(
    'the selected theme is remembered, and applied before any script of the page runs',
    async ({ page, visit }) => {
      await visit('/auth')
      assert.equal(await themeOf(page), 'dark')
      await page.getByRole('button', { name: 'Theme' }).click()
      const darkBar = await barColour(page)
      await page.getByRole('menuitemradio', { name: 'Light' }).click()
      assert.equal(await themeOf(page), 'light')
      assert.notEqual(await barColour(page), darkBar)
      await page.route(/\/assets\/.*\.js/, (route) => route.abort())
      await page.reload()
      assert.equal(await themeOf(page), 'light')
    },
  )

  await story(
    'the Upload button opens the dialog from any screen',
    async ({ page, visit }) => {
      await visit('/scraper')
      await page.getByRole('button', { name: 'Upload', exact: true }).click()
      await page.getByRole('dialog', { name: 'Upload Media' }).waitFor()
    },
    { as: ada },
  )

  await story(
    'the library loads at most 140 kB of script, a public page at most 50 kB',
    async ({ page, visit }) => {
      await visit('/')
      await page.getByText('No media files yet').waitFor()
      assert.ok((await scriptBytes(page)) <= 140_000, `${await scriptBytes(page)} bytes on the library page`)
      const { id } = (await admin.post('/api/collections', { name: 'Shared' })).json()
      const { publicSlug } = (await admin.patch(`/api/collections/${id}/visibility`, { isPublic: true })).json()
      await visit(`/public/collections/${publicSlug}`)
      const publicBytes = await scriptBytes(page)
      assert.ok(publicBytes > 0 && publicBytes <= 50_000, `${publicBytes} bytes on a public page`)
    },
    { as: ada },
  )

  for (const theme of ['dark', 'light'] as const) {
    await story(
      `axe finds nothing on the login, the library and the missing page (${theme})`,
      async ({ page, visit, signInAs }) => {
        for (const path of ['/no/such/page', '/auth']) {
          await visit(path)
          await page.getByRole('heading', { level: 1 }).waitFor()
          await assertAccessible(page)
        }
        await page.getByRole('tab', { name: 'Register' }).click()
        await page.getByRole('button', { name: 'Create account' }).click()
        await page.getByText('Please enter an email address.').waitFor()
        await assertAccessible(page)
        await signInAs(ada)
        await visit('/')
        await page.getByText('No media files yet').waitFor()
        await assertAccessible(page)
        // The sidebar becomes a rail, or is hidden behind a button.
        const [width, sign] = theme === 'dark' ? [800, 'Images'] : [360, 'Menu']
        await page.setViewportSize({ width, height: 800 })
        await page.getByText('0 B of 10 GB used').waitFor({ state: 'detached' })
        await page.getByRole('button', { name: sign, exact: true }).waitFor()
        await assertAccessible(page)
        if (theme === 'light') return
        // A tooltip appears to the right of the rail; below, it would cover the next entry.
        const place = page.getByRole('button', { name: sign, exact: true })
        await place.hover()
        const [name, rail] = [(await page.getByRole('tooltip').boundingBox())!, (await place.boundingBox())!]
        assert.ok(name.x >= rail.x + rail.width, `the name begins at ${name.x}`)
      },
      { theme },
    )
  }
})

/** The color of the browser's bar above the page on a phone. */
function barColour(page: Page) {
  return page.locator('meta[name=theme-color]').getAttribute('content')
}

function sizeOf(page: Page, address: string) {
  return page.evaluate(async (source) => {
    const picture = new Image()
    picture.src = source
    await picture.decode()
    return `${picture.naturalWidth}x${picture.naturalHeight}`
  }, address)
}

function themeOf(page: Page) {
  return page.evaluate(() => document.documentElement.dataset.theme)
}

/** The compressed size of all scripts, as transferred. */
async function scriptBytes(page: Page) {
  await page.waitForLoadState('networkidle')
  return page.evaluate(() =>
    performance
      .getEntriesByType('resource')
      .filter((entry): entry is PerformanceResourceTiming => /\.js$/.test(entry.name))
      .reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0),
  )
}
