import assert from 'node:assert/strict'
import { test } from 'node:test'
import { maxItemsAtOnce } from '#features/media/limits.ts'
import { keepOrder } from './keep-order.ts'

test('more items than one request may arrange are put in order in batches', async (context) => {
  const asked: unknown[] = []
  context.mock.method(globalThis, 'fetch', async (path: string, { body }: { body: string }) => {
    asked.push([path, JSON.parse(body)])
    return Response.json({ mediaIds: [] })
  })
  const ids = Array.from({ length: maxItemsAtOnce + 2 }, (_, index) => index + 1)
  await keepOrder(7, ids)
  await keepOrder(8, [1])
  const parts = [ids.slice(0, -2), ids.slice(-2)]
  assert.deepEqual(
    asked,
    parts.map((mediaIds) => ['/api/collections/7/order', { mediaIds, beforeId: null }]),
  )
})

test('a failed reorder after adding items is not reported as a failure', async (context) => {
  context.mock.method(globalThis, 'fetch', async () => Response.error())
  await keepOrder(7, [1, 2])
})
