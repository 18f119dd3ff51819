import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { CollectionRow } from '#features/collections/server/store.ts'
import { createPageCache, maxPageCacheBytes, packFor } from './page-cache.ts'

const collection = { id: 1, owner_id: 1 } as CollectionRow
const megabyte = 1024 * 1024

test('the page cache is limited by bytes and by age', async (context) => {
  let now = 1
  context.mock.timers.enable({ apis: ['setTimeout'] })
  context.mock.method(performance, 'now', () => now)
  const pages = createPageCache({ watch: () => {} })
  let drawn = 0
  const visit = (page: number) =>
    pages.draw(`page ${page}`, collection, async () => {
      drawn++
      return { bytes: Buffer.alloc(megabyte) }
    })
  for (let page = 0; page < 40; page++) await visit(page)
  assert.equal(drawn, 40)
  assert.ok(pages.keptBytes() >= 5 * megabyte)
  assert.ok(pages.keptBytes() <= maxPageCacheBytes)
  await visit(39)
  assert.equal(drawn, 40, 'the last one is still there')
  await visit(0)
  assert.equal(drawn, 41, 'the first one had to make room')
  now += 2100
  context.mock.timers.tick(2100)
  assert.equal(pages.keptBytes(), 0, 'after two seconds nothing is left')
})

test('a page is compressed once for concurrent requests, which share its bytes', async () => {
  const pages = createPageCache({ watch: () => {} })
  const draw = async () => ({ bytes: Buffer.alloc(megabyte) })
  const request = { headers: { 'accept-encoding': 'gzip, br' } } as FastifyRequest
  const reply = { header: () => reply } as unknown as FastifyReply
  const visit = async () => packFor(request, reply, await pages.draw('page', collection, draw))
  const [one, other] = await Promise.all([visit(), visit()])
  assert.ok(one!.length < megabyte)
  assert.equal(one, other)
})

test('a page is rendered again after an error, for a changed row, and after an event for its owner or for all', async () => {
  const watchers: ((ownerId: number | null) => void)[] = []
  const pages = createPageCache({ watch: (watcher) => void watchers.push(watcher) })
  const tell = (ownerId: number | null) => watchers.forEach((watcher) => void watcher(ownerId))
  const summer = { ...collection, name: 'Summer', view_count: 0 }
  let drawn = 0
  const seen = async (row = summer) => {
    const draw = async () => ({ bytes: Buffer.from(String(++drawn)) })
    return Number((await pages.draw('page', row, draw)).bytes)
  }
  await assert.rejects(pages.draw('page', summer, () => Promise.reject(new Error('The disk is full'))))
  assert.equal(await seen(), 1)
  assert.equal(await seen({ ...summer, view_count: 7 }), 1, 'the page does not show the view count')
  const winter = { ...summer, name: 'Winter' }
  assert.equal(await seen(winter), 2)
  tell(2)
  assert.equal(await seen(winter), 2, 'an event for another owner changes nothing')
  tell(1)
  assert.equal(await seen(winter), 3)
  tell(null)
  assert.equal(await seen(winter), 4)
})
