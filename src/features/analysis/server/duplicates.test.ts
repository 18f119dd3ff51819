import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testApp } from '#tests/support/test-app.ts'
import type { TestUser } from '#tests/support/test-user.ts'

type Page = { groups: { id: number; filename: string }[][]; total: number; next: number | null }

const pageOf = async (user: TestUser, query = ''): Promise<Page> => {
  const answer = await user.get(`/api/media/duplicates${query}`)
  assert.equal(answer.statusCode, 200, answer.body)
  return answer.json()
}

test('groups come in pages, the newest first, and none twice or left out when some are tidied up meanwhile', async (context) => {
  const product = await testApp(context)
  const ann = await product.register()
  const { db } = product.services
  const originals: number[] = []
  for (let index = 0; index < 5; index++) {
    const { id } = await ann.addPicture(`original ${index}.jpg`)
    // Pictures of tests resemble each other; here only copies should.
    await db.updateTable('media').set({ perceptual_hash: null }).where('id', '=', id).execute()
    originals.push(id)
  }
  for (const id of originals) await ann.post(`/api/media/${id}/copy`)
  await db.updateTable('media').set({ perceptual_hash: null }).execute()

  const first = await pageOf(ann, '?limit=2')
  assert.equal(first.total, 5)
  assert.deepEqual(
    first.groups.map((group) => group.map(({ filename }) => filename)),
    [
      ['Copy of original 4.jpg', 'original 4.jpg'],
      ['Copy of original 3.jpg', 'original 3.jpg'],
    ],
  )
  await ann.post('/api/media/bulk-trash', { mediaIds: [originals[4], originals[2]] })
  const second = await pageOf(ann, `?limit=2&before=${first.next}`)
  assert.deepEqual(
    second.groups.map((group) => group[1]!.filename),
    ['original 1.jpg', 'original 0.jpg'],
  )
  assert.deepEqual([second.total, second.next], [3, null])
  await ann.post('/api/media/bulk-restore', { mediaIds: [originals[2]] })
  assert.equal((await pageOf(ann)).total, 4)
})

test('what is uploaded or deleted is there or gone at once; others have their own', async (context) => {
  const product = await testApp(context)
  const [ann, bob] = [await product.register(), await product.register()]
  assert.deepEqual(await pageOf(ann), { groups: [], total: 0, next: null })
  const { id } = await ann.addPicture('cat.jpg')
  const copy = (await ann.post(`/api/media/${id}/copy`)).json()
  assert.equal((await pageOf(ann)).groups.length, 1)
  assert.equal((await pageOf(bob)).groups.length, 0)
  await ann.delete(`/api/media/${copy.id}`)
  assert.equal((await pageOf(ann)).groups.length, 0)
  assert.equal((await ann.get('/api/media/duplicates?limit=0')).statusCode, 400)
  assert.equal((await ann.get('/api/media/duplicates?before=x')).statusCode, 400)
})

test('pictures whose hashes differ in a few bits belong together; flat ones and distant ones do not', async (context) => {
  const product = await testApp(context)
  const ann = await product.register()
  const hashes = {
    'a.jpg': '0f0f3c3c5a5a9669',
    'a again.jpg': '0f0f3c3c5a5a9669',
    'a saved anew.jpg': '0f0f3c3c5a5a966e',
    'b.jpg': 'f0f0c3c3a5a56996',
    'flat.jpg': '0000000000000000',
    'flat too.jpg': '0000000000000000',
  }
  for (const [name, hash] of Object.entries(hashes)) {
    const { id } = await ann.addPicture(name)
    await product.services.db.updateTable('media').set({ perceptual_hash: hash }).where('id', '=', id).execute()
  }
  const { groups } = await pageOf(ann)
  assert.deepEqual(
    groups.map((group) => group.map(({ filename }) => filename)),
    [['a saved anew.jpg', 'a again.jpg', 'a.jpg']],
  )
})
