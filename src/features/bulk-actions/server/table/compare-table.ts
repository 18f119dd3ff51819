import { readFile } from 'node:fs/promises'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { z } from 'zod'
import { readCsv } from '#engines/documents/tables/read-csv.ts'
import { readXlsx } from '#engines/documents/tables/read-xlsx.ts'
import { maxItemsAtOnce } from '#features/media/limits.ts'
import { derivedNames, fileAddress } from '#features/media/server/media-addresses.ts'
import { listTagsByMedia, loadOwnedMediaList } from '#features/media/server/store.ts'
import { invalid } from '#platform/errors.ts'
import type { Db } from '#platform/server/db/tables.ts'
import { chunksOf } from '#shared/chunks.ts'
import type { TableDifferences } from '../../contract.ts'
import { editableColumns } from '../../limits.ts'
import { altColumn, asCell, languageOf, valuesOf } from './columns.ts'
import { checkCell } from './write-values.ts'

type Differences = z.infer<typeof TableDifferences>
type TableRow = { number: number; id: string; cells: Map<string, string> }

const itemsAtOnce = 200
const rowsPerTurn = 500
const tooManyRows = `A table can have up to ${maxItemsAtOnce.toLocaleString('en')} rows. Split it into several files.`
const noColumns =
  'The table has none of the columns Name, Title, Description, Tags, Creator, License or alt_en. Export a table to see them.'

/** Compares an edited table with the owner's items. Nothing is changed, and empty cells say nothing. */
export async function compareTable(db: Db, ownerId: number, path: string): Promise<Differences> {
  const rows = await readRows(path)
  const found: Differences = { changed: [], unchanged: 0, unknown: [], bad: [] }
  const seen = new Map<number, number>()
  const wanted = rows.flatMap((row) => {
    const { number, id: written } = row
    const id = /^\d{1,15}(\.0+)?$/.test(written) ? Number(written) : 0
    const problem = id === 0 ? 'must be the ID of an item' : seen.has(id) && `is in row ${seen.get(id)} as well`
    if (problem)
      found.bad.push({
        row: number,
        id: id || null,
        column: 'id',
        value: written.slice(0, 200),
        message: `The ID ${problem}.`,
      })
    else seen.set(id, number)
    return problem ? [] : { ...row, id }
  })
  for (const part of chunksOf(wanted, itemsAtOnce)) {
    const ids = part.map(({ id }) => id)
    const items = new Map((await loadOwnedMediaList(db, ownerId, ids)).map((row) => [row.id, row]))
    const tags = await listTagsByMedia(db, [...items.keys()])
    for (const { id, number, cells } of part) {
      const item = items.get(id)
      if (!item) {
        found.unknown.push({ row: number, id })
        continue
      }
      const values = valuesOf(
        item,
        (tags.get(id) ?? []).map(({ tag }) => tag),
      )
      const changes: Differences['changed'][number]['cells'] = []
      let isGood = true
      for (const [column, cell] of cells) {
        const before = asCell(values[column])
        if (cell.trim() === '' || sameText(cell, before)) continue
        const checked = checkCell(column, cell, item)
        if ('message' in checked) {
          isGood = false
          found.bad.push({ row: number, id, column, value: cell.slice(0, 200), message: checked.message })
        } else if (!sameText(asCell(checked.value), before))
          changes.push({ column, before, after: asCell(checked.value) })
      }
      const thumbnailUrl = fileAddress(item, derivedNames.thumbnail)
      if (changes.length > 0)
        found.changed.push({ id, row: number, filename: item.filename, thumbnailUrl, cells: changes })
      else if (isGood) found.unchanged++
    }
  }
  return found
}

/** Programs change line ends and spaces at the ends. */
const sameText = (first: string, second: string) => unified(first) === unified(second)
const unified = (text: string) => text.replace(/\r\n?/g, '\n').trim()

async function readRows(path: string): Promise<TableRow[]> {
  const bytes = await readFile(path)
  if (bytes.length === 0) throw invalid('The file is empty.', { field: 'file' })
  const isOldExcel = bytes.readUInt32BE(0) === 0xd0cf11e0
  if (isOldExcel) throw invalid('Excel files must be .xlsx, without a password. Save the table as .xlsx or .csv.')
  const isZip = bytes.subarray(0, 4).toString('latin1') === 'PK\x03\x04'
  let columns: (string | undefined)[] | undefined
  const rows: TableRow[] = []
  let number = 0
  for await (const cells of isZip ? readXlsx(path) : readCsv(bytes)) {
    if (++number % rowsPerTurn === 0) await nextTurn()
    if (cells.every((cell) => cell.trim() === '')) continue
    if (!columns) columns = columnsOf(cells)
    else if (rows.length === maxItemsAtOnce) throw invalid(tooManyRows, { field: 'file' })
    else rows.push(toRow(number, cells, columns))
  }
  if (!columns) throw invalid('The table has no rows.', { field: 'file' })
  return rows
}

function toRow(number: number, cells: string[], columns: (string | undefined)[]): TableRow {
  const row: TableRow = { number, id: '', cells: new Map() }
  for (const [index, column] of columns.entries()) {
    const cell = cells[index] ?? ''
    if (column === 'id') row.id = cell.trim()
    else if (column) row.cells.set(column, cell)
  }
  return row
}

/** By position; columns that cannot be changed are left out. */
function columnsOf(header: string[]) {
  const columns = header.map(toColumn)
  const known = columns.filter((column) => column !== undefined)
  const twice = known.find((column, index) => known.indexOf(column) !== index)
  if (twice) throw invalid(`The table has two columns "${twice}".`, { field: 'file' })
  if (!known.includes('id')) throw invalid('The table has no column ID. Export a table first and keep that column.')
  if (known.length === 1) throw invalid(noColumns, { field: 'file' })
  return columns
}

const otherNames: Record<string, string> = { license: 'licence', filename: 'name' }

function toColumn(title: string): string | undefined {
  const plain = title.trim().replace(/\s+/g, '_')
  const name = plain.toLowerCase()
  const known = otherNames[name] ?? name
  if (known === 'id' || (editableColumns as readonly string[]).includes(known)) return known
  const language = languageOf(name)
  return language && altColumn(language)
}
