import { cleanText } from '../clean-text.ts'
import { type Findings, hasContent, isGraphic, isSeldomAlone, type Scene, type Subject, sceneOf } from './scene.ts'

/** Each place on its own, and around a subject. */
const places: Record<string, [alone: string, around: string]> = {
  beach: ['a beach', 'on a beach'],
  harbour: ['a harbour', 'in a harbour'],
  pool: ['a swimming pool', 'by a swimming pool'],
  lake: ['a lake', 'by a lake'],
  river: ['a river', 'by a river'],
  sea: ['the sea', 'by the sea'],
  coast: ['a coast', 'on the coast'],
  wave: ['waves', 'in the waves'],
  playground: ['a playground', 'on a playground'],
  market: ['a market', 'at a market'],
  kitchen: ['a kitchen', 'in a kitchen'],
  'living room': ['a living room', 'in a living room'],
  bedroom: ['a bedroom', 'in a bedroom'],
  bathroom: ['a bathroom', 'in a bathroom'],
  office: ['an office', 'in an office'],
  restaurant: ['a restaurant', 'in a restaurant'],
  shop: ['a shop', 'in a shop'],
  stadium: ['a stadium', 'in a stadium'],
  railway: ['a railway', 'on a railway'],
  airport: ['an airport', 'at an airport'],
  street: ['a street', 'on a street'],
  city: ['a city', 'in a city'],
  road: ['a road', 'on a road'],
  forest: ['a forest', 'in a forest'],
  garden: ['a garden', 'in a garden'],
  mountain: ['mountains', 'in the mountains'],
  farm: ['a farm', 'on a farm'],
  field: ['a field', 'in a field'],
  park: ['a park', 'in a park'],
  hill: ['hills', 'among hills'],
  pasture: ['a pasture', 'on a pasture'],
  snow: ['a snowy landscape', 'in the snow'],
  landscape: ['a landscape', 'in a landscape'],
  grass: ['grass', 'on grass'],
  tree: ['trees', 'among trees'],
  greenery: ['greenery', 'among greenery'],
  water: ['water', 'by the water'],
  sand: ['sand', 'on the sand'],
  rock: ['rocks', 'among rocks'],
  indoor: ['a room', 'indoors'],
  space: ['a view of space', 'against the black of space'],
  cloud: ['clouds', 'under the clouds'],
  sky: ['the sky', 'under the sky'],
}

const activities: Record<string, string> = {
  tennis: 'playing tennis',
  baseball: 'playing baseball',
  soccer: 'playing soccer',
  surfing: 'surfing',
  skiing: 'skiing',
  skateboarding: 'skateboarding',
  basketball: 'playing basketball',
  climbing: 'climbing',
  party: 'at a party',
}

const courtNames: Record<string, string> = { tennis: 'court', baseball: 'field', basketball: 'court', soccer: 'field' }

/** A title and a description in English; see [Note: Scenes]. */
export function describe(findings: Findings): { title: string; description: string } {
  const scene = sceneOf(findings)
  const sentences = [tellScene(scene) ?? tellUnknown(findings, scene), ...tellText(findings.lines)]
  return { title: titleOf(findings, scene), description: cleanText(sentences.join(' '), 2000) }
}

/** With the text that stands in the picture and without; undefined where nothing was recognised. */
export function altTextInEnglish(findings: Findings): string[] | undefined {
  const told = tellScene(sceneOf(findings))
  return told ? [[told, ...tellText(findings.lines)].join(' '), told] : undefined
}

function tellText(lines: string[]): string[] {
  const text = lines.join(' / ')
  return text.replace(/\W/g, '').length >= 4 ? [`The text reads “${cleanText(text, 160)}”.`] : []
}

/** The scene as an English sentence; undefined where nothing was recognised. */
function tellScene(scene: Scene): string | undefined {
  if (scene.isPage) return 'A page of text.'
  const kind = kindInWords(scene)
  if (hasContent(scene))
    return `${capitalise(kind ? tellOf(kind, wordsOf(scene)) : wordsOf(scene))}.`.replace(properNames, capitalise)
  return isGraphic(scene) ? `A ${kind}.` : undefined
}

/** "two dogs on a beach at sunset" */
function wordsOf(scene: Scene): string {
  const { subjects, place, surroundings, emptyCourt, light } = scene
  const what = subjects.length > 0 ? [joinWords(subjects.map(tellSubject))] : []
  const where =
    place && (place.form === 'in' ? `in the ${place.tag}` : places[place.tag]![place.form === 'alone' ? 0 : 1])
  const court = emptyCourt && `an empty ${emptyCourt} ${courtNames[emptyCourt]}`
  const around = surroundings && places[surroundings]![1]
  const isNightOnly = what.length === 0 && !where && !court
  const when = light && (isNightOnly ? `a place at ${light}` : `at ${light}`)
  return [...what, court, where, around, when].filter(Boolean).join(' ')
}

function tellUnknown({ colours, lines, isVideo, tags }: Findings, scene: Scene): string {
  const medium = kindInWords(scene) || (isVideo ? 'video' : 'picture')
  if (lines.length > 0) return `A ${medium} with text.`
  const isColoured = colours.length > 0 && !tags.some(({ name }) => name === 'black and white' || name === 'sepia')
  if (isColoured)
    return `A ${medium} of something ${joinWords(colours.slice(0, 2))}; the built-in AI does not recognise it.`
  return `A ${medium} that the built-in AI does not recognise.`
}

/** "a drawing of a dog"; a portrait is already a kind of photo: "a sepia portrait of a person". */
function tellOf(kind: string, scene: string): string {
  if (scene.startsWith('a portrait')) return scene.replace('a portrait', withArticle(kind.replace('photo', 'portrait')))
  return `${withArticle(kind)} of ${scene}`
}

/** A plain photograph needs no word for its kind. */
function kindInWords({ kind }: Scene): string {
  if (!kind) return ''
  const medium = kind.isVideo ? 'video' : 'photo'
  if (kind.name === 'black and white') return `black-and-white ${medium}`
  return kind.name === 'sepia' ? `sepia ${medium}` : kind.name
}

function tellSubject({ word, count, isPortrait, activity }: Subject): string {
  const thing = isPortrait ? 'a portrait of a person' : count === undefined ? nameKind(word) : countPhrase(count, word)
  return activity ? `${thing} ${activities[activity]}` : thing
}

const nameKind = (kind: string) => (isSeldomAlone(kind) ? toPlural(kind) : withArticle(kind))

function titleOf({ lines, colours, isVideo }: Findings, scene: Scene): string {
  const medium = isVideo ? 'video' : 'photo'
  const headline = lines.find((line) => line.replace(/[^\p{L} ]/gu, '').length > line.length * 0.8 && line.length > 3)
  const nothing = headline ?? `${colours[0] ?? ''} ${medium}`.trim()
  const known = hasContent(scene) ? wordsOf(scene) : nothing
  const subjects = scene.subjects.slice(0, 2).map(tellSubject)
  const plain = subjects.length > 0 ? joinWords(subjects) : known
  return cleanText(capitalise(plain.replace('a portrait of a person', 'portrait').replace(/^(an?|one|the) /, '')), 80)
}

/** Whole words, or a husky would be a sky and an acorn corn. */
const uncountable = new RegExp(
  `\\b(${[
    'baseball|basketball|bread|broccoli|carbonara|cattle|chain mail|chocolate sauce|citrus|clothing|coffee|consomme|cooking',
    'corn|dough|eggnog|espresso|food|fruit|furniture|graffiti|greenery|guacamole|hair spray|hay|jewellery|mashed potato|music|photography',
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
  if (count === 1) return withArticle(word)
  if (count < numberWords.length) return `${numberWords[count]} ${toPlural(word)}`
  return count <= 10 ? `about ${count} ${toPlural(word)}` : `many ${toPlural(word)}`
}

function joinWords(words: string[]): string {
  if (words.length < 2) return words.join('')
  return `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`
}

/** Tags are lower-case; in a sentence, breeds that are named after a country or a place are not. */
const properNames =
  /\b(afghan|african|american|arabian|australian|bernese|brittany|egyptian|english|french|german|ibizan|indian|irish|italian|japanese|mexican|norwegian|persian|rhodesian|saint|scotch|scottish|siamese|siberian|staffordshire|sussex|tibetan|walker|welsh|yorkshire)\b/g

const capitalise = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)
