import { Readable } from 'node:stream'
import type { ZipSource } from '#engines/archive/write-zip.ts'
import { escapeCsvCell, escapeHtml } from '#shared/escape.ts'

/** Numbers stay numbers in spreadsheets; all texts stay texts, even those that begin like a formula. */
export type Cell = string | number
export type Rows = AsyncIterable<Cell[]>

const byteOrderMark = '\ufeff'

/** Spreadsheets need the byte order mark to read accents. */
export async function* writeCsv(rows: Rows) {
  let start = byteOrderMark
  for await (const row of rows) {
    yield `${start}${row.map(asCsv).join(',')}\r\n`
    start = ''
  }
}

function asCsv(cell: Cell) {
  const safe = typeof cell === 'number' ? String(cell) : escapeCsvCell(cell)
  return /[",;\t\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

/** Excel refuses longer cells. */
const maxCellLength = 32_767

/** The parts of an Excel workbook with one sheet, whose first row stays in view. */
export async function* writeXlsx(rows: Rows): AsyncGenerator<ZipSource> {
  yield part('[Content_Types].xml', contentTypes)
  yield part('_rels/.rels', relationships('officeDocument', 'xl/workbook.xml'))
  yield part('xl/workbook.xml', workbook)
  yield part('xl/_rels/workbook.xml.rels', relationships('worksheet', 'worksheets/sheet1.xml', 'styles', 'styles.xml'))
  yield part('xl/styles.xml', styles)
  const sheet: Buffer[] = [Buffer.from(declaration + sheetStart)]
  let number = 0
  for await (const row of rows) sheet.push(Buffer.from(asRow(row, ++number)))
  sheet.push(Buffer.from('</sheetData></worksheet>'))
  yield zipSource('xl/worksheets/sheet1.xml', sheet)
}

function asRow(row: Cell[], number: number) {
  const style = number === 1 ? 2 : 1
  const cells = row.map((cell) => {
    if (cell === '') return `<c s="${style}"/>`
    if (typeof cell === 'number') return `<c><v>${cell}</v></c>`
    return `<c s="${style}" t="inlineStr"><is><t xml:space="preserve">${asXml(cell)}</t></is></c>`
  })
  return `<row r="${number}">${cells.join('')}</row>`
}

/** XML cannot contain control characters, and Excel writes them as _x0001_; so a text that looks like that is escaped. */
function asXml(text: string) {
  const escaped = text
    .slice(0, maxCellLength)
    .toWellFormed()
    .replace(/_(?=x[\da-f]{4}_)/gi, '_x005F_')
    .replace(/[[\p{Cc}\ufffe\uffff]--[\t\n]]/gv, (character) => {
      return `_x${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}_`
    })
  return escapeHtml(escaped)
}

const zipSource = (name: string, data: Buffer[]): ZipSource => ({
  name,
  bytes: data.reduce((sum, { length }) => sum + length, 0),
  isDeflated: true,
  open: async () => Readable.from(data),
})

const declaration = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
const part = (name: string, xml: string) => zipSource(name, [Buffer.from(declaration + xml)])

const schemas = 'http://schemas.openxmlformats.org'
const main = `xmlns="${schemas}/spreadsheetml/2006/main"`
const office = `${schemas}/officeDocument/2006/relationships`
const type = 'application/vnd.openxmlformats-officedocument.spreadsheetml'

const relationships = (...targets: string[]) => {
  const entries = targets.flatMap((target, index) => {
    const [kind, number] = [targets[index - 1], (index + 1) / 2]
    return index % 2 ? `<Relationship Id="rId${number}" Type="${office}/${kind}" Target="${target}"/>` : []
  })
  return `<Relationships xmlns="${schemas}/package/2006/relationships">${entries.join('')}</Relationships>`
}

const contentTypes = `<Types xmlns="${schemas}/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/xl/workbook.xml" ContentType="${type}.sheet.main+xml"/><Override PartName="/xl/worksheets/sheet1.xml" ContentType="${type}.worksheet+xml"/><Override PartName="/xl/styles.xml" ContentType="${type}.styles+xml"/></Types>`

const workbook = `<workbook ${main} xmlns:r="${office}"><sheets><sheet name="Media" sheetId="1" r:id="rId1"/></sheets></workbook>`

/** Format 49 is text: what a user types into such a cell never becomes a formula, a number or a date. */
const styles = `<styleSheet ${main}><fonts count="2"><font><sz val="11"/><name val="Calibri"/></font><font><b/><sz val="11"/><name val="Calibri"/></font></fonts><fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills><borders count="1"><border/></borders><cellStyleXfs count="1"><xf/></cellStyleXfs><cellXfs count="3"><xf/><xf numFmtId="49" applyNumberFormat="1"/><xf numFmtId="49" fontId="1" applyNumberFormat="1" applyFont="1"/></cellXfs></styleSheet>`

const sheetStart = `<worksheet ${main}><sheetViews><sheetView workbookViewId="0"><pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews><cols><col min="1" max="100" width="24" style="1" customWidth="1"/></cols><sheetData>`
