import assert from 'node:assert/strict'
import { test } from 'node:test'
import { moveItems } from './move-items.ts'

test('items stand in the order in which they were chosen, though their calls overtake each other', async (context) => {
  const arrived: string[] = []
  const overtaken = Promise.withResolvers<void>()
  context.mock.method(globalThis, 'fetch', async (path: string, { body }: RequestInit) => {
    if (path === '/api/collections/7/media/1') await overtaken.promise
    arrived.push(body ? `${path} ${body}` : path)
    if (path === '/api/collections/7/media/4') overtaken.resolve()
    const isThere = path === '/api/collections/7/media/3'
    return Response.json(isThere ? { message: 'Already there', isDuplicate: true } : {}, {
      status: isThere ? 409 : 200,
    })
  })
  const outcome = await moveItems(7, [1, 2, 3, 4], () => {})
  assert.deepEqual(outcome, { added: [1, 2, 4], duplicates: 1, failed: [] })
  assert.equal(arrived.at(-2), '/api/collections/7/media/1')
  assert.equal(arrived.at(-1), '/api/collections/7/order {"mediaIds":[1,2,4],"beforeId":null}')
})
