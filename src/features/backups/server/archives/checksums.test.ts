import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { type TestContext, test } from 'node:test'
import { crc32 } from 'node:zlib'
import { multipart } from '#tests/support/multipart.ts'
import { type TestApp, testApp } from '#tests/support/test-app.ts'
import { everything, fill, makeBackup } from '../backups.fixture.ts'
import { blobOf, rotAlone } from '../rot.fixture.ts'

type Sum = { sha256: string; crc32: number | null }

const sumsOf = ({ services }: TestApp): Promise<Sum[]> =>
  services.db.selectFrom('blobs').select(['sha256', 'crc32']).execute()

/** As of files that were backed up before sums were noted. */
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

test('a backup notes the sums of the files that it reads, and a ZIP with them restores the library elsewhere', async (context) => {
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
  test(`a file whose sum nobody noted is hashed for a ZIP of a ${which} backup, which notes it`, async (context) => {
    const { product, download } = await backedUp(context)
    await forgetAll(product)
    assert.equal((await download(which)).statusCode, 200)
    await assertAllKnown(product)
  })

  test(`a file that has rotted is not sent in a ZIP of a ${which} backup, whether its sum was noted or not`, async (context) => {
    const { product, blob, download } = await backedUp(context)
    const { backupFolder } = product.services
    for (const isNoted of [true, false]) {
      if (!isNoted) await forgetAll(product)
      await rotAlone(backupFolder.blobPath(blob))
      assert.match((await download(which)).json().message, /^This backup is damaged: one of its files has rotted\./)
      assert.equal(await backupFolder.isBlobWhole(blob), false, 'it is set aside')
      assert.equal((await download(which)).statusCode, 200)
      assert.equal(await backupFolder.isBlobWhole(blob), true, 'it was brought again')
      await assertAllKnown(product)
    }
  })

  test(`a sum that was noted wrong keeps a ZIP of a ${which} backup from being made once, and costs no file`, async (context) => {
    const { product, blob, download } = await backedUp(context)
    await product.services.db.updateTable('blobs').set({ crc32: 1 }).where('sha256', '=', blob).execute()
    assert.equal((await download(which)).statusCode, 409)
    assert.equal(await product.services.backupFolder.isBlobWhole(blob), true)
    assert.equal((await download(which)).statusCode, 200)
    await assertAllKnown(product)
  })
}
