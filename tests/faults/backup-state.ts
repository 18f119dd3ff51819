import assert from 'node:assert/strict'
import { setTimeout as delay } from 'node:timers/promises'
import { makeJpeg } from '../support/pictures.ts'
import { until } from '../support/until.ts'
import { counted, type Fault } from './fault.ts'
import type { Send } from './killable-server.ts'
import { ask, deliveredHash, type Library, listAll, openLibrary, upload } from './library.ts'

/** Uploads between two backups. */
const perBackup = 8

type Made = { id: string; mediaCount: number; missingCount: number }

/** Creates backups during uploads and deletions, restores each, and checks that every row has its file. */
export const backupWhileUploading: Fault = async ({ rounds }) => {
  const total = rounds(5)
  await using library = await openLibrary()
  const { send } = library
  const traffic = startTraffic(send)
  const made: Made[] = []
  for (let round = 0; round < total; round++) {
    await traffic.untilMore(perBackup)
    made.push(await makeBackup(send))
  }
  await traffic.stop()
  let rows = 0
  for (const { id, mediaCount, missingCount } of made) {
    assert.equal(missingCount, 0, 'no file was missing when it was made')
    await restore(library, id)
    const listed = await listAll(send)
    assert.equal(listed.length, mediaCount)
    for (const media of listed) assert.ok((await deliveredHash(send, media)).startsWith(versionIn(media.originalUrl)))
    rows += listed.length
  }
  return [
    counted('backups while files are uploaded and deleted', {
      figure: `${made.length} backups restored: ${rows} of ${rows} rows have their bytes`,
      toReach: '100% of rows have matching files',
      isReached: rows > 0,
    }),
  ]
}

/** Checks that backup, reset and restore give the same library. */
export const backupResetRestore: Fault = async ({ rounds }) => {
  const total = rounds(3)
  await using library = await openLibrary()
  const { send } = library
  const files = await Promise.all(
    Array.from({ length: 40 }, async (_, index) => ({ name: `${index}.jpg`, bytes: await makeJpeg() })),
  )
  const media = await upload(send, files)
  const { id } = (await (await send('POST', '/api/collections', { name: 'Ours' })).json()) as { id: number }
  for (const item of media.slice(0, 10)) {
    await send('POST', `/api/collections/${id}/media/${item.id}`)
    await send('PATCH', `/api/media/${item.id}`, { aiTags: ['one', 'two'], userDescription: 'Words', isFavorite: true })
  }
  const before = await wholeState(send)
  for (let round = 0; round < total; round++) {
    const { id: backup } = await makeBackup(send)
    assert.equal((await send('POST', '/api/admin/database/reset')).status, 200)
    assert.equal((await listAll(send)).length, 0)
    await restore(library, backup)
    assert.deepEqual(await wholeState(send), before, 'every row and every byte is the same')
  }
  return [
    counted('backup, reset, restore', {
      figure: `${total} times: ${files.length} items, their collections, tags and bytes identical`,
      toReach: '100% of rows and hashes',
      isReached: true,
    }),
  ]
}

async function wholeState(send: Send) {
  const listed = await listAll(send)
  const { collections } = await ask<{ collections: { id: number }[] }>(send, '/api/collections').then(asList)
  const details: unknown[] = []
  for (const { id } of collections) details.push(await ask(send, `/api/collections/${id}/media`))
  const hashes: string[] = []
  for (const media of listed) hashes.push(await deliveredHash(send, media))
  return { listed, collections, details, hashes }
}

const asList = (answer: { collections: { id: number }[] } | { id: number }[]) =>
  Array.isArray(answer) ? { collections: answer } : answer

/** `/files/{id}/{version}/…`: the version is the beginning of the hash. */
const versionIn = (url: string) => /\/files\/\d+\/([0-9a-f]+)\//.exec(url)![1]!

async function makeBackup(send: Send): Promise<Made> {
  const answer = await send('POST', '/api/admin/backups/create')
  const body = await answer.text()
  assert.equal(answer.status, 201, body)
  return (JSON.parse(body) as { backup: Made }).backup
}

async function restore({ send }: Library, id: string) {
  const begun = await send('POST', `/api/admin/backups/${id}/restore`, { skipSafetyBackup: true })
  assert.equal(begun.status, 200, await begun.text())
  type Progress = { isRestoring: boolean; step: string; message: string }
  const { step, message } = await until('the restore is over', async () => {
    const progress = await ask<Progress>(send, '/api/admin/backups/restore-progress')
    return !progress.isRestoring && progress
  })
  assert.equal(step, 'Complete', message)
}

/** Two users who upload, and one who permanently deletes every third item. */
function startTraffic(send: Send) {
  let isOver = false
  let brought = 0
  const working = Promise.all([bring(), bring()])
  working.catch(() => {
    // `stop` throws this error; the handler only prevents an unhandled rejection until then.
  })
  return {
    async untilMore(count: number) {
      for (const wanted = brought + count; brought < wanted; ) await Promise.race([delay(20), working])
    },
    async stop() {
      isOver = true
      await working
    },
  }

  async function bring() {
    for (let count = 0; !isOver; count++) {
      brought++
      const [media] = await upload(send, [{ name: `${count}.jpg`, bytes: await makeJpeg() }])
      if (count % 3 === 0) assert.equal((await send('DELETE', `/api/media/${media!.id}`)).status, 200)
    }
  }
}
