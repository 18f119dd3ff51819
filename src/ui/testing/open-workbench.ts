import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import tailwind from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { chromium, type Route } from 'playwright-core'
import { build, type Rolldown } from 'vite'
import { findChromium } from '#tests/support/browser-binary.ts'

const origin = 'http://workbench.test'
const picture = '<svg xmlns="http://www.w3.org/2000/svg" width="8" height="8"><rect width="8" height="8"/></svg>'
/** The strictest content policy of the product's pages: nothing inline. */
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'"

/** Builds the workbench in memory and opens a browser; each page has a fresh profile. No port is opened. */
export async function openWorkbench() {
  const files = await buildFiles()
  const browser = await chromium.launch({
    executablePath: await findChromium(),
    args: ['--no-sandbox', '--disable-background-networking'],
  })
  const respond = (route: Route) => {
    const path = new URL(route.request().url()).pathname
    const file = files.get(path)
    if (!file) return route.fulfill({ status: 404 })
    return route.fulfill({ ...file, headers: { 'content-security-policy': policy } })
  }
  const newPage = async (options: { theme?: 'dark' | 'light'; isPhone?: boolean } = {}) => {
    const context = await browser.newContext({
      reducedMotion: 'reduce',
      viewport: options.isPhone ? { width: 360, height: 640 } : { width: 1280, height: 800 },
      hasTouch: options.isPhone ?? false,
      isMobile: options.isPhone ?? false,
    })
    await context.route(`${origin}/**`, respond)
    const page = await context.newPage()
    const errors: string[] = []
    page.on('pageerror', (error) => errors.push(error.message))
    page.on('console', (message) => message.type() === 'error' && errors.push(message.text()))
    await page.addInitScript((theme) => localStorage.setItem('albumen-theme', theme), options.theme ?? 'dark')
    await page.goto(`${origin}/`)
    await page.getByRole('heading', { name: 'Workbench' }).waitFor()
    return { page, errors, log: () => page.getByTestId('log').textContent() }
  }
  return { newPage, [Symbol.asyncDispose]: () => browser.close() }
}

type File = { body: string | Buffer; contentType: string }

async function buildFiles(): Promise<Map<string, File>> {
  const result = (await build({
    configFile: false,
    publicDir: false,
    logLevel: 'silent',
    plugins: [react(), tailwind()],
    build: {
      write: false,
      minify: false,
      rolldownOptions: {
        input: fileURLToPath(new URL('./workbench.tsx', import.meta.url)),
        output: { entryFileNames: 'main.js' },
      },
    },
  })) as Rolldown.RolldownOutput
  const style = result.output.find((file) => file.fileName.endsWith('.css'))
  const script = result.output.find((file) => file.fileName === 'main.js')
  if (style?.type !== 'asset' || script?.type !== 'chunk')
    throw new Error('Expected the workbench to build to one script and one style.')
  const html =
    '<!doctype html><html lang="en"><meta name="viewport" content="width=device-width"><title>Workbench</title><link rel="stylesheet" href="/main.css"><script src="/theme.js"></script><script type="module" src="/main.js"></script>'
  return new Map<string, File>([
    ['/', { body: html, contentType: 'text/html' }],
    ['/main.css', { body: Buffer.from(style.source), contentType: 'text/css' }],
    ['/main.js', { body: script.code, contentType: 'text/javascript' }],
    [
      '/theme.js',
      { body: readFileSync(new URL('../../../public/theme.js', import.meta.url)), contentType: 'text/javascript' },
    ],
    ['/picture.svg', { body: picture, contentType: 'image/svg+xml' }],
    ['/favicon.ico', { body: '', contentType: 'image/x-icon' }],
  ])
}
