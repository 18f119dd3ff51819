import assert from 'node:assert/strict'
import { createHash, randomBytes, randomInt } from 'node:crypto'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { multipart } from '../support/multipart.ts'
import { makeJpeg } from '../support/pictures.ts'
import { createClient, type Send, startServer } from './killable-server.ts'

// Ends the server with SIGKILL while files are being uploaded, starts it again, and looks whether every file that was
// acknowledged is there and whole, and nothing that was never sent. `node tests/faults/kill-upload.ts --rounds 50`

const uploaders = 4
const orphansGoWithinMs = 60_000
const longestWaitMs = 5000

type Listed = { id: number; filename: string; size: number; originalUrl: string; thumbnailUrl: string }
type Outcome = { rounds: number; acknowledged: number; unheard: number; dropped: number }

/** `isAlone`: on SQLite and a disk, so that left-overs go with the next start and need not be an hour old. */
export async function killDuringUploads(rounds: number, database: Record<string, string> = {}): Promise<Outcome> {
  const isAlone = !database.DATABASE_URL
  const DATA_DIR = await mkdtemp(join(tmpdir(), 'albumen-kill-'))
  const settings = { PORT: '0', DATA_DIR, AI_LOCAL: '0', LOG_LEVEL: 'error', ...database }
  const jpeg = await makeJpeg()
  const sent = new Map<string, string>()
  const acknowledged = new Set<string>()
  const checked = new Set<number>()
  let server = await startServer(settings)
  const send = createClient(() => server.url)
  try {
    const account = { username: 'ann', email: 'ann@example.com', password: 'correct horse' }
    assert.equal((await send('POST', '/api/register', account)).status, 201)
    for (let round = 0; round < rounds; round++) {
      await killAtSomeMoment()
      server = await startServer(settings)
      await checkLibrary()
    }
    checked.clear()
    const listed = await checkLibrary()
    const unheard = listed.filter(({ filename }) => !acknowledged.has(filename)).length
    return { rounds, acknowledged: acknowledged.size, unheard, dropped: sent.size - listed.length }
  } finally {
    await server.kill()
    await rm(DATA_DIR, { recursive: true, force: true })
  }

  async function killAtSomeMoment() {
    const running = Array.from({ length: uploaders }, uploadUntilCut)
    const wanted = acknowledged.size + randomInt(12)
    for (let waited = 0; acknowledged.size < wanted && waited < longestWaitMs; waited += 5) await delay(5)
    await delay(randomInt(120))
    await server.kill()
    await Promise.all(running)
  }

  /** One request after the other, each of a few files of different size, until the connection breaks. */
  async function uploadUntilCut() {
    for (;;) {
      const files = Array.from({ length: 1 + randomInt(4) }, makeFile)
      try {
        const answer = await send('POST', '/api/upload', multipart(files, { enableAi: 'false' }))
        assert.equal(answer.status, 201)
        const { media } = (await answer.json()) as { media: Listed[] }
        for (const { filename } of media) acknowledged.add(filename)
      } catch (error) {
        if (error instanceof assert.AssertionError) throw error
        return
      }
    }
  }

  /** What follows the end of a JPEG makes every file different, and some of them large. */
  function makeFile() {
    const bytes = Buffer.concat([jpeg, randomBytes(randomInt(10) === 0 ? 3_000_000 : 1000 + randomInt(50_000))])
    const name = `file-${sent.size}.jpg`
    sent.set(name, createHash('sha256').update(bytes).digest('hex'))
    return { name, bytes }
  }

  async function checkLibrary() {
    const listed = await listAll(send)
    const names = new Set(listed.map(({ filename }) => filename))
    for (const name of acknowledged) assert.ok(names.has(name), `${name} was acknowledged and is gone`)
    assert.equal(names.size, listed.length, 'nothing is there twice')
    for (const media of listed.filter(({ id }) => !checked.has(id))) {
      await checkWhole(send, media, sent)
      checked.add(media.id)
    }
    const storage = (await (await send('GET', '/api/user/storage')).json()) as { usedBytes: number; totalFiles: number }
    const usedBytes = listed.reduce((sum, { size }) => sum + size, 0)
    assert.deepEqual([storage.usedBytes, storage.totalFiles], [usedBytes, listed.length])
    if (isAlone) await checkLeftOvers(DATA_DIR, new Set([...names].map((name) => sent.get(name)!)))
    return listed
  }
}

async function listAll(send: Send) {
  const listed: Listed[] = []
  for (let page = 1; ; page++) {
    const answer = await send('GET', `/api/media?limit=200&page=${page}`)
    assert.equal(answer.status, 200)
    const { media, pagination } = (await answer.json()) as { media: Listed[]; pagination: { hasNextPage: boolean } }
    listed.push(...media)
    if (!pagination.hasNextPage) return listed
  }
}

async function checkWhole(
  send: Send,
  { filename, originalUrl, thumbnailUrl, size }: Listed,
  sent: Map<string, string>,
) {
  assert.ok(sent.has(filename), `${filename} was never sent`)
  const bytes = Buffer.from(await (await send('GET', originalUrl)).arrayBuffer())
  assert.equal(bytes.length, size)
  assert.equal(createHash('sha256').update(bytes).digest('hex'), sent.get(filename), `${filename} is not what was sent`)
  assert.equal((await send('GET', thumbnailUrl)).status, 200)
}

/** Soon after a start there is no unfinished file, and no bytes that no item points to. */
async function checkLeftOvers(directory: string, expected: Set<string>) {
  const deadline = Date.now() + orphansGoWithinMs
  for (;;) {
    const unfinished = await readdir(join(directory, 'tmp'))
    const entries = await readdir(join(directory, 'blobs'), { recursive: true })
    const blobs = new Set(entries.map((path) => path.split('/').at(-1)!).filter((name) => name.length === 64))
    const orphans = blobs.difference(expected).size
    if (unfinished.length === 0 && orphans === 0) return assert.deepEqual(blobs, expected)
    assert.ok(Date.now() < deadline, `${unfinished.length} unfinished files and ${orphans} orphans are left`)
    await delay(50)
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { values } = parseArgs({ options: { rounds: { type: 'string', default: '50' } } })
  const database: Record<string, string> = process.env.DATABASE_URL ? { DATABASE_URL: process.env.DATABASE_URL } : {}
  process.stdout.write(`${JSON.stringify(await killDuringUploads(Number(values.rounds), database))}\n`)
}
