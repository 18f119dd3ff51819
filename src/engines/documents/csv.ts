import { escapeCsvCell } from '#shared/escape.ts'
import { cellsOf, columns, type DocumentItem } from './document.ts'

const byteOrderMark = '\ufeff'

/** With a byte order mark, which spreadsheets need to read accents right. */
export async function* writeCsv(items: AsyncIterable<DocumentItem>) {
  yield byteOrderMark + asLine([...columns])
  for await (const item of items) yield asLine(cellsOf(item))
}

const asLine = (cells: string[]) => `${cells.map(asCell).join(',')}\r\n`

function asCell(text: string) {
  const safe = escapeCsvCell(text)
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
