import type { AiProvider } from '../provider.ts'
import { tagKey } from '../tags.ts'
import type { Expected, Labels } from './labels.ts'

type PictureScore = {
  file: string
  right: string[]
  wrong: string[]
  /** Groups of expected words of which at least one was given, and the first word of each of the others. */
  found: number
  missed: string[]
  isMainFound: boolean
  seconds: number
  failure?: string
}

type Totals = {
  pictures: number
  failed: number
  /** Of the tags given, the share that is right; of the groups expected, the share that was found. */
  precision: number
  recall: number
  /** The share of the pictures with a tag for the main subject, and the number of pictures without any tag. */
  mainSubject: number
  untagged: number
  secondsEach: number
}

type Options = {
  provider: AiProvider
  labels: Labels
  pathOf: (file: string) => string
  /** What the seconds of a picture are measured with: CPU time where it is known. */
  clockMs?: () => number
  onPicture?: (score: PictureScore) => void
}

export async function evaluate(options: Options): Promise<PictureScore[]> {
  const { labels, clockMs = () => performance.now(), onPicture = () => {} } = options
  const scores: PictureScore[] = []
  for (const [file, expected] of Object.entries(labels)) {
    const start = clockMs()
    const score = await scorePicture(options, file, expected)
    scores.push({ ...score, seconds: (clockMs() - start) / 1000 })
    onPicture(scores.at(-1)!)
  }
  return scores
}

async function scorePicture(
  { provider, pathOf }: Options,
  file: string,
  expected: Expected,
): Promise<Omit<PictureScore, 'seconds'>> {
  try {
    const { tags } = await provider.analyze({ frames: [pathOf(file)] })
    return {
      file,
      ...compareTags(
        tags.map(({ name }) => name),
        expected,
      ),
    }
  } catch (error) {
    return { file, ...compareTags([], expected), failure: (error as Error).message }
  }
}

function compareTags(given: string[], { main, must, may }: Expected) {
  const accepted = new Set([...main, ...must.flat(), ...may].map(tagKey))
  const keys = new Set(given.map(tagKey))
  const isGiven = (group: string[]) => group.some((word) => keys.has(tagKey(word)))
  return {
    right: given.filter((name) => accepted.has(tagKey(name))),
    wrong: given.filter((name) => !accepted.has(tagKey(name))),
    found: must.filter(isGiven).length,
    missed: must.filter((group) => !isGiven(group)).map(([first]) => first!),
    isMainFound: isGiven(main),
  }
}

export function totalsOf(scores: PictureScore[]): Totals {
  const sum = (count: (score: PictureScore) => number) => scores.reduce((total, score) => total + count(score), 0)
  const right = sum((score) => score.right.length)
  const found = sum((score) => score.found)
  return {
    pictures: scores.length,
    failed: sum(({ failure }) => (failure === undefined ? 0 : 1)),
    precision: ratio(right, right + sum((score) => score.wrong.length)),
    recall: ratio(found, found + sum((score) => score.missed.length)),
    mainSubject: ratio(
      sum(({ isMainFound }) => (isMainFound ? 1 : 0)),
      scores.length,
    ),
    untagged: sum((score) => (score.right.length + score.wrong.length === 0 ? 1 : 0)),
    secondsEach: ratio(
      sum(({ seconds }) => seconds),
      scores.length,
    ),
  }
}

const ratio = (part: number, whole: number) => (whole === 0 ? 0 : part / whole)

/** The totals of each part as a table for a terminal. */
export function formatTotals(parts: [name: string, totals: Totals][], secondsAre = 'seconds'): string {
  const rows = parts.map(([name, totals]) => [
    name,
    String(totals.pictures),
    String(totals.failed),
    totals.precision.toFixed(2),
    totals.recall.toFixed(2),
    totals.mainSubject.toFixed(2),
    String(totals.untagged),
    totals.secondsEach.toFixed(2),
  ])
  return formatRows([
    ['part', 'pictures', 'failed', 'precision', 'recall', 'main subject', 'without a tag', `${secondsAre} each`],
    ...rows,
  ])
}

/** What was wrong and what was missed, the pictures with most of it first. */
export function formatWorst(scores: PictureScore[]): string {
  const faults = ({ wrong, missed, isMainFound }: PictureScore) => wrong.length + missed.length + (isMainFound ? 0 : 1)
  return formatRows([
    ['picture', 'wrong', 'missed', 'right'],
    ...scores
      .filter((score) => faults(score) > 0)
      .toSorted((a, b) => faults(b) - faults(a))
      .map((score) => [score.file, list(score.wrong), list(score.missed), score.failure ?? list(score.right)]),
  ])
}

const list = (names: string[]) => names.join(', ') || '-'

export function formatRows(rows: string[][]): string {
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)))
  const lines = rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column]!))
      .join('  ')
      .trimEnd(),
  )
  return [lines[0], widths.map((width) => '-'.repeat(width)).join('  '), ...lines.slice(1)].join('\n')
}
