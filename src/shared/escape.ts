const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

/** All text that goes into HTML strings passes through here. */
export function escapeHtml(text: string) {
  return text.replace(/[&<>"']/g, (character) => entities[character]!)
}

/** Escapes inline markup, and line beginnings that Markdown would read as a list or a rule. The result is one line. */
export function escapeMarkdown(text: string) {
  return text
    .trim()
    .replace(/[\\`*_{}[\]<>#|~&]/g, '\\$&')
    .replace(/(?<!\s)\s*\n\s*/g, ' ')
    .replace(/^[-+]|(?<=^\d{1,9})[.)](?=\s|$)/, '\\$&')
}

/** Spreadsheets run a cell that begins like a formula; an apostrophe makes it text. */
export const escapeCsvCell = (text: string) => (/^'*[=+\-@\t\r]/.test(text) ? `'${text}` : text)
