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

function nameOf(tag: string) {
  return new Intl.DisplayNames(['en'], { type: 'language', fallback: 'none' }).of(tag)
}
