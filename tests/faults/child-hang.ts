import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { getPriority, tmpdir } from 'node:os'
import { join } from 'node:path'
import { createClipMaker, mjpegAvi } from '#engines/video/testing/clips.ts'
import { multipart } from '../support/multipart.ts'
import { makeJpeg } from '../support/pictures.ts'
import { until } from '../support/until.ts'
import { counted, type Fault, seconds } from './fault.ts'
import { ask, type Library, openLibrary, storedIn, upload } from './library.ts'
import { childrenRunning } from './process-tree.ts'

const killedWithinMs = 120_000
/** Conversions run at low priority, which identifies their child process. */
const conversionNiceness = 19

/** Stops a child process with SIGSTOP, so that it neither answers nor exits. */
export const childHang: Fault = async () => {
  await using library = await openLibrary()
  const hung = await hangConversion(library)
  const decoder = await hangDecoder(library)
  const conversion = await watchConversion(library, hung)
  assert.deepEqual((await storedIn(library.directory)).unfinished, [])
  return [decoder, conversion]
}

async function hangDecoder({ send, server }: Library) {
  await upload(send, [{ name: 'before.jpg', bytes: await makeJpeg() }])
  const decoders = childrenRunning(server.pid, 'image-child')
  assert.ok(decoders.length > 0, 'a decoder runs in a process of its own')
  for (const pid of decoders) process.kill(pid, 'SIGSTOP')
  const begin = performance.now()
  const answer = await send('POST', '/api/upload', multipart([{ name: 'stuck.jpg', bytes: await makeJpeg() }]))
  const took = performance.now() - begin
  const { message } = (await answer.json()) as { message: string }
  assert.ok(answer.status >= 400 && message, `answered ${answer.status}`)
  await upload(send, [{ name: 'after.jpg', bytes: await makeJpeg() }])
  const left = new Set(decoders).intersection(new Set(childrenRunning(server.pid, 'image-child')))
  return counted('a hanging decoder is killed after its time limit', {
    figure: `${decoders.length} hung, ended and answered (${answer.status}) after ${seconds(took)}; the next upload worked`,
    toReach: 'within 120 s',
    isReached: took <= killedWithinMs && left.size === 0,
  })
}

async function hangConversion({ send, server, directory }: Library) {
  const [film] = await upload(send, [{ name: 'film.avi', bytes: await makeFilm() }])
  const isBeingWritten = async () => (await storedIn(directory)).unfinished.some((name) => name.endsWith('.mp4.part'))
  await until('the film is being written', isBeingWritten, { everyMs: 5 })
  const [pid, ...others] = childrenRunning(server.pid, 'video-worker').filter(
    (child) => getPriority(child) === conversionNiceness,
  )
  assert.ok(pid && others.length === 0, 'one film is converted at a time, in a process of its own')
  process.kill(pid, 'SIGSTOP')
  return { pid, filmId: film!.id, begin: performance.now() }
}

/** A conversion may take hours, but not without progress. */
async function watchConversion({ send, server }: Library, { pid, filmId, begin }: Hung) {
  const isEnded = () => !childrenRunning(server.pid, 'video-worker').includes(pid)
  await until('the end of what hangs', isEnded, { everyMs: 500 })
  const took = performance.now() - begin
  await until('the film plays', async () => {
    const { playback } = await ask<{ playback: string }>(send, `/api/media/${filmId}`)
    assert.notEqual(playback, 'failed')
    return playback === 'rendition'
  })
  return counted('a hanging conversion is killed after its time limit', {
    figure: `ended after ${seconds(took)}; the next attempt converted the film`,
    toReach: 'within 120 s',
    isReached: took <= killedWithinMs,
  })
}

type Hung = Awaited<ReturnType<typeof hangConversion>>

/** Long enough that the test finds it during the conversion. */
async function makeFilm() {
  const directory = await mkdtemp(join(tmpdir(), 'albumen-clips-'))
  const clips = createClipMaker(directory)
  try {
    return await readFile(await clips.make({ ...mjpegAvi, width: 1280, height: 720, frames: 200, scenes: 4 }))
  } finally {
    await clips.close()
    await rm(directory, { recursive: true, force: true })
  }
}
