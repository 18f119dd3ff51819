import assert from 'node:assert/strict'
import { cp, mkdir, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { storageFull } from '#platform/errors.ts'
import { failFileCalls } from '#tests/support/file-errors.ts'
import { multipart } from '#tests/support/multipart.ts'
import { testApp } from '#tests/support/test-app.ts'
import type { TestUser } from '#tests/support/test-user.ts'
import { until } from '#tests/support/until.ts'
import { everything, fill, makeBackup, restore } from '../backups.fixture.ts'

test('the complete ZIP restores the library on another machine', async (context) => {
  const product = await testApp(context)
  const { admin } = await fill(product)
  const before = await everything(product)
  const download = await admin.get('/api/admin/backup/download')
  assert.equal(download.statusCode, 200)
  assert.equal(download.headers['cache-control'], 'no-store')
  assert.match(String(download.headers['content-disposition']), /albumen-backup-.*\.zip/)

  const elsewhere = await testApp(context)
  const stranger = await elsewhere.register()
  const upload = multipart([{ name: 'backup.zip', bytes: download.rawPayload }], {}, 'backup')
  const temporary = join(elsewhere.directory, 'backups', 'tmp')
  const { storage } = elsewhere.services
  const { stat } = storage
  const temporaryFiles: string[] = []
  const looking = context.mock.method(storage, 'stat', async (sha256: string) => {
    looking.mock.restore()
    temporaryFiles.push(...(await readdir(temporary)))
    return stat(sha256)
  })
  const answer = await stranger.send({ method: 'POST', url: '/api/admin/backup/upload', ...upload })
  assert.equal(answer.statusCode, 200, answer.body)
  assert.deepEqual(answer.json().restored, { users: 2, media: 3, collections: 1 })
  assert.deepEqual(temporaryFiles, [], 'the uploaded file is deleted before the restore needs the space')
  const after = await everything(elsewhere)
  assert.deepEqual(after.bytes, before.bytes)
  assert.deepEqual(after.rows.media, before.rows.media)
  assert.equal(after.rows.users!.length, 3, 'the administrator’s own account is kept')
  assert.equal((await stranger.get('/api/user')).json().isAdmin, true)
  for (const { directory } of [product, elsewhere]) {
    assert.deepEqual(await readdir(join(directory, 'backups', 'tmp')), [], 'nothing is left behind')
  }
})

test('texts that compress like a ZIP bomb are restored from a complete ZIP', async (context) => {
  const product = await testApp(context)
  const admin = await product.register()
  const { id } = await admin.addPicture('line.jpg')
  const lines = ['-', '=', '-'].map((sign) => sign.repeat(10_000))
  for (let round = 0; round < 40; round++) {
    for (const description of lines) await admin.post('/api/media/bulk-description', { mediaIds: [id], description })
  }
  const bytes = (await admin.get('/api/admin/backup/download')).rawPayload
  await admin.patch(`/api/media/${id}`, { userDescription: 'Something else' })
  const upload = multipart([{ name: 'backup.zip', bytes }], {}, 'backup')
  const answer = await admin.send({ method: 'POST', url: '/api/admin/backup/upload', ...upload })
  assert.equal(answer.statusCode, 200, answer.body)
  assert.equal((await admin.get(`/api/media/${id}`)).json().userDescription, lines[2])
})

test('an uploaded ZIP is not reported as failed while its restore waits for the database', async (context) => {
  const product = await testApp(context)
  const { admin } = await fill(product)
  const { db, storage } = product.services
  const bytes = (await admin.get('/api/admin/backup/download')).rawPayload
  const begun = Promise.withResolvers<void>()
  const goOn = Promise.withResolvers<void>()
  const { stat } = storage
  context.mock.method(storage, 'stat', (sha256: string) => {
    begun.resolve()
    return goOn.promise.then(() => stat(sha256))
  })
  const upload = multipart([{ name: 'backup.zip', bytes }], {}, 'backup')
  const answered = admin.send({ method: 'POST', url: '/api/admin/backup/upload', ...upload })
  await begun.promise
  const away = context.mock.method(db, 'selectFrom', () => {
    throw Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' })
  })
  await until('it was asked for', async () => away.mock.callCount() > 1)
  away.mock.restore()
  goOn.resolve()
  assert.equal((await answered).statusCode, 200, (await answered).body)
})

test('a copy of the backup folder restores the library on another machine', async (context) => {
  const product = await testApp(context)
  const { admin } = await fill(product)
  const before = await everything(product)
  const { id } = await makeBackup(admin)

  const elsewhere = await testApp(context)
  const stranger = await elsewhere.register()
  await cp(join(product.directory, 'backups'), join(elsewhere.directory, 'backups'), { recursive: true })
  assert.equal((await stranger.get('/api/admin/backups')).json().backups[0].id, id)
  assert.equal((await restore(elsewhere, stranger, id)).message, 'Restore complete')
  const after = await everything(elsewhere)
  assert.deepEqual([after.bytes, after.rows.media], [before.bytes, before.rows.media])
})

test('a prepared ZIP is sent once, to the administrator who requested it', async (context) => {
  const product = await testApp(context)
  const [ann, ben] = [await product.register(), await product.register()]
  await ann.patch(`/api/admin/users/${ben.id}/admin`, { isAdmin: true })
  const prepare = () => ann.post('/api/admin/backup/prepare')
  const names = async (admin: TestUser) => {
    const zip = (await admin.get('/api/admin/backup/download')).rawPayload.toString('latin1')
    return new Set(zip.match(/files\/[0-9a-f]{64}/g)).size
  }
  const temporary = () => readdir(join(product.directory, 'backups', 'tmp'))

  assert.equal((await prepare()).statusCode, 200)
  await ann.addPicture('later.jpg')
  assert.equal(await names(ben), 1, 'another administrator gets a new one')
  assert.equal(await names(ann), 0, 'the ZIP is from before the new image')
  assert.equal(await names(ann), 1)

  await prepare()
  await prepare()
  assert.equal((await temporary()).length, 1)
  context.mock.method(product.services.backupFolder, 'startSnapshot', async () => {
    throw storageFull()
  })
  const full = await prepare()
  assert.deepEqual([full.statusCode, full.json().message], [507, 'The disk is full. Free some space and try again.'])
  await product.restart()
  assert.deepEqual(await temporary(), [], 'a prepared ZIP without a download is removed')
})

test('a ZIP prepared by one process can be sent by another, and only once', async (context) => {
  const product = await testApp(context)
  const ann = await product.register()
  const sibling = await product.startSibling()
  const askSibling = (method: 'GET' | 'POST', path: string) =>
    sibling.app.inject({ method, url: `/api/admin/backup/${path}`, cookies: Object.fromEntries(ann.cookies) })
  const namesIn = ({ rawPayload }: { rawPayload: Buffer }) =>
    new Set(rawPayload.toString('latin1').match(/files\/[0-9a-f]{64}/g)).size

  assert.equal((await ann.post('/api/admin/backup/prepare')).statusCode, 200)
  await ann.addPicture('later.jpg')
  const answers = await Promise.all([ann.get('/api/admin/backup/download'), askSibling('GET', 'download')])
  assert.deepEqual(answers.map(namesIn).sort(), [0, 1])

  await askSibling('POST', 'prepare')
  await ann.addPicture('even-later.jpg')
  assert.equal(namesIn(await ann.get('/api/admin/backup/download')), 1, 'as it was when it was prepared')

  await askSibling('POST', 'prepare')
  await ann.addPicture('last.jpg')
  context.mock.timers.enable({ apis: ['Date'], now: Date.now() + 61_000 })
  assert.equal(namesIn(await ann.get('/api/admin/backup/download')), 3, 'what its process left lying is too old')
  context.mock.timers.reset()
  const isTidy = async () => (await readdir(join(product.directory, 'backups', 'tmp'))).length === 0
  await until('nothing is left of what was sent', isTidy)
})

test('an incomplete or wrongly dated prepared ZIP is replaced and removed', async (context) => {
  const product = await testApp(context)
  const ann = await product.register()
  await ann.addPicture('first.jpg')
  const temporary = join(product.directory, 'backups', 'tmp')
  const prepare = () => ann.post('/api/admin/backup/prepare')
  const download = async () => {
    const { statusCode, rawPayload } = await ann.get('/api/admin/backup/download')
    return [statusCode, new Set(rawPayload.toString('latin1').match(/files\/[0-9a-f]{64}/g)).size]
  }
  const layHalf = async (ending: string) => {
    const folder = join(temporary, `ready-${ann.id}-${Date.now() + 30_000}-${ending}`)
    await mkdir(folder)
    return folder
  }
  await layHalf('empty')
  assert.deepEqual(await download(), [200, 1])
  await writeFile(join(await layHalf('cut-off'), 'manifest.json'), '')
  assert.equal((await prepare()).statusCode, 200)
  assert.equal((await readdir(temporary)).length, 1)

  context.mock.timers.enable({ apis: ['Date'], now: Date.now() + 5 * 3600_000 })
  assert.equal((await prepare()).statusCode, 200)
  context.mock.timers.reset()
  await ann.addPicture('second.jpg')
  assert.deepEqual(await download(), [200, 2])

  const allow = failFileCalls(context, (path) => path.includes('ready-'))
  const refused = await prepare()
  assert.match(refused.json().message, /^BACKUP_DIR .* is not readable and writable \(EACCES\)/)
  allow()
  await until('nothing is left of it', async () => (await readdir(temporary)).length === 0)
})

test('the server survives a backup folder that fails during a download', async (context) => {
  const product = await testApp(context)
  const ann = await product.register()
  const { log } = product.services
  failFileCalls(context, (path, call) => call === 'rm' && path.includes('backups'))
  const leftBehind = Promise.withResolvers<unknown>()
  context.mock.method(log, 'warn', (_fields: unknown, sentence: string) => leftBehind.resolve(sentence))
  assert.equal((await ann.get('/api/admin/backup/download')).statusCode, 200)
  assert.equal(await leftBehind.promise, 'backup draft was not deleted')
})

test('a listed backup downloads as a complete ZIP', async (context) => {
  const product = await testApp(context)
  const { admin } = await fill(product)
  const backup = await makeBackup(admin)
  const download = await admin.get(`/api/admin/backups/${backup.id}/download`)
  const upload = multipart([{ name: 'b.ZIP', bytes: download.rawPayload }], {}, 'backup')
  await admin.post('/api/admin/database/reset')
  const answer = await admin.send({ method: 'POST', url: '/api/admin/backup/upload', ...upload })
  assert.equal(answer.statusCode, 200, answer.body)
  assert.equal((await admin.get('/api/media')).json().pagination.totalCount, 2)
})

test('an aborted or malformed ZIP upload is refused with a message', async (context) => {
  const product = await testApp(context)
  const admin = await product.register()
  const bytes = Buffer.from('hello')
  for (const [field, name] of [
    ['backup', 'library.zip'],
    ['database', 'library.json'],
  ] as const) {
    const send = (sent: object) => admin.send({ method: 'POST', url: `/api/admin/${field}/upload`, ...sent })
    const { payload, headers } = multipart([{ name, bytes }], {}, field)
    const refused = {
      'cut off': await send({ payload: payload.subarray(0, -30), headers }),
      'no boundary': await send({ payload, headers: { 'content-type': 'multipart/form-data' } }),
      'no form': await send({ payload: {} }),
      text: await send({ payload: 'hello', headers: { 'content-type': 'text/plain' } }),
      'no file': await send(multipart([], {}, field)),
      'two files': await send(
        multipart(
          [1, 2].map(() => ({ name, bytes })),
          {},
          field,
        ),
      ),
    }
    const told = Object.entries(refused).map(([what, { statusCode, json }]) => [what, statusCode, json().message])
    const none = `Please choose a ${name.slice('library'.length)} file.`
    assert.deepEqual(told, [
      ['cut off', 400, 'The upload was interrupted. Please try again.'],
      ['no boundary', 400, 'The upload is malformed.'],
      ['no form', 400, none],
      ['text', 415, 'This call accepts multipart/form-data.'],
      ['no file', 400, none],
      ['two files', 413, 'Please upload one file at a time.'],
    ])
  }
  assert.deepEqual(await readdir(join(product.directory, 'backups', 'tmp')), [])
})
