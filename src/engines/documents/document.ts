import { countOf } from '#shared/count.ts'
import { escapeMarkdown } from '#shared/escape.ts'

/** One item of an exported document. */
export type DocumentItem = {
  name: string
  /** A small JPEG, or null for an item without a picture. */
  thumbnail: { data: Uint8Array; width: number; height: number } | null
  size: string
  dimensions: string
  description: string
  aiDescription: string
  tags: string[]
  words: DocumentWords
  publicUrl: string
  /** A public address of the small picture, for Markdown; empty while the item is private. */
  thumbnailUrl: string
}

/** What websites need of an item; null if nothing is written. */
type DocumentWords = {
  title: string | null
  /** By language. */
  altTexts: Record<string, string>
  creator: string | null
  credit: string | null
  licence: string | null
  source: string | null
}

/** "en: A pier at dusk", one line for each language. */
const altLines = ({ altTexts }: DocumentWords) =>
  Object.entries(altTexts).map(([language, text]) => `${language}: ${text}`)

/** With their names, for documents that are read. */
export function linesOf({ words }: DocumentItem): { name: string; text: string }[] {
  const lines = [
    { name: 'Title', text: words.title },
    ...altLines(words).map((text) => ({ name: 'Alt text', text })),
    { name: 'Creator', text: words.creator },
    { name: 'Credit', text: words.credit },
    { name: 'License', text: words.licence },
    { name: 'Source', text: words.source },
  ]
  return lines.flatMap(({ name, text }) => (text ? [{ name, text }] : []))
}

/** A tall screenshot at full width would not fit on the page, so it is made narrower. */
const highestShape = 3

export function sizeOnPage({ width, height }: { width: number; height: number }, usualWidth: number) {
  const scale = Math.min(usualWidth / width, (usualWidth * highestShape) / height)
  return { width: width * scale, height: height * scale }
}

/** A first page of its own: what was found, and whose document it is. */
export type ReportSummary = {
  logo: DocumentItem['thumbnail']
  lines: [label: string, value: string][]
}

export type DocumentFacts = { title: string; createdAt: string; count: number }

export const summaryOf = ({ count, createdAt }: DocumentFacts) => `${countOf(count, 'item')}, ${createdAt}`

export async function* writeMarkdown(facts: DocumentFacts, items: AsyncIterable<DocumentItem>) {
  yield `# ${escapeMarkdown(facts.title)}\n\n${summaryOf(facts)}\n`
  for await (const item of items) {
    yield `\n## ${escapeMarkdown(item.name)}\n\n`
    if (item.thumbnailUrl) yield `![${escapeMarkdown(item.name)}](<${item.thumbnailUrl}>)\n\n`
    yield `- Size: ${item.size}\n`
    if (item.dimensions) yield `- Dimensions: ${item.dimensions}\n`
    if (item.tags.length > 0) yield `- Tags: ${item.tags.map(escapeMarkdown).join(', ')}\n`
    for (const { name, text } of linesOf(item)) yield `- ${name}: ${escapeMarkdown(text)}\n`
    if (item.publicUrl) yield `- Public URL: <${item.publicUrl}>\n`
    if (item.description) yield `\n${escapeMarkdown(item.description)}\n`
    if (item.aiDescription) yield `\n${escapeMarkdown(item.aiDescription)}\n`
  }
}
