/** The one way in which text becomes part of Markdown: no markup within a line, nor by how it begins, such as a list or a rule. */
export function escapeMarkdown(text: string) {
  return text
    .trim()
    .replace(/[\\`*_{}[\]<>#|~&]/g, '\\$&')
    .replace(/(?<!\s)\s*\n\s*/g, ' ')
    .replace(/^[-+]|(?<=^\d{1,9})[.)](?=\s|$)/, '\\$&')
}
