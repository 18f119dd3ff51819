import { splitExtension } from '#shared/filenames.ts'
import { findLanguage } from '#shared/languages.ts'
import type { Media } from './contract.ts'

/** The fields of an item, or of a public shape of it, that its alternative text comes from. */
type Described = Pick<Media, 'filename' | 'altTexts' | 'isDecorative' | 'userDescription' | 'aiDescription'>

/** A language is unknown for descriptions and names. */
type Words = { text: string; language: string | null }

/**
 * [Note: Alt texts] The alternative text of an item for websites: empty if it is decorative, else the alt text in the
 * first of the wanted languages that has one ("*" is any), else the owner's description, the AI's, or the name.
 */
export function findAltText(item: Described, languages: readonly string[]): Words {
  if (item.isDecorative) return { text: '', language: null }
  return findDescription(item, languages) ?? { text: splitExtension(item.filename).stem, language: null }
}

export const altTextOf = (item: Described, languages: readonly string[]) => findAltText(item, languages).text

/** The same without the name, and whether or not websites show it as decorative. */
export function findDescription(item: Omit<Described, 'filename' | 'isDecorative'>, languages: readonly string[]) {
  const language = findLanguage(languages, Object.keys(item.altTexts))
  if (language) return { text: item.altTexts[language]!, language }
  const text = item.userDescription || item.aiDescription
  return text ? { text, language: null } : undefined
}
