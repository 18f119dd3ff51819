import assert from 'node:assert/strict'
import { once } from 'node:events'
import { request } from 'node:http'
import { text } from 'node:stream/consumers'
import { setTimeout as delay } from 'node:timers/promises'
import type { Send } from '../faults/killable-server.ts'
import { multipart } from '../support/multipart.ts'
import { until } from '../support/until.ts'
import { type Cluster, type Person, processCount } from './cluster.ts'
import { ask, listAll, makePictures, upload } from './pictures.ts'
import { counted, type Row } from './row.ts'

const sentence = 'The library is being restored. Please try again in a moment.'

/** While one process restores, all three receive writes, and an upload is in progress on another one. */
export const restore: Row = async (cluster) => {
  const { admin } = cluster
  await upload(admin.through, await makePictures(40, 'kept'))
  const { backup } = (await (await admin.at(0)('POST', '/api/admin/backups/create')).json()) as {
    backup: { id: string }
  }
  const before = await namesIn(admin.at(0))
  await upload(admin.through, await makePictures(10, 'gone'))

  const late = await beginUpload(cluster, admin)
  const isOver = new AbortController()
  const writers = Array.from({ length: processCount }, (_, index) => writeUntil(admin.at(index), isOver.signal))
  const begun = await admin.at(1)('POST', `/api/admin/backups/${backup.id}/restore`, {})
  assert.equal(begun.status, 200, await begun.clone().text())
  await late.finish()
  const step = await untilRestored(admin.at(2))
  await delay(500)
  isOver.abort()
  const written = await Promise.all(writers)
  const after = await namesIn(admin.at(0))

  const paused = written.filter(({ refused }) => refused > 0).length
  const goneOn = written.filter(({ acceptedAfter }) => acceptedAfter > 0).length
  const wrong = written.reduce((sum, { wrong }) => sum + wrong, 0)
  const refusals = written.map(({ refused }) => refused).join(' + ')
  const isSame = step === 'Complete' && JSON.stringify(after) === JSON.stringify(before)
  return [
    counted('a restore on one process pauses writes on all processes', {
      figure: `${paused} of ${processCount} paused (${refusals} times 503), ${goneOn} of ${processCount} went on, ${wrong} other answers`,
      toReach: 'all, with the error message',
      isReached: paused === processCount && goneOn === processCount && wrong === 0 && isSame,
    }),
    counted('an upload on another process while a restore begins', {
      figure: `${late.status === 503 ? 'refused' : `answered ${late.status}`}; the library is ${isSame ? 'the restored one' : 'another'}`,
      toReach: 'refused, nothing lost',
      isReached: late.status === 503 && isSame,
    }),
  ]
}

async function namesIn(send: Send) {
  return (await listAll(send)).map(({ filename }) => filename).sort()
}

async function untilRestored(send: Send) {
  return until(
    'the restore is over',
    async () => {
      const { isRestoring, step } = await ask<{ isRestoring: boolean; step: string }>(
        send,
        '/api/admin/backups/restore-progress',
      )
      return !isRestoring && step
    },
    { everyMs: 20 },
  )
}

async function writeUntil(send: Send, signal: AbortSignal) {
  const seen = { refused: 0, acceptedAfter: 0, wrong: 0 }
  for (let turn = 0; !signal.aborted; turn++) {
    const answer = await send('POST', '/api/collections', { name: `Turn ${turn}` })
    const { message } = (await answer.json()) as { message?: string }
    if (answer.status === 503 && message === sentence) seen.refused++
    else if (answer.status !== 201) seen.wrong++
    else if (seen.refused > 0) seen.acceptedAfter++
    await delay(5)
  }
  return seen
}

/** Sends the first half of an upload to a process, and the rest when `finish` is called. */
async function beginUpload({ processes }: Cluster, { cookie }: Person) {
  const { payload, headers } = multipart(await makePictures(1, 'late'), { enableAi: 'false' })
  const upload = request(`${processes[2]!.url}/api/upload`, {
    method: 'POST',
    headers: { ...headers, cookie, 'content-length': payload.length },
  })
  const answered = once(upload, 'response')
  // The request has passed the restore gate when the process reads the body.
  await new Promise<void>((resolve) => upload.write(payload.subarray(0, payload.length >> 1), () => resolve()))
  await delay(300)
  const late = {
    status: 0,
    async finish() {
      upload.end(payload.subarray(payload.length >> 1))
      const [response] = await answered
      await text(response)
      late.status = response.statusCode
    },
  }
  return late
}
