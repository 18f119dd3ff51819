import assert from 'node:assert/strict'
import { setTimeout as delay } from 'node:timers/promises'
import { makeJpeg } from '../support/pictures.ts'
import { until } from '../support/until.ts'
import { counted, type Fault, seconds } from './fault.ts'
import { addUp, inLanes } from './lanes.ts'
import { ask, libraryState, openLibrary, storedIn, untilRestored, upload } from './library.ts'
import { rowsAtRest } from './rows-at-rest.ts'
import { tell } from './tell-preload.ts'

const pictures = 12
const healMs = 30_000
const preload = new URL('./preloads/die-after-queries.ts', import.meta.url)

/** A moment of a restore: the queries that have run when the process dies, and which library it leaves. */
type Moment = { dieAfter: string[]; leaves: 'old' | 'young' }

/** Moments around the transaction that replaces the rows; `any` is a random moment. */
export const moments = {
  filesComeIn: { dieAfter: ['Copying the files'], leaves: 'old' },
  switchBegins: { dieAfter: ['Replacing the database'], leaves: 'old' },
  oldRowsAreGone: { dieAfter: ['Replacing the database', '^delete from "users"'], leaves: 'old' },
  newRowsAreIn: { dieAfter: ['Replacing the database', '^insert into "media"'], leaves: 'old' },
  switchEnds: { dieAfter: ['Replacing the database', 'Restore complete'], leaves: 'old' },
  switched: { dieAfter: ['Replacing the database', 'Restore complete', '^commit'], leaves: 'young' },
} satisfies Record<string, Moment>

export const killBackup: Fault = async ({ eachRound }) => {
  const outcome = addUp(await inLanes(eachRound(50), (backups) => killDuringWork({ backups })))
  return [
    counted('kill -9 during a backup: listed backups and the library are complete', {
      figure: `0 damaged in ${outcome.backups} rounds (${outcome.cut} interrupted, ${outcome.backups - outcome.cut} completed)`,
      toReach: '0 in 50 rounds',
      isReached: outcome.cut > 0 && outcome.cut < outcome.backups,
    }),
  ]
}

export const killRestore: Fault = async ({ eachRound }) => {
  // A short run starts with a moment of each outcome.
  const { newRowsAreIn, switched, ...others } = moments
  const chosen = [newRowsAreIn, switched, 'any', ...Object.values(others), 'any'] as const
  const outcomes = await inLanes(eachRound(60), (rounds) =>
    killDuringWork({ restores: Iterator.from(rounds).map((round) => chosen[round % chosen.length]!) }),
  )
  const { restores, leftOld, leftYoung } = addUp(outcomes)
  const slowestHealMs = Math.max(...outcomes.map((outcome) => outcome.slowestHealMs))
  return [
    counted('kill -9 during a restore: the old library or the new one, never a mixture', {
      figure: `0 mixed in ${restores} rounds (${leftOld} left the old one, ${leftYoung} the new one); recovered within ${seconds(slowestHealMs)}`,
      toReach: '0 mixed in 60 rounds, recovered within 30 s',
      isReached: leftOld > 0 && leftYoung > 0 && slowestHealMs <= healMs,
    }),
  ]
}

type Wanted = { restores?: Iterable<Moment | 'any'>; backups?: Iterable<number> }

/**
 * Ends the server with SIGKILL in the middle of a restore or of a backup, and looks at what is left before the next start
 * mends it, and after: the library is the old one or the new one, whole.
 */
export async function killDuringWork(wanted: Wanted, settings: Record<string, string> = {}) {
  const outcome = { restores: 0, leftOld: 0, leftYoung: 0, backups: 0, cut: 0, slowestHealMs: 0 }
  await using library = await openLibrary({ settings, preload })
  const { send, directory, environment } = library
  await upload(send, await makeFiles('old'))
  const old = { state: await libraryState(send), id: await makeBackup() }
  assert.equal((await send('POST', '/api/admin/database/reset')).status, 200)
  await upload(send, await makeFiles('new'))
  const youngState = await libraryState(send)
  const begin = performance.now()
  const young = { state: youngState, id: await makeBackup() }
  const backupMs = performance.now() - begin
  let [current, other] = [young, old]
  for (const moment of wanted.restores ?? []) await roundOfRestore(moment)
  for (const round of wanted.backups ?? []) await roundOfBackup(round)
  return outcome

  async function makeBackup() {
    const { backup } = (await (await send('POST', '/api/admin/backups/create')).json()) as { backup: { id: string } }
    return backup.id
  }

  /** Restores the two backups alternately. */
  async function roundOfRestore(moment: Moment | 'any') {
    const [before, after] = [current, other]
    if (moment !== 'any') await tell(library.server, { dieAfter: moment.dieAfter })
    const skipSafetyBackup = outcome.restores % 2 === 0
    const begun = await send('POST', `/api/admin/backups/${after.id}/restore`, { skipSafetyBackup })
    assert.equal(begun.status, 200, await begun.text())
    if (moment === 'any') await delay(Math.random() * 250).then(library.server.kill)
    const { child } = library.server
    await until('the process has died at its moment', () => child.signalCode, { withinMs: healMs })
    const isOld = await isLeft(before.state, after.state)
    if (moment !== 'any') assert.equal(isOld ? 'old' : 'young', moment.leaves, `killed after ${moment.dieAfter}`)
    outcome[isOld ? 'leftOld' : 'leftYoung']++

    const begin = performance.now()
    await library.start()
    assert.equal(await untilRestored(send), 'Complete')
    outcome.slowestHealMs = Math.max(outcome.slowestHealMs, performance.now() - begin)
    assert.deepEqual(await libraryState(send), after.state, 'the restore was taken up again')
    ;[current, other] = [after, before]
    outcome.restores++
    const written = await send('POST', '/api/collections', { name: 'Writes go on' })
    assert.equal(written.status, 201)
    await removeOthers()
  }

  /** Checks that the library is exactly one of the two, and that every row has its file. */
  async function isLeft(before: string[], after: string[]) {
    const rows = await rowsAtRest(environment)
    const isOld = rows.join() === before.join()
    assert.deepEqual(rows, isOld ? before : after, 'the rows are those of the old library or of the new one')
    const { blobs } = await storedIn(directory)
    for (const row of rows) assert.ok(blobs.has(row.split(' ')[1]!), `${row} has its file`)
    return isOld
  }

  async function roundOfBackup(round: number) {
    const making = send('POST', '/api/admin/backups/create').catch(() => undefined)
    // Most backups are interrupted, some have just been completed.
    await (round % 5 === 0 ? making : delay(Math.random() * backupMs))
    await library.server.kill()
    if (!(await making)) outcome.cut++
    await library.start()
    for (const { id } of (await listBackups()).slice(0, 2)) {
      const preview = await send('GET', `/api/admin/backups/${id}/preview`)
      assert.equal(preview.status, 200, `round ${round}: what is listed can be read`)
    }
    const [newest] = await listBackups()
    // Reads and verifies every file of the backup, as a restore on another machine would.
    if (newest && !isKept(newest)) await assertDownloads(newest.id)
    await removeOthers()
    assert.deepEqual(await libraryState(send), current.state)
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

  function isKept({ id }: { id: string }) {
    return id === old.id || id === young.id
  }

  /** A backup that a restore may still need is kept until a later round. */
  async function removeOthers() {
    for (const backup of await listBackups()) {
      if (!isKept(backup)) await send('DELETE', `/api/admin/backups/${backup.id}`)
    }
  }
}

const makeFiles = (word: string) =>
  Promise.all(
    Array.from({ length: pictures }, async (_, index) => ({ name: `${word}-${index}.jpg`, bytes: await makeJpeg() })),
  )
