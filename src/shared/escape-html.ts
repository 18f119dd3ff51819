const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

/** The one way in which text becomes part of HTML. */
export function escapeHtml(text: string) {
  return text.replace(/[&<>"']/g, (character) => entities[character]!)
}
