const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

/** All text that goes into HTML strings passes through here. */
export function escapeHtml(text: string) {
  return text.replace(/[&<>"']/g, (character) => entities[character]!)
}

const xmlEntities: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }

/** The text of XML that declares no entities; an unknown one stays as it is written. */
export function unescapeXml(text: string) {
  if (!text.includes('&')) return text
  return text.replace(/&(?:#x([\da-f]{1,6})|#(\d{1,7})|(amp|lt|gt|quot|apos));/gi, (whole, hex, decimal, name) => {
    if (name) return xmlEntities[name.toLowerCase()]!
    const code = hex ? Number.parseInt(hex, 16) : Number(decimal)
    return code <= 0x10ffff ? String.fromCodePoint(code) : whole
  })
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
