import { type DocumentFacts, type DocumentItem, summaryOf } from './document.ts'

export async function* writeMarkdown(facts: DocumentFacts, items: AsyncIterable<DocumentItem>) {
  yield `# ${asText(facts.title)}\n\n${summaryOf(facts)}\n`
  for await (const item of items) {
    yield `\n## ${asText(item.name)}\n\n`
    if (item.thumbnailUrl) yield `![${asText(item.name)}](<${item.thumbnailUrl}>)\n\n`
    yield `- Size: ${item.size}\n`
    if (item.dimensions) yield `- Dimensions: ${item.dimensions}\n`
    if (item.tags.length > 0) yield `- Tags: ${item.tags.map(asText).join(', ')}\n`
    if (item.publicUrl) yield `- Public URL: <${item.publicUrl}>\n`
    if (item.description) yield `\n${asText(item.description)}\n`
    if (item.aiDescription) yield `\n${asText(item.aiDescription)}\n`
  }
}

/** Names and descriptions are text, not markup. */
function asText(text: string) {
  return text.replace(/[\\`*_{}[\]<>#|]/g, '\\$&').replace(/(?<!\s)\s*\n\s*/g, ' ')
}
