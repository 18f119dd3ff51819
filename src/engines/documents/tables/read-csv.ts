import { invalid } from '#platform/errors.ts'

export const maxTableColumns = 1000
const separators = [',', ';', '\t']

/** The rows of a CSV file as Excel, LibreOffice and others write it: any usual separator, encoding and line end. */
export function* readCsv(bytes: Uint8Array): Generator<string[]> {
  const decoded = decodeText(bytes)
  // Excel writes and reads a first line that names the separator.
  const named = /^sep=(.)\r?\n/.exec(decoded)
  const text = named ? decoded.slice(named[0].length) : decoded
  const separator = named?.[1] ?? findSeparator(text)
  const special = new RegExp(`[${separator}\r\n]`, 'g')
  let row: string[] = []
  let at = 0
  while (at < text.length) {
    const { cell, end } = text[at] === '"' ? quotedCell(text, at, special) : plainCell(text, at, special)
    row.push(asText(cell))
    if (row.length > maxTableColumns) throw invalid(`The table has more than ${maxTableColumns} columns.`)
    if (text[end] === separator) {
      at = end + 1
      if (at < text.length) continue
      row.push('')
    } else at = end + (text.startsWith('\r\n', end) ? 2 : 1)
    yield row
    row = []
  }
}

function plainCell(text: string, start: number, special: RegExp) {
  special.lastIndex = start
  const end = special.exec(text)?.index ?? text.length
  return { cell: text.slice(start, end), end }
}

/** Two quotation marks are one. What follows the closing one, up to the separator, belongs to the cell as well. */
function quotedCell(text: string, start: number, special: RegExp) {
  const parts: string[] = []
  for (let at = start + 1; ; ) {
    const mark = text.indexOf('"', at)
    if (mark < 0) throw invalid('The table is damaged: a quotation mark is not closed.')
    parts.push(text.slice(at, mark))
    if (text[mark + 1] !== '"') {
      const rest = plainCell(text, mark + 1, special)
      return { cell: parts.join('"') + rest.cell, end: rest.end }
    }
    at = mark + 2
  }
}

/** The counterpart of `escapeCsvCell`. */
const asText = (cell: string) => (/^'+[=+\-@\t\r]/.test(cell) ? cell.slice(1) : cell)

function findSeparator(text: string) {
  const header = text
    .slice(0, 10_000)
    .replace(/"[^"]*"/g, '')
    .split(/[\r\n]/, 1)[0]!
  const count = (separator: string) => header.split(separator).length
  return separators.reduce((best, other) => (count(other) > count(best) ? other : best))
}

/** UTF-8 and UTF-16 by their marks or bytes, and otherwise what Excel in Western Europe writes. */
function decodeText(bytes: Uint8Array): string {
  const [first, second] = bytes
  if (first === 0xff && second === 0xfe) return new TextDecoder('utf-16le').decode(bytes)
  if (first === 0xfe && second === 0xff) return new TextDecoder('utf-16be').decode(bytes)
  const head = bytes.subarray(0, 1000)
  const zeros = head.filter((byte, index) => byte === 0 && index % 2 === 1).length
  if (zeros > head.length / 4) return new TextDecoder('utf-16le').decode(bytes)
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return new TextDecoder('windows-1252').decode(bytes)
  }
}
