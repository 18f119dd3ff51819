import assert from 'node:assert/strict'
import { setTimeout as delay } from 'node:timers/promises'
import { makeJpeg } from '../support/pictures.ts'
import { counted, type Fault, seconds } from './fault.ts'
import type { Send } from './killable-server.ts'
import { addUp, inLanes } from './lanes.ts'
import { ask, deliveredHash, listAll, openLibrary, upload } from './library.ts'

const pictures = 12
const healMs = 30_000

export const killBackup: Fault = async ({ eachRound }) => {
  const outcome = addUp(await inLanes(eachRound(50), (backups) => killDuringWork({ backups })))
  return [
    counted('kill -9 while backing up: what is listed is whole, and so is the library', {
      figure: `0 damaged in ${outcome.backups} rounds (${outcome.listed} came in time)`,
      toReach: '0 in 50 rounds',
      isReached: outcome.backups > 0,
    }),
  ]
}

export const killRestore: Fault = async ({ eachRound }) => {
  const outcomes = await inLanes(eachRound(60), (restores) => killDuringWork({ restores }))
  const { restores, finished, undone } = addUp(outcomes)
  const slowestHealMs = Math.max(...outcomes.map((outcome) => outcome.slowestHealMs))
  return [
    counted('kill -9 while restoring: the old library or the new one, never a mixture', {
      figure: `0 mixed in ${restores} rounds (${finished} finished, ${undone} undone); healed within ${seconds(slowestHealMs)}`,
      toReach: '0 mixed in 60 rounds, healed within 30 s',
      isReached: restores > 0 && slowestHealMs <= healMs,
    }),
  ]
}

/** All names with their hashes; every file is fetched, so a row without its bytes shows. */
async function libraryState(send: Send) {
  const state: string[] = []
  for (const media of await listAll(send)) state.push(`${media.filename} ${await deliveredHash(send, media)}`)
  return JSON.stringify(state)
}

type Wanted = { restores?: Iterable<number>; backups?: Iterable<number> }

/**
 * Ends the server with SIGKILL at random moments of a restore or of a backup, starts it again, and looks whether the
 * library is the old one or the new one, whole.
 */
export async function killDuringWork(wanted: Wanted, settings: Record<string, string> = {}) {
  const outcome = { restores: 0, backups: 0, finished: 0, undone: 0, listed: 0, slowestHealMs: 0 }
  await using library = await openLibrary({ settings })
  const { send } = library
  await upload(send, await makeFiles('old'))
  const old = { state: await libraryState(send), id: await makeBackup() }
  assert.equal((await send('POST', '/api/admin/database/reset')).status, 200)
  await upload(send, await makeFiles('new'))
  const young = { state: await libraryState(send), id: await makeBackup() }
  const states = new Map([old, young].map(({ id, state }) => [id, state]))
  let current = young.id
  for (const round of wanted.restores ?? []) await roundOfRestore(round)
  for (const round of wanted.backups ?? []) await roundOfBackup(round)
  return outcome

  async function makeBackup() {
    const { backup } = (await (await send('POST', '/api/admin/backups/create')).json()) as { backup: { id: string } }
    return backup.id
  }

  /** Restores one, then the other; the moment of the kill moves through the whole restore and a little beyond. */
  async function roundOfRestore(round: number) {
    const next = current === old.id ? young.id : old.id
    const begun = await send('POST', `/api/admin/backups/${next}/restore`, { skipSafetyBackup: round % 2 === 0 })
    assert.equal(begun.status, 200, await begun.text())
    await delay(Math.random() * 250)
    await library.server.kill()
    const begin = performance.now()
    await library.start()
    const step = await untilRestored(send)
    outcome.slowestHealMs = Math.max(outcome.slowestHealMs, performance.now() - begin)
    const state = await libraryState(send)
    assert.ok([...states.values()].includes(state), 'the library is the old one or the new one, whole')
    const isNew = state === states.get(next)
    assert.equal(isNew, step === 'Complete')
    outcome[isNew ? 'finished' : 'undone']++
    if (isNew) current = next
    outcome.restores++
    const written = await send('POST', '/api/collections', { name: 'Writes go on' })
    assert.equal(written.status, 201)
    await removeOthers()
  }

  async function roundOfBackup(round: number) {
    const making = send('POST', '/api/admin/backups/create').catch(() => undefined)
    await delay(Math.random() * 120)
    await library.server.kill()
    await making
    await library.start()
    for (const { id } of (await listBackups()).slice(0, 2)) {
      const preview = await send('GET', `/api/admin/backups/${id}/preview`)
      assert.equal(preview.status, 200, `round ${round}: what is listed can be read`)
    }
    const [newest] = await listBackups()
    // Reads and checks every file of it, as a restore on another machine would.
    if (newest && !states.has(newest.id)) await assertDownloads(newest.id)
    outcome.listed += await removeOthers()
    assert.equal(await libraryState(send), states.get(current))
    outcome.backups++
  }

  async function listBackups() {
    return (await ask<{ backups: { id: string }[] }>(send, '/api/admin/backups')).backups
  }

  async function assertDownloads(id: string) {
    const answer = await send('GET', `/api/admin/backups/${id}/download`)
    assert.equal(answer.status, 200)
    assert.ok((await answer.arrayBuffer()).byteLength > 0)
  }

  async function removeOthers() {
    const others = (await listBackups()).filter(({ id }) => !states.has(id))
    // One that a restore may still want stays; a later round takes it away.
    for (const { id } of others) await send('DELETE', `/api/admin/backups/${id}`)
    return others.length
  }
}

const makeFiles = (word: string) =>
  Promise.all(
    Array.from({ length: pictures }, async (_, index) => ({ name: `${word}-${index}.jpg`, bytes: await makeJpeg() })),
  )

async function untilRestored(send: Send) {
  for (;;) {
    const progress = await ask<{ isRestoring: boolean; step: string }>(send, '/api/admin/backups/restore-progress')
    if (!progress.isRestoring) return progress.step
    await delay(20)
  }
}
