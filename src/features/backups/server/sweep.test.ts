import assert from 'node:assert/strict'
import { mkdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import pino from 'pino'
import { testApp } from '#tests/support/test-app.ts'
import { fill, makeBackup, restore } from './backups.fixture.ts'
import { proveNewestBackup } from './drill.ts'
import { openPacked, packTo } from './folder/snapshots.ts'
import { blobOf } from './rot.fixture.ts'
import { sweepBackups } from './sweep.ts'

test('the sweep removes files that no backup needs, and only in a marked folder', async (context) => {
  const lines: { msg: string; files: number }[] = []
  const write = (line: string) => {
    if (line.includes('unused backup files removed')) lines.push(JSON.parse(line))
  }
  const product = await testApp(context, {}, { log: pino({ level: 'info' }, { write }) })
  const { admin, other, second } = await fill(product)
  const old = await makeBackup(admin)
  await other.delete(`/api/media/${second.id}`)
  const fresh = await makeBackup(admin)
  await admin.delete(`/api/admin/backups/${old.id}`)
  const { backupFolder } = product.services
  await writeFile(backupFolder.temporaryPath('half'), 'half')
  assert.equal(await sweepBackups(product.services), 0, 'young files are left alone')
  assert.deepEqual(await backupFolder.listTemporary(), ['half'], 'so is what is just being made')
  const mark = join(product.directory, 'backups', 'albumen-backups')
  await rm(mark)
  await assert.rejects(sweepBackups(product.services, -60_000), /does not contain the marker/)
  assert.equal(lines.length, 0)
  await writeFile(mark, '')
  assert.equal(await sweepBackups(product.services, -60_000), 1)
  assert.deepEqual(
    lines.map(({ files }) => files),
    [1],
  )
  assert.deepEqual(await backupFolder.listTemporary(), [])
  assert.equal((await restore(product, admin, fresh.id)).step, 'Complete')
})

test('a backup survives a sweep that runs while its files are collected', async (context) => {
  const product = await testApp(context)
  const { admin } = await fill(product)
  const { backupFolder } = product.services
  const { addBlob } = backupFolder
  let sweeps = 0
  let adding: ReturnType<typeof addBlob> = Promise.resolve(null)
  // To this sweep every file is a day old, including one that is being added, so they are added one by one.
  context.mock.method(backupFolder, 'addBlob', (...added: Parameters<typeof addBlob>) => {
    adding = adding.then(async () => {
      const isAdded = await addBlob(...added)
      if (sweeps++ === 0) await sweepBackups(product.services, -60_000)
      return isAdded
    })
    return adding
  })
  const { id } = await makeBackup(admin)
  assert.ok(sweeps > 0)
  assert.equal((await restore(product, admin, id)).step, 'Complete')
  sweeps = 0
  await rm(join(product.directory, 'backups', 'blobs'), { recursive: true })
  const prepared = await admin.post('/api/admin/backup/prepare')
  assert.equal(prepared.statusCode, 200, prepared.body)
  assert.ok(sweeps > 0)
})

test('a backup renews its files for the sweep, but not for the library’s janitor', async (context) => {
  const product = await testApp(context)
  const { admin, first } = await fill(product)
  await makeBackup(admin)
  const path = product.services.backupFolder.blobPath(await blobOf(product, first.id))
  const yesterday = new Date(Date.now() - 24 * 3600_000)
  await utimes(path, yesterday, yesterday)
  const before = await stat(path)
  context.mock.timers.enable({ apis: ['Date'], now: Date.now() + 2 * 3600_000 })
  await makeBackup(admin)
  const after = await stat(path)
  assert.ok(after.ctimeMs > before.ctimeMs)
  assert.equal(after.mtimeMs, before.mtimeMs)
})

test('unrelated files in the backup folder do not disturb the sweep', async (context) => {
  const product = await testApp(context)
  const { admin, other, second } = await fill(product)
  const old = await makeBackup(admin)
  await other.delete(`/api/media/${second.id}`)
  await makeBackup(admin)
  await admin.delete(`/api/admin/backups/${old.id}`)
  const blobs = join(product.directory, 'backups', 'blobs')
  // One of our names in the wrong folder would break the merge order.
  const strange = [join(blobs, '.DS_Store'), join(blobs, '00', 'notes.txt'), join(blobs, '00', '00', 'f'.repeat(64))]
  for (const path of strange) {
    await mkdir(dirname(path), { recursive: true })
    await writeFile(path, 'not ours')
  }
  assert.equal(await sweepBackups(product.services, -60_000), 1)
  for (const path of strange) assert.equal(await readFile(path, 'utf8'), 'not ours')
  await proveNewestBackup(product.services)
})

test('no file is swept while a backup’s file list is damaged', async (context) => {
  const product = await testApp(context)
  const { admin } = await fill(product)
  const { id } = await makeBackup(admin)
  const { backupFolder } = product.services
  const rows = await text(openPacked(backupFolder.documentPath(id)))
  const lists: Record<string, string> = {
    'in another order': rows.replace(/^({"sha256".*}),\n({"sha256".*})$/m, '$2,\n$1'),
    'without a name': rows.replace('"sha256"', '"sha255"'),
    'of something else': rows.replace(/^{"sha256".*}/m, 'null'),
  }
  for (const [what, changed] of Object.entries(lists)) {
    assert.notEqual(changed, rows, what)
    await packTo(backupFolder.documentPath(id), Readable.from([changed]), backupFolder.throwExplained)
    await assert.rejects(sweepBackups(product.services, -60_000), /^AppError: No files were removed/, what)
    if (what !== 'in another order')
      assert.match(
        (await admin.get(`/api/admin/backups/${id}/download`)).json().message,
        /^This backup is damaged/,
        what,
      )
  }
  await packTo(backupFolder.documentPath(id), Readable.from([rows]), backupFolder.throwExplained)
  await proveNewestBackup(product.services)
})
