import type { Evaluation, PictureScore } from './evaluate.ts'

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
