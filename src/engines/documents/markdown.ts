import { escapeMarkdown } from '#shared/escape.ts'
import { type DocumentFacts, type DocumentItem, summaryOf } from './document.ts'

export async function* writeMarkdown(facts: DocumentFacts, items: AsyncIterable<DocumentItem>) {
  yield `# ${escapeMarkdown(facts.title)}\n\n${summaryOf(facts)}\n`
  for await (const item of items) {
    yield `\n## ${escapeMarkdown(item.name)}\n\n`
    if (item.thumbnailUrl) yield `![${escapeMarkdown(item.name)}](<${item.thumbnailUrl}>)\n\n`
    yield `- Size: ${item.size}\n`
    if (item.dimensions) yield `- Dimensions: ${item.dimensions}\n`
    if (item.tags.length > 0) yield `- Tags: ${item.tags.map(escapeMarkdown).join(', ')}\n`
    if (item.publicUrl) yield `- Public URL: <${item.publicUrl}>\n`
    if (item.description) yield `\n${escapeMarkdown(item.description)}\n`
    if (item.aiDescription) yield `\n${escapeMarkdown(item.aiDescription)}\n`
  }
}
