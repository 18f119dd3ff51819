import assert from 'node:assert/strict'
import { readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { type TestContext, test } from 'node:test'
import { failFileCalls } from '#tests/support/file-errors.ts'
import { multipart } from '#tests/support/multipart.ts'
import { type TestApp, testApp } from '#tests/support/test-app.ts'
import type { TestUser } from '#tests/support/test-user.ts'
import { until } from '#tests/support/until.ts'
import { everything, fill, makeBackup, removeAllBytes } from '../backups.fixture.ts'
import { blobOf, rot } from '../rot.fixture.ts'
import { sweepBackups } from '../sweep.ts'

test('a complete ZIP is unpacked during its upload, and an aborted one leaves no files', async (context) => {
  const product = await testApp(context)
  const { admin } = await fill(product)
  const bytes = (await admin.get('/api/admin/backup/download')).rawPayload
  const { payload, headers } = multipart([{ name: 'backup.zip', bytes }], {}, 'backup')

  const elsewhere = await testApp(context)
  const stranger = await elsewhere.register()
  const folder = join(elsewhere.directory, 'backups')
  const filesIn = async (name: string) => {
    const found = await readdir(join(folder, name), { recursive: true, withFileTypes: true })
    return found.filter((entry) => entry.isFile()).map((entry) => entry.name)
  }
  /** The last file is sent only after the others were stored, or not at all. */
  const send = (ending: 'whole' | 'cut off') => {
    async function* sent() {
      const end = payload.lastIndexOf('PK\u0003\u0004') + 40
      yield payload.subarray(0, end)
      await until('a file of it has come', async () => (await filesIn('tmp')).some((name) => name.length === 64))
      assert.deepEqual(
        (await filesIn('tmp')).filter((name) => name.length !== 64),
        ['database.json.gz'],
      )
      assert.deepEqual(await filesIn('blobs'), [], 'nothing has its place yet')
      if (ending === 'whole') yield payload.subarray(end)
    }
    return stranger.send({ method: 'POST', url: '/api/admin/backup/upload', payload: Readable.from(sent()), headers })
  }
  const brokenOff = await send('cut off')
  assert.equal(brokenOff.statusCode, 400)
  assert.equal(brokenOff.json().message, 'The upload was interrupted. Please try again.')
  assert.deepEqual([await filesIn('tmp'), await filesIn('blobs')], [[], []])
  const whole = await send('whole')
  assert.equal(whole.statusCode, 200, whole.body)
  assert.deepEqual((await everything(elsewhere)).bytes, (await everything(product)).bytes)
})

test('nothing of an uploaded ZIP is kept when the disk is full at its end', async (context) => {
  const product = await testApp(context)
  const { admin } = await fill(product)
  const bytes = (await admin.get('/api/admin/backup/download')).rawPayload
  await sweepBackups(product.services, -60_000)
  const folder = join(product.directory, 'backups')
  await rm(join(folder, 'blobs'), { recursive: true })
  const filesIn = async (name: string) => {
    const found = await readdir(join(folder, name), { recursive: true, withFileTypes: true })
    return found.filter((entry) => entry.isFile()).map((entry) => entry.name)
  }
  const last = [...bytes.toString('latin1').matchAll(/files\/([0-9a-f]{64})/g)].at(-1)![1]!
  const needRoom: ((path: string, call: string) => boolean)[] = [
    (path, call) => call === 'mkdir' && path.endsWith(join('blobs', last.slice(0, 2), last.slice(2, 4))),
    (path, call) => call === 'writeFile' && path.includes('manifest.json'),
  ]
  for (const isRefused of needRoom) {
    const free = failFileCalls(context, isRefused, 'ENOSPC')
    const upload = multipart([{ name: 'backup.zip', bytes }], {}, 'backup')
    const answer = await admin.send({ method: 'POST', url: '/api/admin/backup/upload', ...upload })
    free()
    assert.equal(answer.statusCode, 507, answer.body)
    assert.match(answer.json().message, /^The backup disk .* is full/)
    assert.deepEqual([await filesIn('tmp'), await filesIn('blobs')], [[], []])
  }
  const upload = multipart([{ name: 'backup.zip', bytes }], {}, 'backup')
  assert.equal((await admin.send({ method: 'POST', url: '/api/admin/backup/upload', ...upload })).statusCode, 200)
})

test('a file that the backup folder loses during a ZIP upload is noticed', async (context) => {
  const product = await testApp(context)
  const { admin } = await fill(product)
  await makeBackup(admin)
  const { backups } = (await admin.get('/api/admin/backups')).json()
  const answer = await sendOwn({ context, product, admin }, async () => {
    for (const { id } of backups) await admin.delete(`/api/admin/backups/${id}`)
    await sweepBackups(product.services, -60_000)
  })
  assert.equal(answer.statusCode, 409, answer.body)
  assert.match(answer.json().message, /was removed during the upload\. Please upload the ZIP file again\.$/)
  assert.deepEqual((await admin.get('/api/admin/backups')).json().backups, [])
})

test('the sweep spares a ZIP upload that takes days, even if all its files exist', async (context) => {
  const product = await testApp(context)
  const { admin } = await fill(product)
  await makeBackup(admin)
  const temporary = join(product.directory, 'backups', 'tmp')
  const changedAt = async () => (await stat(join(temporary, (await readdir(temporary))[0]!))).ctimeMs
  const answer = await sendOwn({ context, product, admin, clock: 'setInterval' }, async () => {
    const before = await changedAt()
    context.mock.timers.tick(3600_000)
    await until('its draft is young again', async () => (await changedAt()) > before, { withinMs: 10_000 })
    context.mock.timers.reset()
  })
  assert.equal(answer.statusCode, 200, answer.body)
})

test('a file that rots during a long ZIP upload is not restored as intact', async (context) => {
  const product = await testApp(context)
  const admin = await product.register()
  const { id } = await admin.addPicture('first.jpg')
  await product.settled()
  await makeBackup(admin)
  const path = product.services.backupFolder.blobPath(await blobOf(product, id))
  const answer = await sendOwn({ context, product, admin }, async () => {
    await removeAllBytes(product)
    await rot(path)
    context.mock.timers.enable({ apis: ['Date'], now: Date.now() + 2 * 3600_000 })
  })
  assert.equal(answer.statusCode, 500, answer.body)
  assert.match(answer.json().message, /1 of its files is damaged or missing/)
})

type Sending = { context: TestContext; product: TestApp; admin: TestUser; clock?: 'setInterval' }

/** Sends the library's own ZIP, but its end only after its known files were checked and `meanwhile` has run. */
async function sendOwn({ context, product, admin, clock }: Sending, meanwhile: () => Promise<void>) {
  const bytes = (await admin.get('/api/admin/backup/download')).rawPayload
  const { payload, headers } = multipart([{ name: 'backup.zip', bytes }], {}, 'backup')
  const looked = Promise.withResolvers<void>()
  const { backupFolder } = product.services
  const { isBlobWhole } = backupFolder
  const looking = context.mock.method(backupFolder, 'isBlobWhole', (sha256: string) =>
    isBlobWhole(sha256).finally(looked.resolve),
  )
  async function* sent() {
    yield payload.subarray(0, -100)
    await looked.promise
    looking.mock.restore()
    await meanwhile()
    yield payload.subarray(-100)
  }
  if (clock) context.mock.timers.enable({ apis: [clock] })
  return admin.send({ method: 'POST', url: '/api/admin/backup/upload', payload: Readable.from(sent()), headers })
}
