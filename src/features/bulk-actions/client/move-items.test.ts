import assert from 'node:assert/strict'
import { test } from 'node:test'
import { moveItems } from './move-items.ts'

test('moved items keep the order in which they were selected, even if responses arrive out of order', async (context) => {
  const arrived: string[] = []
  const overtaken = Promise.withResolvers<void>()
  context.mock.method(globalThis, 'fetch', async (path: string, { body }: RequestInit) => {
    if (path === '/api/collections/7/media/1') await overtaken.promise
    arrived.push(body ? `${path} ${body}` : path)
    if (path === '/api/collections/7/media/4') overtaken.resolve()
    const isThere = path === '/api/collections/7/media/3'
    if (path === '/api/collections/7/media/5') return Response.json({ message: 'Media not found' }, { status: 404 })
    return Response.json(isThere ? { message: 'Already there', isDuplicate: true } : {}, {
      status: isThere ? 409 : 200,
    })
  })
  const outcome = await moveItems(7, [1, 2, 3, 4, 5], { onProgress: () => {} })
  assert.deepEqual(outcome, { added: [1, 2, 4], duplicates: 1, failed: [5], reason: 'Media not found', left: [] })
  assert.equal(arrived.at(-2), '/api/collections/7/media/1')
  assert.equal(arrived.at(-1), '/api/collections/7/order {"mediaIds":[1,2,4],"beforeId":null}')
})

test('moving a thousand items updates the progress at most 200 times, and stopping finishes only the moves in progress', async (context) => {
  const stopping = new AbortController()
  const asked: string[] = []
  context.mock.method(globalThis, 'fetch', async (path: string) => {
    asked.push(path)
    if (path === '/api/collections/7/media/600') stopping.abort()
    return Response.json({})
  })
  const steps: number[] = []
  const ids = Array.from({ length: 1000 }, (_, index) => index + 1)
  const { added, left } = await moveItems(7, ids, {
    onProgress: (done) => steps.push(done),
    stopping: stopping.signal,
  })
  assert.ok(added.length >= 600 && added.length < 620, `${added.length} added`)
  assert.deepEqual([...added, ...left], ids)
  assert.equal(asked.length, added.length + 1, 'one request per item and one for the order')
  assert.ok(steps.length > 100 && steps.length <= 200, `${steps.length} steps`)
})
