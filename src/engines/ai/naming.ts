import { fileNameWords, isMeaningful, toWords } from '#shared/name-words.ts'
import type { NameContext } from './provider.ts'

/** How far each source can be trusted to name the picture itself rather than what surrounds it. */
const trust = {
  caption: 1,
  alt: 1,
  title: 0.85,
  linkText: 0.7,
  heading: 0.6,
  ocr: 0.55,
  fileName: 0.5,
  description: 0.5,
  pageTitle: 0.45,
} as const

type NameSource = keyof typeof trust | 'tags' | 'none'
type SuggestedName = { name: string; source: NameSource; confidence: number }

const lowestConfidence = 0.25
const mostWords = 10
const mostSubjectWords = 8
const longestName = 80
/** A longer context is an instruction for a model, not a part of a name. */
const mostContextWords = 4

/** A name from what stands around the picture; the words that people wrote for it come first. */
export function suggestNameByRules(context: NameContext): SuggestedName {
  const { source, words, confidence } = bestSubject(context)
  const tags = (context.tags ?? []).flatMap((tag) => [toWords(tag).join(' ')]).filter(Boolean)
  const isTagged = words.length === 0 && tags.length > 0
  const subject = isTagged ? tags.slice(0, 3).flatMap((tag) => tag.split(' ')) : words
  const isThin = !isTagged && words.length < 3 && source !== 'alt' && source !== 'caption'
  const addition = isThin && words.length > 0 ? tags.find((tag) => !contains(words, tag))?.split(' ') : undefined

  const name = compose([...subject, ...(addition ?? [])], context)
  return isTagged ? { name, source: 'tags', confidence: 0.4 } : { name, source, confidence }
}

/** Good enough to be taken as it stands. */
const trustedConfidence = 0.6
const writtenSources: ReadonlySet<NameSource> = new Set(['alt', 'caption', 'title'])

/** A name that a person wrote for the picture: better than any that a model could make, so none is asked. */
export function nameWrittenByPeople(context: NameContext): string | undefined {
  const { name, source, confidence } = suggestNameByRules(context)
  const isGood = writtenSources.has(source) && confidence >= trustedConfidence
  return isGood && !context.context ? name : undefined
}

/** Company, subject, context: each once, in this order, within the length that people read. */
export function compose(subject: string[], { company = '', context = '' }: NameContext): string {
  const companyWords = toWords(company)
  const contextWords = toWords(context)
  const parts = [...subject.slice(0, mostSubjectWords)]
  if (companyWords.length > 0 && !contains(parts, companyWords.join(' '))) parts.unshift(...companyWords)
  const isContextShort = contextWords.length <= mostContextWords
  if (isContextShort && !contains(parts, contextWords.join(' '))) parts.push(...contextWords)
  const name = shorten(parts.slice(0, mostWords))
  return name ? name.charAt(0).toUpperCase() + name.slice(1) : 'Image'
}

function bestSubject(context: NameContext): { source: NameSource; words: string[]; confidence: number } {
  const candidates = (Object.keys(trust) as (keyof typeof trust)[]).flatMap((source) => {
    const words = subjectWords(source, context[source] ?? '')
    const confidence = trust[source] * judge(words)
    return confidence >= lowestConfidence ? [{ source, words, confidence }] : []
  })
  // The order of `trust` decides between equals.
  return candidates.sort((a, b) => b.confidence - a.confidence)[0] ?? { source: 'none', words: [], confidence: 0 }
}

/** The local provider's words for a picture in which it recognised nothing, of today, in its languages, and before. */
const isUnrecognised =
  /^([\w-]+ )?((picture|video)(, mainly [^.]*)?\.|(photo|video); subject not recognised)|the built-in AI does not recognise|die integrierte KI nicht erkennt|l’IA intégrée ne reconnaît|la IA integrada no reconoce|l’IA integrata non riconosce|a IA integrada não reconhece|de ingebouwde AI niet herkent|^(A picture|Ein Bild|Une image|Una imagen|Un’immagine|Uma imagem|Een afbeelding) (with text|mit Text|avec du texte|con texto|con del testo|com texto|met tekst)\./i

function subjectWords(source: keyof typeof trust, text: string): string[] {
  if (source === 'fileName') return fileNameWords(text)
  // The local provider's descriptions begin "Photo: two dogs, on a beach."
  const subject =
    source === 'description' ? text.split('. ', 1)[0]!.replace(/^[^:;]*\b(photo|video)\b[:;]? ?/i, '') : text
  if (source === 'description' && isUnrecognised.test(text)) return []
  const words = toWords(subject)
  while (words.length > 1 && !isMeaningful(words[0]!)) words.shift()
  return words
}

/** 0 to 1: a few words of letters are best, a single word is thin, a paragraph is no name. */
function judge(words: string[]): number {
  const meaningful = words.filter(isMeaningful)
  if (meaningful.length === 0) return 0
  const joined = words.join('')
  const letters = joined.replace(/[^\p{L}\p{M}]/gu, '').length / joined.length
  return Math.min(1, 0.35 + meaningful.length * 0.16) * letters * (words.length > 16 ? 0.6 : 1)
}

function contains(words: string[], phrase: string): boolean {
  if (!phrase) return true
  return ` ${words.join(' ').toLowerCase()} `.includes(` ${phrase.toLowerCase()} `)
}

function shorten(words: string[]): string {
  const kept: string[] = []
  for (const word of words) {
    if ([...kept, word].join(' ').length > longestName) break
    kept.push(word)
  }
  return kept.join(' ') || (words[0] ?? '').slice(0, longestName)
}
