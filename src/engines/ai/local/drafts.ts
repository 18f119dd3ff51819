import { findLanguage } from '#shared/languages.ts'
import { goodAltText } from '../alt-text.ts'
import type { AiAnalysis } from '../provider.ts'
import { altTextInEnglish } from './describe.ts'

/** What the built-in AI writes, the first for languages that it does not. */
export const draftLanguages: readonly string[] = ['en']

/** The language whose words serve for this one: German for "de-AT". */
export const draftLanguageOf = (language: string) => {
  const found = findLanguage([language], draftLanguages)
  return found && language.toLowerCase().split('-')[0] === found ? found : undefined
}

type Recognised = Pick<AiAnalysis, 'tags' | 'text'> & { isVideo: boolean }

/** An alt text from the built-in AI's words; undefined where it recognised nothing or does not write the language. */
export async function draftAltText(language: string, { tags, text, isVideo }: Recognised): Promise<string | undefined> {
  if (!draftLanguageOf(language)) return undefined
  const lines = text.split('\n').filter(Boolean)
  const told = altTextInEnglish({ tags, lines, colours: [], isVideo })
  return told?.find((each) => each.length <= goodAltText.longest) ?? told?.at(-1)
}
