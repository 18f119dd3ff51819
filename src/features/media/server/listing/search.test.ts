import assert from 'node:assert/strict'
import { test } from 'node:test'
import { seedLibrary } from '#tests/support/seed-library.ts'
import { found, search, withItems } from './search.fixture.ts'

test('any part of a word is found, without regard to case and accents, and all words must match', async (context) => {
  const { ann } = await withItems(context, [
    { filename: 'Crème_Brûlée-2024.jpg' },
    { filename: 'IMG_beach.jpg' },
    { filename: 'straße.jpg', user_description: 'Abends am Strand von Łódź' },
    { filename: 'x.jpg', tags: ['golden retriever'] },
    { filename: 'y.jpg', user_description: 'one two three four five six seven eight nine ten eleven twelve' },
  ])
  const expected: [search: string, names: string[]][] = [
    ['creme', ['Crème_Brûlée-2024.jpg']],
    ['BRÛL', ['Crème_Brûlée-2024.jpg']],
    ['rul', ['Crème_Brûlée-2024.jpg']],
    ['024', ['Crème_Brûlée-2024.jpg']],
    ['brulee creme', ['Crème_Brûlée-2024.jpg']],
    ['creme beach', []],
    ['img_be', ['IMG_beach.jpg']],
    ['STRASSE', ['straße.jpg']],
    ['lodz strand', ['straße.jpg']],
    ['retriever', ['x.jpg']],
    ['den retr', ['x.jpg']],
    ['.jpg beach', ['IMG_beach.jpg']],
    ['  beach   img  ', ['IMG_beach.jpg']],
    ['beachx', []],
    ['one two three four five six seven eight nine ten eleven twelve', ['y.jpg']],
    ['one two three four five six seven eight nine ten eleven thirteen', []],
  ]
  for (const [words, names] of expected) assert.deepEqual(await found(ann, words), names, words)
})

test('words between quotation marks are found next to each other', async (context) => {
  const { ann } = await withItems(context, [
    { filename: 'cliff.jpg', tags: ['black and white'], user_description: 'gulls above' },
    { filename: 'zebra.jpg', user_description: 'White and black, in the sand' },
    { filename: 'tape.jpg', user_description: 'A reel of 7" tape' },
    { filename: 'menu.jpg', found_text: 'Harbour\nCafe  open\n', user_description: 'all day' },
  ])
  const expected: [search: string, names: string[]][] = [
    ['black and white', ['zebra.jpg', 'cliff.jpg']],
    ['"black and white"', ['cliff.jpg']],
    ['“Black  and white” cliff', ['cliff.jpg']],
    ['„in the“ "white and"', ['zebra.jpg']],
    ['"black and', ['cliff.jpg']],
    // The end of the last tag and the beginning of the description.
    ['"white gulls"', []],
    ['7" tape', ['tape.jpg']],
    ['"harbour cafe open"', ['menu.jpg']],
    ['"open all"', []],
  ]
  for (const [words, names] of expected) assert.deepEqual((await found(ann, words)).sort(), names.sort(), words)
})

test('one and two letters match the beginnings of words, alone and together with other words', async (context) => {
  const { ann } = await withItems(context, [
    { filename: 'old_beach.jpg' },
    { filename: 'cube.png', user_description: 'red' },
    { filename: 'sea.png', user_description: 'a best day' },
    { filename: '7 up.png' },
  ])
  const expected: [search: string, names: string[]][] = [
    ['be', ['old_beach.jpg', 'sea.png']],
    ['b', ['old_beach.jpg', 'sea.png']],
    ['ch', []],
    ['7', ['7 up.png']],
    ['be se', ['sea.png']],
    ['be sea', ['sea.png']],
    ['beach ol', ['old_beach.jpg']],
    ['beach re', []],
    ['B E', []],
    ['É', []],
    ['Bé', ['old_beach.jpg', 'sea.png']],
  ]
  for (const [words, names] of expected) assert.deepEqual((await found(ann, words)).sort(), names, words)
})

test('in scripts without spaces one and two characters match at any position', async (context) => {
  const { ann } = await withItems(context, [
    { filename: '北京天安门广场.jpg' },
    { filename: 'plain.jpg', user_description: '大阪と東京タワー' },
    { filename: 'tower.jpg', tags: ['東京'] },
  ])
  const expected: [search: string, names: string[]][] = [
    ['广场', ['北京天安门广场.jpg']],
    ['安', ['北京天安门广场.jpg']],
    ['天安门', ['北京天安门广场.jpg']],
    ['京安', []],
    ['東京', ['tower.jpg', 'plain.jpg']],
    ['タワ 大阪', ['plain.jpg']],
    ['ワー', ['plain.jpg']],
    ['東京 to', ['tower.jpg']],
  ]
  for (const [words, names] of expected) assert.deepEqual(await found(ann, words), names, words)
})

test('quotes, operators, wildcards and other special characters are searched literally or ignored', async (context) => {
  const { ann } = await withItems(context, [
    { filename: '100% sure.jpg' },
    { filename: 'salt & pepper "deluxe".jpg' },
    { filename: "it's a_b\\c.jpg", user_description: 'NOT this AND that OR (these)' },
  ])
  assert.deepEqual(await found(ann, '100%'), ['100% sure.jpg'])
  assert.deepEqual(await found(ann, '0%0'), [])
  assert.deepEqual(
    await found(ann, 'a_b'),
    ["it's a_b\\c.jpg"].map((name) => name),
  )
  assert.deepEqual(await found(ann, 'a%b'), [])
  assert.deepEqual(await found(ann, 'salt & pepper'), ['salt & pepper "deluxe".jpg'])
  assert.deepEqual(await found(ann, '"deluxe"'), ['salt & pepper "deluxe".jpg'])
  assert.deepEqual(await found(ann, 'this NOT that'), ["it's a_b\\c.jpg"])
  const odd = [
    '%',
    '_',
    '"',
    "'",
    '*',
    '^be',
    'NEAR(a b)',
    'name : x',
    '{name} : x',
    '-x',
    '\\',
    '"" OR ""',
    ') OR 1=1 --',
  ]
  const aHundredWords = Array.from({ length: 100 }, (_, index) => String.fromCodePoint(0x4e00 + index)).join(' ')
  for (const words of [...odd, '🏖️', '\u202e', 'a* b*', '(((', 'x'.repeat(200), `${'y '.repeat(99)}y`, aHundredWords]) {
    const { pagination } = await search(ann, words)
    assert.ok(pagination.totalCount <= 3, words)
  }
  assert.deepEqual(await found(ann, '%'), [], 'a wildcard character is searched literally')
  for (const own of ['#im', '#im"', '^sa', '^^s', '"sa ^"', '"im #"']) {
    assert.deepEqual(await found(ann, own), [], `${own} stands in the index, not in a text`)
  }
})

test('matches in names and tags come before descriptions, then the newest first', async (context) => {
  const { ann } = await withItems(context, [
    { filename: 'harbour old.jpg' },
    { filename: 'one.jpg', ai_description: 'a harbour in the evening' },
    { filename: 'two.jpg', tags: ['harbour'] },
    { filename: 'three.jpg', found_text: 'HARBOUR CAFE' },
  ])
  assert.deepEqual(await found(ann, 'harbour'), ['two.jpg', 'harbour old.jpg', 'three.jpg', 'one.jpg'])
  assert.deepEqual(await found(ann, 'ha'), ['two.jpg', 'harbour old.jpg', 'three.jpg', 'one.jpg'])
  assert.deepEqual(await found(ann, 'harbour', '&sort=recent'), ['three.jpg', 'two.jpg', 'one.jpg', 'harbour old.jpg'])
  assert.deepEqual(await found(ann, 'harbour', '&sort=name'), ['harbour old.jpg', 'one.jpg', 'three.jpg', 'two.jpg'])
})

test('a whole word ranks above the beginning of a word, and that above a part inside a word', async (context) => {
  const { ann } = await withItems(context, [
    { filename: 'My Cat, asleep.jpg' },
    { filename: 'one.jpg', tags: ['sofa', 'black cat'] },
    { filename: 'two.jpg', tags: ['caterpillar'] },
    { filename: 'IMG_cät.jpg' },
    { filename: 'three.jpg', user_description: 'a cat' },
    { filename: 'vacation.jpg' },
    { filename: 'vacation with Catherine.jpg' },
  ])
  const named = ['IMG_cät.jpg', 'one.jpg', 'My Cat, asleep.jpg', 'vacation with Catherine.jpg', 'two.jpg']
  assert.deepEqual(await found(ann, 'cat'), [...named, 'three.jpg', 'vacation.jpg'])
  assert.deepEqual(await found(ann, 'cat sofa'), ['one.jpg'])
  assert.deepEqual(await found(ann, 'vacation cat'), ['vacation with Catherine.jpg', 'vacation.jpg'])
  assert.deepEqual(await found(ann, '.jpg', '&limit=1'), ['vacation with Catherine.jpg'])
  assert.deepEqual((await found(ann, 'cat', '&sort=recent'))[0], 'vacation with Catherine.jpg')
})

test('the beginning of a word in a name ranks high after any separator', async (context) => {
  const names = ['x_ab.jpg', 'x@ab.jpg', 'x~ab.jpg', 'x’ab.jpg', 'x«ab.jpg', 'x€ab.jpg', 'x|ab.jpg']
  const { ann } = await withItems(context, [
    ...names.map((filename) => ({ filename })),
    { filename: 'xab.jpg', user_description: 'ab' },
  ])
  assert.deepEqual(await found(ann, 'ab'), [...names.toReversed(), 'xab.jpg'])
})

test('other forms of a word are found in both directions, in English and German', async (context) => {
  const { ann } = await withItems(context, [
    { filename: 'flower.jpg' },
    { filename: 'one.jpg', tags: ['cat', 'tree'] },
    { filename: 'two.jpg', tags: ['cities', 'dancing'] },
    { filename: 'three.jpg', user_description: 'Häuser und Blumen' },
    { filename: 'catalogue.jpg', tags: ['flow', 'plan'] },
    { filename: 'four.jpg', tags: ['mice', 'beaches'] },
  ])
  const expected: [search: string, names: string[]][] = [
    ['flowers', ['flower.jpg']],
    ['cats', ['one.jpg']],
    ['trees cats', ['one.jpg']],
    ['city', ['two.jpg']],
    ['dance', ['two.jpg']],
    ['Haus', ['three.jpg']],
    ['Häuser Blume', ['three.jpg']],
    ['mouse', ['four.jpg']],
    ['beach', ['four.jpg']],
    ['planes', []],
    ['cat', ['one.jpg', 'catalogue.jpg']],
  ]
  for (const [words, names] of expected) assert.deepEqual(await found(ann, words), names, words)
})

test("an item is not found by its collection's name", async (context) => {
  const { ann, ids } = await withItems(context, [{ filename: 'one.jpg' }])
  const collection = (await ann.post('/api/collections', { name: 'Garden catalogue' })).json()
  await ann.post(`/api/collections/${collection.id}/media/${ids[0]}`)
  assert.deepEqual(await found(ann, 'cat'), [])
})

test('matches at the beginnings of words come first, however many newer ones are inside of words', async (context) => {
  const vacations = Array.from({ length: 230 }, (_, index) => ({ filename: `vacation ${index}.jpg` }))
  const { ann } = await withItems(context, [{ filename: 'x.jpg', user_description: 'our cat' }, ...vacations])
  const first = await search(ann, 'cat', '&limit=200')
  assert.deepEqual([first.media[0]!.filename, first.pagination.totalCount], ['x.jpg', 231])
  const second = await search(ann, 'cat', '&limit=200&page=2')
  const all = [...first.media, ...second.media].map(({ filename }) => filename)
  assert.equal(new Set(all).size, 231, 'every match once')
})

test('recognized text and later changes are found, and removed text is not', async (context) => {
  const long = 'lorem ipsum '.repeat(833)
  const { ann, ids } = await withItems(context, [
    { filename: 'one.jpg', found_text: 'Café Müller', user_description: long, ai_description: long },
  ])
  const id = ids[0]!
  assert.deepEqual(await found(ann, 'muller'), ['one.jpg'])
  await ann.patch(`/api/media/${id}`, { filename: 'renamed.jpg', userDescription: 'quiet', aiTags: ['lighthouse'] })
  assert.deepEqual(await found(ann, 'one.jpg'), [])
  assert.deepEqual(await found(ann, 'quiet light rena'), ['renamed.jpg'])
  await ann.post('/api/media/bulk-trash', { mediaIds: [id] })
  assert.deepEqual([await found(ann, 'quiet'), await found(ann, 'quiet', '&trashed=true')], [[], ['renamed.jpg']])
  assert.equal((await search(ann, 'quiet')).pagination.totalCount, 0, 'and not counted either')
  await ann.post('/api/media/bulk-restore', { mediaIds: [id] })
  assert.deepEqual([await found(ann, 'quiet'), await found(ann, 'quiet', '&trashed=true')], [['renamed.jpg'], []])
  await ann.delete(`/api/media/${id}`)
  assert.deepEqual([await found(ann, 'quiet'), await found(ann, 'qu')], [[], []])
})

test("a search does not find other users' items", async (context) => {
  const { ann, services, register } = await withItems(context, [{ filename: 'secret of ann.jpg' }])
  const bob = await register()
  await seedLibrary(services, bob.id, [{ filename: 'secret of bob.jpg' }])
  assert.deepEqual(await found(ann, 'secret'), ['secret of ann.jpg'])
  assert.deepEqual(await found(bob, 'secret'), ['secret of bob.jpg'])
  assert.deepEqual(await found(bob, 'of'), ['secret of bob.jpg'])
  assert.deepEqual(await found(bob, 'ann'), [])
  for (const user of [ann, bob]) assert.equal((await search(user, 'secret')).pagination.totalCount, 1)
})

test('search, filter and order work together', async (context) => {
  const { ann, ids } = await withItems(context, [
    { filename: 'beach b.jpg', size: 10, is_favorite: 1 },
    { filename: 'beach a.mp4', size: 30, type: 'video', mime_type: 'video/mp4', is_favorite: 1 },
    { filename: 'beach c.jpg', size: 20 },
    { filename: 'forest.jpg', size: 40, is_favorite: 1 },
  ])
  const collection = (await ann.post('/api/collections', { name: 'Chosen' })).json()
  for (const id of [ids[0], ids[3]]) await ann.post(`/api/collections/${collection.id}/media/${id}`)
  assert.deepEqual(await found(ann, 'beach', '&type=image&sort=size'), ['beach c.jpg', 'beach b.jpg'])
  assert.deepEqual(await found(ann, 'beach', '&favorite=true&sort=name'), ['beach a.mp4', 'beach b.jpg'])
  assert.deepEqual(await found(ann, 'beach', `&collectionId=${collection.id}`), ['beach b.jpg'])
  assert.deepEqual(await found(ann, 'beach', '&sort=type'), ['beach c.jpg', 'beach b.jpg', 'beach a.mp4'])
  const filtered = await search(ann, 'beach', '&type=video')
  assert.deepEqual([filtered.pagination.totalCount, filtered.pagination.isTotalCapped], [1, false])
})
