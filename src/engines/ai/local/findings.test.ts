import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Hsl, toHsl } from '#shared/hsl.ts'
import type { AiTag } from '../provider.ts'
import { cleanTagName } from '../tags.ts'
import { type FrameFindings, mergeFrames } from './analyze-frame.ts'
import { colourGrid, findScenes, nameColour } from './colours.ts'
import { describe } from './describe.ts'
import { findTags } from './find-tags.ts'
import cocoLabels from './labels/coco.json' with { type: 'json' }
import heads from './labels/heads.json' with { type: 'json' }
import classes from './labels/imagenet.json' with { type: 'json' }
import { createTokenizer } from './text-embedding.ts'
import { decode, inReadingOrder } from './text-reader.ts'

const tag = (name: string, count?: number, source: AiTag['source'] = 'detector'): AiTag => ({
  name,
  score: 0.9,
  source,
  ...(count === undefined ? {} : { count }),
})
const tell = (tags: AiTag[], more: Partial<Parameters<typeof describe>[0]> = {}) =>
  describe({ tags, colours: [], lines: [], isVideo: false, ...more })

test('descriptions count, place and name what was found', () => {
  assert.equal(tell([tag('dog', 2), tag('beach')]).description, 'Two dogs on a beach.')
  assert.equal(tell([tag('person', 8), tag('group of people')]).description, 'About 8 people.')
  assert.equal(tell([tag('sheep', 30)]).description, 'Many sheep.')
  assert.equal(tell([tag('car', 1), tag('sports car')]).description, 'A sports car.')
  assert.equal(tell([tag('dog', 1), tag('golden retriever')]).description, 'A golden retriever.')
  assert.equal(tell([tag('coffee'), tag('espresso')]).description, 'Espresso.')
})

test('descriptions tell the light and what people do', () => {
  assert.equal(tell([tag('beach'), tag('sunset')]).description, 'A beach at sunset.')
  assert.equal(tell([tag('dog', 2), tag('beach'), tag('sunset')]).description, 'Two dogs on a beach at sunset.')
  const game = [tag('person', 2), tag('tennis'), tag('tennis racket', 2)]
  assert.equal(tell(game).description, 'Two people playing tennis.')
})

test('descriptions put a subject where it can be, and a place into its surroundings', () => {
  assert.equal(tell([tag('train', 1), tag('road')]).description, 'A train.')
  assert.equal(tell([tag('train', 1), tag('road'), tag('railway')]).description, 'A train on a railway.')
  assert.equal(tell([tag('bird', 2), tag('sky')]).description, 'Two birds in the sky.')
  assert.equal(tell([tag('bird', 2), tag('sky'), tag('lake')]).description, 'Two birds by a lake.')
  assert.equal(tell([tag('railway'), tag('mountain')]).description, 'A railway in the mountains.')
  assert.equal(tell([tag('forest'), tag('plant')]).description, 'A forest.')
})

test('a court without players is described as empty', () => {
  assert.equal(tell([tag('tennis'), tag('sport')]).description, 'An empty tennis court.')
})

test('descriptions name the kind of a picture that is no plain photograph', () => {
  assert.equal(tell([tag('mountain'), tag('black and white')]).description, 'A black-and-white photo of mountains.')
  const portrait = [tag('person', 1), tag('portrait'), tag('sepia')]
  assert.equal(tell(portrait).description, 'A sepia portrait of a person.')
  assert.equal(tell([tag('cat', 1), tag('drawing')]).description, 'A drawing of a cat.')
  assert.equal(tell([tag('screenshot')]).description, 'A screenshot.')
  assert.equal(tell([tag('cat', 1)], { isVideo: true }).description, 'A video of a cat.')
})

test('words take the article and the plural that English gives them', () => {
  const told = (name: string, count?: number) => tell([tag(name, count)]).description
  assert.equal(told('corn'), 'Corn.')
  assert.equal(told('broccoli', 2), 'Broccoli.')
  assert.equal(told('acorn'), 'An acorn.')
  assert.equal(told('siberian husky'), 'A Siberian husky.')
  assert.equal(told('sheep', 1), 'A sheep.')
  assert.equal(told('goldfish'), 'A goldfish.')
  assert.equal(told('jeans'), 'Jeans.')
  assert.equal(told('scissors', 2), 'Two scissors.')
  assert.equal(told('knife', 3), 'Three knives.')
  assert.equal(told('mouse', 2), 'Two mice.')
  assert.equal(told('unicycle'), 'A unicycle.')
  assert.equal(told('hourglass'), 'An hourglass.')
  assert.equal(told('flower'), 'Flowers.')
})

test('titles are short and begin with a capital', () => {
  assert.equal(tell([tag('person', 1), tag('portrait')]).title, 'Portrait')
  assert.equal(tell([tag('elephant', 1)]).title, 'Elephant')
  assert.equal(tell([tag('sea'), tag('sunset')]).title, 'Sea at sunset')
  assert.equal(tell([], { colours: ['blue'], isVideo: true }).title, 'Blue video')
  assert.equal(tell([], { lines: ['--;;--', 'Summer sale'] }).title, 'Summer sale')
})

test('text follows as a sentence of its own', () => {
  const { description } = tell([tag('cat', 1)], { colours: ['orange', 'green'], lines: ['FOR', 'SALE'] })
  assert.equal(description, 'A cat. The text reads “FOR / SALE”.')
  assert.equal(tell([], { lines: ['FOR SALE'] }).description, 'A picture with text. The text reads “FOR SALE”.')
})

test('where nothing was recognised, the description says so and names the colours', () => {
  const colours = ['green', 'purple', 'white']
  const ending = 'of something green and purple; the built-in AI does not recognise it.'
  assert.equal(tell([], { colours }).description, `A picture ${ending}`)
  assert.equal(tell([], { colours, isVideo: true }).description, `A video ${ending}`)
  const grey = tell([tag('black and white')], { colours })
  assert.equal(grey.description, 'A black-and-white photo that the built-in AI does not recognise.')
  assert.equal(tell([]).description, 'A picture that the built-in AI does not recognise.')
})

const probabilitiesOf = (shares: Record<string, number>) =>
  Float32Array.from(classes, ({ label }) => shares[label] ?? 0)
type Found = Parameters<typeof findTags>[0]
const tagNames = (
  shares: Record<string, number>,
  detections: Found['detections'] = [],
  concepts: Found['concepts'] = [],
) => findTags({ probabilities: probabilitiesOf(shares), detections, concepts }).map(({ name }) => name)
const concept = (name: string, probability = 0.9) => ({ name, probability, isRecognised: probability >= 0.9 })

test('every word that the models know is a tag as it stands', () => {
  const concepts = heads.concepts.map(({ name }) => concept(name))
  const known = tagNames(Object.fromEntries(classes.map(({ label }) => [label, 1])), [], concepts)
  assert.ok(known.length > 900)
  for (const name of [...known, ...cocoLabels.flatMap((label) => label ?? [])]) assert.equal(cleanTagName(name), name)
  assert.deepEqual(tagNames({ sunglass: 1 }), ['sunglasses'])
})

test('breeds that share a doubt still make a dog', () => {
  assert.deepEqual(tagNames({ beagle: 0.35, basset: 0.25, bloodhound: 0.15 }), ['animal', 'dog'])
})

test('a group in doubt counts only where a head or the detector supports it', () => {
  const lake = { lakeside: 0.5 }
  assert.ok(!tagNames(lake, [], [concept('sky')]).includes('lake'))
  assert.ok(tagNames(lake, [], [concept('water', 0.6), concept('sky')]).includes('lake'))
  const dog = { label: 'dog', score: 0.35, area: 0.1 }
  assert.ok(tagNames({ beagle: 0.25, basset: 0.25 }, [dog]).includes('dog'))
})

test('petals that look like an insect to the classifier are a flower', () => {
  const shares = { bee: 0.4, monarch: 0.3 }
  assert.ok(tagNames(shares).includes('insect'))
  assert.deepEqual(tagNames(shares, [], [concept('flower')]), ['flower', 'plant', 'nature'])
})

test('a tag brings the words that it implies, after the tags of what was found', () => {
  const person = { label: 'person', score: 0.9, area: 0.2 }
  const tags = findTags({ probabilities: probabilitiesOf({}), detections: [person], concepts: [concept('surfing')] })
  const inOrder = tags.sort((a, b) => b.score - a.score).map(({ name }) => name)
  assert.deepEqual(inOrder, ['surfing', 'person', 'sea', 'sport', 'water'])
})

test('what is small in a picture comes after what fills it', () => {
  const at = (label: string, area: number) => ({ label, score: 0.9, area })
  const [car, dog] = findTags({
    probabilities: probabilitiesOf({}),
    detections: [at('car', 0.01), at('dog', 0.5)],
    concepts: [],
  }).filter(({ count }) => count)
  assert.ok(car!.score < dog!.score)
})

test('where nothing is certain, the best guess is the only tag', () => {
  assert.deepEqual(tagNames({ tripod: 0.35 }), ['photography'])
  assert.deepEqual(tagNames({ tripod: 0.2 }), [])
})

test('a thing on a plain ground stands in no street, a drawing shows only what is beyond doubt', () => {
  const bus = { label: 'bus', score: 0.9, area: 0.6 }
  const found = (isOnPlainGround: boolean) =>
    findTags({
      probabilities: probabilitiesOf({}),
      detections: [bus],
      concepts: [concept('street')],
      isOnPlainGround,
    }).map(({ name }) => name)
  assert.ok(found(false).includes('street'))
  assert.deepEqual(found(true), ['bus', 'vehicle'])
  assert.deepEqual(tagNames({ beagle: 0.85 }, [bus], [concept('drawing'), concept('street')]), ['drawing'])
  assert.ok(tagNames({ beagle: 0.95 }, [], [concept('drawing')]).includes('dog'))
})

test('a class that attracts everything needs near certainty', () => {
  assert.deepEqual(tagNames({ 'jigsaw puzzle': 0.9 }), [])
  assert.deepEqual(tagNames({ 'jigsaw puzzle': 0.95 }), ['jigsaw puzzle'])
})

test('a doubtful detection counts where the classifier agrees, and not where it contradicts', () => {
  const cat = { label: 'cat', score: 0.45, area: 0.3 }
  assert.ok(tagNames({ tabby: 0.3 }, [cat]).includes('cat'))
  assert.ok(!tagNames({ tractor: 0.9 }, [cat]).includes('cat'))
  assert.ok(!tagNames({ beagle: 0.9 }, [{ ...cat, score: 0.8 }]).includes('cat'))
})

const frame = (...tags: AiTag[]): FrameFindings => ({
  tags,
  lines: ['NEWS'],
  colours: ['blue'],
  brightness: 0.5,
  features: Float32Array.of(1, 2),
  impressions: [{ word: 'puppy', likelihood: tags.length / 10 }],
  focalPoint: null,
})

test('a video keeps what a third of its frames share, every line of text once, and the mean of its impressions', () => {
  const merged = mergeFrames([
    frame(tag('dog', 1), tag('ball')),
    frame(tag('dog', 3), tag('dog', undefined, 'classifier')),
    frame(tag('dog', 2)),
    frame(tag('sky')),
  ])
  assert.deepEqual(
    merged.tags.map(({ name, count }) => [name, count]),
    [['dog', 2]],
  )
  assert.deepEqual(merged.lines, ['NEWS'])
  const [impression] = merged.impressions
  assert.equal(impression!.word, 'puppy')
  assert.ok(Math.abs(impression!.likelihood - 0.15) < 1e-9, 'the mean over the frames')
})

test('colours have the names that people use', () => {
  const named = (red: number, green: number, blue: number) => nameColour(toHsl(red / 255, green / 255, blue / 255))
  assert.equal(named(200, 20, 20), 'red')
  assert.equal(named(240, 130, 20), 'orange')
  assert.equal(named(110, 70, 30), 'brown')
  assert.equal(named(30, 60, 200), 'blue')
  assert.equal(named(252, 252, 252), 'white')
  assert.equal(named(128, 128, 130), 'grey')
  assert.equal(named(5, 5, 5), 'black')
})

function grid(paint: (row: number, column: number) => Hsl): Hsl[] {
  return Array.from({ length: colourGrid ** 2 }, (_, at) => paint(Math.floor(at / colourGrid), at % colourGrid))
}
const leaf = (row: number, column: number): Hsl => ({
  hue: 100,
  chroma: 0.2,
  lightness: 0.2 + 0.15 * ((row + column) % 2),
})

test('a blue that pales towards the horizon above a rough ground is sky, a blue wall is not', () => {
  const blue = (lightness: number): Hsl => ({ hue: 210, chroma: 0.3, lightness })
  assert.deepEqual(
    findScenes(grid((row, column) => (row < 32 ? blue(0.5 + row / 150) : leaf(row, column)))),
    ['greenery', 'sky'].toReversed(),
  )
  assert.deepEqual(findScenes(grid(() => blue(0.6))), [])
  assert.deepEqual(findScenes(grid((row) => (row < 32 ? blue(0.6) : { hue: 0, chroma: 0, lightness: 0.5 }))), [])
})

test('leaves are greenery, a green background is not', () => {
  assert.deepEqual(findScenes(grid(leaf)), ['greenery'])
  assert.deepEqual(findScenes(grid(() => ({ hue: 100, chroma: 0.4, lightness: 0.5 }))), [])
})

test('letters are read from the best class of each step', () => {
  const classesCount = 97
  const steps = [0, 12, 12, 0, 12, 19]
  const scores = new Float32Array(steps.length * classesCount)
  for (const [step, letter] of steps.entries()) scores[step * classesCount + letter] = 0.9
  const { text, confidence } = decode(scores, classesCount)
  assert.equal(text, ';;B')
  assert.ok(Math.abs(confidence - 0.9) < 0.001)
})

test('lines are put in reading order, near words joined', () => {
  const at = (text: string, left: number, top: number) => ({
    text,
    box: { left, top, width: text.length * 10, height: 20 },
  })
  const lines = [at('below', 0, 100), at('right', 300, 2), at('two', 45, 0), at('one', 10, 3)]
  assert.deepEqual(inReadingOrder(lines), ['one two', 'right', 'below'])
})

test('words are split into their longest known pieces', () => {
  const words = ['[PAD]', '[UNK]', '[CLS]', '[SEP]', 'cafe', 'play', '##ing', '!', '日']
  const vocab = Object.fromEntries(words.map((word, index) => [word, index]))
  const tokenize = createTokenizer(JSON.stringify({ model: { vocab } }))
  assert.deepEqual(tokenize('Café playing! zzz 日'), [2, 4, 5, 6, 7, 1, 8, 3])
  assert.equal(tokenize('play '.repeat(500)).length, 128)
})
