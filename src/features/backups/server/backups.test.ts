import assert from 'node:assert/strict'
import { mkdir, readdir, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { nodeDisk } from '#engines/storage/disk.ts'
import { storageFull, withCause } from '#platform/errors.ts'
import { multipart } from '#tests/support/multipart.ts'
import { type TestApp, testApp } from '#tests/support/test-app.ts'
import type { Backup } from '../contract.ts'
import { makeAutomaticBackup } from './automatic.ts'
import { fill, makeBackup, restore } from './backups.fixture.ts'
import { createBackup } from './backups.ts'
import { proveNewestBackup } from './drill.ts'
import { leftOut, libraryTables, loadLibraryColumns } from './library/library-document.ts'
import { blobOf } from './rot.fixture.ts'

test('every table is in a backup or excluded for a reason', async (context) => {
  const { services } = await testApp(context)
  const known = new Set([...libraryTables.map(({ name }) => name), ...Object.keys(leftOut)])
  const tables = (await services.db.introspection.getTables()).map(({ name }) => name)
  const unknown = tables.filter(
    (name) => !known.has(name) && !/^search_documents_/.test(name) && name !== 'sqlite_sequence',
  )
  assert.deepEqual(unknown, [], 'name these tables in library-tables.ts')
  await loadLibraryColumns(services.db)
})

test('a second backup of an unchanged library costs only its rows', async (context) => {
  const product = await testApp(context)
  const { admin } = await fill(product)
  const first = await makeBackup(admin)
  const second = await makeBackup(admin)
  assert.ok(first.newBytes > second.newBytes)
  assert.equal(second.size - second.newBytes, first.size - (await rowBytes(product, first.id)))
})

async function rowBytes({ services }: TestApp, id: string) {
  return (await services.backupFolder.readManifest(id))!.database.bytes
}

test('a backup made during uploads and deletions is consistent', async (context) => {
  const product = await testApp(context)
  const { admin, first } = await fill(product)
  for (let round = 0; round < 3; round++) {
    const coming = Array.from({ length: 4 }, (_, index) => admin.addPicture(`${round}-${index}.jpg`))
    const [backup] = await Promise.all([makeBackup(admin), admin.post(`/api/media/${first.id}/copy`), ...coming])
    assert.equal(backup.missingCount, 0)
    await proveNewestBackup(product.services)
  }
})

test('backups are found by their folder alone, and other files are ignored', async (context) => {
  const product = await testApp(context)
  const { admin } = await fill(product)
  const backup = await makeBackup(admin)
  await product.services.db.deleteFrom('backups').execute()
  const listed = async (): Promise<Backup> => (await admin.get('/api/admin/backups')).json().backups[0]
  assert.deepEqual(await listed(), backup)
  await proveNewestBackup(product.services)
  const proven = await listed()
  assert.notEqual(proven.provenAt, null)
  await product.services.db.deleteFrom('backups').execute()
  assert.deepEqual(await listed(), proven, 'with what the last drill has found')
  for (const id of ['20260101-000000-00000000', '999999', 'unknown', `..%2fsnapshots%2f${backup.id}`]) {
    for (const [method, rest] of [
      ['DELETE', ''],
      ['GET', '/preview'],
      ['POST', '/restore'],
      ['GET', '/download'],
    ] as const) {
      const url = `/api/admin/backups/${id}${rest}`
      const answer = await admin.send({ method, url, ...(method === 'POST' && { payload: {} }) })
      assert.deepEqual([answer.statusCode, answer.json().message], [404, 'Backup not found'], `${method} ${url}`)
    }
  }
})

test('a damaged backup affects neither the others nor the start nor the next one', async (context) => {
  const product = await testApp(context)
  const { admin } = await fill(product)
  const [whole, damaged, rowless] = [await makeBackup(admin), await makeBackup(admin), await makeBackup(admin)]
  const folder = join(product.directory, 'backups', 'snapshots')
  await writeFile(join(folder, damaged.id, 'manifest.json'), '{"format":"albumen-backup","version":2}')
  await writeFile(join(folder, rowless.id, 'database.json.gz'), 'half')
  await writeFile(join(folder, whole.id, 'proven.txt'), '???')
  await product.services.db.deleteFrom('backups').execute()
  await product.restart()
  const listed = async () => (await admin.get('/api/admin/backups')).json().backups.map(({ id }: Backup) => id)
  assert.deepEqual(await listed(), [rowless.id, whole.id])
  for (const [method, url] of [
    ['POST', `${damaged.id}/restore`],
    ['GET', `${damaged.id}/preview`],
    ['GET', `${damaged.id}/download`],
  ] as const) {
    const answer = await admin.send({
      method,
      url: `/api/admin/backups/${url}`,
      ...(method === 'POST' && { payload: {} }),
    })
    assert.equal(answer.statusCode, 409, answer.body)
    assert.match(answer.json().message, /^This backup is damaged: its manifest.json cannot be understood/)
  }
  await makeAutomaticBackup(product.services)
  const drills = product.services.db.selectFrom('jobs').select('id').where('kind', '=', 'backup-drill')
  assert.equal((await drills.execute()).length, 1)
  await product.settled()
  const { failures } = (await admin.get('/api/admin/jobs')).json()
  const told = `No files were removed from the backup folder because the files of backup ${rowless.id} cannot be listed. Delete or repair that backup.`
  assert.deepEqual(
    failures.map(({ kind, error }: { kind: string; error: string }) => [kind, error]),
    [['sweep-backups', told]],
  )
  assert.equal((await listed()).length, 3)
  assert.equal((await restore(product, admin, whole.id)).step, 'Complete')
})

test('every backup folder is synced before it is used, even if another process made it', async (context) => {
  const { syncFolder } = nodeDisk
  const durable: string[] = []
  context.mock.method(nodeDisk, 'syncFolder', async (path: string) => {
    for (const name of await readdir(path)) durable.push(join(path, name))
    return syncFolder(path)
  })
  const product = await testApp(context)
  const root = join(product.directory, 'backups')
  for (const name of ['snapshots', 'blobs', 'tmp']) assert.ok(durable.includes(join(root, name)), name)

  const { admin, first } = await fill(product)
  const shard = dirname(product.services.backupFolder.blobPath(await blobOf(product, first.id)))
  // As if another process had just created it.
  await mkdir(shard, { recursive: true })
  await makeBackup(admin)
  for (const folder of [dirname(shard), shard]) assert.ok(durable.includes(folder), folder)
})

test('backups are refused while their disk is not mounted or the folder is another process’s', async (context) => {
  const product = await testApp(context)
  const admin = await product.register()
  const root = join(product.directory, 'backups')
  const { id } = await makeBackup(admin)
  const listed = async () => (await admin.get('/api/admin/backups')).json().backups.map((backup: Backup) => backup.id)
  const health = async () => {
    const { health: rows } = (await admin.get('/api/admin/system')).json()
    return rows.find(({ name }: { name: string }) => name === 'Backups')
  }
  const upload = multipart([{ name: 'b.zip', bytes: Buffer.from('PK') }], {}, 'backup')
  const refused = async () => {
    const answer = await admin.post('/api/admin/backups/create')
    const { message } = answer.json()
    assert.ok(message.startsWith(`BACKUP_DIR (${root}) does not contain the marker`), message)
    assert.match(message, /mounted.*all processes.*create an empty file/)
    const others = [
      await admin.get('/api/admin/backups'),
      await admin.get(`/api/admin/backups/${id}/preview`),
      await admin.delete(`/api/admin/backups/${id}`),
      await admin.send({ method: 'POST', url: '/api/admin/backup/upload', ...upload }),
    ]
    for (const { statusCode, body } of [answer, ...others]) {
      assert.deepEqual([statusCode, JSON.parse(body).message], [503, message])
    }
    await assert.rejects(makeAutomaticBackup(product.services), { message })
    await assert.rejects(proveNewestBackup(product.services), { message })
    assert.deepEqual(await health(), { name: 'Backups', status: 'down', message })
    const rows = await product.services.db.selectFrom('backups').select('id').where('id', '=', id).execute()
    assert.equal(rows.length, 1, 'it is still known')
  }
  await rename(root, `${root}-away`)
  await refused()
  await mkdir(root)
  await product.restart()
  await refused()
  assert.deepEqual(await readdir(root), [], 'nothing is made there')
  await rm(root, { recursive: true })
  await rename(`${root}-away`, root)
  assert.deepEqual(await listed(), [id], 'it came back without a restart')
  await makeBackup(admin)
  assert.deepEqual(await health(), { name: 'Backups', status: 'ok', message: `Stored in ${root}` })

  await rm(root, { recursive: true })
  await mkdir(root)
  await refused()
  await writeFile(join(root, 'albumen-backups'), '')
  assert.deepEqual(await listed(), [])
  assert.deepEqual(await readdir(root), ['albumen-backups'], 'listing creates no files')
  const created = await makeBackup(admin)
  assert.deepEqual(await listed(), [created.id])
})

test('an error of a full or unwritable backup folder names the folder', async (context) => {
  const product = await testApp(context)
  const admin = await product.register()
  const { backupFolder } = product.services
  const root = join(product.directory, 'backups')
  await makeBackup(admin)
  const { startSnapshot } = backupFolder
  const onFullDisk = context.mock.method(backupFolder, 'startSnapshot', async () => ({
    ...(await startSnapshot()),
    documentPath: '/dev/full',
  }))
  const full = await admin.post('/api/admin/backups/create')
  assert.equal(full.statusCode, 507)
  assert.equal(full.json().message, `The backup disk (${root}) is full. Free up space there and try again.`)
  onFullDisk.mock.restore()

  await rm(join(root, 'tmp'), { recursive: true })
  // No file can be created in /sys.
  await symlink('/sys', join(root, 'tmp'))
  const refused = await admin.post('/api/admin/backups/create')
  assert.equal(refused.statusCode, 503)
  const { message } = refused.json()
  assert.ok(message.startsWith(`BACKUP_DIR (${root}) is not readable and writable (E`), message)
  assert.match(message, /Grant access to the user that runs Albumen/)
  const { health } = (await admin.get('/api/admin/system')).json()
  const row = health.find(({ name }: { name: string }) => name === 'Backups')
  assert.equal(row.status, 'down')
  assert.match(row.message, /^BACKUP_DIR .* is not readable and writable/)
  assert.equal((await admin.get('/api/admin/backups')).json().backups.length, 1, 'it can still be read')
})

test('a full disk is reported as the backup disk’s only where it is, including its scratch database', async (context) => {
  const product = await testApp(context)
  const { admin } = await fill(product)
  const { services } = product
  const { storage, backupFolder } = services
  const noSpace = Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' })
  // Files after the first round are fetched while the rows are written.
  const openSnapshot = async () => {
    await admin.addPicture('late.jpg')
    context.mock.method(storage, 'withLocalFile', () => Promise.reject(withCause(storageFull(), noSpace)))
    return services.openSnapshot()
  }
  const making = createBackup({ ...services, openSnapshot }, { type: 'manual' })
  await assert.rejects(making, { message: 'The disk is full. Free some space and try again.' })

  const sqliteFull = Object.assign(new Error('database or disk is full'), { code: 'ERR_SQLITE_ERROR', errcode: 13 })
  await assert.rejects(backupFolder.throwExplained(sqliteFull), /^AppError: The backup disk/)
})

test('a backup that differs from what was written is not listed', async (context) => {
  const product = await testApp(context)
  const { admin } = await fill(product)
  const lying = context.mock.method(product.services.backupFolder, 'addBlob', async () => ({ crc32: 0 }))
  assert.equal((await admin.post('/api/admin/backups/create')).statusCode, 500)
  assert.deepEqual((await admin.get('/api/admin/backups')).json().backups, [])
  lying.mock.restore()
  assert.equal((await makeBackup(admin)).missingCount, 0)
})

test('a lost file does not keep the others from being backed up', async (context) => {
  const product = await testApp(context)
  const { admin, first } = await fill(product)
  const { blob } = await product.services.db
    .selectFrom('media')
    .select('blob')
    .where('id', '=', first.id)
    .executeTakeFirstOrThrow()
  await product.services.storage.remove(blob)
  const backup = await makeBackup(admin)
  assert.equal(backup.missingCount, 1)
  assert.equal((await restore(product, admin, backup.id)).step, 'Complete')
  const whole = await admin.addPicture('whole.jpg')
  const { media } = (await admin.get('/api/media')).json()
  const stateOf = (id: number) => media.find((item: { id: number }) => item.id === id).file
  assert.deepEqual([stateOf(first.id), stateOf(whole.id)], ['missing', 'ok'], 'it says what is wrong with it')
  const again = (await admin.post('/api/admin/backups/create')).json()
  assert.match(again.message, /verified\. 1 file was damaged or missing in the library; their items are marked\.$/)
})
