import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Draft } from '#tests/support/seed-library.ts'
import type { TestUser } from '#tests/support/test-user.ts'
import { found, search, withItems } from './search.fixture.ts'
import { indexMedia } from './search-documents.ts'

const day = (text: string) => Date.parse(`${text}T12:00:00Z`)
const taken = (text: string, camera?: string, place?: string) => ({
  taken_at: `${text}T10:00:00`,
  exif: JSON.stringify({ takenAt: `${text}T10:00:00`, camera, place }),
})
const mb = 1024 ** 2
const video = { type: 'video' as const, mime_type: 'video/mp4' }
const landscape = { width: 4000, height: 3000 }
const portrait = { width: 1080, height: 1920 }

/** One library for all queries; the name of an item says what it is in the tables below. */
const items: Record<string, Draft> = {
  flower: { filename: 'flower.jpg', colours: '["#d01818"]', ...landscape, ...taken('2024-05-17', 'Canon EOS R5') },
  blumen: { filename: 'Blumen im Garten.jpg', tags: ['garten'], ...taken('2023-06-01', 'Canon EOS 6D') },
  cat: { filename: 'IMG_0001.jpg', tags: ['cat', 'sofa'], user_description: 'Our cat asleep', ...portrait },
  cats: { filename: 'IMG_0002.jpg', tags: ['cats'], ai_description: 'Two kittens', is_favorite: 1 },
  catalogue: { filename: 'Garden catalogue.jpg', tags: ['print'], size: 3 * mb },
  vacation: { filename: 'vacation.jpg', ...taken('2025-07-02', 'NIKON Z 6', 'Lisbon, Portugal') },
  beach: { filename: 'old_beach.jpg', tags: ['beach'], ...taken('2025-07-03', 'NIKON Z 6', 'Porto, Portugal') },
  beachDraft: { filename: 'Strand.jpg', tags: ['beach', 'draft'], user_description: 'Leute am Strand' },
  children: { filename: 'children.jpg', user_description: 'Three children running', colours: '["#1f4fd0"]' },
  person: { filename: 'person.jpg', tags: ['person'], colours: '["#1f4fd0","#f8f8f8"]' },
  mice: { filename: 'mice.jpg', found_text: 'CHEESE SHOP' },
  house: { filename: 'Häuser.jpg', user_description: 'Alte Häuser und Bäume' },
  car: { filename: 'Autos.jpg', tags: ['auto'], size: 2 * mb },
  city: { filename: 'cities.jpg', ai_description: 'A skyline at dusk', ...landscape },
  film: { filename: 'waves.mp4', tags: ['sea'], ...video, ...landscape, size: 40 * mb },
  clip: { filename: 'clip.mov', type: 'video', mime_type: 'video/quicktime', ...portrait, size: 10 * mb },
  retriever: { filename: 'dog.png', mime_type: 'image/png', tags: ['golden retriever'], width: 800, height: 800 },
  icon: { filename: 'icon.gif', mime_type: 'image/gif', width: 64, height: 64, size: 900 },
  cafe: { filename: 'café.jpg', found_text: 'Café Müller', tags: ['café'] },
  recent: { filename: 'spring.webp', mime_type: 'image/webp', created_at: day('2026-03-05') },
  autumn: { filename: 'autumn.jpg', created_at: day('2026-01-31') },
  twinA: { filename: 'twin a.jpg', perceptual_hash: '00ff00ff00ff00ff' },
  twinB: { filename: 'twin b.jpg', perceptual_hash: '00ff00ff00ff00ff' },
  single: { filename: 'alone.jpg', perceptual_hash: '1234123412341234' },
  trashed: { filename: 'cat in the trash.jpg', tags: ['cat'], is_trashed: 1, perceptual_hash: '1234123412341234' },
  decorative: { filename: 'line.jpg', is_decorative: 1 },
  described: { filename: 'sunset.jpg', alt_texts: '{"en":"A sunset"}', user_description: 'A sunset at the sea' },
}
type Name = keyof typeof items

/** What each search finds, in any order. */
const queries: [search: string, found: Name[]][] = [
  // English words and their forms
  ['flowers', ['flower']],
  ['flower', ['flower']],
  ['cat sofa', ['cat']],
  ['people', ['person']],
  ['persons', ['person']],
  ['child', ['children']],
  ['run', ['children']],
  ['mouse', ['mice']],
  ['city', ['city']],
  ['beaches', ['beach', 'beachDraft']],
  ['kitten', ['cats']],
  ['shops', ['mice']],
  ['waves', ['film']],
  ['tree', []],
  ['planes', []],
  // German words and their forms
  ['Blume', ['blumen']],
  ['Blumen', ['blumen']],
  ['Haus', ['house']],
  ['Häuser', ['house']],
  ['Baum', ['house']],
  ['Auto', ['car']],
  ['Autos', ['car']],
  ['Müller', ['cafe']],
  ['muller', ['cafe']],
  ['Gärten', ['blumen']],
  ['Strand', ['beachDraft']],
  ['Strände', ['beachDraft']],
  ['Leute', ['beachDraft']],
  // Phrases and exclusions
  ['"Garden catalogue"', ['catalogue']],
  ['"catalogue Garden"', []],
  ['beach -draft', ['beach']],
  ['sunset -"at the sea"', []],
  ['img -kitten', ['cat']],
  // Filters
  ['type:video', ['film', 'clip']],
  ['-type:image', ['film', 'clip']],
  ['tag:beach', ['beach', 'beachDraft']],
  ['tag:beach -tag:draft', ['beach']],
  ['tag:"golden retriever"', ['retriever']],
  ['tag:golden', []],
  ['tag:cafe', ['cafe']],
  ['tag:cat', ['cat']],
  ['in:"Coast 2026"', ['beach', 'film']],
  ['in:coast type:video', ['film']],
  ['website:northwind', ['beach', 'film', 'flower']],
  ['taken:2024..2025', ['flower', 'vacation', 'beach']],
  ['taken:2025-07-02', ['vacation']],
  ['taken:<2023-11', ['blumen']],
  ['taken:>2025-07 added:<2026', []],
  ['added:>2026-01', ['recent']],
  ['added:2026-01', ['autumn']],
  ['size:>2mb', ['catalogue', 'film', 'clip']],
  ['size:>=2mb size:<12mb', ['car', 'catalogue', 'clip']],
  ['size:>1.9mb -size:>2mb', ['car']],
  ['size:..1kb -size:1000b..', ['icon']],
  ['width:>1920', ['flower', 'city', 'film']],
  ['width:1080', ['cat', 'clip']],
  ['shape:portrait', ['cat', 'clip']],
  ['shape:square', ['retriever', 'icon']],
  ['format:png format:gif', ['retriever', 'icon']],
  ['format:mov', ['clip']],
  ['color:red', ['flower']],
  ['color:blue color:white', ['person']],
  ['camera:canon', ['flower', 'blumen']],
  ['camera:"eos r5"', ['flower']],
  ['camera:anon', []],
  ['place:lisbon', ['vacation']],
  ['place:portugal', ['vacation', 'beach']],
  ['is:favorite', ['cats']],
  ['is:public', ['house']],
  ['is:described', ['cat', 'cats', 'beachDraft', 'children', 'house', 'city', 'described']],
  ['is:described -is:favorite type:image Bäume', ['house']],
  ['is:undescribed type:video', ['film', 'clip']],
  ['is:duplicate', ['twinA', 'twinB']],
  ['twin -is:duplicate', []],
  ['is:noalt sunset', []],
  ['is:noalt is:favorite', ['cats']],
  ['is:inbox tag:beach', ['beachDraft']],
]

const names = Object.keys(items)

test('a tag of symbols alone is found by itself, and not by other symbols', async (context) => {
  const { ann } = await withItems(context, [
    { filename: 'sunset.jpg', tags: ['🌅'] },
    { filename: 'love.jpg', tags: ['❤️'] },
    { filename: 'sale.jpg', tags: ['100%', '%'] },
  ])
  assert.deepEqual(await found(ann, 'tag:🌅'), ['sunset.jpg'])
  assert.deepEqual(await found(ann, 'tag:❤️'), ['love.jpg'])
  assert.deepEqual(await found(ann, 'tag:🍕'), [])
  const { suggestions } = (await ann.get(`/api/media/suggestions?search=${encodeURIComponent('tag:🌅')}`)).json()
  assert.deepEqual(
    suggestions.map(({ label }: { label: string }) => label),
    ['🌅'],
  )
})

test('a filter by a website without collections finds nothing, and does not say that it is unknown', async (context) => {
  const { ann } = await withItems(context, [{ filename: 'gull.jpg' }])
  await ann.post('/api/websites', { name: 'Northwind', languages: ['en'] })
  const { media, notes } = (await ann.get('/api/media?search=website:northwind')).json()
  assert.deepEqual([media, notes], [[], []])
})

test('items whose dates make no sense are found by their words, and count as the oldest', async (context) => {
  const dates = ['2024', '2024-xx-17', '2024-05', 'yesterday', '']
  const { ann } = await withItems(
    context,
    dates.map((taken_at, index) => ({ filename: `gull ${index}.jpg`, taken_at })),
  )
  assert.equal((await found(ann, 'gull')).length, dates.length)
  assert.equal((await found(ann, 'taken:<1901')).length, dates.length)
  assert.equal((await ann.get('/api/media/months')).statusCode, 200)
})

test('items of a deleted collection are found by is:inbox again, also those in the trash', async (context) => {
  const { ann, ids } = await withItems(context, [{ filename: 'gull.jpg' }, { filename: 'tern.jpg' }])
  const { id } = (await ann.post('/api/collections', { name: 'Coast' })).json()
  for (const mediaId of ids) await ann.post(`/api/collections/${id}/media/${mediaId}`)
  await ann.post('/api/media/bulk-trash', { mediaIds: [ids[1]] })
  assert.deepEqual(await found(ann, 'is:inbox'), [])
  await ann.delete(`/api/collections/${id}`)
  assert.deepEqual(await found(ann, 'is:inbox'), ['gull.jpg'])
  assert.deepEqual(await found(ann, 'is:inbox', '&trashed=true'), ['tern.jpg'])
})

test('all items of a large collection that was deleted are found by is:inbox again', async (context) => {
  const drafts = Array.from({ length: 620 }, (_, index) => ({ filename: `gull ${index}.jpg` }))
  const { ann, ids, services, settled } = await withItems(context, drafts)
  const { id } = (await ann.post('/api/collections', { name: 'Coast' })).json()
  const { db } = services
  const now = Date.now()
  const memberOf = (media_id: number) => ({ media_id, media_created_at: now, position: media_id, added_at: now })
  const members = ids.map((mediaId) => ({ collection_id: id, ...memberOf(mediaId) }))
  await db.insertInto('collection_media').values(members).execute()
  await db.transaction().execute((transaction) => indexMedia(transaction, ids))
  const count = async () => (await search(ann, 'is:inbox')).pagination.totalCount
  assert.equal(await count(), 0)
  await ann.delete(`/api/collections/${id}`)
  await settled()
  assert.equal(await count(), 620)
})

test('a library of 27 items in English and German', async (context) => {
  const created = Object.values(items).map((item, index) => ({
    is_decorative: 0 as const,
    created_at: day('2023-11-14') + index * 1000,
    ...item,
  }))
  const { ann, ids, register } = await withItems(context, created)
  const nameOf = new Map(ids.map((id, index) => [id, names[index]!]))
  const bob = await register()
  const idOf = (name: Name) => ids[names.indexOf(name)]!
  const collect = async (draft: object, members: Name[]) => {
    const { id } = (await ann.post('/api/collections', draft)).json()
    for (const member of members) await ann.post(`/api/collections/${id}/media/${idOf(member)}`)
  }
  await collect({ name: 'Coast 2026', company: 'Northwind' }, ['beach', 'film'])
  await collect({ name: 'Cats and flowers', company: 'Northwind' }, ['flower'])
  await ann.post(`/api/media/${idOf('house')}/public`)

  for (const [text, expected] of queries) {
    await context.test(`the search ${text} finds exactly what it names`, async () => {
      const { media, pagination } = await search(ann, text, '&limit=200')
      assert.deepEqual(media.map(({ id }) => nameOf.get(id)!).sort(), expected.toSorted())
      assert.equal(pagination.totalCount, expected.length)
    })
  }

  await context.test('matches in names and tags come first, then descriptions, then parts of words', async () => {
    const { media } = await search(ann, 'cat')
    assert.deepEqual(
      media.map(({ id }) => nameOf.get(id)),
      ['cats', 'cat', 'catalogue', 'vacation'],
    )
  })

  await context.test('a search tells of collections by their names, apart from the items', async () => {
    const answer = (await ann.get('/api/media?search=flower')).json()
    assert.deepEqual(
      answer.inCollections.map(({ name, mediaCount }: { name: string; mediaCount: number }) => [name, mediaCount]),
      [['Cats and flowers', 1]],
    )
    assert.equal((await bob.get('/api/media?search=flower')).json().inCollections.length, 0)
  })

  await context.test('a filter that makes no sense is refused with what it can be', async () => {
    for (const path of ['/api/media', '/api/media/count', '/api/media/months', '/api/media/recent-uploads']) {
      const answer = await ann.get(`${path}?search=${encodeURIComponent('size:big')}`)
      assert.equal(answer.statusCode, 400, path)
      assert.equal(answer.json().field, 'search')
      assert.match(answer.json().message, /"size:" needs a limit or range, such as size:>2mb/)
    }
    const chosen = await ann.post('/api/media/matching-ids', { search: 'is:nothing' })
    assert.deepEqual([chosen.statusCode, chosen.json().field], [400, 'search'])
  })

  await context.test('a filter that names something unknown is answered in words', async () => {
    const answer = (await ann.get(`/api/media?search=${encodeURIComponent('in:Nowhere tag:zebra')}`)).json()
    assert.deepEqual(answer.media, [])
    assert.deepEqual(answer.notes, ['There is no collection named "Nowhere".', 'No item has the tag "zebra".'])
    const others = (await bob.get(`/api/media?search=${encodeURIComponent('in:"Coast 2026"')}`)).json()
    assert.deepEqual(others.notes, ['There is no collection named "Coast 2026".'])
  })

  await context.test('choosing all items of a search chooses what the search lists', async () => {
    const body = { search: 'tag:beach -tag:draft' }
    const { ids } = (await ann.post('/api/media/matching-ids', body)).json()
    assert.deepEqual(
      ids.map((id: number) => nameOf.get(id)),
      ['beach'],
    )
  })

  await context.test('matches of a filter are listed in any order and direction', async () => {
    const listed = async (more: string) =>
      (await search(ann, 'size:>2mb', more)).media.map(({ id }) => nameOf.get(id)).join(' ')
    assert.equal(await listed('&sort=size'), 'film clip catalogue')
    assert.equal(await listed('&sort=size&direction=asc'), 'catalogue clip film')
    assert.equal(await listed('&sort=recent'), 'clip film catalogue')
    assert.equal(await listed('&sort=recent&direction=asc'), 'catalogue film clip')
  })

  await context.test(
    'suggestions complete tags, collections, places, cameras and filters with their counts',
    async () => {
      const suggest = async (user: TestUser, text: string) => {
        const { suggestions, from, to } = (
          await user.get(`/api/media/suggestions?search=${encodeURIComponent(text)}`)
        ).json()
        type Given = { text: string; count: number | null }
        return {
          from,
          to,
          found: suggestions.map(({ text, count }: Given) => (count === null ? text : `${text} ${count}`)),
        }
      }
      assert.deepEqual((await suggest(ann, 'bea')).found, ['tag:beach 2'])
      assert.deepEqual((await suggest(ann, 'coa')).found, ['in:"Coast 2026" 2'])
      assert.deepEqual((await suggest(ann, 'lis')).found, ['place:"Lisbon, Portugal" 1'])
      assert.deepEqual((await suggest(ann, 'camera:can')).found, ['camera:"Canon EOS 6D" 1', 'camera:"Canon EOS R5" 1'])
      assert.deepEqual((await suggest(ann, 'is:d')).found, ['is:described', 'is:duplicate'])
      assert.deepEqual((await suggest(ann, 'sea -tag:dr')).found, ['-tag:draft 1'])
      assert.deepEqual(await suggest(ann, 'sea web'), { from: 4, to: 7, found: ['website:'] })
      assert.deepEqual((await suggest(bob, 'bea')).found, [], 'only from the own library')
    },
  )
})
