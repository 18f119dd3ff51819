import { cleanText } from '../clean-text.ts'
import type { AiTag } from '../provider.ts'
import classes from './labels/imagenet.json' with { type: 'json' }
import { graphicKinds, renamedClasses } from './tag-rules.ts'

type Findings = {
  tags: AiTag[]
  colours: string[]
  lines: string[]
  isVideo: boolean
}

type Place = { tag: string; alone: string; around: string }

/** Where it is: on its own, and around a subject. The first that was found is used. */
const places: Place[] = [
  { tag: 'beach', alone: 'a beach', around: 'on a beach' },
  { tag: 'harbour', alone: 'a harbour', around: 'in a harbour' },
  { tag: 'pool', alone: 'a swimming pool', around: 'by a swimming pool' },
  { tag: 'lake', alone: 'a lake', around: 'by a lake' },
  { tag: 'river', alone: 'a river', around: 'by a river' },
  { tag: 'sea', alone: 'the sea', around: 'by the sea' },
  { tag: 'coast', alone: 'a coast', around: 'on the coast' },
  { tag: 'wave', alone: 'waves', around: 'in the waves' },
  { tag: 'playground', alone: 'a playground', around: 'on a playground' },
  { tag: 'market', alone: 'a market', around: 'at a market' },
  { tag: 'kitchen', alone: 'a kitchen', around: 'in a kitchen' },
  { tag: 'living room', alone: 'a living room', around: 'in a living room' },
  { tag: 'bedroom', alone: 'a bedroom', around: 'in a bedroom' },
  { tag: 'bathroom', alone: 'a bathroom', around: 'in a bathroom' },
  { tag: 'office', alone: 'an office', around: 'in an office' },
  { tag: 'restaurant', alone: 'a restaurant', around: 'in a restaurant' },
  { tag: 'shop', alone: 'a shop', around: 'in a shop' },
  { tag: 'stadium', alone: 'a stadium', around: 'in a stadium' },
  { tag: 'railway', alone: 'a railway', around: 'on a railway' },
  { tag: 'airport', alone: 'an airport', around: 'at an airport' },
  { tag: 'street', alone: 'a street', around: 'on a street' },
  { tag: 'city', alone: 'a city', around: 'in a city' },
  { tag: 'road', alone: 'a road', around: 'on a road' },
  { tag: 'forest', alone: 'a forest', around: 'in a forest' },
  { tag: 'garden', alone: 'a garden', around: 'in a garden' },
  { tag: 'mountain', alone: 'mountains', around: 'in the mountains' },
  { tag: 'farm', alone: 'a farm', around: 'on a farm' },
  { tag: 'field', alone: 'a field', around: 'in a field' },
  { tag: 'park', alone: 'a park', around: 'in a park' },
  { tag: 'hill', alone: 'hills', around: 'among hills' },
  { tag: 'pasture', alone: 'a pasture', around: 'on a pasture' },
  { tag: 'snow', alone: 'a snowy landscape', around: 'in the snow' },
  { tag: 'landscape', alone: 'a landscape', around: 'in a landscape' },
  { tag: 'grass', alone: 'grass', around: 'on grass' },
  { tag: 'tree', alone: 'trees', around: 'among trees' },
  { tag: 'greenery', alone: 'greenery', around: 'among greenery' },
  { tag: 'water', alone: 'water', around: 'by the water' },
  { tag: 'sand', alone: 'sand', around: 'on the sand' },
  { tag: 'rock', alone: 'rocks', around: 'among rocks' },
  { tag: 'indoor', alone: 'a room', around: 'indoors' },
  { tag: 'space', alone: 'a view of space', around: 'against the black of space' },
  { tag: 'cloud', alone: 'clouds', around: 'under the clouds' },
  { tag: 'sky', alone: 'the sky', around: 'under the sky' },
]

/** Where people play, when no one is there. */
const emptyPlaces = new Map([
  ['tennis', 'an empty tennis court'],
  ['baseball', 'an empty baseball field'],
  ['basketball', 'an empty basketball court'],
  ['soccer', 'an empty soccer field'],
])

/** A place that lies in another one: "a lake in the mountains". */
const surroundings = new Map([
  ['mountain', new Set(['lake', 'river', 'railway', 'street', 'road', 'forest', 'farm', 'field', 'pasture'])],
  ['hill', new Set(['lake', 'river', 'railway', 'street', 'road', 'forest', 'farm', 'field', 'pasture'])],
  ['city', new Set(['river', 'street', 'park', 'railway'])],
])

/** What is seldom where the first place that was found is: a train runs on a railway, and a bird flies in the sky. */
const ownPlaces: [things: RegExp, tag: string, around: string][] = [
  [/\b(train|locomotive)s?$/, 'railway', 'on a railway'],
  [/\b(bird|kite|parachute|balloon|airplane|airship)s?$/, 'sky', 'in the sky'],
]

/** What people do, and the things that go without saying then. */
const activities = new Map<string, { doing: string; things: string[] }>([
  ['tennis', { doing: 'playing tennis', things: ['tennis racket', 'sports ball'] }],
  ['baseball', { doing: 'playing baseball', things: ['baseball bat', 'baseball glove', 'sports ball'] }],
  ['soccer', { doing: 'playing soccer', things: ['sports ball'] }],
  ['surfing', { doing: 'surfing', things: ['surfboard'] }],
  ['skiing', { doing: 'skiing', things: ['skis', 'snowboard'] }],
  ['skateboarding', { doing: 'skateboarding', things: ['skateboard'] }],
  ['basketball', { doing: 'playing basketball', things: ['sports ball'] }],
  ['climbing', { doing: 'climbing', things: [] }],
  ['party', { doing: 'at a party', things: ['cake'] }],
])

/** Tags that describe the picture or its setting, not a thing in it. */
const notSubjects = new Set([
  ...places.map(({ tag }) => tag),
  ...activities.keys(),
  ...['animal', 'vehicle', 'food', 'drink', 'furniture', 'insect', 'reptile', 'citrus', 'fruit', 'monkey', 'building'],
  ...['text', 'document', 'black and white', 'sepia', 'portrait', 'group of people', 'two people', 'person'],
  ...['sports ball', 'photography', 'marine animal', 'musical instrument', 'computer', 'plant', 'nature', 'winter'],
  ...['furniture', 'screen', 'desk', 'mirror', 'map', 'diagram'],
  ...['sport', 'dining', 'dessert', 'night', 'sunset', 'drawing', 'logo', 'screenshot', 'white background', 'rock'],
])

/** Named only when nothing better was found. */
const generalSubjects = [
  'insect',
  'reptile',
  'dessert',
  'fruit',
  'food',
  'animal',
  'vehicle',
  'building',
  'computer',
  'plant',
]

/** What a class is a kind of: an egret is a bird, an espresso coffee. */
const kindsOf = new Map(
  classes.map(({ label, groups }) => [renamedClasses.get(label.toLowerCase()) ?? label.toLowerCase(), groups]),
)

/**
 * A title and a description that state only what was measured: no age, no gender, no identity, no mood. Visitors read it
 * too, so it says nothing of where, when and with what the picture was taken.
 */
export function describe(findings: Findings): { title: string; description: string } {
  const { tags, lines } = findings
  const names = new Set(tags.map(({ name }) => name))
  const subjects = isPageOfText(tags) ? [] : listSubjects(tags, names)
  const scene = sceneOf(names, subjects)

  const sentences = [openingOf(findings, names, scene).replace(properNames, capitalise)]
  const text = lines.join(' / ')
  if (text.replace(/\W/g, '').length >= 4) sentences.push(`The text reads “${cleanText(text, 160)}”.`)
  return { title: titleOf(findings, subjects, scene), description: cleanText(sentences.join(' '), 2000) }
}

/** "two dogs on a beach at sunset", or nothing where nothing was recognised. */
function sceneOf(names: Set<string>, subjects: string[]): string {
  const light = names.has('sunset') ? 'at sunset' : names.has('night') ? 'at night' : ''
  if (subjects.length > 0) return [joinWords(subjects), settingOf(names, subjects), light].filter(Boolean).join(' ')
  const place = lonelyPlace(names) || (names.has('sunset') ? 'the sky' : '')
  if (place === '') return names.has('night') ? 'a place at night' : ''
  return [place, light].filter(Boolean).join(' ')
}

function settingOf(names: Set<string>, subjects: string[]): string | undefined {
  const own = ownPlaces.find(([things]) => things.test(subjects[0]!))
  const place = places.find(({ tag }) => names.has(tag))
  if (!own) return place?.around
  const [, tag, around] = own
  const isElsewhere = !place || ['airport', 'city', 'cloud', 'railway', 'road', 'sky', 'street'].includes(place.tag)
  return isElsewhere ? (names.has(tag) ? around : undefined) : place.around
}

function lonelyPlace(names: Set<string>): string | undefined {
  const empty = [...emptyPlaces].find(([tag]) => names.has(tag))?.[1]
  if (empty) return empty
  const place = places.find(({ tag }) => names.has(tag))
  if (!place) return undefined
  const around = [...surroundings].find(([tag, inner]) => names.has(tag) && inner.has(place.tag))?.[0]
  return [place.alone, places.find(({ tag }) => tag === around)?.around].filter(Boolean).join(' ')
}

/** Only words that were read make a page of text; the classifier's "document" may be an empty sheet. */
const isPageOfText = (tags: AiTag[]) => tags.some(({ name, source }) => name === 'document' && source === 'ocr')

function openingOf({ tags, colours, lines, isVideo }: Findings, names: Set<string>, scene: string): string {
  if (isPageOfText(tags)) return 'A page of text.'
  const kind = kindOf(names, isVideo)
  if (scene) return `${capitalise(kind ? tellOf(kind, scene) : scene)}.`
  if (graphicKinds.has(kind)) return `A ${kind}.`
  const medium = kind || 'picture'
  if (lines.length > 0) return `A ${medium} with text.`
  const isColoured = colours.length > 0 && !names.has('black and white') && !names.has('sepia')
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
function kindOf(names: Set<string>, isVideo: boolean): string {
  const drawn = ['screenshot', 'map', 'diagram', 'logo', 'drawing'].find((name) => names.has(name))
  if (drawn) return drawn
  const medium = isVideo ? 'video' : 'photo'
  if (names.has('black and white')) return `black-and-white ${medium}`
  if (names.has('sepia')) return `sepia ${medium}`
  return isVideo ? medium : ''
}

function listSubjects(tags: AiTag[], names: Set<string>): string[] {
  const counted = tags.filter(({ count }) => count !== undefined)
  const persons = counted.find(({ name }) => name === 'person')
  const activity = persons && [...activities].find(([name]) => names.has(name))?.[1]
  const subjects: string[] = []
  if (persons) {
    const people = names.has('portrait') ? 'a portrait of a person' : countPhrase(persons.count!, 'person')
    subjects.push(activity ? `${people} ${activity.doing}` : people)
  }

  const kinds = tags.filter(({ name, count }) => count === undefined && !notSubjects.has(name)).map(({ name }) => name)
  // "sports car" makes "car" superfluous, and "espresso" makes "coffee".
  const precise = kinds.filter((kind) => !kinds.some((other) => other !== kind && isKindOf(other, kind)))
  const things = counted
    .filter(({ name }) => name !== 'person' && !notSubjects.has(name) && !activity?.things.includes(name))
    .slice(0, 3)
  for (const { name, count } of things) {
    const kind = precise.find((candidate) => isKindOf(candidate, name))
    if (kind) precise.splice(precise.indexOf(kind), 1)
    subjects.push(countPhrase(count!, kind && count === 1 ? kind : name))
  }
  for (const kind of precise.slice(0, counted.length > 0 ? 1 : 2)) subjects.push(nameKind(kind))
  if (subjects.length > 0) return subjects
  const general = generalSubjects.find((name) => names.has(name))
  // "A forest." says more than "a plant in a forest".
  const isScenery = general === 'plant' || general === 'building'
  if (isScenery && places.some(({ tag }) => tag !== 'sky' && tag !== 'cloud' && names.has(tag))) return []
  return general ? [nameKind(general)] : []
}

const isKindOf = (kind: string, name: string) => kind.includes(name) || kindsOf.get(kind)?.includes(name) === true

/** What is seldom alone is named in the plural when it was not counted. */
const nameKind = (kind: string) =>
  /^(flower|vegetable|toy|skyscraper)$/.test(kind) ? toPlural(kind) : withArticle(kind)

function titleOf({ lines, colours, isVideo }: Findings, subjects: string[], scene: string): string {
  const medium = isVideo ? 'video' : 'photo'
  const headline = lines.find((line) => line.replace(/[^\p{L} ]/gu, '').length > line.length * 0.8 && line.length > 3)
  const nothing = headline ?? `${colours[0] ?? ''} ${medium}`.trim()
  const plain = subjects.length > 0 ? joinWords(subjects.slice(0, 2)) : scene || nothing
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
