import { findLanguage } from '#shared/languages.ts'
import { goodAltText } from '../alt-text.ts'
import { cleanText } from '../clean-text.ts'
import type { AiAnalysis } from '../provider.ts'
import { altTextInEnglish } from './describe.ts'
import { german } from './languages/de.ts'
import { spanish } from './languages/es.ts'
import { french } from './languages/fr.ts'
import { italian } from './languages/it.ts'
import { dutch } from './languages/nl.ts'
import { portuguese } from './languages/pt.ts'
import { tellScene } from './languages/tell.ts'
import type { Grammar, Wording } from './languages/wording.ts'
import { sceneOf } from './scene.ts'

type Known = { load: () => Promise<{ default: Wording }>; grammar: Grammar }

/** A table of words is loaded when something is first told in its language. */
const languages: Record<string, Known> = {
  de: { load: () => import('./languages/de.json', { with: { type: 'json' } }), grammar: german },
  fr: { load: () => import('./languages/fr.json', { with: { type: 'json' } }), grammar: french },
  es: { load: () => import('./languages/es.json', { with: { type: 'json' } }), grammar: spanish },
  it: { load: () => import('./languages/it.json', { with: { type: 'json' } }), grammar: italian },
  pt: { load: () => import('./languages/pt.json', { with: { type: 'json' } }), grammar: portuguese },
  nl: { load: () => import('./languages/nl.json', { with: { type: 'json' } }), grammar: dutch },
}

/** What the built-in AI writes. */
export const draftLanguages: readonly string[] = ['en', ...Object.keys(languages)]

/** The language whose words serve for this one: German for "de-AT". */
export const draftLanguageOf = (language: string) => findLanguage([language], draftLanguages)

type Recognized = Pick<AiAnalysis, 'tags' | 'text'> & { isVideo: boolean }

/** An alt text from the built-in AI's words; undefined where it recognized nothing or does not write the language. */
export async function draftAltText(language: string, found: Recognized): Promise<string | undefined> {
  const told = await tellIn(language, found)
  return told?.find((each) => each.length <= goodAltText.longest) ?? told?.at(-1)
}

/** A description in a language other than English; undefined where it is not written. */
export async function describeIn(language: string, found: Recognized): Promise<string | undefined> {
  const known = languages[draftLanguageOf(language) ?? '']
  if (!known) return undefined
  const told = await tellIn(language, found)
  if (told) return told[0]
  const { phrases } = (await known.load()).default
  return found.text ? phrases.withText : phrases.unknown
}

/** With the text that stands in the picture, and without. */
async function tellIn(language: string, { tags, text, isVideo }: Recognized): Promise<string[] | undefined> {
  const name = draftLanguageOf(language) ?? ''
  const lines = text.split('\n').filter(Boolean)
  if (name === 'en') return altTextInEnglish({ tags, lines, colours: [], isVideo })
  const known = languages[name]
  if (!known) return undefined
  const { default: wording } = await known.load()
  const told = tellScene({ wording, grammar: known.grammar }, sceneOf({ tags, isVideo }))
  if (!told) return undefined
  const read = cleanText(lines.join(' / '), 160)
  const quoted = wording.phrases.text.replace('%', () => read)
  return read.replace(/\W/g, '').length >= 4 ? [`${told} ${quoted}`, told] : [told]
}
