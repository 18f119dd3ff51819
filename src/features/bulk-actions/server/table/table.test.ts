import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import fc from 'fast-check'
import { readCsv } from '#engines/documents/tables/read-csv.ts'
import { readXlsx } from '#engines/documents/tables/read-xlsx.ts'
import { multipart } from '#tests/support/multipart.ts'
import { onOneDatabase } from '#tests/support/postgres.ts'
import { testApp } from '#tests/support/test-app.ts'
import type { TestUser } from '#tests/support/test-user.ts'
import { addPictures } from '../bulk.fixture.ts'

const exported = async (user: TestUser, mediaIds: number[], format: string) =>
  (await user.post('/api/media/export', { mediaIds, format })).rawPayload

const importing = (user: TestUser, bytes: Buffer | string) =>
  user.send({
    method: 'POST',
    url: '/api/media/import-table',
    ...multipart([{ name: 'table.csv', bytes: Buffer.from(bytes) }], {}, 'file'),
  })
const differences = async (user: TestUser, bytes: Buffer | string) => (await importing(user, bytes)).json()
const item = async (user: TestUser, id: number) => (await user.get(`/api/media/${id}`)).json()

async function readBook(context: TestContext, bytes: Buffer) {
  const folder = await mkdtemp(join(tmpdir(), 'albumen-table-'))
  context.after(() => rm(folder, { recursive: true, force: true }))
  await writeFile(join(folder, 'book.xlsx'), bytes)
  return Array.fromAsync(readXlsx(join(folder, 'book.xlsx')))
}

test('a table has the words, addresses and collections of each item, as CSV and as a workbook', async (context) => {
  const { register } = await testApp(context)
  const ann = await register()
  const [id] = await addPictures(ann, ['=cmd.jpg'])
  const words = { title: 'Boot', altTexts: { de: 'Ein Boot', en: 'A boat' }, creator: 'Ann', licence: 'CC BY 4.0' }
  await ann.patch(`/api/media/${id}`, { ...words, userDescription: '-5 °C', aiTags: ['boat', 'sea'] })
  const { id: collectionId } = (await ann.post('/api/collections', { name: 'Küste' })).json()
  await ann.post(`/api/collections/${collectionId}/media/${id}`)
  const { publicUrl } = (await ann.post(`/api/media/${id}/public`)).json()
  const [header, row] = [...readCsv(await exported(ann, [id!], 'csv'))]
  const cell = (name: string) => row![header!.indexOf(name)]
  const { fileUrl } = await item(ann, id!)
  const names = ['ID', 'Name', 'Title', 'Description', 'alt_de', 'alt_en', 'Tags', 'Creator', 'License', 'Collections']
  assert.deepEqual([...names, 'Public URL', 'File URL'].map(cell), [
    String(id),
    '=cmd.jpg',
    'Boot',
    '-5 °C',
    'Ein Boot',
    'A boat',
    'boat, sea',
    'Ann',
    'CC BY 4.0',
    'Küste',
    publicUrl,
    fileUrl,
  ])
  assert.deepEqual(await readBook(context, await exported(ann, [id!], 'xlsx')), [header, row])
})

test('an edited table is compared, applied as one change, and undone', async (context) => {
  const { register } = await testApp(context)
  const ann = await register()
  const [first, second] = (await addPictures(ann, ['a.jpg', 'b.jpg'])) as [number, number]
  await ann.patch(`/api/media/${first}`, { title: 'Old', altTexts: { en: 'A boat' }, aiTags: ['boat'] })
  const table = `ID;Name;Title;alt_en;alt_de;Tags;Size\n${first};;New;;Ein Boot;boat, Sea;9\n${second};b.jpg;;;;;\n`
  const { changed, unchanged, unknown, bad } = await differences(ann, Buffer.from(table, 'latin1'))
  assert.deepEqual([unchanged, unknown, bad], [1, [], []])
  const [row] = changed
  assert.deepEqual([row.id, row.row, row.filename], [first, 2, 'a.jpg'])
  const cells = [
    { column: 'title', before: 'Old', after: 'New' },
    { column: 'alt_de', before: '', after: 'Ein Boot' },
    { column: 'tags', before: 'boat', after: 'boat, sea' },
  ]
  assert.deepEqual(row.cells, cells)
  assert.equal((await item(ann, first)).title, 'Old', 'comparing changes nothing')
  const rows = [{ id: first, cells }]
  const applied = (await ann.post('/api/media/apply-table', { rows, name: 'table.csv' })).json()
  assert.deepEqual(applied.summary, { successful: 1, failed: 0 })
  const after = await item(ann, first)
  assert.deepEqual(
    [after.title, after.altTexts, after.aiTags],
    ['New', { en: 'A boat', de: 'Ein Boot' }, ['boat', 'sea']],
  )
  assert.equal((await ann.get('/api/media?search=sea')).json().media.length, 1, 'found by its new words')
  const [{ id: changeId, title }] = (await ann.get('/api/history')).json().changes
  assert.deepEqual([changeId, title], [applied.changeId, 'Imported "table.csv"'])
  await ann.patch(`/api/media/${first}`, { title: 'Mine' })
  await ann.post(`/api/history/${changeId}/undo`)
  const undone = await item(ann, first)
  assert.deepEqual(
    [undone.title, undone.altTexts, undone.aiTags],
    ['Mine', { en: 'A boat' }, ['boat']],
    'later words stay',
  )
})

test('a tag that a table added is not remembered as removed when the table is undone', async (context) => {
  const { register, services } = await testApp(context)
  const ann = await register()
  const [id] = (await addPictures(ann, ['a.jpg'])) as [number]
  await ann.patch(`/api/media/${id}`, { aiTags: ['boat', 'pier'] })
  const cells = [{ column: 'tags', before: 'boat, pier', after: 'boat, sea' }]
  const { changeId } = (await ann.post('/api/media/apply-table', { rows: [{ id, cells }] })).json()
  await ann.post(`/api/history/${changeId}/undo`)
  assert.deepEqual((await item(ann, id)).aiTags, ['boat', 'pier'])
  assert.deepEqual(await services.db.selectFrom('removed_tags').select('tag').execute(), [])
})

test('an item that changed since the review fails alone', async (context) => {
  const { register } = await testApp(context)
  const ann = await register()
  const [first, second] = (await addPictures(ann, ['a.jpg', 'b.jpg'])) as [number, number]
  const rows = [first, second].map((id) => ({ id, cells: [{ column: 'title', before: '', after: 'New' }] }))
  await ann.patch(`/api/media/${first}`, { title: 'Mine' })
  const applied = (await ann.post('/api/media/apply-table', { rows })).json()
  assert.deepEqual(applied.errors, [{ id: first, message: 'It was changed in the meantime.' }])
  assert.deepEqual([(await item(ann, first)).title, (await item(ann, second)).title], ['Mine', 'New'])
})

test("another user's ids are unknown, and applying them changes nothing", async (context) => {
  const { register } = await testApp(context)
  const [ann, bob] = [await register(), await register()]
  const [id] = (await addPictures(ann, ['a.jpg'])) as [number]
  const found = await differences(bob, `ID,Title\n${id},Stolen\n999999,x\n`)
  assert.deepEqual(found, {
    changed: [],
    unchanged: 0,
    unknown: [
      { row: 2, id },
      { row: 3, id: 999999 },
    ],
    bad: [],
  })
  const rows = [{ id, cells: [{ column: 'title', before: '', after: 'Stolen' }] }]
  assert.equal((await bob.post('/api/media/apply-table', { rows })).statusCode, 404)
  assert.equal((await item(ann, id)).title, null)
})

test('bad values are named by row and column', async (context) => {
  const { register } = await testApp(context)
  const ann = await register()
  const [id, other] = (await addPictures(ann, ['a.jpg', 'b.jpg'])) as [number, number]
  const long = 'x'.repeat(1001)
  const { bad, changed } = await differences(
    ann,
    `ID,alt_de,Title\n${id},${long},Boot\n${id},a,b\nx,a,b\n${other},,Gut\n`,
  )
  assert.deepEqual(
    bad.map(({ row, column, message }: Record<string, unknown>) => [row, column, message]),
    [
      [3, 'id', 'The ID is in row 2 as well.'],
      [4, 'id', 'The ID must be the ID of an item.'],
      [2, 'alt_de', 'An alt text can have up to 1,000 characters.'],
    ],
  )
  assert.deepEqual(
    changed.map(({ row }: { row: number }) => row),
    [2, 5],
  )
})

onOneDatabase('a table that cannot be used is refused with a sentence', async (context) => {
  const { register } = await testApp(context)
  const ann = await register()
  const many = `ID,Title\n${Array.from({ length: 100_000 }, (_, index) => `${index + 1},t\n`).join('')}`
  const cases: [string | Buffer, RegExp][] = [
    ['Name,Title\na,b\n', /no column ID/],
    ['ID,Size\n1,2\n', /none of the columns Name, Title/],
    ['ID,Title,title\n1,a,b\n', /two columns "title"/],
    ['', /The file is empty\./],
    ['ID,Title\n1,"open\n', /quotation mark/],
    [many, /up to 10,000 rows\. Split it/],
    [Buffer.from('d0cf11e0a1b11ae1', 'hex'), /must be \.xlsx, without a password/],
    [Buffer.from('PK\x03\x04 cut off'), /This table cannot be read\. Save it as \.xlsx or \.csv/],
  ]
  for (const [bytes, sentence] of cases) {
    const answer = await importing(ann, bytes)
    assert.equal(answer.statusCode, 400, answer.body)
    assert.match(answer.json().message, sentence)
  }
})

onOneDatabase('any words go out as CSV and as a workbook and come back without a difference', async (context) => {
  const { register } = await testApp(context)
  const ann = await register()
  const [id] = (await addPictures(ann, ['a.jpg'])) as [number]
  const edge = fc.constantFrom("'=1", '=1+1', '@x', 'a, b', 'a\nb', '"', '_x0041_', '007', ' - ')
  const text = fc.oneof(fc.string({ unit: 'grapheme', maxLength: 30 }), edge).map((given) => given.replaceAll('\0', ''))
  const words = fc.record({
    title: text,
    userDescription: text,
    creator: text,
    licence: text,
    altTexts: fc.record({ en: text, 'pt-BR': text }),
    aiTags: fc.array(
      edge.map((tag) => tag.trim()),
      { maxLength: 3 },
    ),
  })
  await fc.assert(
    fc.asyncProperty(words, async (given) => {
      const patched = await ann.patch(`/api/media/${id}`, given)
      assert.equal(patched.statusCode, 200, patched.body)
      for (const format of ['csv', 'xlsx']) {
        const found = await differences(ann, await exported(ann, [id], format))
        assert.deepEqual(found, { changed: [], unchanged: 1, unknown: [], bad: [] }, format)
      }
    }),
    { numRuns: 25 },
  )
})
