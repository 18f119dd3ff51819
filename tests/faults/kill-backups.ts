import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { multipart } from '../support/multipart.ts'
import { makeJpeg } from '../support/pictures.ts'
import { createClient, type Send, startServer } from './killable-server.ts'

// Ends the server with SIGKILL at random moments of a restore or of a backup, starts it again, and looks whether the
// library is the old one or the new one, whole. `node tests/faults/kill-backups.ts 60` runs 60 rounds of each.

const pictures = 12

/** All names with their hashes; every file is fetched, so a row without its bytes shows. */
async function libraryState(send: Send) {
  const { media } = (await (await send('GET', '/api/media?limit=200&sort=name')).json()) as {
    media: { filename: string; originalUrl: string; size: number }[]
  }
  const state: string[] = []
  for (const { filename, originalUrl, size } of media) {
    const answer = await send('GET', originalUrl)
    assert.equal(answer.status, 200, `${filename} has its bytes`)
    assert.equal((await answer.arrayBuffer()).byteLength, size)
    state.push(`${filename} ${originalUrl.split('/')[3]}`)
  }
  return JSON.stringify(state)
}

async function untilRestored(send: Send) {
  for (;;) {
    const progress = (await (await send('GET', '/api/admin/backups/restore-progress')).json()) as {
      isRestoring: boolean
      step: string
    }
    if (!progress.isRestoring) return progress.step
    await delay(20)
  }
}

/** Says how often a restore was found undone and finished after the crash. */
export async function killDuringWork(rounds: number, database: Record<string, string> = {}) {
  const DATA_DIR = await mkdtemp(join(tmpdir(), 'albumen-kill-'))
  const settings = { PORT: '0', DATA_DIR, AI_LOCAL: '0', LOG_LEVEL: 'error', ...database }
  let server = await startServer(settings)
  const send = createClient(() => server.url)
  const outcome = { restores: 0, backups: 0, finished: 0, undone: 0 }
  try {
    const account = { username: 'admin', email: 'admin@example.com', password: 'correct horse' }
    assert.equal((await send('POST', '/api/register', account)).status, 201)
    const files = await Promise.all(
      Array.from({ length: pictures }, async (_, index) => ({ name: `old-${index}.jpg`, bytes: await makeJpeg() })),
    )
    assert.equal((await send('POST', '/api/upload', multipart(files, { enableAi: 'false' }))).status, 201)
    const oldState = await libraryState(send)
    const { backup: old } = (await (await send('POST', '/api/admin/backups/create')).json()) as {
      backup: { id: string }
    }
    await send('POST', '/api/admin/database/reset')
    const fresh = await Promise.all(
      Array.from({ length: pictures }, async (_, index) => ({ name: `new-${index}.jpg`, bytes: await makeJpeg() })),
    )
    await send('POST', '/api/upload', multipart(fresh, { enableAi: 'false' }))
    const newState = await libraryState(send)
    const { backup: young } = (await (await send('POST', '/api/admin/backups/create')).json()) as {
      backup: { id: string }
    }
    const states = new Map([
      [old.id, oldState],
      [young.id, newState],
    ])
    let current = young.id
    for (let round = 0; round < rounds; round++) {
      await roundOfRestore(round)
      await roundOfBackup(round)
    }
    return outcome

    /** Restores one, then the other; the moment of the kill moves through the whole restore and a little beyond. */
    async function roundOfRestore(round: number) {
      const wanted = current === old.id ? young.id : old.id
      const begun = await send('POST', `/api/admin/backups/${wanted}/restore`, { skipSafetyBackup: round % 2 === 0 })
      assert.equal(begun.status, 200, await begun.text())
      await delay(Math.random() * 250)
      await server.kill()
      server = await startServer(settings)
      const step = await untilRestored(send)
      const state = await libraryState(send)
      assert.ok([...states.values()].includes(state), 'the library is the old one or the new one, whole')
      const isNew = state === states.get(wanted)
      assert.equal(isNew, step === 'Complete')
      outcome[isNew ? 'finished' : 'undone']++
      if (isNew) current = wanted
      outcome.restores++
      const written = await send('POST', '/api/collections', { name: 'Writes go on' })
      assert.equal(written.status, 201)
    }

    async function roundOfBackup(round: number) {
      const making = send('POST', '/api/admin/backups/create').catch(() => undefined)
      await delay(Math.random() * 120)
      await server.kill()
      await making
      server = await startServer(settings)
      const { backups } = (await (await send('GET', '/api/admin/backups')).json()) as { backups: { id: string }[] }
      for (const { id } of backups.slice(0, 2)) {
        const preview = await send('GET', `/api/admin/backups/${id}/preview`)
        assert.equal(preview.status, 200, `round ${round}: what is listed can be read`)
      }
      for (const { id } of backups.filter(({ id }) => !states.has(id))) await send('DELETE', `/api/admin/backups/${id}`)
      assert.equal(await libraryState(send), states.get(current))
      outcome.backups++
    }
  } finally {
    await server.kill()
    await rm(DATA_DIR, { recursive: true, force: true })
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const rounds = Number(process.argv[2] ?? 60)
  const database: Record<string, string> = process.env.DATABASE_URL ? { DATABASE_URL: process.env.DATABASE_URL } : {}
  process.stdout.write(`${JSON.stringify(await killDuringWork(rounds, database))}\n`)
}
