import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openStories } from '#tests/support/browser.ts'
import { seedLibrary } from '#tests/support/seed-library.ts'

test('the first picture', async (context) => {
  const { product, story } = await openStories(context)
  const ann = await product.register('ann')
  const names = Array.from({ length: 60 }, (_, index) => ({
    filename: `picture ${index}.jpg`,
    tags: index % 3 ? ['sea'] : [],
  }))
  await seedLibrary(product.services, ann.id, names)
  const requests: string[] = []
  product.app.server.on('request', ({ url }) => requests.push(url!))
  const requestsFor = (path: string) => requests.filter((url) => url.split('?')[0] === path)

  for (const [view, list, count] of [
    ['/', '/api/media?page=1&limit=50', '1-50 of 60 items'],
    [
      '/?filter=images&search=picture&sort=name&page=2&pageSize=25',
      '/api/media?page=2&limit=25&sort=name&search=picture&type=image',
      '26-50 of 60 items',
    ],
  ] as const) {
    await story(
      `${view} requests the user and the list before its code has loaded, and only once`,
      async ({ page }) => {
        const code = Promise.withResolvers<void>()
        await page.route('**/assets/*.js', (route) => code.promise.then(() => route.continue()))
        requests.length = 0
        const isListening = page.waitForResponse('**/api/events?*')
        const preloaded = page.waitForResponse(`**${list}`)
        await page.goto(view, { waitUntil: 'commit' })
        await preloaded
        assert.deepEqual(requestsFor('/api/user'), ['/api/user'])
        code.resolve()
        await page.getByText(count).waitFor()
        // A page that has missed changes requests its lists again as soon as its event stream is open.
        await isListening
        await page.getByRole('complementary', { name: 'Sidebar' }).getByText('60 files', { exact: true }).waitFor()
        assert.equal(requestsFor('/api/events').length, 1)
        assert.deepEqual([requestsFor('/api/user'), requestsFor('/api/media')], [['/api/user'], [list]])
      },
      { as: ann },
    )
  }

  for (const { view, items, list, urgent } of [
    { view: '/', items: 'cards', list: 'ul[aria-label^=Items]', urgent: 12 },
    { view: '/?layout=list', items: 'rows', list: 'tbody:last-of-type', urgent: 20 },
  ])
    await story(
      `the first ${items} are shown before the others, which then appear without moving them`,
      async ({ page, visit }) => {
        await page.addInitScript((selector) => {
          const states: { cards: number; height: number }[] = []
          const note = () => {
            const list = document.querySelector<HTMLElement>(selector)
            const cards = list?.querySelectorAll('[data-media-id]').length ?? 0
            if (list && cards !== states.at(-1)?.cards) states.push({ cards, height: list.offsetHeight })
          }
          new MutationObserver(note).observe(document, { childList: true, subtree: true })
          Object.assign(window, { states })
        }, list)
        await visit(view)
        await page.getByRole('button', { name: 'Open picture 10.jpg' }).waitFor()
        const states = await page.evaluate(
          () => (window as unknown as { states: { cards: number; height: number }[] }).states,
        )
        assert.deepEqual(
          states.map(({ cards }) => cards),
          [urgent, 50],
        )
        const [first, last] = states.map(({ height }) => height) as [number, number]
        assert.ok(Math.abs(first - last) <= 2, `the list's height changed from ${first} to ${last} pixels`)
      },
      { as: ann },
    )

  await story(
    'Back from another screen restores the scroll position, although the first cards are rendered first',
    async ({ page, visit }) => {
      await visit('/')
      await page.getByRole('button', { name: 'Open picture 10.jpg' }).waitFor()
      await page.evaluate(() => window.scrollTo({ top: 900, behavior: 'instant' }))
      await page.getByRole('button', { name: 'Web Image Scraper' }).click()
      await page.waitForURL('**/scraper')
      await page.waitForFunction(() => window.scrollY === 0)
      await page.goBack()
      await page.getByRole('button', { name: 'Open picture 10.jpg' }).waitFor()
      await page.waitForFunction(() => Math.abs(window.scrollY - 900) < 3)
    },
    { as: ann },
  )
})
