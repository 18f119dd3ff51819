import { setImmediate as nextTurn } from 'node:timers/promises'
import { openZip, type ZipReader } from '#engines/archive/read-zip.ts'
import { AppError, invalid } from '#platform/errors.ts'
import { unescapeXml } from '#shared/escape.ts'
import { maxTableColumns } from './read-csv.ts'

/** Sheets of repeated texts are packed very well, so the size of the unpacked parts is the limit that counts. */
const limits = { allowedName: /^[^\\]{1,300}$/, maxEntries: 5000, maxBytes: 64 * 1024 * 1024, maxRatio: 2000 }
/** Requests are answered in between. */
const tagsPerTurn = 5000
const unreadable = 'This table cannot be read. Save it as .xlsx or .csv, without a password.'

/** The rows of the first sheet of an Excel workbook. The file may be hostile. */
export async function* readXlsx(path: string): AsyncGenerator<string[]> {
  await using zip = await openZip(path, limits).catch(explain)
  const texts = await readSharedTexts(zip)
  const sheet = await readPart(zip, await findFirstSheet(zip))
  if (sheet === undefined) throw invalid(unreadable)
  yield* rowsOf(sheet, texts)
}

function explain(error: unknown): never {
  throw error instanceof AppError && error.code === 'bad-archive' ? invalid(`${unreadable} (${error.message})`) : error
}

async function readPart({ entries, read }: ZipReader, name: string): Promise<string | undefined> {
  const entry = entries.find((each) => each.name.toLowerCase() === name.toLowerCase())
  if (!entry) return undefined
  const chunks: Buffer[] = []
  // The stream reuses its buffer.
  for await (const chunk of await read(entry).catch(explain)) chunks.push(Buffer.from(chunk))
  const text = Buffer.concat(chunks).toString()
  // Only a hostile file declares entities.
  if (/<!(?:DOCTYPE|ENTITY)/i.test(text)) throw invalid(unreadable)
  return text
}

async function findFirstSheet(zip: ZipReader) {
  const workbook = (await readPart(zip, 'xl/workbook.xml')) ?? ''
  const links = (await readPart(zip, 'xl/_rels/workbook.xml.rels')) ?? ''
  const sheet = [...tagsOf(workbook)].find(({ name }) => name === 'sheet')
  const id = sheet && attributeOf(sheet.attributes, '(?:\\w+:)?id')
  const link = [...tagsOf(links)].find(({ attributes }) => attributeOf(attributes, 'Id') === id)
  const target = link && attributeOf(link.attributes, 'Target')
  if (!target) return 'xl/worksheets/sheet1.xml'
  return target.startsWith('/') ? target.slice(1) : `xl/${target}`
}

async function readSharedTexts(zip: ZipReader): Promise<string[]> {
  const xml = (await readPart(zip, 'xl/sharedStrings.xml')) ?? ''
  const texts: string[] = []
  let parts: string[] = []
  let isPhonetic = false
  let tags = 0
  for (const { name, isEnd, isEmpty, text } of tagsOf(xml)) {
    if (++tags % tagsPerTurn === 0) await nextTurn()
    // How a Japanese text is read; it is no part of it.
    if (name === 'rPh') isPhonetic = !isEnd && !isEmpty
    if (name === 't' && !isEnd && !isPhonetic) parts.push(text)
    if (name === 'si' && (isEnd || isEmpty)) {
      texts.push(asText(parts.join('')))
      parts = []
    }
  }
  return texts
}

async function* rowsOf(sheet: string, texts: string[]): AsyncGenerator<string[]> {
  let row: string[] = []
  let tags = 0
  let cell = { column: -1, type: '', value: '', formula: '' }
  for (const { name, isEnd, isEmpty, attributes, text } of tagsOf(sheet)) {
    if (++tags % tagsPerTurn === 0) await nextTurn()
    if (name === 'c' && !isEnd) {
      const reference = attributeOf(attributes, 'r')
      const column = reference ? columnOf(reference) : row.length
      cell = { column, type: attributeOf(attributes, 't') ?? 'n', value: '', formula: '' }
    }
    if ((name === 'v' || name === 't') && !isEnd) cell.value += text
    if (name === 'f' && !isEnd) cell.formula = text
    if (name === 'c' && (isEnd || isEmpty) && cell.column < maxTableColumns) {
      while (row.length < cell.column) row.push('')
      row[cell.column] = textOf(cell, texts)
    }
    if (name === 'row' && (isEnd || isEmpty)) {
      yield row
      row = []
    }
  }
}

/** A formula stays the text that a user sees when editing it. */
function textOf({ type, value, formula }: { type: string; value: string; formula: string }, texts: string[]) {
  if (formula) return asText(`=${formula}`)
  if (type === 's') return texts[Number(value)] ?? ''
  if (type === 'b') return value === '1' ? 'TRUE' : 'FALSE'
  if (type === 'n') return value === '' || Number.isNaN(Number(value)) ? value : String(Number(value))
  return asText(value)
}

/** "AB12" is the column with the index 27. */
function columnOf(reference: string) {
  const letters = /^[A-Z]{1,3}/i.exec(reference)?.[0].toUpperCase() ?? 'A'
  return [...letters].reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0) - 1
}

type Tag = { name: string; isEnd: boolean; isEmpty: boolean; attributes: string; text: string }

/** The tags of an XML text in their order, each with the text that follows it; entities are not declared there. */
function* tagsOf(xml: string): Generator<Tag> {
  const tags = /<(\/?)(?:[\w.-]+:)?([\w.-]+)([^<>"']*(?:(?:"[^"]*"|'[^']*')[^<>"']*)*)>([^<]*)/g
  for (const [, slash, name, rest, text] of xml.matchAll(tags)) {
    const isEmpty = rest!.endsWith('/')
    yield { name: name!, isEnd: slash === '/', isEmpty, attributes: rest!, text: isEmpty ? '' : unescapeXml(text!) }
  }
}

function attributeOf(attributes: string, name: string): string | undefined {
  const [, double, single] = new RegExp(`\\s${name}\\s*=\\s*(?:"([^"]*)"|'([^']*)')`).exec(attributes) ?? []
  const value = double ?? single
  return value === undefined ? undefined : unescapeXml(value)
}

/** Excel writes characters that XML forbids as _x0001_. */
const asText = (text: string) =>
  text.replace(/_x([\da-f]{4})_/gi, (_whole, code) => String.fromCharCode(Number.parseInt(code, 16)))
