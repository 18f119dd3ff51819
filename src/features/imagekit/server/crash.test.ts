import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { ask, deliveredHash, listAll, openLibrary, sha256, upload } from '#tests/faults/library.ts'
import { startFakeImageKit } from '#tests/support/fake-imagekit.ts'
import { makeJpeg } from '#tests/support/pictures.ts'
import { createTestDatabase, isOnPostgres } from '#tests/support/postgres.ts'
import { type ImageKitMigration, imageKitApi } from '../contract.ts'

type Moment = 'onUpload' | 'onStored' | 'onDeliver'

// On PostgreSQL another process waits until the lease of the dead one expires, so a single moment is enough.
const moments: Moment[] = isOnPostgres ? ['onStored'] : ['onUpload', 'onStored', 'onDeliver']

test('a migration continues after the server is killed in any direction, without duplicate or lost files', async (context) => {
  const database = await createTestDatabase()
  if (database) context.after(database.drop)
  const imageKit = await startFakeImageKit(context)
  await using library = await openLibrary({ settings: { ...imageKit.settings, ...database?.settings } })
  const { send } = library
  const sent = new Set<string>()

  async function addPictures(count: number) {
    const files = await Promise.all(
      Array.from({ length: count }, async (_, n) => ({ name: `${n}.jpg`, bytes: await makeJpeg() })),
    )
    for (const { bytes } of files) sent.add(sha256(bytes))
    await upload(send, files)
  }

  /** Sends the request, kills the server at ImageKit's second request, restarts it and waits for the end. */
  async function killDuring(path: string, moment: Moment) {
    let asked = 0
    const reached = Promise.withResolvers<void>()
    imageKit.behavior[moment] = async () => {
      if (++asked < 2) return
      reached.resolve()
      await new Promise(() => {})
    }
    // The killed server never responds.
    const cut = send('POST', path).catch(() => {})
    await reached.promise
    await library.server.kill()
    await cut
    imageKit.resetBehavior()
    await library.start()
    for (;;) {
      const state = await ask<ImageKitMigration>(send, imageKitApi.state.path)
      if (!state.isRunning) return state
      await delay(50)
    }
  }

  const everyFileIsServed = async () => {
    const found = new Set<string>()
    for (const media of await listAll(send)) found.add(await deliveredHash(send, media))
    assert.deepEqual(found, sent)
  }

  for (const moment of moments) {
    await addPictures(3)
    const { copies, failed, errors } = await killDuring(imageKitApi.migrate.path, moment)
    assert.deepEqual([copies, failed, errors], [sent.size, 0, []], moment)
    const there = [...imageKit.files.values()].map(({ bytes }) => sha256(bytes))
    assert.deepEqual(there.sort(), [...sent].sort(), 'each once')
  }
  if (isOnPostgres) return
  const { onlyThere } = await killDuring(imageKitApi.freeLocal.path, 'onDeliver')
  assert.equal(onlyThere, sent.size)
  await everyFileIsServed()
  const { copies, failed } = await killDuring(imageKitApi.moveBack.path, 'onDeliver')
  assert.deepEqual([copies, failed, imageKit.files.size], [0, 0, 0])
  await everyFileIsServed()
})
