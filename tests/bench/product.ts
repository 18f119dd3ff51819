import assert from 'node:assert/strict'
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { Pool } from 'undici'
import { atExit } from '../support/at-exit.ts'
import { cpuMsOf, endedChildrenMsOf } from './process-usage.ts'

const main = fileURLToPath(new URL('../../src/app/server/main.ts', import.meta.url))

/** A process to be measured, and a way to ask it. */
export type Product = Awaited<ReturnType<typeof startProduct>>

export const account = { username: 'bench', email: 'bench@example.com', password: 'correct horse' }

/** The product as `npm start` runs it, without AI, in a process of its own. */
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
    ended.then(() => reject(new Error('Expected the server to start; its last words are above')))
  })
  const pid = child.pid!
  const firstAnswerMs = await answeredAfter(address, begin)
  const firstAnswerCpuMs = cpuMsOf(pid)
  const pool = new Pool(address, { connections: 8, headersTimeout: 0, bodyTimeout: 0 })
  let cookie = ''

  return {
    pid,
    address,
    /** From the start of the process until somebody had an answer. */
    firstAnswerMs,
    firstAnswerCpuMs,
    get cookie() {
      return cookie
    },
    cpuMs: () => cpuMsOf(pid),
    /** Asks as a browser does that can read every packing; the body is read to its end and thrown away. */
    async ask(path: string, { status = 200, packed = true } = {}) {
      const answer = await pool.request({ path, method: 'GET', headers: headers({ packed }) })
      await answer.body.dump({ limit: Number.MAX_SAFE_INTEGER })
      assert.equal(answer.statusCode, status, path)
      return answer.headers
    },
    async send<T>(method: 'GET' | 'POST' | 'PATCH' | 'PUT', path: string, body?: object): Promise<T> {
      const answer = await pool.request({
        path,
        method,
        headers: { ...headers({ packed: false }), ...(body && { 'content-type': 'application/json' }) },
        body: body && JSON.stringify(body),
      })
      const text = await answer.body.text()
      assert.ok(answer.statusCode < 300, `${method} ${path} answered ${answer.statusCode} ${text}`)
      const set = [answer.headers['set-cookie'] ?? []].flat()[0]
      if (set) cookie = set.split(';')[0]!
      return (text ? JSON.parse(text) : undefined) as T
    },
    async stop() {
      await pool.destroy()
      child.kill('SIGTERM')
      await ended
    },
  }

  function headers({ packed }: { packed: boolean }) {
    return { cookie, ...(packed && { 'accept-encoding': 'gzip, deflate, br, zstd' }) }
  }
}

async function answeredAfter(address: string, begin: number) {
  await (await fetch(address)).arrayBuffer()
  return performance.now() - begin
}

/** CPU and wall time in milliseconds. */
export type Used = { cpuMs: number; wallMs: number }

/** What the work takes of all processes of the product. */
export async function usedBy({ pid }: Pick<Product, 'pid'>, work: () => Promise<unknown>): Promise<Used> {
  const [cpuBefore, begin] = [cpuMsOf(pid), performance.now()]
  await work()
  return { cpuMs: cpuMsOf(pid) - cpuBefore, wallMs: performance.now() - begin }
}

/** The middle of several turns: a single one says more about what others do with the machine. */
export async function usuallyUsedBy(product: Pick<Product, 'pid'>, turns: number, work: () => Promise<unknown>) {
  const used: Used[] = []
  for (let turn = 0; turn < turns; turn++) used.push(await usedBy(product, work))
  return middleOf(used)
}

/** The middle of each of two that take turns: what else goes on with the machine then goes on with both. */
export async function inTurns<Name extends string>(
  turns: number,
  works: Record<Name, (turn: number) => Promise<Used>>,
): Promise<Record<Name, Used>> {
  const names = Object.keys(works) as Name[]
  const used: Record<Name, Used>[] = []
  for (let turn = 0; turn < turns; turn++) {
    const taken: [Name, Used][] = []
    for (const name of names) taken.push([name, await works[name](turn)])
    used.push(Object.fromEntries(taken) as Record<Name, Used>)
  }
  return Object.fromEntries(names.map((name) => [name, middleOf(used.map((taken) => taken[name]))])) as Record<
    Name,
    Used
  >
}

const middleOf = (used: Used[]) => used.toSorted((one, other) => one.cpuMs - other.cpuMs)[Math.floor(used.length / 2)]!

/** CPU and wall time of a program that is started, ends and is waited for. */
export async function usedByChild(run: () => Promise<unknown>): Promise<Used> {
  const [before, begin] = [endedChildrenMsOf(process.pid), performance.now()]
  await run()
  return { cpuMs: endedChildrenMsOf(process.pid) - before, wallMs: performance.now() - begin }
}

/** CPU and wall time of work in this process: the bare limit that the product is held against. */
export async function usedHere(work: () => Promise<unknown>): Promise<Used> {
  const [before, begin] = [process.cpuUsage(), performance.now()]
  await work()
  const { user, system } = process.cpuUsage(before)
  return { cpuMs: (user + system) / 1000, wallMs: performance.now() - begin }
}
