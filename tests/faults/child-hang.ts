import assert from 'node:assert/strict'
import { multipart } from '../support/multipart.ts'
import { makeJpeg } from '../support/pictures.ts'
import { counted, type Fault, seconds } from './fault.ts'
import { openLibrary, storedIn, upload } from './library.ts'
import { childrenRunning } from './process-tree.ts'

const killedWithinMs = 120_000

/** A decoder that never comes back: stopped in its tracks, it neither answers nor ends. */
export const childHang: Fault = async () => {
  await using library = await openLibrary()
  const { send, server } = library
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
  assert.deepEqual((await storedIn(library.directory)).unfinished, [])
  return [
    counted('a decoder that hangs is ended by the clock', {
      figure: `${decoders.length} hung, ended and answered (${answer.status}) after ${seconds(took)}; the next upload worked`,
      toReach: 'within 120 s',
      isReached: took <= killedWithinMs && left.size === 0,
    }),
  ]
}
