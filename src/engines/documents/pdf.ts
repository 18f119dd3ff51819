import PDFDocument from 'pdfkit'
import {
  type DocumentFacts,
  type DocumentItem,
  linesOf,
  type ReportSummary,
  sizeOnPage,
  summaryOf,
} from './document.ts'

const pictureWidth = 110
const rowGap = 14

/** Streams page by page, so a long document does not fill memory. */
export function writePdf(
  facts: DocumentFacts,
  items: AsyncIterable<DocumentItem>,
  summary?: ReportSummary,
): NodeJS.ReadableStream {
  const document = new PDFDocument({ size: 'A4', margin: 48, bufferPages: false, info: { Title: facts.title } })
  if (summary?.logo) drawLogo(document, summary.logo)
  document.fontSize(18).fillColor('#000').text(printable(facts.title))
  document
    .fontSize(10)
    .fillColor('#666')
    .text(summary ? facts.createdAt : summaryOf(facts))
    .moveDown(1.5)
  if (summary) drawLines(document, summary.lines)
  void drawAll(document, items)
  return document
}

async function drawAll(document: PDFKit.PDFDocument, items: AsyncIterable<DocumentItem>) {
  try {
    for await (const item of items) {
      // The reader sets the pace, and a disconnected reader ends the work.
      if (document.destroyed) return
      drawItem(document, item)
      if (document.readableLength > document.readableHighWaterMark) await nextTaken(document)
    }
    if (!document.destroyed) document.end()
  } catch (error) {
    document.destroy(error as Error)
  }
}

const logoWidth = 120
const labelWidth = 150

function drawLogo(document: PDFKit.PDFDocument, logo: NonNullable<ReportSummary['logo']>) {
  const { left, top } = document.page.margins
  const scale = Math.min(logoWidth / logo.width, 60 / logo.height)
  const [width, height] = [logo.width * scale, logo.height * scale]
  document.image(Buffer.from(logo.data), left, top, { width, height })
  document.x = left
  document.y = top + height + rowGap
}

/** The items begin on the next page. */
function drawLines(document: PDFKit.PDFDocument, lines: ReportSummary['lines']) {
  const { left, right } = document.page.margins
  document.fontSize(11)
  for (const [label, value] of lines) {
    const { y } = document
    const options = { width: document.page.width - left - right - labelWidth }
    document.fillColor('#666').text(printable(label), left, y, { width: labelWidth - 10 })
    const end = document.y
    document.fillColor('#000').text(printable(value), left + labelWidth, y, options)
    document.y = Math.max(end, document.y) + 6
  }
  document.x = left
  document.addPage()
}

function nextTaken(document: PDFKit.PDFDocument) {
  return new Promise<void>((resolve) => {
    const done = () => {
      document.off('data', done).off('close', done)
      resolve()
    }
    document.on('data', done).on('close', done)
  })
}

function drawItem(document: PDFKit.PDFDocument, item: DocumentItem) {
  const { left, right, bottom } = document.page.margins
  const { width, height } = item.thumbnail ? sizeOnPage(item.thumbnail, pictureWidth) : { width: 0, height: 0 }
  if (document.y + Math.max(height, 90) > document.page.height - bottom) document.addPage()
  const { page, y: top } = document
  if (item.thumbnail) document.image(Buffer.from(item.thumbnail.data), left, top, { width, height })
  const textLeft = left + pictureWidth + 16
  const options = { width: document.page.width - right - textLeft }
  document.fillColor('#000').fontSize(11).text(printable(item.name), textLeft, top, options)
  document.fillColor('#555').fontSize(9)
  document.text([item.size, item.dimensions].filter(Boolean).join(' · '), options)
  if (item.tags.length > 0) document.text(printable(item.tags.join(', ')), options)
  if (item.publicUrl)
    document.fillColor('#1a56b0').text(printable(item.publicUrl), { ...options, link: item.publicUrl })
  document.fillColor('#222')
  const words = linesOf(item).map(({ name, text }) => `${name}: ${text}`)
  for (const text of [...words, item.description, item.aiDescription]) if (text) document.text(printable(text), options)
  document.x = left
  // A long description may have ended on a later page than the picture.
  const end = document.page === page ? top + height : 0
  document.y = Math.max(document.y, end) + rowGap
}

/**
 * The built-in PDF fonts contain Western European letters, quotation marks and dashes. Other characters become their closest
 * base letter, or a question mark.
 */
function printable(text: string) {
  const known = text
    .normalize('NFC')
    .replace(/\r\n?/g, '\n')
    .replace(/\t/g, ' ')
    .replace(unprintable, (character) =>
      /[\p{Cc}\p{Cf}\p{Mn}]/u.test(character)
        ? ''
        : character.normalize('NFKD').replace(/[^\u0020-\u007e]/g, '') || '?',
    )
  return known.replace(widerThanLine, '$& ')
}

const unprintable = /[^\u0020-\u007e\u00a0-\u00ff\nŒœŠšŸŽžƒˆ˜–—‘’‚“”„†‡•…‰‹›€™]/gu

/** pdfkit looks for a line break letter by letter, in quadratic time; such text is broken in any case. */
const widerThanLine = /[^ \n]{100}/g
