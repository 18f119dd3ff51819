import type { AiTag } from '../provider.ts'
import { groupsOf } from './labels/groups.ts'
import { graphicKinds } from './tag-rules.ts'

export type Findings = {
  tags: AiTag[]
  colours: string[]
  lines: string[]
  isVideo: boolean
}

/** What is in the picture; without a count where the things were not counted. */
export type Subject = { word: string; count?: number; isPortrait?: boolean; activity?: string }

/**
 * [Note: Scenes]
 * What a description says, before any language says it: only what was measured, no age, gender, identity or mood. Visitors
 * read it too, so it holds nothing of where, when and with what the picture was taken.
 */
export type Scene = {
  /** Words that were read fill the picture; nothing else is told then. */
  isPage: boolean
  subjects: Subject[]
  /** Where the subjects are, or what is seen without any: "a beach", or "on a beach" around a subject. */
  place?: { tag: string; form: 'alone' | 'around' | 'in' }
  /** What the place lies in: "a lake in the mountains". */
  surroundings?: string
  /** The sport of a court without players. */
  emptyCourt?: string
  light?: 'sunset' | 'night'
  /** A plain photograph has none. */
  kind?: { name: PictureKind; isVideo: boolean }
}

type PictureKind = 'screenshot' | 'map' | 'diagram' | 'logo' | 'drawing' | 'black and white' | 'sepia' | 'video'

/** Where it is, the most telling first. */
export const placeTags = [
  'beach',
  'harbour',
  'pool',
  'lake',
  'river',
  'sea',
  'coast',
  'wave',
  'playground',
  'market',
  'kitchen',
  'living room',
  'bedroom',
  'bathroom',
  'office',
  'restaurant',
  'shop',
  'stadium',
  'railway',
  'airport',
  'street',
  'city',
  'road',
  'forest',
  'garden',
  'mountain',
  'farm',
  'field',
  'park',
  'hill',
  'pasture',
  'snow',
  'landscape',
  'grass',
  'tree',
  'greenery',
  'water',
  'sand',
  'rock',
  'indoor',
  'space',
  'cloud',
  'sky',
] as const

/** Where people play, when no one is there. */
const courts = ['tennis', 'baseball', 'basketball', 'soccer'] as const

/** A place that lies in another one: "a lake in the mountains". */
const surroundings = new Map([
  ['mountain', new Set(['lake', 'river', 'railway', 'street', 'road', 'forest', 'farm', 'field', 'pasture'])],
  ['hill', new Set(['lake', 'river', 'railway', 'street', 'road', 'forest', 'farm', 'field', 'pasture'])],
  ['city', new Set(['river', 'street', 'park', 'railway'])],
])

/** What is seldom where the first place that was found is: a train runs on a railway, and a bird flies in the sky. */
const ownPlaces: [things: RegExp, tag: string, form: 'around' | 'in'][] = [
  [/\b(train|locomotive)$/, 'railway', 'around'],
  [/\b(bird|kite|parachute|balloon|airplane|airship)$/, 'sky', 'in'],
]

/** The things that go without saying where people do this. */
const thingsOf = new Map<string, string[]>([
  ['tennis', ['tennis racket', 'sports ball']],
  ['baseball', ['baseball bat', 'baseball glove', 'sports ball']],
  ['soccer', ['sports ball']],
  ['surfing', ['surfboard']],
  ['skiing', ['skis', 'snowboard']],
  ['skateboarding', ['skateboard']],
  ['basketball', ['sports ball']],
  ['climbing', []],
  ['party', ['cake']],
])
export const activities = [...thingsOf.keys()]

/** Tags that describe the picture or its setting, not a thing in it. */
const notSubjects: ReadonlySet<string> = new Set([
  ...placeTags,
  ...activities,
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

export function sceneOf({ tags, isVideo }: Pick<Findings, 'tags' | 'isVideo'>): Scene {
  const names = new Set(tags.map(({ name }) => name))
  const isPage = isPageOfText(tags)
  const subjects = isPage ? [] : listSubjects(tags, names)
  const light = names.has('sunset') ? 'sunset' : names.has('night') ? 'night' : undefined
  const where = subjects.length > 0 ? { place: settingOf(names, subjects[0]!) } : lonelyPlace(names)
  return { isPage, subjects, light, ...where, kind: kindOf(names, isVideo) }
}

export const hasContent = ({ subjects, place, emptyCourt, light }: Scene) =>
  subjects.length > 0 || place !== undefined || emptyCourt !== undefined || light !== undefined

function settingOf(names: Set<string>, { word }: Subject): Scene['place'] {
  const own = ownPlaces.find(([things]) => things.test(word))
  const tag = placeTags.find((each) => names.has(each))
  const around = tag && ({ tag, form: 'around' } as const)
  if (!own) return around
  const [, ownTag, form] = own
  const isElsewhere = !tag || ['airport', 'city', 'cloud', 'railway', 'road', 'sky', 'street'].includes(tag)
  return isElsewhere ? (names.has(ownTag) ? { tag: ownTag, form } : undefined) : around
}

function lonelyPlace(names: Set<string>): Pick<Scene, 'place' | 'surroundings' | 'emptyCourt'> {
  const emptyCourt = courts.find((tag) => names.has(tag))
  if (emptyCourt) return { emptyCourt }
  const tag = placeTags.find((each) => names.has(each))
  if (!tag) return names.has('sunset') ? { place: { tag: 'sky', form: 'alone' } } : {}
  const around = [...surroundings].find(([each, inner]) => names.has(each) && inner.has(tag))?.[0]
  return { place: { tag, form: 'alone' }, surroundings: around }
}

/** Only words that were read make a page of text; the classifier's "document" may be an empty sheet. */
const isPageOfText = (tags: AiTag[]) => tags.some(({ name, source }) => name === 'document' && source === 'ocr')

function kindOf(names: Set<string>, isVideo: boolean): Scene['kind'] {
  const kinds = ['screenshot', 'map', 'diagram', 'logo', 'drawing', 'black and white', 'sepia'] as const
  const name = kinds.find((each) => names.has(each)) ?? (isVideo ? ('video' as const) : undefined)
  return name && { name, isVideo }
}

export const isGraphic = ({ kind }: Scene) => kind !== undefined && graphicKinds.has(kind.name)

function listSubjects(tags: AiTag[], names: Set<string>): Subject[] {
  const counted = tags.filter(({ count }) => count !== undefined)
  const persons = counted.find(({ name }) => name === 'person')
  const activity = persons && activities.find((name) => names.has(name))
  const subjects: Subject[] = []
  if (persons) subjects.push({ word: 'person', count: persons.count!, isPortrait: names.has('portrait'), activity })

  const kinds = tags.filter(({ name, count }) => count === undefined && !notSubjects.has(name)).map(({ name }) => name)
  // "sports car" makes "car" superfluous, and "espresso" makes "coffee".
  const precise = kinds.filter((kind) => !kinds.some((other) => other !== kind && isKindOf(other, kind)))
  const implied = activity ? thingsOf.get(activity)! : []
  const things = counted
    .filter(({ name }) => name !== 'person' && !notSubjects.has(name) && !implied.includes(name))
    .slice(0, 3)
  for (const { name, count } of things) {
    const kind = precise.find((candidate) => isKindOf(candidate, name))
    if (kind) precise.splice(precise.indexOf(kind), 1)
    subjects.push({ word: kind && count === 1 ? kind : name, count })
  }
  for (const word of precise.slice(0, counted.length > 0 ? 1 : 2)) subjects.push({ word })
  if (subjects.length > 0) return subjects
  const general = generalSubjects.find((name) => names.has(name))
  // "A forest." says more than "a plant in a forest".
  const isScenery = general === 'plant' || general === 'building'
  if (isScenery && placeTags.some((tag) => tag !== 'sky' && tag !== 'cloud' && names.has(tag))) return []
  return general ? [{ word: general }] : []
}

const isKindOf = (kind: string, name: string) => kind.includes(name) || groupsOf(kind).includes(name)

/** What is seldom alone is told in the plural when it was not counted. */
export const isSeldomAlone = (word: string) => /^(flower|vegetable|toy|skyscraper)$/.test(word)
