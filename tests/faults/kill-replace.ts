import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { multipart } from '../support/multipart.ts'
import { makeJpeg } from '../support/pictures.ts'
import { counted, type Fault } from './fault.ts'
import { addUp, inLanes } from './lanes.ts'
import {
  ask,
  deliveredHash,
  type Listed,
  listAll,
  openLibrary,
  sha256,
  storedIn,
  untilTidy,
  upload,
} from './library.ts'

const items = 4

/** The files of items are replaced until the server is killed. */
export const killReplace: Fault = async ({ eachRound }) => {
  const outcome = addUp(await inLanes(eachRound(100), killDuringReplacements))
  return [
    counted('kill -9 during a replacement: every item has its old file or the new one', {
      figure: `0 without a file in ${outcome.rounds} rounds (${outcome.kept} kept the old file, ${outcome.replaced} have the new one); no acknowledged replacement lost`,
      toReach: '0 in 100 rounds',
      isReached: outcome.rounds > 0 && outcome.replaced > 0,
    }),
  ]
}

async function killDuringReplacements(rounds: Iterable<number>) {
  const outcome = { rounds: 0, kept: 0, replaced: 0 }
  await using library = await openLibrary()
  const { send, directory } = library
  for (const _round of rounds) {
    const files = await Promise.all(Array.from({ length: items }, makePicture))
    const media = await upload(send, files)
    const acknowledged = new Set<number>()
    const next = await Promise.all(media.map(makePicture))
    const replacing = media.map(async ({ id }, index) => {
      const file = multipart([next[index]!], {}, 'file')
      const answer = await send('POST', `/api/media/${id}/replace`, file).catch(() => undefined)
      if (answer?.status === 200) acknowledged.add(id)
    })
    await delay(randomInt(700))
    await library.server.kill()
    await Promise.all(replacing)
    await library.start()
    await checkItems(media, { before: files, after: next, acknowledged })
    outcome.rounds++
    assert.equal((await send('POST', '/api/media/bulk-delete', { mediaIds: media.map(({ id }) => id) })).status, 200)
  }
  await library.server.kill()
  await library.start()
  await untilTidy(directory, new Set())
  return outcome

  type Files = Awaited<ReturnType<typeof makePicture>>[]

  async function checkItems(
    media: Listed[],
    { before, after, acknowledged }: { before: Files; after: Files; acknowledged: Set<number> },
  ) {
    const listed = await listAll(send)
    const expected = new Set<string>()
    for (const [index, { id }] of media.entries()) {
      const item = listed.find((other) => other.id === id)
      assert.ok(item, `item ${id} is there`)
      const [old, wanted] = [sha256(before[index]!.bytes), sha256(after[index]!.bytes)]
      const hash = await deliveredHash(send, item)
      assert.ok(hash === wanted || (hash === old && !acknowledged.has(id)), `${item.filename} has its file`)
      const { versions } = await ask<{ versions: Listed[] }>(send, `/api/media/${id}/versions`)
      assert.equal(versions.length, hash === wanted ? 2 : 1)
      outcome[hash === wanted ? 'replaced' : 'kept']++
      expected.add(old).add(hash)
    }
    await untilTidy(directory, expected, library.startedAt)
    assert.deepEqual((await storedIn(directory)).unfinished, [])
  }
}

const makePicture = async () => ({
  name: 'logo.jpg',
  bytes: await makeJpeg({ width: 300 + randomInt(400), height: 400 }),
})
