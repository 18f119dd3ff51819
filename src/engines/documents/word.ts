import { escapeHtml } from '#shared/escape.ts'
import { type DocumentFacts, type DocumentItem, linesOf, sizeOnPage, summaryOf } from './document.ts'
import { heading, linked, type Picture, paragraph, pictured, wordParts } from './word-parts.ts'

const pictureWidth = 220

/** One file of the ZIP archive that a Word document is. */
export type WordPart = { name: string; data: Buffer }

/**
 * Yields the parts of a Word document. Pictures are yielded as they come, and only the text waits for the end because it is one
 * part, so ten thousand items take little memory.
 */
export async function* writeWord(facts: DocumentFacts, items: AsyncIterable<DocumentItem>): AsyncGenerator<WordPart> {
  const body = [heading('Title', asText(facts.title)), paragraph(asText(summaryOf(facts)), 'Quiet')]
  const pictures: string[] = []
  const links: string[] = []
  yield* wordParts.before()
  for await (const item of items) {
    body.push(heading('Heading2', asText(item.name)))
    if (item.thumbnail) {
      const picture = pictureOf(item, item.thumbnail, pictures.length + 1)
      pictures.push(picture.file)
      body.push(pictured(picture))
      yield { name: `word/${picture.file}`, data: Buffer.from(item.thumbnail.data) }
    }
    body.push(paragraph(asText([item.size, item.dimensions].filter(Boolean).join(' · ')), 'Quiet'))
    const words = linesOf(item).map(({ name, text }) => `${name}: ${text}`)
    for (const text of [item.tags.join(', '), ...words, item.description, item.aiDescription])
      if (text) body.push(paragraph(asText(text)))
    if (item.publicUrl) {
      links.push(asText(item.publicUrl))
      body.push(linked(links.length, asText(item.publicUrl)))
    }
  }
  yield* wordParts.after({ body, pictures, links })
}

function pictureOf({ name }: DocumentItem, thumbnail: { width: number; height: number }, number: number): Picture {
  const { width, height } = sizeOnPage(thumbnail, pictureWidth)
  return {
    number,
    file: `media/${number}.jpg`,
    width: Math.max(1, Math.round(width)),
    height: Math.max(1, Math.round(height)),
    description: asText(name),
  }
}

/** XML forbids control characters. */
const asText = (text: string) => escapeHtml(text.replace(/[\p{Cc}\p{Cs}\ufffe\uffff]/gu, ' '))
