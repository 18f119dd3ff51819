import assert from 'node:assert/strict'
import { test } from 'node:test'
import { maxItemsAtOnce } from '#features/media/limits.ts'
import { insertManyMedia } from '#tests/support/seed-library.ts'
import { testApp } from '#tests/support/test-app.ts'
import { until } from '#tests/support/until.ts'

/** Several batches of every kind, the last with a single item. More batches would only take longer. */
const count = 2001

test(`${count} items are renamed, tagged, found, undone and moved to the trash, with progress on the way`, async (context) => {
  const { register, services } = await testApp(context)
  const ann = await register()
  const ids = await insertManyMedia(services.db, ann.id, count)
  const renamedTo = `Trip-${'42'.padStart(String(count).length, '0')}.jpg`
  const progress: unknown[] = []
  services.events.subscribe(ann.id, undefined, (_id, event) => event.type === 'run' && progress.push(event.done))

  const renamed = await ann.post('/api/media/bulk-rename', { mediaIds: ids, baseName: 'Trip', runId: 'run1' })
  assert.deepEqual(renamed.json().summary, { successful: count, failed: 0 })
  await until('the last progress event', () => progress.includes(count))
  assert.ok(progress.length > count / 1000, `${progress.length} progress events`)
  assert.equal((await ann.get(`/api/media/${ids[41]}`)).json().filename, renamedTo)
  assert.equal((await ann.get(`/api/media?search=${renamedTo.toLowerCase()}`)).json().pagination.totalCount, 1)

  progress.length = 0
  await ann.post('/api/media/bulk-public', { mediaIds: ids.slice(0, 120), runId: 'run2' })
  await until('the last progress event', () => progress.includes(120))
  assert.deepEqual(progress, [50, 100, 120], 'progress events are throttled')

  const asManyAsAllowed = [...ids, ...Array.from({ length: maxItemsAtOnce - count }, (_, index) => 1_000_000 + index)]
  const tagged = (await ann.post('/api/media/bulk-add-tags', { mediaIds: asManyAsAllowed, tags: ['harbour'] })).json()
  assert.deepEqual(tagged.summary, { successful: count, failed: maxItemsAtOnce - count, addedTags: count })
  const found = (await ann.get('/api/media?search=harbour&limit=10')).json()
  assert.equal(found.pagination.totalCount, count)
  const everything = (await ann.post('/api/media/matching-ids', { search: 'harbour' })).json().ids
  assert.equal(everything.length, count, 'all matches, not only the page')
  const recent = (await ann.get('/api/media/recent-uploads')).json().media
  assert.equal(recent.length, count, 'an upload session may be as large as a bulk call')

  const undone = (await ann.post(`/api/history/${tagged.changeId}/undo`)).json()
  assert.deepEqual([undone.undone, undone.kept], [count, 0])
  assert.equal((await ann.get('/api/media?search=harbour')).json().pagination.totalCount, 0)
  assert.equal((await ann.post(`/api/history/${renamed.json().changeId}/undo`)).json().undone, count)
  assert.equal((await ann.get(`/api/media/${ids[41]}`)).json().filename, 'photo 42.jpg')

  const trashed = (await ann.post('/api/media/bulk-trash', { mediaIds: asManyAsAllowed })).json()
  assert.deepEqual(trashed.summary, { successful: count, failed: maxItemsAtOnce - count })
  assert.equal((await ann.get('/api/media?trashed=true')).json().pagination.totalCount, count)
})
