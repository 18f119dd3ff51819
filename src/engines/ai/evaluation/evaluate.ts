import { z } from 'zod'
import type { AiProvider } from '../provider.ts'
import { tagKey } from '../tags.ts'

/** What a picture shows: tags that should be found, and tags that may be found without being wrong. */
export const Labels = z.record(
  z.string(),
  z.union([
    z.array(z.string()).transform((must) => ({ must, may: [] as string[] })),
    z.object({ must: z.array(z.string()), may: z.array(z.string()).default([]) }),
  ]),
)
export type Labels = z.infer<typeof Labels>

type PictureScore = {
  file: string
  right: string[]
  wrong: string[]
  missed: string[]
  seconds: number
  failure?: string
}

type Evaluation = {
  pictures: PictureScore[]
  /** Of the tags given, the share that is right; of the tags expected, the share that was given. */
  precision: number
  recall: number
  medianSeconds: number
}

type Options = {
  provider: AiProvider
  labels: Labels
  pathOf: (file: string) => string
  onPicture?: (score: PictureScore) => void
}

export async function evaluate({ provider, labels, pathOf, onPicture = () => {} }: Options): Promise<Evaluation> {
  const pictures: PictureScore[] = []
  for (const [file, expected] of Object.entries(labels)) {
    const score = await scorePicture(provider, pathOf(file), file, expected)
    pictures.push(score)
    onPicture(score)
  }
  const count = (pick: (score: PictureScore) => string[]) =>
    pictures.reduce((sum, score) => sum + pick(score).length, 0)
  const [right, wrong, missed] = [
    count((score) => score.right),
    count((score) => score.wrong),
    count((score) => score.missed),
  ]
  const found = Object.values(labels).reduce((sum, { must }) => sum + must.length, 0) - missed
  return {
    pictures,
    precision: ratio(right, right + wrong),
    recall: ratio(found, found + missed),
    medianSeconds: median(pictures.map(({ seconds }) => seconds)),
  }
}

async function scorePicture(
  provider: AiProvider,
  path: string,
  file: string,
  { must, may }: Labels[string],
): Promise<PictureScore> {
  const start = performance.now()
  try {
    const { tags } = await provider.analyze({ frames: [path] })
    const seconds = (performance.now() - start) / 1000
    const accepted = new Set([...must, ...may].map(tagKey))
    const given = tags.map(({ name }) => name)
    const keys = new Set(given.map(tagKey))
    return {
      file,
      right: given.filter((name) => accepted.has(tagKey(name))),
      wrong: given.filter((name) => !accepted.has(tagKey(name))),
      missed: must.filter((name) => !keys.has(tagKey(name))),
      seconds,
    }
  } catch (error) {
    const seconds = (performance.now() - start) / 1000
    return { file, right: [], wrong: [], missed: must, seconds, failure: (error as Error).message }
  }
}

const ratio = (part: number, whole: number) => (whole === 0 ? 0 : part / whole)

function median(values: number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? 0
}

const columns = ['picture', 'right', 'wrong', 'missed', 'seconds']

/** The evaluation as a table for a terminal, its totals last. */
export function formatTable({ pictures, precision, recall, medianSeconds }: Evaluation): string {
  const rows = [columns, ...pictures.map(toRow)]
  const widths = columns.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)))
  const lines = rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column]!))
      .join('  ')
      .trimEnd(),
  )
  const failures = pictures.filter(({ failure }) => failure !== undefined).length
  return [
    lines[0],
    widths.map((width) => '-'.repeat(width)).join('  '),
    ...lines.slice(1),
    '',
    `pictures ${pictures.length}   failed ${failures}   precision ${precision.toFixed(2)}   recall ${recall.toFixed(2)}   median ${medianSeconds.toFixed(2)} s`,
  ].join('\n')
}

const toRow = ({ file, right, wrong, missed, seconds, failure }: PictureScore): string[] => [
  file,
  failure ?? list(right),
  list(wrong),
  list(missed),
  seconds.toFixed(2),
]

const list = (names: string[]) => names.join(', ') || '-'
