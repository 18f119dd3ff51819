import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { get, type IncomingMessage } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { type TestContext, test } from 'node:test'
import { crc32 } from 'node:zlib'
import { listenOnPort } from '#tests/support/live-upload.ts'
import { multipart } from '#tests/support/multipart.ts'
import { makePng } from '#tests/support/pictures.ts'
import { type TestApp, testApp } from '#tests/support/test-app.ts'
import { everything, fill, makeBackup } from '../backups.fixture.ts'
import { blobOf, rotAlone } from '../rot.fixture.ts'

type Sum = { sha256: string; crc32: number | null }

const sumsOf = ({ services }: TestApp): Promise<Sum[]> =>
  services.db.selectFrom('blobs').select(['sha256', 'crc32']).execute()

/** As for files that were backed up by versions without checksums. */
const forgetAll = ({ services }: TestApp) => services.db.updateTable('blobs').set({ crc32: null }).execute()

async function assertAllKnown(product: TestApp) {
  const sums = await sumsOf(product)
  assert.ok(sums.length > 0)
  for (const { sha256, crc32: sum } of sums) {
    assert.equal(sum, crc32(await readFile(product.services.backupFolder.blobPath(sha256))))
  }
}

async function backedUp(context: TestContext) {
  const product = await testApp(context)
  const { admin, first } = await fill(product)
  const { id } = await makeBackup(admin)
  const download = (which: string) =>
    admin.get(`/api/admin/${which === 'listed' ? `backups/${id}` : 'backup'}/download`)
  return { product, admin, blob: await blobOf(product, first.id), download }
}

const ways = ['listed', 'complete']

test('a backup stores the checksums of the files it reads, and a ZIP with them can be restored elsewhere', async (context) => {
  const { product, download } = await backedUp(context)
  await assertAllKnown(product)
  const before = await everything(product)
  const elsewhere = await testApp(context)
  const stranger = await elsewhere.register()
  for (const which of ways) {
    const parts = multipart([{ name: 'b.zip', bytes: (await download(which)).rawPayload }], {}, 'backup')
    const answer = await stranger.send({ method: 'POST', url: '/api/admin/backup/upload', ...parts })
    assert.equal(answer.statusCode, 200, answer.body)
    assert.deepEqual((await everything(elsewhere)).bytes, before.bytes)
  }
  assert.ok(
    (await sumsOf(elsewhere)).every(({ crc32: sum }) => sum === null),
    'a stranger is not believed',
  )
  assert.equal((await stranger.get('/api/admin/backup/download')).statusCode, 200)
  await assertAllKnown(elsewhere)
})

for (const which of ways) {
  test(`a file without a checksum is hashed for a ZIP of a ${which} backup, which stores it`, async (context) => {
    const { product, download } = await backedUp(context)
    await forgetAll(product)
    assert.equal((await download(which)).statusCode, 200)
    await assertAllKnown(product)
  })

  test(`a rotten file is not sent in a ZIP of a ${which} backup, with or without a checksum`, async (context) => {
    const { product, blob, download } = await backedUp(context)
    const { backupFolder } = product.services
    for (const isNoted of [true, false]) {
      if (!isNoted) await forgetAll(product)
      await rotAlone(backupFolder.blobPath(blob))
      assert.match((await download(which)).json().message, /^This backup is damaged: one of its files is damaged\./)
      assert.equal(await backupFolder.isBlobWhole(blob), false, 'it is set aside')
      assert.equal((await download(which)).statusCode, 200)
      assert.equal(await backupFolder.isBlobWhole(blob), true, 'it was brought again')
      await assertAllKnown(product)
    }
  })

  test(`a wrong checksum fails one ZIP of a ${which} backup, and its file stays`, async (context) => {
    const { product, blob, download } = await backedUp(context)
    await product.services.db.updateTable('blobs').set({ crc32: 1 }).where('sha256', '=', blob).execute()
    assert.equal((await download(which)).statusCode, 409)
    assert.equal(await product.services.backupFolder.isBlobWhole(blob), true)
    assert.equal((await download(which)).statusCode, 200)
    await assertAllKnown(product)
  })

  test(`a ZIP of a ${which} backup has a content length`, async (context) => {
    const { download } = await backedUp(context)
    const { headers, rawPayload } = await download(which)
    assert.equal(Number(headers['content-length']), rawPayload.length)
  })
}

test('a download aborted by a rotten file is visibly incomplete', async (context) => {
  const product = await testApp(context)
  const admin = await product.register()
  // The first files are sent before the damaged one is reached.
  for (const name of ['one.png', 'two.png']) await admin.addPicture(name, await makePng({ width: 800, height: 600 }))
  await makeBackup(admin)
  const last = (await sumsOf(product))
    .map(({ sha256 }) => sha256)
    .sort()
    .at(-1)!
  const address = await listenOnPort(product.app)
  const ask = async () => {
    const asked = get(`${address}/api/admin/backup/download`, { headers: { cookie: admin.cookieHeader } })
    const [answer] = (await once(asked, 'response')) as [IncomingMessage]
    return answer
  }
  const whole = await ask()
  assert.equal((await buffer(whole)).length, Number(whole.headers['content-length']))
  await rotAlone(product.services.backupFolder.blobPath(last))
  const torn = await ask()
  assert.equal(torn.statusCode, 200)
  assert.ok(Number(torn.headers['content-length']) > 2_000_000)
  await assert.rejects(buffer(torn), { code: 'ECONNRESET' })
})

test('a backup with damaged rows is reported before any of it is sent', async (context) => {
  const product = await testApp(context)
  const { admin } = await fill(product)
  const { id } = await makeBackup(admin)
  await rotAlone(product.services.backupFolder.documentPath(id))
  const answer = await admin.get(`/api/admin/backups/${id}/download`)
  assert.equal(answer.statusCode, 409)
  assert.match(answer.json().message, /^This backup is damaged: its rows/)
})
