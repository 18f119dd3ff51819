import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { fold, sortKey } from '#shared/fold.ts'
import { type Draft, seedLibrary } from '#tests/support/seed-library.ts'
import { testApp } from '#tests/support/test-app.ts'
import type { TestUser } from '#tests/support/test-user.ts'
import { type Media, MediaQuery, type Pagination } from '../../contract.ts'
import { listMedia } from './listing.ts'
import { createPageCursors } from './page-cursors.ts'

const count = 1200
const words = ['Beach', 'apple', 'Ähre', 'zebra', '_draft', 'IMG', '海', '10', '9', 'éclair', '(copy)', 'a-b', 'a b']
const mimeTypes = ['image/jpeg', 'image/png', 'video/mp4', 'image/webp', 'video/quicktime', 'image/gif']

/** Many items with repeated names, sizes, types and times, so that every order has ties. */
function drafts(): Draft[] {
  return Array.from({ length: count }, (_, index) => {
    const filename = `${words[(index * 7) % words.length]} ${(index * 31) % 97}.jpg`
    const mime_type = mimeTypes[(index * 5) % mimeTypes.length]!
    return {
      filename,
      mime_type,
      type: mime_type.startsWith('video') ? ('video' as const) : ('image' as const),
      size: 1000 + ((index * 13) % 50),
      is_favorite: index % 9 === 0 ? (1 as const) : (0 as const),
      is_trashed: index % 11 === 0 ? (1 as const) : (0 as const),
      trashed_at: index % 11 === 0 ? Date.now() : null,
      created_at: 1_700_000_000_000 + Math.floor(index / 4) * 1000,
      // Two of three in other months than they were added, in another order.
      taken_at: index % 3 === 0 ? null : `20${10 + ((index * 7) % 9)}-0${1 + (index % 9)}-17T10:00:00`,
    }
  })
}

async function withLibrary(context: TestContext) {
  const product = await testApp(context)
  const [ann, bob] = [await product.register(), await product.register()]
  const items = drafts()
  const ids = await seedLibrary(product.services, ann.id, items)
  await seedLibrary(product.services, bob.id, [{ filename: 'of bob.jpg' }])
  const rows = items.map((item, index) => ({ ...item, id: ids[index]! }) as Row)
  return { ...product, ann, bob, rows }
}

type Row = Required<
  Pick<Draft, 'filename' | 'mime_type' | 'type' | 'size' | 'is_favorite' | 'is_trashed' | 'created_at' | 'taken_at'>
> & {
  id: number
}

async function list(user: TestUser, query: string) {
  const answer = await user.get(`/api/media?${query}`)
  assert.equal(answer.statusCode, 200, `${query}: ${answer.body}`)
  return answer.json() as { media: Media[]; pagination: Pagination }
}

/** Reads all pages of a list. */
async function listAll(user: TestUser, query: string, limit: number) {
  const ids: number[] = []
  for (let page = 1; ; page++) {
    const { media, pagination } = await list(user, `${query}&page=${page}&limit=${limit}`)
    ids.push(...media.map(({ id }) => id))
    if (!pagination.hasNextPage) return { ids, pages: page, totalCount: pagination.totalCount }
  }
}

type Compare = (a: Row, b: Row) => number
const byText = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)
const datedAt = ({ taken_at, created_at }: Row) => taken_at ?? new Date(created_at).toISOString().replace('.000', '')
const plainSorts: Record<string, Compare> = {
  recent: (a, b) => b.created_at - a.created_at || b.id - a.id,
  taken: (a, b) => byText(datedAt(b), datedAt(a)) || b.id - a.id,
  name: (a, b) => byText(sortKey(a.filename), sortKey(b.filename)) || a.id - b.id,
  size: (a, b) => b.size - a.size || b.id - a.id,
  type: (a, b) => byText(a.mime_type, b.mime_type) || b.created_at - a.created_at || b.id - a.id,
}

test('every order equals a plain sort of the whole library, on every page and from both ends', async (context) => {
  const { ann, rows } = await withLibrary(context)
  const visible = rows.filter(({ is_trashed }) => is_trashed === 0)
  for (const [sort, compare] of Object.entries({ ...plainSorts, manual: plainSorts.recent! })) {
    const expected = visible.toSorted(compare).map(({ id }) => id)
    const { ids, totalCount } = await listAll(ann, `sort=${sort}`, 150)
    assert.equal(totalCount, expected.length)
    assert.deepEqual(ids, expected, sort)
  }
})

test('every order can be turned around, and an unknown direction is refused', async (context) => {
  const { ann, rows } = await withLibrary(context)
  const visible = rows.filter(({ is_trashed }) => is_trashed === 0)
  for (const [sort, compare] of Object.entries(plainSorts)) {
    const usual = sort === 'name' || sort === 'type' ? 'asc' : 'desc'
    const expected = visible.toSorted(compare).map(({ id }) => id)
    assert.deepEqual((await listAll(ann, `sort=${sort}&direction=${usual}`, 200)).ids, expected, sort)
    const turned = await listAll(ann, `sort=${sort}&direction=${usual === 'asc' ? 'desc' : 'asc'}`, 150)
    assert.deepEqual(turned.ids, expected.toReversed(), `${sort}, turned around`)
  }
  assert.equal((await ann.get('/api/media?direction=up')).json().field, 'direction')
})

test('the months of a list say how many items they have, and on which page they begin', async (context) => {
  const { ann, bob, rows } = await withLibrary(context)
  const ways = [
    { by: 'taken', sort: 'taken', monthOf: (row: Row) => datedAt(row).slice(0, 7) },
    { by: 'added', sort: 'recent', monthOf: (row: Row) => new Date(row.created_at).toISOString().slice(0, 7) },
  ]
  const filters: Record<string, (row: Row) => boolean> = {
    '': (row) => row.is_trashed === 0,
    'type=video': (row) => row.is_trashed === 0 && row.type === 'video',
    'favorite=true': (row) => row.is_trashed === 0 && row.is_favorite === 1,
    'trashed=true': (row) => row.is_trashed === 1,
    'favorite=true&type=image': (row) => row.is_trashed === 0 && row.is_favorite === 1 && row.type === 'image',
    'search=type:video': (row) => row.is_trashed === 0 && row.type === 'video',
  }
  for (const { by, sort, monthOf } of ways) {
    for (const direction of ['desc', 'asc'] as const) {
      for (const [filter, keep] of Object.entries(filters)) {
        const listed = rows.filter(keep).toSorted(plainSorts[sort])
        if (direction === 'asc') listed.reverse()
        const expected = [...Map.groupBy(listed, monthOf)].map(([month, items]) => ({
          month,
          count: items.length,
          offset: listed.indexOf(items[0]!),
        }))
        const answer = await ann.get(`/api/media/months?by=${by}&direction=${direction}&${filter}`)
        assert.deepEqual(answer.json(), expected, `${by} ${direction} ${filter}`)
      }
    }
  }
  const { id } = (await ann.post('/api/collections', { name: 'Of Ann' })).json()
  assert.equal((await bob.get(`/api/media/months?collectionId=${id}`)).statusCode, 404)
  assert.equal((await bob.get('/api/media/months?by=seen')).json().field, 'by')
})

test('pages near a remembered cursor are correct, also after an item was removed', async (context) => {
  const { ann, rows } = await withLibrary(context)
  let visible = rows.filter(({ is_trashed }) => is_trashed === 0)
  const limit = 20
  const checkPages = async (pages: number[]) => {
    for (const [sort, compare] of Object.entries(plainSorts)) {
      const expected = visible.toSorted(compare).map(({ id }) => id)
      for (const page of pages) {
        const { media } = await list(ann, `sort=${sort}&page=${page}&limit=${limit}`)
        const ids = media.map(({ id }) => id)
        assert.deepEqual(ids, expected.slice((page - 1) * limit, page * limit), `${sort}, page ${page}`)
      }
    }
  }
  await checkPages([27, 25, 26, 27, 28, 31, 15, 14, 40, 39, 41])
  const gone = visible.filter((_, index) => index % 100 === 3)
  for (const { id } of gone) assert.equal((await ann.delete(`/api/media/${id}`)).statusCode, 200)
  visible = visible.filter((row) => !gone.includes(row))
  await checkPages([26, 27, 28, 39, 15])
})

test('filters apply to every order, and their counts are exact', async (context) => {
  const { ann, rows } = await withLibrary(context)
  const filters: Record<string, (row: Row) => boolean> = {
    'type=image': (row) => row.is_trashed === 0 && row.type === 'image',
    'type=video': (row) => row.is_trashed === 0 && row.type === 'video',
    'favorite=true': (row) => row.is_trashed === 0 && row.is_favorite === 1,
    'favorite=true&type=video': (row) => row.is_trashed === 0 && row.is_favorite === 1 && row.type === 'video',
    'trashed=true': (row) => row.is_trashed === 1,
    'trashed=true&type=image': (row) => row.is_trashed === 1 && row.type === 'image',
    'trashed=1&favorite=1': (row) => row.is_trashed === 1 && row.is_favorite === 1,
    'favorite=false&trashed=0': (row) => row.is_trashed === 0,
  }
  for (const [query, keep] of Object.entries(filters)) {
    for (const sort of ['recent', 'name'] as const) {
      const expected = rows
        .filter(keep)
        .toSorted(plainSorts[sort])
        .map(({ id }) => id)
      const { ids, totalCount } = await listAll(ann, `${query}&sort=${sort}`, 200)
      assert.equal(totalCount, expected.length, query)
      assert.deepEqual(ids, expected, `${query} by ${sort}`)
    }
  }
})

test('a collection lists its members in every order, without those in the trash', async (context) => {
  const { ann, bob, rows, services } = await withLibrary(context)
  const { id } = (await ann.post('/api/collections', { name: 'Chosen' })).json()
  const members = rows.filter((_, index) => index % 3 === 0)
  // A permutation that is neither the order of addition nor its reverse, as 401 and 400 are coprime.
  const place = (index: number) => (index * 401 + 7) % 400
  for (let start = 0; start < members.length; start += 100) {
    const part = members.slice(start, start + 100)
    const values = part.map((row, position) => ({
      collection_id: id,
      media_id: row.id,
      media_created_at: row.created_at,
      position: place(start + position),
      added_at: 0,
    }))
    await services.db.insertInto('collection_media').values(values).execute()
  }
  const visible = members.filter(({ is_trashed }) => is_trashed === 0)
  for (const [sort, compare] of Object.entries(plainSorts)) {
    const { ids, totalCount } = await listAll(ann, `collectionId=${id}&sort=${sort}`, 60)
    assert.deepEqual(
      ids,
      visible.toSorted(compare).map((row) => row.id),
      sort,
    )
    assert.equal(totalCount, visible.length)
  }
  const byHand = new Map(members.map((row, index) => [row.id, place(index)]))
  const arranged = await listAll(ann, `collectionId=${id}&sort=manual`, 60)
  assert.deepEqual(
    arranged.ids,
    visible.toSorted((a, b) => byHand.get(a.id)! - byHand.get(b.id)!).map((row) => row.id),
  )
  const newestFirst = visible.toSorted(plainSorts.recent).map((row) => row.id)
  assert.deepEqual((await listAll(ann, `collectionId=${id}`, 200)).ids, newestFirst, 'newest first is the default')
  const found = await list(ann, `collectionId=${id}&search=beach&sort=manual`)
  const best = await list(ann, `collectionId=${id}&search=beach`)
  assert.deepEqual(found.media, best.media, 'search results have no manual order')
  const videos = visible.filter(({ type }) => type === 'video')
  const filtered = await listAll(ann, `collectionId=${id}&type=video`, 200)
  assert.deepEqual([filtered.totalCount, filtered.ids.length], [videos.length, videos.length])
  for (const query of [`collectionId=${id}`, `collectionId=${id}&search=beach`, 'collectionId=999999']) {
    assert.equal((await bob.get(`/api/media?${query}`)).statusCode, 404, query)
  }
})

test('a page reports its position, and one beyond the end is empty', async (context) => {
  const { ann, bob, rows } = await withLibrary(context)
  const total = rows.filter(({ is_trashed }) => is_trashed === 0).length
  const first = await list(ann, '')
  assert.equal(first.media.length, 50)
  assert.deepEqual(first.pagination, {
    currentPage: 1,
    totalPages: Math.ceil(total / 50),
    totalCount: total,
    isTotalCapped: false,
    hasPrevPage: false,
    hasNextPage: true,
  })
  assert.deepEqual(await list(ann, 'limit=&page=&sort='), first, 'empty parameters count as absent')
  const last = await list(ann, `page=${first.pagination.totalPages}`)
  assert.equal(last.media.length, total % 50)
  assert.deepEqual([last.pagination.hasPrevPage, last.pagination.hasNextPage], [true, false])
  const beyond = await list(ann, 'page=1000')
  assert.deepEqual([beyond.media.length, beyond.pagination.totalCount], [0, total])
  assert.deepEqual(
    (await list(bob, 'limit=1')).media.map(({ filename }) => filename),
    ['of bob.jpg'],
  )
})

test('an empty library has one empty page', async (context) => {
  const { register } = await testApp(context)
  const { media, pagination } = await list(await register(), '')
  assert.deepEqual([media, pagination.totalPages, pagination.totalCount, pagination.hasNextPage], [[], 1, 0, false])
})

test('invalid list parameters are refused by name', async (context) => {
  const { register } = await testApp(context)
  const ann = await register()
  const wrong: [query: string, field: string][] = [
    ['page=0', 'page'],
    ['page=-1', 'page'],
    ['page=1.5', 'page'],
    ['page=x', 'page'],
    ['limit=0', 'limit'],
    ['limit=201', 'limit'],
    ['sort=colour', 'sort'],
    ['sort=name;drop table media', 'sort'],
    ['type=audio', 'type'],
    ['favorite=perhaps', 'favorite'],
    ['collectionId=0', 'collectionId'],
    ['collectionId=abc', 'collectionId'],
    [`search=${'x'.repeat(201)}`, 'search'],
  ]
  for (const [query, field] of wrong) {
    const answer = await ann.get(`/api/media?${query}`)
    assert.equal(answer.statusCode, 400, query)
    assert.equal(answer.json().field, field, query)
  }
  assert.equal((await ann.get('/api/media?search=a%00b')).statusCode, 400)
})

test('names sort without regard to case and accents, and numbers by value', async (context) => {
  const { services, register } = await testApp(context)
  const ann = await register()
  const names = ['b.jpg', 'Á 10.jpg', 'a 9.jpg', 'A 1.jpg', 'ä 2.jpg', 'C.jpg']
  await seedLibrary(
    services,
    ann.id,
    names.map((filename) => ({ filename })),
  )
  const sorted = (await list(ann, 'sort=name')).media.map(({ filename }) => filename)
  assert.deepEqual(sorted, ['A 1.jpg', 'ä 2.jpg', 'a 9.jpg', 'Á 10.jpg', 'b.jpg', 'C.jpg'])
  assert.ok(fold(sorted[0]!) < fold(sorted[4]!))
})

test('a search that runs while the library is replaced returns no items of another user', async (context) => {
  const { services, register } = await testApp(context)
  const [ann, bob] = [await register(), await register()]
  await ann.addPicture('harbour.jpg')
  // Called between finding the matches and reading their rows, which may take long if a model has to be loaded.
  const findNear = async () => {
    await services.db.updateTable('media').set({ owner_id: bob.id }).execute()
    return []
  }
  const connections = { ...services, findNear, cursors: createPageCursors(() => undefined) }
  const { media } = await listMedia(connections, ann.id, MediaQuery.parse({ search: 'harbour' }), '')
  assert.deepEqual(media, [])
})
