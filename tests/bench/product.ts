import assert from 'node:assert/strict'
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { openAsBlob } from 'node:fs'
import { basename } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Pool } from 'undici'
import type { Media } from '#features/media/contract.ts'
import { atExit } from '../support/at-exit.ts'
import { cpuMsOf, endedChildrenMsOf } from '../support/process-usage.ts'

const main = fileURLToPath(new URL('../../src/app/server/main.ts', import.meta.url))

/** A server process to measure, with methods for requests. */
export type Product = Awaited<ReturnType<typeof startProduct>>

export const account = { username: 'bench', email: 'bench@example.com', password: 'correct horse' }

/** Starts the product like `npm start`, without AI, in a child process. */
export async function startProduct(dataDir: string, settings: Record<string, string> = {}) {
  return startMeasured(main, {
    PORT: '0',
    DATA_DIR: dataDir,
    AI_LOCAL: '0',
    LOG_LEVEL: 'error',
    QUOTA_GB: '1000',
    ...settings,
  })
}

/** Starts a server that prints `Open http://…` when it listens. */
export async function startMeasured(entry: string, settings: Record<string, string>) {
  const begin = performance.now()
  const child = fork(entry, {
    cwd: settings.DATA_DIR,
    env: { PATH: process.env.PATH, ...settings },
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  })
  const ended = once(child, 'exit')
  void ended.then(atExit(() => child.kill('SIGKILL')))
  const address = await new Promise<string>((resolve, reject) => {
    let printed = ''
    child.stdout!.on('data', (chunk) => {
      printed += chunk
      const found = /Open (\S+)/.exec(printed)?.[1]
      if (found) resolve(found.replace('localhost', '127.0.0.1'))
    })
    ended.then(() => reject(new Error('Expected the server to start, received its output above')))
  })
  const pid = child.pid!
  const firstResponseMs = await firstResponseAfter(address, begin)
  const firstResponseCpuMs = cpuMsOf(pid)
  const pool = new Pool(address, { connections: 8, headersTimeout: 0, bodyTimeout: 0 })
  let cookie = ''

  return {
    pid,
    address,
    /** From the start of the process to the first response. */
    firstResponseMs,
    firstResponseCpuMs,
    get cookie() {
      return cookie
    },
    cpuMs: () => cpuMsOf(pid),
    /** Requests a path like a browser that accepts all compressions; reads the body to its end and discards it. */
    async ask(path: string, { status = 200, compressed = true } = {}) {
      const response = await pool.request({ path, method: 'GET', headers: headers({ compressed }) })
      await response.body.dump({ limit: Number.MAX_SAFE_INTEGER })
      assert.equal(response.statusCode, status, path)
      return response.headers
    },
    async send<T>(method: 'GET' | 'POST' | 'PATCH' | 'PUT', path: string, body?: object): Promise<T> {
      const response = await pool.request({
        path,
        method,
        headers: { ...headers({ compressed: false }), ...(body && { 'content-type': 'application/json' }) },
        body: body && JSON.stringify(body),
      })
      const text = await response.body.text()
      assert.ok(response.statusCode < 300, `${method} ${path} answered ${response.statusCode} ${text}`)
      const set = [response.headers['set-cookie'] ?? []].flat()[0]
      if (set) cookie = set.split(';')[0]!
      return (text ? JSON.parse(text) : undefined) as T
    },
    async stop() {
      await pool.destroy()
      child.kill('SIGTERM')
      await ended
    },
  }

  function headers({ compressed }: { compressed: boolean }) {
    return { cookie, ...(compressed && { 'accept-encoding': 'gzip, deflate, br, zstd' }) }
  }
}

async function firstResponseAfter(address: string, begin: number) {
  await (await fetch(address)).arrayBuffer()
  return performance.now() - begin
}

/** CPU and wall time in milliseconds. */
export type Usage = { cpuMs: number; wallMs: number }

/** Measures the work in all processes of the product. */
export async function measureUsage({ pid }: Pick<Product, 'pid'>, work: () => Promise<unknown>): Promise<Usage> {
  const [cpuBefore, begin] = [cpuMsOf(pid), performance.now()]
  await work()
  return { cpuMs: cpuMsOf(pid) - cpuBefore, wallMs: performance.now() - begin }
}

/** The median of several turns, because a single turn depends on the load of the machine. */
export async function measureMedian(product: Pick<Product, 'pid'>, turns: number, work: () => Promise<unknown>) {
  const used: Usage[] = []
  for (let turn = 0; turn < turns; turn++) used.push(await measureUsage(product, work))
  return medianOf(used)
}

/** The median of each work. They alternate, so that the load of the machine affects all of them alike. */
export async function measureInTurns<Name extends string>(
  turns: number,
  works: Record<Name, (turn: number) => Promise<Usage>>,
): Promise<Record<Name, Usage>> {
  const names = Object.keys(works) as Name[]
  const used: Record<Name, Usage>[] = []
  for (let turn = 0; turn < turns; turn++) {
    const taken: [Name, Usage][] = []
    for (const name of names) taken.push([name, await works[name](turn)])
    used.push(Object.fromEntries(taken) as Record<Name, Usage>)
  }
  return Object.fromEntries(names.map((name) => [name, medianOf(used.map((taken) => taken[name]))])) as Record<
    Name,
    Usage
  >
}

const medianOf = (used: Usage[]) => used.toSorted((one, other) => one.cpuMs - other.cpuMs)[Math.floor(used.length / 2)]!

/** Measures programs that the work starts and waits for. */
export async function measureChild(run: () => Promise<unknown>): Promise<Usage> {
  const [before, begin] = [endedChildrenMsOf(process.pid), performance.now()]
  await run()
  return { cpuMs: endedChildrenMsOf(process.pid) - before, wallMs: performance.now() - begin }
}

/** Measures work in this process, such as the bare tool that the product is compared with. */
export async function measureHere(work: () => Promise<unknown>): Promise<Usage> {
  const [before, begin] = [process.cpuUsage(), performance.now()]
  await work()
  const { user, system } = process.cpuUsage(before)
  return { cpuMs: (user + system) / 1000, wallMs: performance.now() - begin }
}

/** Uploads files in one request, read from the disk while they are sent. */
export async function uploadFiles({ address, cookie }: Product, paths: string[]): Promise<Media[]> {
  const form = new FormData()
  for (const path of paths) form.append('files', await openAsBlob(path), basename(path))
  form.append('enableAi', 'false')
  const response = await fetch(`${address}/api/upload`, { method: 'POST', headers: { cookie }, body: form })
  const text = await response.text()
  assert.equal(response.status, 201, text)
  const { media } = JSON.parse(text) as { media: Media[] }
  assert.equal(media.length, paths.length)
  return media
}

/** Puts the items into a new public collection; returns the path of its page. */
export async function shareAll(product: Product, media: Media[]) {
  const { id } = await product.send<{ id: number }>('POST', '/api/collections', { name: 'A summer by the sea' })
  for (const item of media) await product.send('POST', `/api/collections/${id}/media/${item.id}`)
  const visibility = { isPublic: true }
  const shared = await product.send<{ publicSlug: string }>('PATCH', `/api/collections/${id}/visibility`, visibility)
  return `/public/collections/${shared.publicSlug}`
}
