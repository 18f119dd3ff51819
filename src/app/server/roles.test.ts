import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import pg from 'pg'
import { createClipMaker } from '#engines/video/testing/clips.ts'
import type { Media } from '#features/media/contract.ts'
import { multipart } from '#tests/support/multipart.ts'
import { isOnPostgres } from '#tests/support/postgres.ts'
import { serverSettings, startServer, untilReady } from '#tests/support/server-process.ts'

if (isOnPostgres) {
  test('web and worker start at the same moment on an empty database; the worker answers for its health alone', async (context) => {
    const settings = await serverSettings(context, { isEmpty: true })
    const both = ['web', 'worker'].map((ROLE) => startServer(context, { ...settings, ROLE }))
    const [web, worker] = await Promise.all(both.map(untilReady))
    await register(web!.url)
    const { url } = worker!
    const health = await fetch(`${url}/api/health`)
    assert.equal(health.status, 200)
    for (const path of ['/', '/api/user', '/api/media', '/api/docs', '/assets/x.js']) {
      const answer = await fetch(`${url}${path}`)
      assert.equal(answer.status, 404, path)
      assert.deepEqual(await answer.json(), {
        message: 'This process is a background worker and serves no pages.',
        code: 'works-in-background',
      })
    }
  })

  test('a web process leaves the work waiting, and a worker process finishes it', async (context) => {
    const settings = await serverSettings(context)
    const alone = startServer(context, settings, ['--role=web'])
    const first = await untilReady(alone)
    const cookie = await register(first.url)
    const { id } = await uploadClip(first.url, cookie)
    alone.child.kill('SIGTERM')
    assert.equal((await alone.ended).code, 0)
    assert.deepEqual(await listJobs(settings), [{ kind: 'make-sprite', status: 'waiting', attempts: 0 }])

    // The argument wins over the setting.
    const web = await untilReady(startServer(context, { ...settings, ROLE: 'both' }, ['--role=web']))
    const events = await fetch(`${web.url}/api/events`, { headers: { cookie } })
    const worker = startServer(context, { ...settings, ROLE: 'worker' })
    await untilReady(worker)
    for await (const _word of events.body!) {
      const answer = await fetch(`${web.url}/api/media/${id}`, { headers: { cookie } })
      const { sprite } = (await answer.json()) as Media
      if (!sprite) continue
      assert.equal((await fetch(new URL(sprite.url, web.url), { headers: { cookie } })).status, 200)
      break
    }
    worker.child.kill('SIGTERM')
    assert.equal((await worker.ended).code, 0)
    assert.deepEqual(await listJobs(settings), [])
  })
}

async function register(url: string) {
  const answer = await fetch(`${url}/api/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ username: 'Ann', email: 'ann@example.com', password: 'correct horse' }),
  })
  assert.equal(answer.status, 201)
  return answer.headers.get('set-cookie')!.split(';')[0]!
}

/** The word about the item comes behind the word about its work: when this resolves, the process has heard both. */
async function uploadClip(url: string, cookie: string): Promise<Media> {
  const events = await fetch(`${url}/api/events`, { headers: { cookie } })
  const { payload, headers } = multipart([{ name: 'clip.mp4', bytes: await makeClip() }], { enableAi: 'false' })
  const answer = await fetch(`${url}/api/upload`, {
    method: 'POST',
    headers: { ...headers, cookie },
    body: new Uint8Array(payload),
  })
  assert.equal(answer.status, 201)
  const decoder = new TextDecoder()
  for await (const bytes of events.body!) if (decoder.decode(bytes).includes('data: ')) break
  return ((await answer.json()) as { media: Media[] }).media[0]!
}

async function makeClip() {
  const directory = await mkdtemp(join(tmpdir(), 'albumen-clips-'))
  const clips = createClipMaker(directory)
  try {
    return await readFile(await clips.make({ frames: 12 }))
  } finally {
    await clips.close()
    await rm(directory, { recursive: true, force: true })
  }
}

async function listJobs({ DATABASE_URL }: Record<string, string>) {
  const client = new pg.Client({ connectionString: DATABASE_URL })
  await client.connect()
  try {
    const { rows } = await client.query("SELECT kind, status, attempts FROM jobs WHERE kind LIKE 'make-%' ORDER BY id")
    return rows
  } finally {
    await client.end()
  }
}
