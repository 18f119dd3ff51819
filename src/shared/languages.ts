/** BCP 47 tags that name no single language. */
const noLanguage = new Set(['und', 'mul', 'mis', 'zxx'])

/** The canonical form of a BCP 47 tag, such as `pt-BR` of `PT-br`; undefined if no language has this tag. */
export function canonicalLanguage(tag: string): string | undefined {
  try {
    const locale = new Intl.Locale(tag)
    const canonical = locale.toString()
    // Extensions choose calendars and the like, which say nothing about words.
    if (canonical !== locale.baseName || noLanguage.has(locale.language)) return undefined
    return nameOf(canonical) === undefined ? undefined : canonical
  } catch {
    return undefined
  }
}

/** In English, such as "Brazilian Portuguese"; the tag itself for a language that has no name here. */
export const languageName = (tag: string) => nameOf(tag) ?? tag

let names: Intl.DisplayNames | undefined

function nameOf(tag: string) {
  names ??= new Intl.DisplayNames(['en'], { type: 'language', fallback: 'none' })
  return names.of(tag)
}

/**
 * The first available language for the first wanted one that has any: itself, then the more general ones ("de" for
 * "de-AT"), then its variants ("de-AT" for "de"). The range "*" takes the first available one.
 */
export function findLanguage(wanted: readonly string[], available: readonly string[]): string | undefined {
  for (const range of wanted) {
    const found = range === '*' ? available[0] : matchRange(range, available)
    if (found) return found
  }
  return undefined
}

function matchRange(range: string, available: readonly string[]) {
  const parts = range.toLowerCase().split('-')
  for (let length = parts.length; length > 0; length--) {
    const prefix = parts.slice(0, length).join('-')
    const found =
      available.find((tag) => tag.toLowerCase() === prefix) ??
      available.find((tag) => tag.toLowerCase().startsWith(`${prefix}-`))
    if (found) return found
  }
  return undefined
}

const maxAccepted = 20

/** The language ranges of an Accept-Language header, the most wanted first. */
export function acceptedLanguages(header = ''): string[] {
  return header
    .slice(0, 1000)
    .split(',')
    .slice(0, maxAccepted)
    .map((part) => /^\s*([a-z]{1,8}(?:-[a-z\d]{1,8}){0,8}|\*)\s*(?:;\s*q=([\d.]{1,5})\s*)?$/i.exec(part))
    .flatMap((match) => (match ? [{ range: match[1]!, quality: Number(match[2] ?? 1) }] : []))
    .filter(({ quality }) => quality > 0)
    .toSorted((one, other) => other.quality - one.quality)
    .map(({ range }) => range)
}
