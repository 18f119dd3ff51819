import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Media } from '#features/media/contract.ts'
import { picture } from '#tests/support/pictures.ts'
import { testApp } from '#tests/support/test-app.ts'
import type { TestUser } from '#tests/support/test-user.ts'

const namesOf = async (person: TestUser) =>
  ((await person.get('/api/media?sort=name')).json().media as Media[]).map(({ filename }) => filename)

async function withPicture(person: TestUser) {
  const { id } = await person.addPicture('one.jpg', await picture(300, 200).jpeg({ quality: 95 }).toBuffer())
  const collection = (await person.post('/api/collections', { name: 'Sea' })).json()
  await person.post(`/api/collections/${collection.id}/media/${id}`)
  return { id, collectionId: collection.id as number }
}

/** Requests that would do more when repeated, and the library's names after each was done once. */
const repeatedRequests: [
  what: string,
  requestOf: (ids: Awaited<ReturnType<typeof withPicture>>) => [string, object],
  after: string[],
][] = [
  ['a bulk rename', ({ id }) => ['/api/media/bulk-rename', { mediaIds: [id], prefix: 'a-' }], ['a-one.jpg']],
  ['a bulk copy', ({ id }) => ['/api/media/bulk-copy', { mediaIds: [id] }], ['Copy of one.jpg', 'one.jpg']],
  ['a copy', ({ id }) => [`/api/media/${id}/copy`, {}], ['Copy of one.jpg', 'one.jpg']],
  ['a conversion', ({ id }) => [`/api/media/${id}/convert-webp`, { quality: 60 }], ['one.jpg', 'one.webp']],
  [
    'a duplicate',
    ({ collectionId }) => [`/api/collections/${collectionId}/duplicate`, { name: 'Lake' }],
    ['one.jpg', 'one.jpg'],
  ],
]

for (const [what, requestOf, after] of repeatedRequests) {
  test(`${what} that is requested again after a lost response is done once`, async (context) => {
    const { register } = await testApp(context)
    const [ann, bob] = [await register(), await register()]
    const [address, body] = requestOf(await withPicture(ann))
    const press = (more: object = {}) => ann.post(address, { ...body, runId: 'mine', ...more })
    const [first, second] = await Promise.all([press(), press()])
    assert.ok(first.statusCode < 300, first.body)
    assert.equal(second.body, first.body)
    assert.equal((await press()).body, first.body)
    assert.deepEqual(await namesOf(ann), after)

    // Another run id is another request, and run ids of different users are independent.
    assert.ok((await press({ runId: 'next' })).statusCode < 300)
    assert.notDeepEqual(await namesOf(ann), after)
    const [same, own] = requestOf(await withPicture(bob))
    assert.notEqual((await bob.post(address, { ...body, runId: 'mine' })).body, first.body)
    assert.ok((await bob.post(same, { ...own, runId: 'mine' })).statusCode < 300)
    assert.deepEqual(await namesOf(bob), after)
  })
}

test('a new collection that is requested again after a lost response is created once', async (context) => {
  const { register } = await testApp(context)
  const ann = await register()
  const create = (name: string) => ann.post('/api/collections', { name, runId: 'mine' })
  const answers = [...(await Promise.all([create('Sea'), create('Sea')])), await create('Sea')]
  assert.deepEqual(
    answers.map((answer) => [answer.statusCode, answer.json().id]),
    Array(3).fill([201, answers[0]!.json().id]),
  )
  assert.equal((await create('Lake')).statusCode, 201, 'another name is another request')
  assert.equal((await ann.get('/api/collections')).json().length, 2)
})
