import assert from 'node:assert/strict'
import fs from 'node:fs'
import { rename } from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import { join } from 'node:path'
import { test } from 'node:test'
import { refuseFiles, within } from '#tests/support/refused-files.ts'
import { testApp } from '#tests/support/test-app.ts'
import { fill, makeBackup } from './backups.fixture.ts'
import { proveNewestBackup } from './drill.ts'

const told = /^BACKUP_DIR \(.*\) cannot be read and written \(EACCES\): let the user that Albumen runs as do both there/

test('a backup folder of which a part may not be read is told by whoever needs that part, and stops no start', async (context) => {
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
    const allow = refuseFiles(context, within(join(root, part)))
    const answers = Object.entries(await ask())
    const { health } = (await admin.get('/api/admin/system')).json()
    const { message } = health.find(({ name }: { name: string }) => name === 'Backups')
    await assert.rejects(proveNewestBackup(product.services), { message: told })
    allow()
    assert.match(message, told, part)
    const refused = answers.filter(([, { statusCode }]) => statusCode >= 400)
    for (const [name, { statusCode, json }] of refused) {
      assert.equal(statusCode, 503, `${part}: ${name}`)
      assert.match(json().message, told)
    }
    return refused.map(([name]) => name)
  }
  assert.deepEqual(await refusedIn('snapshots'), ['list', 'preview', 'download', 'create'])
  assert.deepEqual(await refusedIn('blobs'), ['download', 'prepare', 'downloadAll', 'create'])
  assert.deepEqual(await refusedIn('tmp'), ['prepare', 'downloadAll', 'create'])
  assert.equal((await refusedIn('')).length, 6)

  const allow = refuseFiles(context, (path, call) => ['rename', 'rm'].includes(call) && path.startsWith(root))
  const { message } = (await admin.post('/api/admin/backups/create')).json()
  assert.match(message, told, 'also when its draft cannot be taken away')
  allow()

  refuseFiles(context, within(join(root, 'snapshots')))
  await product.restart()
  assert.equal((await admin.get('/api/media')).statusCode, 200)
})

test('a disk that is mounted while its backups are looked for is not taken for an empty one', async (context) => {
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
