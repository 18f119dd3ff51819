import assert from 'node:assert/strict'
import { multipart } from '../support/multipart.ts'
import { makeJpeg } from '../support/pictures.ts'
import { counted, type Fault } from './fault.ts'
import { checkCounters, deliveredHash, type Library, listAll, openLibrary, untilTidy, upload } from './library.ts'
import { attachStrace, canAttach } from './strace.ts'
import { tell } from './tell-preload.ts'

const preload = new URL('./preloads/failing-disk.ts', import.meta.url)
const calls = ['writev', 'datasync', 'sync']

/** A disk with I/O errors: data that was not written is not acknowledged. */
export const failingDisk: Fault = async ({ rounds }) => {
  const each = Math.ceil(rounds(40) / calls.length)
  await using library = await openLibrary({ preload })
  const { send, directory } = library
  let asked = 0
  for (const fail of calls) {
    const before = await listAll(send)
    for (let count = 0; count < each; count++) {
      await tell(library.server, { fail, code: 'EIO' })
      const status = await tryUpload(library)
      await tell(library.server, {})
      asked++
      assert.ok(status >= 500, `an upload whose ${fail} failed was answered with ${status}`)
    }
    assert.deepEqual(await listAll(send), before, 'nothing of it is in the library')
    await upload(send, [{ name: `after-${fail}.jpg`, bytes: await makeJpeg() }])
  }
  await checkAfterRestart(library, directory)
  const rows = [
    counted('upload is not acknowledged if write, fsync or folder fsync fails with EIO', {
      figure: `0 false acknowledgments of ${asked} uploads; works again immediately`,
      toReach: '0 false 2xx',
      isReached: asked > 0,
    }),
  ]
  return [...rows, await failingDatabase(Math.ceil(rounds(20) / 2))]
}

async function tryUpload({ send }: Library) {
  const answer = await send('POST', '/api/upload', multipart([{ name: 'lost.jpg', bytes: await makeJpeg() }]))
  await answer.arrayBuffer()
  return answer.status
}

async function checkAfterRestart(library: Library, directory: string) {
  await library.server.kill()
  await library.start()
  const listed = await listAll(library.send)
  const hashes = new Set<string>()
  for (const media of listed) hashes.add(await deliveredHash(library.send, media))
  await checkCounters(library.send, listed)
  await untilTidy(directory, hashes)
}

/** Every fsync of the process fails, including those of the database, which only strace can cause. */
async function failingDatabase(rounds: number) {
  const what = 'change is not acknowledged if every fsync fails, including the database’s'
  const toReach = '0 false 2xx'
  await using library = await openLibrary()
  if (!(await canAttach(library.server.pid))) {
    return counted(what, { figure: 'not shown: strace is not there or may not attach', toReach, isReached: false })
  }
  const { send } = library
  const [media] = await upload(send, [{ name: 'before.jpg', bytes: await makeJpeg() }])
  let refused = 0
  for (let round = 0; round < rounds; round++) {
    const failing = await failEverySync(library.server.pid)
    const renamed = await send('PATCH', `/api/media/${media!.id}`, { filename: `after-${round}.jpg` })
    const status = await tryUpload(library)
    await failing.end()
    assert.ok(renamed.status >= 500, `a change that could not be written was answered with ${renamed.status}`)
    assert.ok(status >= 500, `an upload that could not be written was answered with ${status}`)
    refused += 2
    assert.equal((await send('PATCH', `/api/media/${media!.id}`, { filename: `sound-${round}.jpg` })).status, 200)
  }
  await library.server.kill()
  await library.start()
  const [kept, ...others] = await listAll(send)
  assert.deepEqual([kept!.filename, others.length], [`sound-${rounds - 1}.jpg`, 0])
  return counted(what, {
    figure: `0 false acknowledgments of ${refused} changes; works again immediately`,
    toReach,
    isReached: refused > 0,
  })
}

async function failEverySync(pid: number) {
  const sync = 'fsync,fdatasync'
  return attachStrace(pid, ['-e', `trace=${sync}`, '-e', `inject=${sync}:error=EIO`])
}
