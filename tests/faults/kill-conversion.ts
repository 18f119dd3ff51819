import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import sharp from 'sharp'
import { makeJpeg } from '../support/pictures.ts'
import { until } from '../support/until.ts'
import { counted, type Fault } from './fault.ts'
import { addUp, inLanes } from './lanes.ts'
import {
  ask,
  checkCounters,
  deliveredHash,
  type Library,
  type Listed,
  listAll,
  openLibrary,
  sha256,
  untilTidy,
  upload,
} from './library.ts'

const pictures = 4

/** Pictures are converted to WebP, replacing the original or next to it, one by one or in bulk, until the server is killed. */
export const killConversion: Fault = async ({ eachRound }) => {
  const outcome = addUp(await inLanes(eachRound(100), killDuringConversions))
  return [
    counted('kill -9 during a conversion: every item is its original or a complete WebP', {
      figure: `0 damaged in ${outcome.rounds} rounds (${outcome.originals} still originals, ${outcome.converted} replaced, ${outcome.added} added)`,
      toReach: '0 in 100 rounds',
      isReached: outcome.rounds > 0,
    }),
  ]
}

async function killDuringConversions(rounds: Iterable<number>) {
  const outcome = { rounds: 0, originals: 0, converted: 0, added: 0 }
  await using library = await openLibrary()
  const { send, directory } = library
  for (const round of rounds) {
    const files = await Promise.all(
      Array.from({ length: pictures }, async (_, index) => ({
        name: `round-${round}-${index}.jpg`,
        bytes: await makeJpeg({ width: 500, height: 400 }),
      })),
    )
    const sent = new Map(files.map(({ name, bytes }) => [name.replace(/\.jpg$/, ''), sha256(bytes)]))
    const media = await upload(send, files)
    await killWhileConverting(library, media, round)
    await library.start()
    await untilIdle(library)
    await checkLibrary(sent, media)
    outcome.rounds++
    const mediaIds = (await listAll(send)).map(({ id }) => id)
    assert.equal((await send('POST', '/api/media/bulk-delete', { mediaIds })).status, 200)
  }
  // Replaced or deleted files are unused, not lost: the next start or the janitor removes them.
  await library.server.kill()
  await library.start()
  await untilTidy(directory, new Set())
  return outcome

  async function checkLibrary(sent: Map<string, string>, before: Listed[]) {
    const listed = await listAll(send)
    for (const { id } of before)
      assert.ok(
        listed.some((item) => item.id === id),
        `item ${id} is gone`,
      )
    const names = listed.map(({ filename }) => filename)
    assert.equal(new Set(names).size, names.length, 'nothing was converted twice')
    for (const item of listed) {
      const isReplaced = item.mimeType === 'image/webp'
      const isFirst = before.some(({ id }) => id === item.id)
      const hash = await deliveredHash(send, item)
      if (isReplaced) await assertDecodes(library, item)
      else assert.equal(hash, sent.get(item.filename.replace(/\.jpg$/, '')), `${item.filename} is not what was sent`)
      outcome[isReplaced ? (isFirst ? 'converted' : 'added') : 'originals']++
    }
    let versionBytes = 0
    for (const { id } of before) {
      const { versions } = await ask<{ versions: Listed[] }>(send, `/api/media/${id}/versions`)
      const item = listed.find((other) => other.id === id)!
      assert.equal(versions.length, item.mimeType === 'image/webp' ? 2 : 1, 'each replaced image has its original')
      for (const original of versions.slice(1)) {
        versionBytes += original.size
        const hash = sent.get(original.filename.replace(/\.jpg$/, ''))
        assert.equal(await deliveredHash(send, original), hash, `the original ${original.filename} is what was sent`)
      }
    }
    await checkCounters(send, listed, versionBytes)
  }
}

async function killWhileConverting({ send, server }: Library, media: Listed[], round: number) {
  const deleteOriginal = round % 2 === 0
  const mediaIds = media.map(({ id }) => id)
  const wish = { quality: 60, deleteOriginal }
  const converting =
    round % 4 < 2
      ? send('POST', '/api/media/bulk-convert-webp', { ...wish, mediaIds })
      : Promise.all(mediaIds.map((id) => send('POST', `/api/media/${id}/convert-webp`, wish)))
  // The server is killed, so no response arrives.
  const cut = converting.catch(() => {})
  await delay(randomInt(900))
  await server.kill()
  await cut
}

/** An interrupted bulk run continues after the restart. */
async function untilIdle({ send }: Library) {
  await until('no conversion is left', async () => {
    const { kinds } = await ask<JobsOverview>(send, '/api/admin/jobs')
    const run = kinds.find(({ kind }) => kind === 'bulk-convert-webp')
    return !run || run.waiting + run.active === 0
  })
}

type JobsOverview = { kinds: { kind: string; waiting: number; active: number }[] }

async function assertDecodes({ send }: Library, { originalUrl, filename }: Listed) {
  const bytes = Buffer.from(await (await send('GET', originalUrl)).arrayBuffer())
  const { info } = await sharp(bytes, { failOn: 'warning' }).raw().toBuffer({ resolveWithObject: true })
  assert.deepEqual([info.width, info.height], [500, 400], `${filename} decodes`)
}
