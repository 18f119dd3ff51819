import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Florence } from './florence.ts'
import { dotProduct, leastProbability, probabilityOf, type Siglip } from './siglip.ts'

/**
 * [Note: Entrance examination]
 * These models have not been tried on this machine: a file may be converted wrongly, or a processor compute differently. So a
 * model is used only after it has recognised twelve small pictures that are part of the product, in a bearable time.
 */
export type Examination = {
  isPassed: boolean
  /** What it did, or the first thing that was wrong, in one sentence. */
  message: string
  secondsPerPicture: number
  /** Of a text and a picture that shows it; only SigLIP has it. */
  leastSimilarity?: number
}

type Question = { file: string; label: string; search: string; inCaption: RegExp }

/** The searches are in English, German, French, Spanish and Italian. The licences of the pictures stand in NOTICE. */
export const questions: Question[] = [
  { file: 'tabby-cat.jpg', label: 'cat', search: 'eine Katze', inCaption: /\bcats?\b|\bkitten/i },
  { file: 'pizza.jpg', label: 'pizza', search: 'una pizza', inCaption: /\bpizza/i },
  { file: 'motorcycle.jpg', label: 'motorcycle', search: 'une moto rouge', inCaption: /\bmotor(cycle|bike)/i },
  { file: 'sheep.jpg', label: 'sheep', search: 'a flock of sheep', inCaption: /\bsheep|\blambs?\b|\bflock/i },
  { file: 'biplane.jpg', label: 'airplane', search: 'un avión', inCaption: /\b(air|bi|aero)?planes?\b|\baircraft/i },
  { file: 'bee-on-aster.jpg', label: 'bee', search: "un'ape su un fiore", inCaption: /\bbees?\b|\bflower|\binsect/i },
  {
    file: 'espresso.jpg',
    label: 'coffee',
    search: 'une tasse de café',
    inCaption: /\bcoffee|\bespresso|\bcup\b|\btea\b/i,
  },
  {
    file: 'matterhorn.jpg',
    label: 'mountain',
    search: 'ein verschneiter Berg',
    inCaption: /\bmountain|\bpeak\b|\bsnow/i,
  },
  { file: 'astronaut.jpg', label: 'astronaut', search: 'una astronauta', inCaption: /\bastronaut|\bwoman\b|\bspace/i },
  { file: 'green-snake.jpg', label: 'snake', search: 'eine Schlange', inCaption: /\bsnake|\breptile/i },
  {
    file: 'parthenon.jpg',
    label: 'temple',
    search: 'un temple grec',
    inCaption: /\btemple|\bcolumn|\bruin|\bbuilding|\bpillar/i,
  },
  { file: 'cactus.jpg', label: 'cactus', search: 'a tall cactus', inCaption: /\bcactus|\bcacti\b|\bplants?\b/i },
]

/** Compressed models may err; of twelve answers these many must be right. */
const needed = 10
const slowestSeconds = 90

export const pathOf = ({ file }: Question) => join(fileURLToPath(new URL('./pictures', import.meta.url)), file)

/** The server asks for the questions too, and must not load the decoder, which accepts fewer formats for its whole process. */
async function load(question: Question) {
  const { loadPicture } = await import('../picture.ts')
  return loadPicture(pathOf(question))
}

type Mark = { what: string; right: number; wrong: string[] }

export async function examineSiglip(siglip: Siglip, onStep: () => void): Promise<Examination> {
  const seconds = startClock()
  const pictures: Float32Array[] = []
  for (const question of questions) {
    pictures.push(await siglip.embedPicture(await load(question)))
    onStep()
  }
  const secondsPerPicture = seconds() / questions.length
  const labels: Float32Array[] = []
  const searches: Float32Array[] = []
  for (const { label, search } of questions) {
    labels.push(await siglip.embedText(`This is a photo of ${label}.`))
    searches.push(await siglip.embedText(search))
    onStep()
  }
  // Reads the words for all later pictures, which takes as long as some of them.
  await siglip.tag(pictures[0]!, onStep)
  const examination = judge(secondsPerPicture, [
    mark('labels', (index) => nearest(pictures[index]!, labels) === index),
    mark('tags', (index) => probabilityOf(dotProduct(pictures[index]!, labels[index]!)) >= leastProbability),
    mark('searches', (index) => nearest(searches[index]!, pictures) === index),
  ])
  return { ...examination, leastSimilarity: limitOf(searches, pictures) }
}

export async function examineFlorence(florence: Florence, onStep: () => void): Promise<Examination> {
  const seconds = startClock()
  const captions: string[] = []
  for (const question of questions) {
    const picture = await load(question)
    captions.push(await florence.describe(picture, onStep))
    // Its words are not judged, but they take time for each picture too.
    await florence.findRegions(picture, onStep)
    onStep()
  }
  const isNamed = (index: number) => questions[index]!.inCaption.test(captions[index]!)
  return judge(seconds() / questions.length, [mark('descriptions', isNamed)])
}

function mark(what: string, isRight: (index: number) => boolean): Mark {
  const wrong = questions.filter((_, index) => !isRight(index)).map(({ label }) => label)
  return { what, right: questions.length - wrong.length, wrong }
}

function judge(secondsPerPicture: number, marks: Mark[]): Examination {
  const failed = marks.find(({ right }) => right < needed)
  const of = questions.length
  const time = `${secondsPerPicture.toFixed(1)} s per picture`
  if (failed) {
    const message = `It got ${failed.right} of ${of} ${failed.what} right and needs ${needed} (wrong: ${failed.wrong.join(', ')}).`
    return { isPassed: false, message, secondsPerPicture }
  }
  if (secondsPerPicture > slowestSeconds) {
    return { isPassed: false, message: `It takes ${time} on this machine, which is too slow.`, secondsPerPicture }
  }
  const results = marks.map(({ what, right }) => `${right} of ${of} ${what}`).join(', ')
  return { isPassed: true, message: `Passed: ${results}, ${time}.`, secondsPerPicture }
}

/** Halfway between the similarities of the searches to their pictures and to the others. */
function limitOf(searches: Float32Array[], pictures: Float32Array[]): number {
  const similarities = searches.flatMap((search, index) =>
    pictures.map((picture, other) => ({ isRight: index === other, value: dotProduct(search, picture) })),
  )
  const meanOf = (isRight: boolean) => {
    const values = similarities.filter((each) => each.isRight === isRight).map(({ value }) => value)
    return values.reduce((sum, value) => sum + value, 0) / values.length
  }
  return (meanOf(true) + meanOf(false)) / 2
}

function nearest(wanted: Float32Array, candidates: Float32Array[]): number {
  const similarities = candidates.map((candidate) => dotProduct(wanted, candidate))
  return similarities.indexOf(Math.max(...similarities))
}

function startClock() {
  const begin = performance.now()
  return () => (performance.now() - begin) / 1000
}
