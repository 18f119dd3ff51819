import assert from 'node:assert/strict'
import fs from 'node:fs'
import { rename } from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import { join } from 'node:path'
import { test } from 'node:test'
import { failFileCalls, within } from '#tests/support/file-errors.ts'
import { testApp } from '#tests/support/test-app.ts'
import type { Backup } from '../contract.ts'
import { everything, fill, makeBackup, removeAllBytes, restore } from './backups.fixture.ts'
import { createBackup } from './backups.ts'
import { proveNewestBackup } from './drill.ts'
import { sweepBackups } from './sweep.ts'

const told = /^BACKUP_DIR \(.*\) is not readable and writable \(EACCES\)\. Grant access to the user that runs Albumen/
const toldOfOne =
  /^This backup is not readable \(EACCES: .*\)\. Let the user that runs Albumen read everything in BACKUP_DIR\.$/

test('an unreadable part of the backup folder fails the requests that need it, but not the start', async (context) => {
  const product = await testApp(context)
  const { admin } = await fill(product)
  const { id } = await makeBackup(admin)
  const root = join(product.directory, 'backups')
  const ask = async () => ({
    list: await admin.get('/api/admin/backups'),
    preview: await admin.get(`/api/admin/backups/${id}/preview`),
    download: await admin.get(`/api/admin/backups/${id}/download`),
    prepare: await admin.post('/api/admin/backup/prepare'),
    downloadAll: await admin.get('/api/admin/backup/download'),
    create: await admin.post('/api/admin/backups/create'),
  })
  const refusedIn = async (part: string) => {
    const allow = failFileCalls(context, within(join(root, part)))
    const answers = Object.entries(await ask())
    const { health } = (await admin.get('/api/admin/system')).json()
    const { message } = health.find(({ name }: { name: string }) => name === 'Backups')
    await assert.rejects(proveNewestBackup(product.services), { message: told })
    await assert.rejects(sweepBackups(product.services), { message: told })
    allow()
    assert.match(message, told, part)
    const refused = answers.filter(([, { statusCode }]) => statusCode >= 400)
    for (const [name, { statusCode, json }] of refused) {
      assert.equal(statusCode, 503, `${part}: ${name}`)
      const isOfOne = ['snapshots', ''].includes(part) && ['preview', 'download'].includes(name)
      assert.match(json().message, isOfOne ? toldOfOne : told)
    }
    return refused.map(([name]) => name)
  }
  assert.deepEqual(await refusedIn('snapshots'), ['list', 'preview', 'download', 'create'])
  assert.deepEqual(await refusedIn('blobs'), ['download', 'prepare', 'downloadAll', 'create'])
  assert.deepEqual(await refusedIn('tmp'), ['prepare', 'downloadAll', 'create'])
  assert.equal((await refusedIn('')).length, 6)

  const allow = failFileCalls(context, (path, call) => ['rename', 'rm'].includes(call) && path.startsWith(root))
  const { message } = (await admin.post('/api/admin/backups/create')).json()
  assert.match(message, told, 'also when its draft cannot be taken away')
  allow()

  failFileCalls(context, within(join(root, 'snapshots')))
  await product.restart()
  assert.equal((await admin.get('/api/media')).statusCode, 200)
})

test('an unreadable backup is listed with its reason next to the others', async (context) => {
  const product = await testApp(context)
  const { admin } = await fill(product)
  const [whole, refused] = [await makeBackup(admin), await makeBackup(admin)]
  const folder = join(product.directory, 'backups', 'snapshots', refused.id)
  const list = async () => {
    await product.services.db.deleteFrom('backups').execute()
    const { backups, unreadable } = (await admin.get('/api/admin/backups')).json()
    return { ids: backups.map(({ id }: Backup) => id), provenAt: backups[0].provenAt, unreadable }
  }
  const mayNotBeRead = (name: string) =>
    `This backup is not readable (EACCES: permission denied, open '${join(folder, name)}'). Let the user that runs Albumen read everything in BACKUP_DIR.`
  const isLost = (what: string) => `This backup is damaged: its ${what} cannot be read. Please choose another one.`
  const ask = async () => {
    const answers = [
      await admin.get(`/api/admin/backups/${refused.id}/preview`),
      await admin.get(`/api/admin/backups/${refused.id}/download`),
    ]
    return answers.map(({ statusCode, json }) => [statusCode, json().message])
  }
  for (const [code, status, told] of [
    ['EACCES', 503, mayNotBeRead('manifest.json')],
    ['EIO', 409, isLost('manifest.json')],
  ] as const) {
    const allow = failFileCalls(context, (path) => path === join(folder, 'manifest.json'), code)
    const unreadable = [{ id: refused.id, message: told }]
    assert.deepEqual(await list(), { ids: [whole.id], provenAt: null, unreadable })
    assert.deepEqual(await ask(), Array(2).fill([status, told]))
    await product.restart()
    allow()
  }
  await proveNewestBackup(product.services)
  assert.ok((await list()).provenAt)
  const allowWord = failFileCalls(context, (path) => path === join(folder, 'proven.txt'), 'EIO')
  assert.deepEqual(await list(), { ids: [refused.id, whole.id], provenAt: null, unreadable: [] })
  allowWord()

  for (const [code, status, told] of [
    ['EACCES', 503, mayNotBeRead('database.json.gz')],
    ['EIO', 409, isLost('rows')],
  ] as const) {
    const allow = failFileCalls(context, (path) => path === join(folder, 'database.json.gz'), code)
    assert.deepEqual(await ask(), Array(2).fill([status, told]))
    assert.equal((await restore(product, admin, refused.id)).message, told)
    allow()
  }
  assert.equal((await restore(product, admin, refused.id)).message, 'Restore complete')
})

test('a backup disk unmounted during a backup or restore is reported, and no file is marked as lost', async (context) => {
  const product = await testApp(context)
  const { admin } = await fill(product)
  const before = await everything(product)
  const { id } = await makeBackup(admin)
  const { services } = product
  const root = join(product.directory, 'backups')
  const goAway = () => rename(root, `${root}-away`)
  const moveBack = () => rename(`${root}-away`, root)
  const isAway = /^BACKUP_DIR \(.*\) does not contain the marker file/
  const openSnapshot = async () => {
    await goAway()
    return services.openSnapshot()
  }
  await assert.rejects(createBackup({ ...services, openSnapshot }, { type: 'manual' }), { message: isAway })
  await moveBack()

  await admin.post('/api/admin/database/reset')
  await removeAllBytes(product)
  const { stat } = services.storage
  const looking = context.mock.method(services.storage, 'stat', async (sha256: string) => {
    looking.mock.restore()
    await goAway()
    return stat(sha256)
  })
  await admin.post(`/api/admin/backups/${id}/restore`, { skipSafetyBackup: true, acceptLostFiles: true })
  await product.settled()
  assert.match((await admin.get('/api/admin/backups/restore-progress')).json().message, isAway)
  await moveBack()
  assert.equal((await restore(product, admin, id)).message, 'Restore complete')
  assert.deepEqual(await everything(product), before)
})

test('a failing backup disk is reported as such', async (context) => {
  const product = await testApp(context)
  const { admin } = await fill(product)
  const root = join(product.directory, 'backups')
  for (const part of ['tmp', 'blobs', 'snapshots']) {
    const allow = failFileCalls(context, within(join(root, part)), 'EIO')
    const { statusCode, json } = await admin.post('/api/admin/backups/create')
    allow()
    assert.equal(statusCode, 503, part)
    assert.match(json().message, /^The backup disk \(.*\/backups\) is failing \(EIO: .*\)\. Check the disk/)
  }
  await makeBackup(admin)
})

test('a disk mounted while its backups are listed does not count as empty', async (context) => {
  const product = await testApp(context)
  const { admin } = await fill(product)
  const { id } = await makeBackup(admin)
  const root = join(product.directory, 'backups')
  await rename(root, `${root}-away`)
  const { readdir } = fs.promises
  const mount = () => rename(`${root}-away`, root)
  const looking = context.mock.method(fs.promises, 'readdir', (path: string) => readdir(path).finally(mount))
  syncBuiltinESMExports()
  const answer = await admin.get('/api/admin/backups')
  looking.mock.restore()
  syncBuiltinESMExports()
  assert.equal(answer.statusCode, 503, answer.body)
  await mount()
  assert.equal((await admin.get('/api/admin/backups')).json().backups[0].id, id)
})
