import { mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { AppError, stopping, withCause } from '#platform/errors.ts'
import { createProcessPool } from '#platform/server/process-pool/process-pool.ts'
import { isProgram } from '#platform/server/programs.ts'
import { limitConcurrency } from '#shared/concurrency.ts'
import { ownPair } from '../web-address.ts'
import { defaultRenderLimits, type RenderLimits } from './render-limits.ts'

/** A page as it was fetched; the browser receives this HTML and does not request the page itself. */
export type DrawnPage = { url: string; html: string }

/** The page after its scripts have run, and the addresses of the pictures that it requested. */
export type RenderedPage = { html: string; wanted: string[] }

export type RenderTask = { page: DrawnPage; executable: string; allowHosts: string[]; limits: RenderLimits }

export type PageRenderer = {
  render(page: DrawnPage, options?: { signal?: AbortSignal }): Promise<RenderedPage>
  close(): Promise<void>
}

type Options = { chromiumPath?: string; allowHosts?: string[]; limits?: Partial<RenderLimits> }

/**
 * [Note: The browser has no network]
 * Chromium starts with a resolver that resolves no name and a proxy that does not exist, so a request that is not intercepted
 * reaches nothing. Intercepted requests are fetched by `fetch-public.ts` in a child process. Of the private hosts in the
 * settings a page reaches only its own, since scripts of another site could otherwise read and leak their responses.
 */
export function createPageRenderer({ chromiumPath, allowHosts = [], limits: given }: Options = {}): PageRenderer {
  const limits = { ...defaultRenderLimits, ...given }
  const closing = new AbortController()
  const oneAtATime = limitConcurrency(1)
  let last: Promise<unknown> = Promise.resolve()

  async function renderNow(page: DrawnPage, signal: AbortSignal): Promise<RenderedPage> {
    signal.throwIfAborted()
    const executable = findChromium(chromiumPath)
    if (!executable) throw noBrowser()
    await removeOldFolders()
    const folder = await mkdtemp(join(tmpdir(), folderPrefix)).catch((error) => {
      throw notDrawn(error)
    })
    const pool = createProcessPool<RenderTask, RenderedPage>({
      entry: new URL('./render-child.ts', import.meta.url),
      size: 1,
      timeoutMs: limits.startMs + limits.pageMs + limits.closeMs,
      env: { TMPDIR: folder, NODE_OPTIONS: '--max-old-space-size=512' },
    })
    try {
      return await pool.run({ page, executable, allowHosts: ownPair(page.url, allowHosts), limits }, { signal })
    } catch (error) {
      throw signal.aborted ? signal.reason : notDrawn(error)
    } finally {
      await pool.close()
      // After its child process was killed, a browser exits by itself and may still write files meanwhile.
      await rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 }).catch(ignoreError)
    }
  }

  return {
    render(page, { signal } = {}) {
      const anyEnd = signal ? AbortSignal.any([signal, closing.signal]) : closing.signal
      const rendering = oneAtATime(() => renderNow(page, anyEnd))
      last = rendering.catch(() => {})
      return rendering
    },
    async close() {
      closing.abort(stopping())
      await last
    },
  }
}

/** Not inside DATA_DIR: the browser creates sockets in the folder, whose paths must be short. */
const folderPrefix = 'albumen-render-'
const hourMs = 3600_000

/** Removes folders of processes that were killed. */
async function removeOldFolders() {
  // An unreadable folder is ignored here; if it is also not writable, creating the new folder reports that.
  for (const name of await readdir(tmpdir()).catch(() => [])) {
    if (!name.startsWith(folderPrefix)) continue
    const path = join(tmpdir(), name)
    const facts = await stat(path).catch(() => undefined) // removed by another process meanwhile
    if (facts && facts.mtimeMs < Date.now() - hourMs)
      await rm(path, { recursive: true, force: true }).catch(ignoreError)
  }
}

/** A folder may belong to another user or still be in use; it does not stop rendering. */
const ignoreError = () => {}

const noBrowser = () => new AppError('no-browser', 501, 'The server has no Chromium to run it. Set CHROMIUM_PATH.')

function notDrawn(cause: unknown): AppError {
  const isSlow = cause instanceof AppError && cause.code === 'timeout'
  const sentence = isSlow ? 'Running it took too long.' : 'Running it failed.'
  return withCause(new AppError('not-drawn', 422, sentence), cause)
}

const usualPlaces = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/usr/bin/google-chrome-stable',
  '/snap/bin/chromium',
  '/opt/google/chrome/chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
  'C:\\Program Files (x86)\\Google\\Chrome\\Application\\chrome.exe',
]

/** The Chromium that was named, else one in the usual places; looked for each time, since it may be installed meanwhile. */
export const findChromium = (named?: string) => (named ? [named] : usualPlaces).find(isProgram)
