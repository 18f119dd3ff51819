import assert from 'node:assert/strict'
import { readdir, readFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { multipart } from '../support/multipart.ts'
import { makeJpeg } from '../support/pictures.ts'
import { until } from '../support/until.ts'
import { counted, type Fault } from './fault.ts'
import { addUp, inLanes } from './lanes.ts'
import { ask, type Library, libraryState, openLibrary, sha256, untilRestored, upload } from './library.ts'
import { rowsAtRest } from './rows-at-rest.ts'

const pictures = 12
const size = { width: 1600, height: 1200 }

/** Another library, and how long the upload and restore of its archive take. */
type Abroad = { archive: Buffer; state: string[]; wholeMs: number }

export const killArchiveUpload: Fault = async ({ eachRound }) => {
  const abroad = await makeAbroad()
  const rounds = await inLanes(eachRound(50), (rounds) => killEach(rounds, abroad))
  const { cut, listed, restored } = addUp(rounds)
  const count = cut + listed + restored
  return [
    counted('kill -9 during the upload of a complete backup: the library is the old one or the new one', {
      figure: `0 mixed in ${count} rounds (${cut} left nothing, ${listed} the backup, ${restored} the new library), all files complete`,
      toReach: '0 in 50 rounds',
      isReached: cut > 0 && restored > 0,
    }),
  ]
}

async function makeAbroad(): Promise<Abroad> {
  await using abroad = await openLibrary()
  await upload(abroad.send, await makeFiles('abroad', pictures))
  const state = await libraryState(abroad.send)
  const archive = Buffer.from(await (await abroad.send('GET', '/api/admin/backup/download')).arrayBuffer())
  await using home = await openLibrary()
  const begin = performance.now()
  const answer = await sendTo(home, archive)
  const wholeMs = performance.now() - begin
  assert.equal(answer.status, 200, await answer.text())
  assert.deepEqual(await libraryState(await signedIn(home)), state)
  return { archive, state, wholeMs }
}

async function killEach(rounds: Iterable<number>, abroad: Abroad) {
  const outcome = { cut: 0, listed: 0, restored: 0 }
  for (const _round of rounds) outcome[await killOnce(abroad)]++
  return outcome
}

/** Each round uses a new library, since a used one would already have the files. */
async function killOnce({ archive, state, wholeMs }: Abroad) {
  await using home = await openLibrary()
  await upload(home.send, await makeFiles('home', 2))
  const before = await libraryState(home.send)
  const sending = sendTo(home, archive).catch(() => undefined)
  await delay(Math.random() * wholeMs * 1.1)
  await home.server.kill()
  await sending

  const atRest = await rowsAtRest(home.environment)
  const isOldAtRest = atRest.join() === before.join()
  if (!isOldAtRest) assert.deepEqual(atRest, state, 'the rows are those of one or of the other')
  await assertWhole(join(home.directory, 'backups', 'blobs'))
  await home.start()
  const send = await signedIn(home)
  await untilRestored(send)
  const { backups } = await ask<{ backups: { id: string; note: string }[] }>(send, '/api/admin/backups')
  for (const { id } of backups) {
    const download = await send('GET', `/api/admin/backups/${id}/download`)
    assert.ok((await download.arrayBuffer()).byteLength > 0, 'what is listed can be read')
  }
  const after = await libraryState(send)
  if (after.join() === state.join()) return 'restored'
  assert.ok(isOldAtRest, 'a new library stays')
  assert.deepEqual(after, before)
  return backups.some(({ note }) => note === 'Uploaded') ? 'listed' : 'cut'
}

async function assertWhole(blobs: string) {
  for (const path of await readdir(blobs, { recursive: true })) {
    const name = basename(path)
    if (name.length === 64) assert.equal(sha256(await readFile(join(blobs, path))), name, 'no file is half there')
  }
}

/** Signs in after a restore from another library, which has its own accounts; signing in is refused during the restore. */
async function signedIn({ send, account: { username, password } }: Library) {
  const canSignIn = async () => (await send('POST', '/api/login', { username, password })).status === 200
  await until('users can sign in again', canSignIn, { withinMs: 30_000 })
  return send
}

const makeFiles = (word: string, count: number) =>
  Promise.all(
    Array.from({ length: count }, async (_, index) => ({ name: `${word}-${index}.jpg`, bytes: await makeJpeg(size) })),
  )

const sendTo = ({ send }: Library, archive: Buffer) =>
  send('POST', '/api/admin/backup/upload', multipart([{ name: 'library.zip', bytes: archive }], {}, 'backup'))
