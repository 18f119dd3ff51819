import assert from 'node:assert/strict'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { defaultRenderLimits } from '#engines/web/render/render-limits.ts'
import { findChromium } from '#tests/support/browser-binary.ts'
import { disableTimeouts } from '#tests/support/disable-timeouts.ts'
import { fakeWeb } from '#tests/support/fake-web.ts'
import { makeJpeg } from '#tests/support/pictures.ts'
import { temporaryFolder } from '#tests/support/temporary-folder.ts'
import { testApp } from '#tests/support/test-app.ts'
import type { ScrapePreview } from '../contract.ts'

test('images that a page adds by script are found in addition to those in its HTML', async (context) => {
  disableTimeouts(context)
  for (const name of ['startMs', 'pageMs'] as const) context.mock.property(defaultRenderLimits, name, 120_000)
  const web = await fakeWeb(context)
  web.file('/boat.jpg', await makeJpeg({ width: 300, height: 200 }))
  web.file('/app.css', Buffer.from('#root { background: url(/sea.jpg) }'), 'text/css')
  const script = `document.getElementById('root').innerHTML = '<h2>Harbour</h2><img src="/boat.jpg" alt="Red boat">'; document.body.offsetHeight`
  web.file('/app.js', Buffer.from(script), 'text/javascript')
  const url = web.page(
    '/app',
    `<title>App</title><meta property="og:image" content="/cover.jpg"><link rel="stylesheet" href="/app.css">
    <div id="root"></div><script src="/app.js"></script>`,
  )
  const product = await testApp(context, web.settings)
  const ann = await product.register()
  const preview = async (): Promise<ScrapePreview> => (await ann.post('/api/scrape-preview', { url })).json()
  const foundIn = ({ images }: ScrapePreview) => images.map(({ originalUrl }) => originalUrl.slice(web.origin.length))

  const off = await preview()
  assert.deepEqual(foundIn(off), ['/cover.jpg'])
  assert.match(off.hint!, /was not run/)

  await product.restart({ SCRAPER_RENDER: '1', CHROMIUM_PATH: await findChromium() })
  const on = await preview()
  assert.deepEqual(foundIn(on).toSorted(), ['/boat.jpg', '/cover.jpg', '/sea.jpg'])
  assert.equal(on.hint, undefined)
  const boat = on.images.find(({ alt }) => alt === 'Red boat')!
  assert.deepEqual([boat.intelligentName, boat.width, boat.height], ['Red boat', 300, 200])

  const removedLater = join(await temporaryFolder(context), 'chromium')
  await writeFile(removedLater, '', { mode: 0o755 })
  await product.restart({ SCRAPER_RENDER: '1', CHROMIUM_PATH: removedLater })
  await rm(removedLater)
  const without = await preview()
  assert.deepEqual(foundIn(without), ['/cover.jpg'])
  assert.match(without.hint!, /no Chromium/)
})
