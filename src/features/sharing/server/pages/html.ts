import { escapeHtml } from '#shared/escape.ts'

/** Markup that may stand in a page as it is. Only `html` and `trusted` make it. */
export type Html = { readonly markup: string }
type Part = Html | string | number | false | null | undefined | readonly Part[]

/**
 * [Note: Pages are escaped by default] What is put into the template is text and is escaped, unless it came out of such
 * a template itself; so names, descriptions and branding cannot become markup by an oversight.
 */
export function html(strings: TemplateStringsArray, ...parts: Part[]): Html {
  return { markup: strings.reduce((page, text, index) => page + render(parts[index - 1]) + text) }
}

function render(part: Part): string {
  if (part === false || part === null || part === undefined) return ''
  if (typeof part === 'object') return 'markup' in part ? part.markup : part.map(render).join('')
  return escapeHtml(String(part))
}

/** For what we built ourselves: tags of the client's own files. */
export const trusted = (markup: string): Html => ({ markup })
