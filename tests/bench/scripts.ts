import { type Browser, chromium, type Page } from 'playwright-core'
import { findChromium } from '../support/browser-binary.ts'
import { makePhotos } from './make-photos.ts'
import type { Product } from './product.ts'
import { shareAll, uploadFiles } from './product.ts'
import type { Row } from './row.ts'

export const script: Row = async (workspace) => {
  const product = await workspace.openProduct()
  const browser = await chromium.launch({
    executablePath: await findChromium(),
    args: ['--no-sandbox', '--disable-gpu'],
  })
  try {
    const media = await uploadFiles(product, await makePhotos(await workspace.newFolder('photographs'), 3))
    const path = await shareAll(product, media)
    const [library, shared] = [await scriptBytes(browser, product, '/'), await scriptBytes(browser, product, path)]
    return [row('the library page', library, 140), row('a public page', shared, 50)]
  } finally {
    await browser.close()
    await product.stop()
  }
}

const row = (where: string, bytes: number, allowedKb: number) => ({
  what: `script on ${where} (compressed)`,
  context: '',
  figure: `${(bytes / 1000).toFixed(1)} kB`,
  toReach: `at most ${allowedKb} kB`,
  isReached: bytes > 0 && bytes <= allowedKb * 1000,
})

/** The compressed size of all scripts that a browser loads until the network is idle. */
async function scriptBytes(browser: Browser, { address, cookie }: Product, path: string) {
  const window = await browser.newContext()
  const [name, value] = cookie.split('=') as [string, string]
  await window.addCookies([{ name, value, url: address }])
  const page: Page = await window.newPage()
  const fetched: Promise<number>[] = []
  page.on('requestfinished', (request) => {
    if (request.resourceType() === 'script')
      fetched.push(request.sizes().then(({ responseBodySize }) => responseBodySize))
  })
  await page.goto(address + path, { waitUntil: 'networkidle' })
  await page.locator('img').first().waitFor()
  const sizes = await Promise.all(fetched)
  await window.close()
  return sizes.reduce((sum, bytes) => sum + bytes, 0)
}
