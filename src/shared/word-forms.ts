import { fold } from './fold.ts'

/** Base forms that no rule finds. Keys and values are folded. */
const irregular: Record<string, string> = {
  men: 'man',
  women: 'woman',
  people: 'person',
  mice: 'mouse',
  geese: 'goose',
  feet: 'foot',
  teeth: 'tooth',
  leaves: 'leaf',
  wolves: 'wolf',
  knives: 'knife',
  wives: 'wife',
  shelves: 'shelf',
  calves: 'calf',
  halves: 'half',
  loaves: 'loaf',
  thieves: 'thief',
  scarves: 'scarf',
  hooves: 'hoof',
  kinder: 'kind',
  bilder: 'bild',
  felder: 'feld',
  kleider: 'kleid',
  lichter: 'licht',
  eier: 'ei',
  rinder: 'rind',
  schilder: 'schild',
  lieder: 'lied',
  nester: 'nest',
  gesichter: 'gesicht',
}
const irregularBases = new Set(Object.values(irregular))

/** Words that end like another form of a word and are none. */
const unchanged = new Set(['evening', 'wedding', 'linen', 'siren', 'news', 'lens', 'series', 'species', 'canvas'])

const plainWord = /^[a-z]{3,40}$/
const vowel = /[aeiouy]/

/**
 * The words that a folded word may be another form of: "flowers" of "flower", "running" of "run", "blumen" of "blume". Two
 * words are forms of one word if they share a base or one is the base of the other. Rules for English and German that are
 * wrong now and then cost little, since a base that is no word is found nowhere.
 * `hadUmlaut`: folding has removed an umlaut, and "Häuser" is a form of "Haus" where "flower" is none of "flow".
 */
export function baseForms(word: string, hadUmlaut = false): string[] {
  if (!plainWord.test(word) || unchanged.has(word)) return []
  const bases = [irregular[word], ...withoutEnding(word)]
  if (hadUmlaut) bases.push(word.replace(umlautEnding, ''))
  return bases.filter((base) => base !== undefined && base.length >= 2 && vowel.test(base)) as string[]
}

function withoutEnding(word: string): string[] {
  const cut = (length: number) => word.slice(0, -length)
  if (/[^s]ies$/.test(word)) return [cut(1), `${cut(3)}y`]
  if (/(?:s|x|z|ch|sh|o)es$/.test(word)) return [cut(2), cut(1)]
  if (/[^sui]s$/.test(word)) return word.length > 3 ? [cut(1)] : []
  if (/.{3}ing$/.test(word)) return [cut(3), `${cut(3)}e`, ...withoutDouble(cut(3))]
  if (/[^e]en$/.test(word) && word.length > 4) return [cut(1), cut(2)]
  if (/e[lr]n$/.test(word)) return [cut(1)]
  return []
}

/** "runn" is "run"; "fall" stays. */
const withoutDouble = (stem: string) => (/([bdgmnprt])\1$/.test(stem) ? [stem.slice(0, -1)] : [])

/** Whether a word can have forms that do not contain it: "cities" of "city", "dancing" of "dance", "mice" of "mouse". */
export const hasHiddenForms = (word: string) => plainWord.test(word) && (/[ye]$/.test(word) || irregularBases.has(word))

/** What a German plural with an umlaut ends with: "Häuser", "Strände", "Gärten" and their datives. */
const umlautEnding = /e(?:r|n|rn)?$/

/** The folded words with such an ending that had an umlaut before they were folded. */
export function umlautPlurals(text: string) {
  const words = text.normalize('NFC').match(/\p{L}*[äöüÄÖÜ]\p{L}*e(?:r|n|rn)?(?!\p{L})/gu) ?? []
  return new Set(words.map(fold))
}

const wordsIn = (text: string) => fold(text).match(/[\p{L}\p{N}]+/gu) ?? []
const formsOf = (word: string) => [word, ...baseForms(word)]

/** Whether each word of a search begins a word of the text, or is another form of one. All forms begin with one letter. */
export function hasWords(text: string, search: string) {
  const words = wordsIn(text)
  const wanted = wordsIn(search)
  const matches = (word: string, start: string) =>
    word.startsWith(start) || (word[0] === start[0] && formsOf(start).some((form) => formsOf(word).includes(form)))
  return wanted.length > 0 && wanted.every((start) => words.some((word) => matches(word, start)))
}
