import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { rmSync } from 'node:fs'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { atExit } from '../support/at-exit.ts'
import { multipart, type TestFile } from '../support/multipart.ts'
import { until } from '../support/until.ts'
import { createClient, type KillableServer, type Send, type ServerOptions, startServer } from './killable-server.ts'

export type Listed = {
  id: number
  filename: string
  size: number
  mimeType: string
  originalUrl: string
  thumbnailUrl: string
}

const account = { username: 'admin', email: 'admin@example.com', password: 'correct horse' }
const leftOversGoWithinMs = 60_000

type Options = ServerOptions & { settings?: Record<string, string> }

/** A separate server with a signed-in administrator; it is stopped and its folder deleted at the end. */
export async function openLibrary({ settings = {}, ...options }: Options = {}) {
  const directory = await mkdtemp(join(tmpdir(), 'albumen-faults-'))
  const isGone = atExit(() => rmSync(directory, { recursive: true, force: true }))
  const environment = { PORT: '0', DATA_DIR: directory, AI_LOCAL: '0', LOG_LEVEL: 'error', ...settings }
  let startedAt = Date.now()
  let server: KillableServer = await startServer(environment, options)
  const send = createClient(() => server.url)
  const registered = await send('POST', '/api/register', account)
  assert.equal(registered.status, 201, await registered.text())
  return {
    directory,
    account,
    environment,
    send,
    get server() {
      return server
    },
    get startedAt() {
      return startedAt
    },
    /** Starts it again, and says how long that took. */
    async start(again: ServerOptions = options) {
      const begin = performance.now()
      startedAt = Date.now()
      server = await startServer(environment, again)
      return performance.now() - begin
    },
    async [Symbol.asyncDispose]() {
      await server.kill()
      await rm(directory, { recursive: true, force: true, maxRetries: 5 })
      isGone()
    },
  }
}

export type Library = Awaited<ReturnType<typeof openLibrary>>

export async function upload(send: Send, files: TestFile[]) {
  const answer = await send('POST', '/api/upload', multipart(files, { enableAi: 'false' }))
  const body = await answer.text()
  assert.equal(answer.status, 201, body)
  return (JSON.parse(body) as { media: Listed[] }).media
}

export async function ask<T>(send: Send, path: string): Promise<T> {
  const answer = await send('GET', path)
  if (answer.status !== 200) assert.fail(`${path} answered ${answer.status} ${await answer.text()}`)
  return (await answer.json()) as T
}

export async function listAll(send: Send, filter = '') {
  const listed: Listed[] = []
  for (let page = 1; ; page++) {
    const { media, pagination } = await ask<{ media: Listed[]; pagination: { hasNextPage: boolean } }>(
      send,
      `/api/media?limit=200&page=${page}&sort=name${filter}`,
    )
    listed.push(...media)
    if (!pagination.hasNextPage) return listed
  }
}

export const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')

/** The hash of the bytes at the item's URL; its thumbnail must exist too. */
export async function deliveredHash(send: Send, { filename, originalUrl, thumbnailUrl, size }: Listed) {
  const answer = await send('GET', originalUrl)
  assert.equal(answer.status, 200, `${filename} has its bytes`)
  const bytes = Buffer.from(await answer.arrayBuffer())
  assert.equal(bytes.length, size, `${filename} has all of its bytes`)
  const thumbnail = await send('GET', thumbnailUrl)
  assert.equal(thumbnail.status, 200, `${filename} has a thumbnail`)
  await thumbnail.arrayBuffer()
  return sha256(bytes)
}

/** All names with their hashes; every file is fetched, so a row without its file fails. */
export async function libraryState(send: Send) {
  const state: string[] = []
  for (const media of await listAll(send)) state.push(`${media.filename} ${await deliveredHash(send, media)}`)
  return state.sort()
}

/** Returns the outcome of the last restore. */
export const untilRestored = (send: Send) =>
  until('the restore is over', async () => {
    const progress = await ask<{ isRestoring: boolean; step: string }>(send, '/api/admin/backups/restore-progress')
    return !progress.isRestoring && progress.step
  })

/** The files on the disk: unfinished ones, and the hashes of finished ones. */
export async function storedIn(directory: string) {
  const unfinished = await readdir(join(directory, 'tmp'))
  const entries = await readdir(join(directory, 'blobs'), { recursive: true })
  const blobs = new Set(entries.map((path) => path.split('/').at(-1)!).filter((name) => name.length === 64))
  return { unfinished, blobs }
}

/** Waits up to a minute until there are no unfinished files and no files without an item. */
export async function untilTidy(directory: string, expected: Set<string>, since = Date.now()) {
  const deadline = since + leftOversGoWithinMs
  for (;;) {
    const { unfinished, blobs } = await storedIn(directory)
    const orphans = blobs.difference(expected).size
    if (unfinished.length === 0 && orphans === 0) return assert.deepEqual(blobs, expected)
    assert.ok(Date.now() < deadline, `${unfinished.length} unfinished files and ${orphans} orphans are left`)
    await delay(50)
  }
}

/** Checks that stored counters match the rows; `versionBytes` are those of earlier files of the items. */
export async function checkCounters(send: Send, listed: Listed[], versionBytes = 0) {
  const storage = await ask<{ usedBytes: number; totalFiles: number }>(send, '/api/user/storage')
  // Bytes that several items share count once; the address of an item has the version of its bytes.
  const sizes = new Map(listed.map(({ originalUrl, size }) => [originalUrl.split('/').at(-2), size]))
  const usedBytes = [...sizes.values()].reduce((sum, size) => sum + size, versionBytes)
  assert.deepEqual([storage.usedBytes, storage.totalFiles], [usedBytes, listed.length], 'the counters are exact')
}
