import { cleanText } from '../clean-text.ts'
import type { AiTag } from '../provider.ts'

type Findings = {
  tags: AiTag[]
  colours: string[]
  brightness: number
  lines: string[]
  isVideo: boolean
}

/** Where it is, told as a place rather than as a thing; the first that was found is used. */
const settings: [string, string][] = [
  ['beach', 'on a beach'],
  ['lake', 'by a lake'],
  ['coast', 'on the coast'],
  ['mountain', 'in the mountains'],
  ['kitchen', 'in a kitchen'],
  ['restaurant', 'in a restaurant'],
  ['dining', 'at a meal'],
  ['farm', 'on farmland'],
  ['railway', 'by a railway'],
  ['harbour', 'at a harbour'],
  ['landscape', 'in open landscape'],
  ['water', 'by the water'],
  ['sky', 'under a blue sky'],
  ['greenery', 'among greenery'],
]

/** Tags that describe the picture or its setting, not a thing in it. */
const notSubjects = new Set([
  ...settings.map(([tag]) => tag),
  ...['animal', 'vehicle', 'food', 'drink', 'furniture', 'insect', 'reptile', 'citrus', 'fruit', 'monkey', 'building'],
  ...['text', 'document', 'black and white', 'sepia', 'portrait', 'group of people', 'two people', 'person'],
  ...['sports ball', 'photography', 'marine animal', 'musical instrument', 'computer'],
])

/** Named only when nothing better was found. */
const generalSubjects = ['insect', 'reptile', 'fruit', 'food', 'animal', 'vehicle', 'building', 'computer']

const dogKinds = /retriever|terrier|spaniel|hound|setter|collie/

/**
 * A title and a description that state only what was measured: no age, no gender, no identity, no mood. Visitors read it
 * too, so it says nothing of where, when and with what the picture was taken.
 */
export function describe(findings: Findings): { title: string; description: string } {
  const { tags, colours, brightness, lines } = findings
  const names = new Set(tags.map(({ name }) => name))
  const isDocument = isPageOfText(tags)
  const subjects = isDocument ? [] : listSubjects(tags, names)
  const setting = settings.find(([tag]) => names.has(tag))?.[1]

  const sentences = [openingOf(findings, names, subjects, setting)]
  const isColoured = !names.has('black and white') && !names.has('sepia') && !isDocument
  if (colours.length > 0 && isColoured) {
    const light = brightness < 0.22 ? ', dark' : brightness > 0.8 ? ', very bright' : ''
    const look = `mainly ${joinWords(colours.slice(0, 2))}${light}`
    // Where nothing was recognised, the colours are all that describes it.
    if (subjects.length > 0 || setting) sentences.push(capitalise(look))
    else sentences[0] += `, ${look}`
  }
  const text = lines.join(' / ')
  if (text.replace(/\W/g, '').length >= 4) sentences.push(`Text in the picture: “${cleanText(text, 160)}”`)
  return { title: titleOf(findings, subjects, setting), description: cleanText(`${sentences.join('. ')}.`, 2000) }
}

/** Only words that were read make a page of text; the classifier's "document" may be an empty sheet. */
const isPageOfText = (tags: AiTag[]) => tags.some(({ name, source }) => name === 'document' && source === 'ocr')

function openingOf(findings: Findings, names: Set<string>, subjects: string[], setting?: string): string {
  if (isPageOfText(findings.tags)) return 'Page of text'
  const isKnown = subjects.length > 0 || setting
  const medium = findings.isVideo ? 'Video' : isKnown ? 'Photo' : 'Picture'
  const tone = names.has('black and white') ? 'Black-and-white ' : names.has('sepia') ? 'Sepia ' : ''
  const kind = tone ? `${tone}${medium.toLowerCase()}` : medium
  if (subjects.length > 0) return `${kind}: ${joinWords(subjects)}${setting ? `, ${setting}` : ''}`
  return setting ? `${kind} ${setting}` : kind
}

function listSubjects(tags: AiTag[], names: Set<string>): string[] {
  const counted = tags.filter(({ count }) => count !== undefined)
  const persons = counted.find(({ name }) => name === 'person')
  const subjects: string[] = []
  if (persons) subjects.push(names.has('portrait') ? 'one person (close-up)' : countPhrase(persons.count!, 'person'))

  const kinds = tags.filter(({ name, count }) => count === undefined && !notSubjects.has(name)).map(({ name }) => name)
  // "sports car" makes "car" superfluous.
  const precise = kinds.filter((kind) => !kinds.some((other) => other !== kind && other.includes(kind)))
  const things = counted.filter(({ name }) => name !== 'person').slice(0, 3)
  for (const { name, count } of things) {
    const kind = precise.find((candidate) => isKindOf(candidate, name))
    if (kind) precise.splice(precise.indexOf(kind), 1)
    const word = !kind || count !== 1 ? name : kind.endsWith(name) ? kind : `${name} (${kind})`
    subjects.push(countPhrase(count!, word))
  }
  for (const kind of precise.slice(0, counted.length > 0 ? 1 : 2)) subjects.push(withArticle(kind))
  if (subjects.length > 0) return subjects
  const general = generalSubjects.find((name) => names.has(name))
  return general ? [withArticle(general)] : []
}

const isKindOf = (kind: string, name: string) => kind.endsWith(name) || (name === 'dog' && dogKinds.test(kind))

function titleOf({ lines, colours, isVideo }: Findings, subjects: string[], setting?: string): string {
  const medium = isVideo ? 'video' : 'photo'
  const headline = lines.find((line) => line.replace(/[^\p{L} ]/gu, '').length > line.length * 0.8 && line.length > 3)
  const nothing = headline ?? `${colours[0] ?? ''} ${medium}`.trim()
  const plain = subjects.length > 0 ? joinWords(subjects.slice(0, 2)) : setting ? `View ${setting}` : nothing
  return cleanText(capitalise(plain.replace('one person (close-up)', 'portrait').replace(/^(an?|one) /, '')), 80)
}

/** Whole words, or a husky would be a sky and an acorn corn. */
const uncountable = new RegExp(
  `\\b(${[
    'baseball|basketball|bread|broccoli|carbonara|cattle|chain mail|chocolate sauce|citrus|clothing|coffee|consomme|cooking',
    'corn|dough|eggnog|espresso|food|furniture|greenery|guacamole|hair spray|hay|jewellery|mashed potato|music|photography',
    'red wine|sky|soccer|space|tennis|water|wear|wool',
  ].join('|')})$`,
)
/** One of them is two already. */
const pair = /\b((sun)?glasses|binoculars|jeans|scissors|skis|swimming trunks|parallel bars)$/
const samePlural = /(sheep|fish|deer)$/
const startsWithVowel = /^([aio]|e(?!u)|u(?!ni)|hour)/

const withArticle = (word: string) =>
  uncountable.test(word) || pair.test(word) ? word : `${startsWithVowel.test(word) ? 'an' : 'a'} ${word}`

function toPlural(word: string): string {
  if (word === 'person') return 'people'
  if (word === 'mouse') return 'mice'
  if (word === 'knife') return 'knives'
  if (pair.test(word) || samePlural.test(word)) return word
  if (/(ch|sh|x|s)$/.test(word)) return `${word}es`
  if (/[^aeiou]y$/.test(word)) return `${word.slice(0, -1)}ies`
  return `${word}s`
}

const numberWords = ['no', 'one', 'two', 'three', 'four', 'five']

/** "a dog", "two dogs", "about 8 people", "many birds": counts become vaguer as they become less certain. */
function countPhrase(count: number, word: string): string {
  if (uncountable.test(word)) return word
  if (count === 1) return word === 'person' ? 'one person' : withArticle(word)
  if (count < numberWords.length) return `${numberWords[count]} ${toPlural(word)}`
  return count <= 10 ? `about ${count} ${toPlural(word)}` : `many ${toPlural(word)}`
}

function joinWords(words: string[]): string {
  if (words.length < 2) return words.join('')
  return `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`
}

const capitalise = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)
