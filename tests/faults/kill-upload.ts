import assert from 'node:assert/strict'
import { randomBytes, randomInt } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { multipart } from '../support/multipart.ts'
import { makeJpeg } from '../support/pictures.ts'
import { counted, type Fault } from './fault.ts'
import { addUp, inLanes } from './lanes.ts'
import { checkCounters, deliveredHash, type Listed, listAll, openLibrary, sha256, untilTidy } from './library.ts'

const uploaders = 4
const longestWaitMs = 5000

type Outcome = { rounds: number; acknowledged: number; unheard: number; dropped: number }

export const killUpload: Fault = async ({ eachRound }) => {
  const outcome = addUp(await inLanes(eachRound(200), (rounds) => killDuringUploads(rounds)))
  const { acknowledged, unheard, dropped } = outcome
  return [
    counted('kill -9 during uploads: acknowledged files are complete, others are absent', {
      figure: `0 lost of ${acknowledged} in ${outcome.rounds} rounds (${dropped} interrupted, ${unheard} stored but not acknowledged); no orphans`,
      toReach: '0 lost in 200 rounds, 0 orphans within 60 s',
      isReached: outcome.rounds > 0 && acknowledged > 0,
    }),
  ]
}

/**
 * Ends the server with SIGKILL while files are being uploaded, starts it again, and looks whether every file that was
 * acknowledged is there and whole, and nothing that was never sent.
 */
export async function killDuringUploads(
  eachRound: Iterable<number>,
  settings: Record<string, string> = {},
): Promise<Outcome> {
  // On SQLite and a disk the next start removes leftover files of any age.
  const isAlone = !settings.DATABASE_URL
  const jpeg = await makeJpeg()
  const sent = new Map<string, string>()
  const acknowledged = new Set<string>()
  const checked = new Set<number>()
  await using library = await openLibrary({ settings })
  const { send, directory } = library
  let rounds = 0
  for (const _round of eachRound) {
    await killAtSomeMoment()
    await library.start()
    await checkLibrary(library.startedAt)
    rounds++
  }
  checked.clear()
  const listed = await checkLibrary()
  const unheard = listed.filter(({ filename }) => !acknowledged.has(filename)).length
  return { rounds, acknowledged: acknowledged.size, unheard, dropped: sent.size - listed.length }

  async function killAtSomeMoment() {
    const running = Array.from({ length: uploaders }, uploadUntilCut)
    const wanted = acknowledged.size + randomInt(12)
    for (let waited = 0; acknowledged.size < wanted && waited < longestWaitMs; waited += 5) await delay(5)
    await delay(randomInt(120))
    await library.server.kill()
    await Promise.all(running)
  }

  /** Sends requests with a few files of different sizes until the connection breaks. */
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

  /** Bytes after the end of a JPEG make every file different, and some of them large. */
  function makeFile() {
    const bytes = Buffer.concat([jpeg, randomBytes(randomInt(10) === 0 ? 3_000_000 : 1000 + randomInt(50_000))])
    const name = `file-${sent.size}.jpg`
    sent.set(name, sha256(bytes))
    return { name, bytes }
  }

  async function checkLibrary(tidySince?: number) {
    const listed = await listAll(send)
    const names = new Set(listed.map(({ filename }) => filename))
    for (const name of acknowledged) assert.ok(names.has(name), `${name} was acknowledged and is gone`)
    assert.equal(names.size, listed.length, 'nothing is there twice')
    for (const media of listed.filter(({ id }) => !checked.has(id))) {
      assert.ok(sent.has(media.filename), `${media.filename} was never sent`)
      const delivered = await deliveredHash(send, media)
      assert.equal(delivered, sent.get(media.filename), `${media.filename} is not what was sent`)
      checked.add(media.id)
    }
    await checkCounters(send, listed)
    const stored = new Set([...names].map((name) => sent.get(name)!))
    if (isAlone) await untilTidy(directory, stored, tidySince)
    return listed
  }
}
