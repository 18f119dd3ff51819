import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import fc from 'fast-check'
import { craft } from '#engines/archive/crafted-zip.fixture.ts'
import { createZip } from '#engines/archive/write-zip.ts'
import { readCsv } from './read-csv.ts'
import { readXlsx } from './read-xlsx.ts'
import { type Cell, writeCsv, writeXlsx } from './write-tables.ts'

const listed = async function* (rows: Cell[][]) {
  yield* rows
}
const collect = async <T>(parts: AsyncIterable<T> | Iterable<T>) => {
  const all: T[] = []
  for await (const part of parts) all.push(part)
  return all
}
async function folderFor(context: TestContext) {
  const folder = await mkdtemp(join(tmpdir(), 'albumen-table-'))
  context.after(() => rm(folder, { recursive: true, force: true }))
  return folder
}
async function readBook(folder: string, bytes: Buffer) {
  const path = join(folder, 'book.xlsx')
  await writeFile(path, bytes)
  return collect(readXlsx(path))
}
const sheetOf = (rows: string, texts = '') =>
  craft([
    {
      name: 'xl/worksheets/sheet1.xml',
      data: Buffer.from(`<worksheet><sheetData>${rows}</sheetData></worksheet>`),
      method: 8,
    },
    { name: 'xl/sharedStrings.xml', data: Buffer.from(`<sst>${texts}</sst>`), method: 8 },
  ])

/** Line ends are those of the system that wrote a table, so they count as equal. */
const text = fc.string({ unit: 'grapheme', maxLength: 20 }).map((given) => given.replace(/\r\n?/g, '\n').toWellFormed())
const formulas = fc.constantFrom(
  '=1+1',
  "'=x",
  "''+1",
  '-5',
  '@a',
  '_x0041_',
  '_x005F_',
  'a;b',
  '"',
  'a\tb',
  '007',
  '\u0001',
)
const tables = fc
  .integer({ min: 1, max: 5 })
  .chain((width) =>
    fc.array(fc.array(fc.oneof(text, formulas), { minLength: width, maxLength: width }), {
      minLength: 1,
      maxLength: 8,
    }),
  )
  // A row of one empty cell is an empty line.
  .filter((rows) => rows.every((row) => row.some((cell) => cell !== '')))

test('any table is the same after it went out as CSV and came back', async () => {
  await fc.assert(
    fc.asyncProperty(tables, async (rows) => {
      const head = ['ID', 'Name', 'Title', 'Tags', 'alt_de'].slice(0, rows[0]!.length)
      const csv = (await collect(writeCsv(listed([head, ...rows])))).join('')
      assert.deepEqual([...readCsv(Buffer.from(csv))], [head, ...rows])
    }),
  )
})

test('any table is the same after it went out as an Excel workbook and came back', async (context) => {
  const folder = await folderFor(context)
  await fc.assert(
    fc.asyncProperty(tables, async (rows) => {
      const book = Buffer.concat((await collect(createZip(writeXlsx(listed(rows))))) as Buffer[])
      assert.deepEqual(await readBook(folder, book), rows)
    }),
    { numRuns: 60 },
  )
})

test('CSV is read with every usual separator and encoding', () => {
  const table = (separator: string) => `ID${separator}Name\r\n7${separator}"Größe${separator} rot"\r\n`
  const expected = (separator: string) => [
    ['ID', 'Name'],
    ['7', `Größe${separator} rot`],
  ]
  for (const separator of [',', ';', '\t']) {
    const written = table(separator)
    const encodings = {
      'UTF-8': Buffer.from(written),
      'UTF-8 with a mark': Buffer.from(`\ufeff${written}`),
      'UTF-16LE with a mark': Buffer.from(`\ufeff${written}`, 'utf16le'),
      'UTF-16LE': Buffer.from(written, 'utf16le'),
      'Windows-1252': Buffer.from(written, 'latin1'),
    }
    for (const [name, bytes] of Object.entries(encodings))
      assert.deepEqual([...readCsv(bytes)], expected(separator), `${name}, ${JSON.stringify(separator)}`)
  }
  assert.deepEqual(
    [...readCsv(Buffer.from('sep=|\na|b,c\n1|2'))],
    [
      ['a', 'b,c'],
      ['1', '2'],
    ],
  )
  assert.deepEqual(
    [...readCsv(Buffer.from('a,b\n"x\ny",\n'))],
    [
      ['a', 'b'],
      ['x\ny', ''],
    ],
  )
})

test('spaces and letters behind a closing quotation mark belong to their cell', () => {
  assert.deepEqual([...readCsv(Buffer.from('ID,Name\r\n"7" ,"a"b\r\n"8" \n'))], [['ID', 'Name'], ['7 ', 'ab'], ['8 ']])
})

test('an open quotation mark in a CSV is named', () => {
  assert.throws(() => [...readCsv(Buffer.from('a,"b\n1,2'))], /a quotation mark is not closed/)
})

test('shared, rich and inline texts, numbers, formulas and gaps of a workbook are read', async (context) => {
  const folder = await folderFor(context)
  const texts =
    '<si><t>Gr&#246;&#xDF;e &amp; &lt;b&gt;</t></si><si><r><rPr><b/></rPr><t>ro</t></r><r><t xml:space="preserve">t </t></r><rPh><t>x</t></rPh></si>'
  const rows =
    '<row r="1"><c r="A1" t="s"><v>0</v></c><c r="C1" t="s"><v>1</v></c></row><row><c><v>1.2E1</v></c><c t="b"><v>1</v></c><c><f>SUM(A1)</f><v>3</v></c><c t="inlineStr"><is><t>_x000D_</t></is></c></row>'
  const [first, second] = await readBook(folder, sheetOf(rows, texts))
  assert.deepEqual(first, ['Größe & <b>', '', 'rot '])
  assert.deepEqual(second, ['12', 'TRUE', '=SUM(A1)', '\r'])
})

test('requests are answered between the rows of a large workbook', async (context) => {
  const folder = await folderFor(context)
  const row = '<row><c><v>1</v></c></row>'
  const path = join(folder, 'book.xlsx')
  await writeFile(path, sheetOf(`${row}${'<a/>'.repeat(100_000)}${row}`))
  const rows = readXlsx(path)
  await rows.next()
  let turns = 0
  let isRead = false
  const answerRequests = async () => {
    for (; !isRead; turns++) await nextTurn()
  }
  await Promise.all([rows.next().then(() => (isRead = true)), answerRequests()])
  assert.ok(turns >= 10, `${turns} turns`)
})

test('a workbook with a tag of megabytes is read', async (context) => {
  const rows = `<row ${'x'.repeat(20_000_000)}><c t="inlineStr"><is><t>a</t></is></c></row>`
  assert.deepEqual(await readBook(await folderFor(context), sheetOf(rows)), [['a']])
})

test('hostile workbooks are refused with a sentence', async (context) => {
  const folder = await folderFor(context)
  const bomb = craft([{ name: 'xl/worksheets/sheet1.xml', data: Buffer.alloc(70 * 1024 * 1024), method: 8 }])
  const entities = '<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]>'
  const declared = craft([
    { name: 'xl/worksheets/sheet1.xml', data: Buffer.from(`${entities}<worksheet/>`), method: 8 },
  ])
  const cases = {
    bomb,
    declared,
    'no workbook': craft([{ name: 'content.xml' }]),
    'no archive': Buffer.from('\xd0\xcf\x11\xe0 old'),
  }
  for (const [name, bytes] of Object.entries(cases))
    await assert.rejects(readBook(folder, bytes), /This table cannot be read\. Save it as \.xlsx or \.csv/, name)
})
