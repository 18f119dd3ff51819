import { execFile } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** The one without windows starts faster. */
const usualPlaces = [
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
]

/** The Chromium that is installed (`CHROMIUM_PATH` names another), else the one that npm brought along. */
export async function findChromium(): Promise<string> {
  const installed = process.env.CHROMIUM_PATH ?? usualPlaces.find((path) => existsSync(path))
  return installed ?? unpackChromium()
}

/**
 * The package unpacks into the folder for temporary files, where another process may be doing the same at this moment.
 * So each has a folder of its own for that, and the first to finish gives its folder the name that all look for.
 */
async function unpackChromium(): Promise<string> {
  if (process.platform !== 'linux' || process.arch !== 'x64') {
    throw new Error(
      'No Chromium was found. Please install one, or name it in CHROMIUM_PATH: npm brings one for Linux on x64 only.',
    )
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
    // Somebody else was faster: theirs will do.
    await rename(staging, home).catch(() => rm(staging, { recursive: true }))
  }
  return `${home}/chromium`
}
