import { Document, ExternalHyperlink, HeadingLevel, ImageRun, Packer, Paragraph, TextRun } from 'docx'
import type { DocumentFacts, DocumentItem } from './document.ts'

const pictureWidth = 220

/** A Word file is one archive with a table of contents, so it is made whole; its pictures are small. */
export async function writeWord(
  { title, createdAt, count }: DocumentFacts,
  items: AsyncIterable<DocumentItem>,
): Promise<Buffer> {
  const children = [
    new Paragraph({ text: printable(title), heading: HeadingLevel.TITLE }),
    new Paragraph({ children: [new TextRun({ text: `${count} items, ${createdAt}`, color: '666666' })] }),
  ]
  for await (const item of items) children.push(...paragraphsOf(item))
  return Packer.toBuffer(new Document({ title: printable(title), sections: [{ children }] }))
}

function paragraphsOf(item: DocumentItem): Paragraph[] {
  const facts = [item.size, item.dimensions].filter(Boolean).join(' · ')
  return [
    new Paragraph({ text: printable(item.name), heading: HeadingLevel.HEADING_2 }),
    ...pictureOf(item),
    new Paragraph({ children: [new TextRun({ text: facts, color: '666666' })] }),
    ...[item.tags.join(', '), item.description, item.aiDescription]
      .filter(Boolean)
      .map((text) => new Paragraph({ text: printable(text) })),
    ...(item.publicUrl
      ? [
          new Paragraph({
            children: [
              new ExternalHyperlink({
                link: item.publicUrl,
                children: [new TextRun({ text: item.publicUrl, style: 'Hyperlink' })],
              }),
            ],
          }),
        ]
      : []),
  ]
}

function pictureOf({ thumbnail, name }: DocumentItem): Paragraph[] {
  if (!thumbnail) return []
  const height = Math.round((thumbnail.height / thumbnail.width) * pictureWidth)
  const picture = new ImageRun({
    type: 'jpg',
    data: Buffer.from(thumbnail.data),
    transformation: { width: pictureWidth, height },
    altText: { name: printable(name), title: printable(name), description: printable(name) },
  })
  return [new Paragraph({ children: [picture] })]
}

/** XML has no place for control characters. */
function printable(text: string) {
  return text.replace(/[\p{Cc}\p{Cs}\ufffe\uffff]/gu, ' ')
}
