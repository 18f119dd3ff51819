import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { drawFilm, drawHalves, drawNoise, mutate, seededRandom } from '#engines/images/pictures.fixture.ts'
import { createClipMaker, mjpegAvi } from '#engines/video/testing/clips.ts'
import { multipart } from '../support/multipart.ts'
import { makePhoto } from '../support/pictures.ts'
import { until } from '../support/until.ts'
import { counted, type Fault } from './fault.ts'
import { checkCounters, deliveredHash, listAll, openLibrary, storedIn } from './library.ts'

const perRequest = 20
const finishedWithinMs = 120_000

/** Uploads files with random changes, as from broken disks or attackers. */
export const mutatedFiles: Fault = async ({ rounds }) => {
  const total = rounds(2000)
  const seeds = await makeSeeds()
  const random = seededRandom(20_261)
  const outcome = { kept: 0, refused: 0 }
  await using library = await openLibrary()
  const { send, server } = library
  for (let first = 0; first < total; first += perRequest) {
    const files = Array.from({ length: Math.min(perRequest, total - first) }, (_, index) => {
      const seed = seeds[(first + index) % seeds.length]!
      return { name: `${first + index}${seed.extension}`, bytes: mutate(seed.bytes, random) }
    })
    const answer = await send('POST', '/api/upload', multipart(files, { enableAi: 'false' }))
    const body = (await answer.json()) as { media?: unknown[]; rejected?: { message: string; code: string }[] }
    assert.ok([201, 413, 415].includes(answer.status), `answered ${answer.status} ${JSON.stringify(body)}`)
    const [kept, refused] = [body.media ?? [], body.rejected ?? []]
    assert.equal(kept.length + refused.length, files.length, 'each file has an answer')
    for (const { message, code } of refused) assert.ok(message && code !== 'not-kept', `${code}: ${message}`)
    outcome.kept += kept.length
    outcome.refused += refused.length
  }
  assert.equal(server.child.exitCode, null, 'the server lives on')
  const listed = await listAll(send)
  for (const media of listed) await deliveredHash(send, media)
  await checkCounters(send, listed)
  await untilFinished(library.directory)
  return [
    counted(`${seeds.length} kinds of pictures and videos, mutated: refused, or stored with a thumbnail`, {
      figure: `${total} files: ${outcome.kept} kept, ${outcome.refused} refused, 0 crashes, 0 answers without a reason`,
      toReach: '0 crashes over 2,000 files',
      isReached: outcome.kept + outcome.refused === total,
    }),
  ]
}

/** Videos that browsers cannot play are still being converted. */
async function untilFinished(directory: string) {
  const isFinished = async () => (await storedIn(directory)).unfinished.length === 0
  await until('no unfinished file is left', isFinished, { withinMs: finishedWithinMs, everyMs: 100 })
}

async function makeSeeds() {
  const film = await drawFilm(24, 16, ['#ff0000', '#00ff00', '#0000ff'])
  const pictures = {
    '.jpg': drawNoise(60, 40).jpeg().withMetadata({ orientation: 8 }).toBuffer(),
    '.jpeg': makePhoto(),
    '.png': drawHalves(60, 40).png().toBuffer(),
    '.webp': drawNoise(60, 40).webp().toBuffer(),
    '.gif': film.clone().gif().toBuffer(),
    '.film.webp': film.clone().webp().toBuffer(),
    '.avif': drawHalves(60, 40).avif({ effort: 0 }).toBuffer(),
  }
  const directory = await mkdtemp(join(tmpdir(), 'albumen-clips-'))
  const clips = createClipMaker(directory)
  try {
    const videos = {
      '.mp4': await readFile(await clips.make({ audioCodec: 'aac' })),
      '.avi': await readFile(await clips.make({ ...mjpegAvi, audioCodec: 'pcm_s16le' })),
      '.webm': await readFile(await clips.make({ videoCodec: 'libvpx-vp9' })),
    }
    const seeds = Object.entries({ ...pictures, ...videos })
    return await Promise.all(seeds.map(async ([extension, bytes]) => ({ extension, bytes: await bytes })))
  } finally {
    await clips.close()
    await rm(directory, { recursive: true })
  }
}
