import { execFile } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** The headless shell is first because it starts faster. */
const usualPaths = [
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
]

/** An installed Chromium (`CHROMIUM_PATH` selects another), or else the one from npm. */
export async function findChromium(): Promise<string> {
  const installed = process.env.CHROMIUM_PATH ?? usualPaths.find((path) => existsSync(path))
  return installed ?? unpackChromium()
}

/**
 * Several processes may unpack the package at the same time, so each uses its own folder, and the first to finish renames
 * its folder to the final name.
 */
async function unpackChromium(): Promise<string> {
  if (process.platform !== 'linux' || process.arch !== 'x64') {
    throw new Error('No Chromium was found. Install one or set CHROMIUM_PATH; npm provides one for Linux on x64 only.')
  }
  const { version } = JSON.parse(readFileSync(`${root}node_modules/@sparticuz/chromium/package.json`, 'utf8'))
  const cache = `${root}node_modules/.cache`
  const home = `${cache}/chromium-${version}`
  if (!existsSync(home)) {
    await mkdir(cache, { recursive: true })
    const staging = await mkdtemp(`${home}-`)
    const unpack = 'import("@sparticuz/chromium").then(({ default: chromium }) => chromium.executablePath())'
    await promisify(execFile)(process.execPath, ['--eval', unpack], {
      cwd: root,
      env: { ...process.env, TMPDIR: staging },
    })
    // Another process was faster, so its folder is used.
    await rename(staging, home).catch(() => rm(staging, { recursive: true }))
  }
  return `${home}/chromium`
}
