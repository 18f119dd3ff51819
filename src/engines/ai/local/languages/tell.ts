import { groupSizes, groupsOf } from '../labels/groups.ts'
import { hasContent, isGraphic, isSeldomAlone, type Scene, type Subject } from '../scene.ts'
import type { Grammar, Noun, Wording } from './wording.ts'

type Language = { wording: Wording; grammar: Grammar }

/** The scene as a sentence; undefined where nothing was recognized that this language has words for. */
export function tellScene({ wording, grammar }: Language, scene: Scene): string | undefined {
  const { phrases } = wording
  if (scene.isPage) return phrases.page
  const kind = phrases.kinds[kindKey(scene)]
  const words = hasContent(scene) ? wordsOf({ wording, grammar }, scene) : ''
  if (words) return `${capitalize(kind ? `${kind[0]}${phrases.colon}${words}` : words)}.`
  return kind && isGraphic(scene) ? `${capitalize(kind[1]!)}.` : undefined
}

function kindKey({ kind }: Scene): string {
  if (kind?.name !== 'black and white' && kind?.name !== 'sepia') return kind?.name ?? ''
  return `${kind.name} ${kind.isVideo ? 'video' : 'photo'}`
}

/** "zwei Hunde an einem Strand bei Sonnenuntergang" */
function wordsOf(language: Language, { subjects, place, surroundings, emptyCourt, light }: Scene): string {
  const { phrases, places, courts } = language.wording
  const told = new Set(subjects.flatMap((subject) => tellSubject(language, subject) ?? []))
  const isAlone = told.size === 0
  const where = place && (place.form === 'in' && !isAlone ? phrases.air : places[place.tag]?.[isAlone ? 0 : 1])
  const around = surroundings && places[surroundings]?.[1]
  const what = isAlone ? [] : [joinWords(language, [...told])]
  const court = emptyCourt && courts[emptyCourt]
  const isNightOnly = isAlone && !where && !court
  const when = light && (isNightOnly ? light === 'night' && phrases.nightPlace : phrases[light])
  return [...what, court, where, around, when].filter(Boolean).join(' ')
}

function tellSubject(language: Language, { word, count, isPortrait, activity }: Subject): string | undefined {
  const { phrases, activities } = language.wording
  const noun = findNoun(language.wording, word)
  if (!noun) return undefined
  const thing = isPortrait ? phrases.portrait : tellNoun(language.grammar, noun, count ?? isSeldomAlone(word))
  const doing = activity && activities[activity]
  if (!doing) return thing
  return `${thing} ${typeof doing === 'string' ? doing : doing[count === 1 ? 0 : 1]}`
}

const mostCounted = 5
const mostEstimated = 10

/** Counts become vaguer as they become less certain; `true` stands for several that were not counted. */
function tellNoun(grammar: Grammar, noun: Noun, count: number | boolean): string {
  if (!noun.plural) return grammar.some(noun)
  if (!noun.singular || count === true) return grammar.several(noun)
  if (count === false || count === 1) return grammar.one(noun)
  if (count <= mostCounted) return grammar.few(count, noun)
  return count <= mostEstimated ? grammar.about(count, noun) : grammar.many(noun)
}

/** The word itself, else the most special of its groups that has a word: an Airedale is a dog. */
export function findNoun({ words }: Wording, word: string): Noun | undefined {
  const candidates = [word, ...groupsOf(word).toSorted((a, b) => groupSizes.get(a)! - groupSizes.get(b)!)]
  const entry = candidates.flatMap((name) => words[name] ?? [])[0]
  if (!entry) return undefined
  const [singular = '', gender = '', plural = ''] = entry.split('|')
  return { singular, gender, plural }
}

function joinWords({ grammar }: Language, words: string[]): string {
  const last = words.at(-1)!
  return words.length < 2 ? last : `${words.slice(0, -1).join(', ')} ${grammar.and(last)} ${last}`
}

const capitalize = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)
