import { readFile, writeFile } from 'node:fs/promises'
import { availableParallelism, cpus, totalmem } from 'node:os'
import { fileURLToPath } from 'node:url'

/** One line of `docs/measurements.md`: what was measured, beside what, and whether it is what we promise. */
export interface Measurement {
  what: string
  /** The bare limit in the same run, so that the figure means something on any machine; empty when there is none. */
  beside: string
  figure: string
  toReach: string
  isReached: boolean
  /** The name under which the command measures it, where it can measure some of its lines again. */
  by?: string
}

/** The order in which the parts stand on the page. */
const commands = ['npm run bench', 'npm run test:faults', 'npm run scale'] as const
type Command = (typeof commands)[number]

const page = fileURLToPath(new URL('../../docs/measurements.md', import.meta.url))
const opening = `# Measurements

Written by the commands themselves; run one to replace its part. Figures are ratios, counts or CPU time, since wall time
on a shared machine is noise; where a promise names the clock, it is judged by the clock, and what others took stands beside it.
`

/** Prints the table, and puts it in the place of the command's last one. */
export async function recordMeasurements(command: Command, rows: readonly Measurement[]) {
  const part = printMeasurements(command, rows)
  const before = await readFile(page, 'utf8').catch(() => opening)
  await writeFile(page, replacePart(before, command, part))
}

/** Replaces the lines that were measured again and leaves the others: for a run of some of a command's parts. */
export async function mergeMeasurements(command: Command, rows: readonly Measurement[]) {
  const text = await readFile(page, 'utf8').catch(() => opening)
  const before = rowsIn(text, command).map((row) => tellWhere(row, machineIn(text, command)))
  await recordMeasurements(command, mergeRows(before, rows))
}

/** The head of a part names one machine and day: a line that stays from another says so itself. */
export function tellWhere(row: Measurement, machine: string, present = describeMachine()): Measurement {
  if (machine === present || /\d cores \(/.test(row.beside)) return row
  const [date, cores] = machine.split(' · ')
  return { ...row, beside: [row.beside, `on ${date}, ${cores}`].filter(Boolean).join('; ') }
}

/** What was measured by the same name has no line left but the new ones: a broken promise is not kept beside itself. */
export function mergeRows(before: readonly Measurement[], rows: readonly Measurement[]) {
  const known = new Set(before.map(({ what }) => what))
  const again = new Set(rows.map(({ by }) => by).filter((by) => by !== undefined))
  const kept = before.flatMap((old) => {
    const found = rows.find(({ what }) => what === old.what)
    if (found) return found
    return old.by !== undefined && again.has(old.by) ? [] : old
  })
  return [...kept, ...rows.filter(({ what }) => !known.has(what))]
}

const partOf = (text: string, command: Command) =>
  text.split(/^(?=## )/m).find((found) => found.startsWith(`## ${command}\n`)) ?? ''

const machineIn = (text: string, command: Command) => partOf(text, command).split('\n')[2] ?? ''

export function rowsIn(text: string, command: Command): Measurement[] {
  const part = partOf(text, command)
  const lines = part.split('\n').filter((line) => line.startsWith('| '))
  // The first two are the head of the table.
  return lines.slice(2).map((line) => {
    const cells = line.slice(2, -2).split(/ (?<!\\)\| /)
    const [what = '', beside = '', figure = '', toReach = '', reached] = cells.map((cell) =>
      cell.replaceAll('\\|', '|'),
    )
    const [, text = what, by] = /^(.*) <!-- (\S+) -->$/.exec(what) ?? []
    return { what: text, beside, figure, toReach, isReached: reached === 'yes', ...(by && { by }) }
  })
}

/** Only prints it, for a run that measured a few of them. */
export function printMeasurements(command: Command, rows: readonly Measurement[]) {
  const part = `## ${command}\n\n${describeMachine()}\n\n${table(rows)}\n`
  process.stdout.write(`\n${part}`)
  return part
}

export function replacePart(text: string, command: Command, part: string) {
  const parts = new Map<string, string>()
  for (const found of text.split(/^(?=## )/m).slice(1)) parts.set(/^## (.*)$/m.exec(found)![1]!, found.trimEnd())
  parts.set(command, part.trimEnd())
  const inOrder = commands.flatMap((name) => parts.get(name) ?? [])
  return `${[opening.trimEnd(), ...inOrder].join('\n\n')}\n`
}

function describeMachine() {
  const processor = cpus()[0]?.model.trim() ?? 'unknown processor'
  const memory = `${Math.round(totalmem() / 2 ** 30)} GiB`
  const date = new Date().toISOString().slice(0, 10)
  return `${date} · ${availableParallelism()} cores (${processor}), ${memory} · ${process.platform} · Node ${process.versions.node}`
}

function table(rows: readonly Measurement[]) {
  // Not for the eye: the next run of some of them must know which lines are whose.
  const whatOf = ({ what, by }: Measurement) => (by ? `${what} <!-- ${by} -->` : what)
  const cells = rows.map((row) => [whatOf(row), row.beside, row.figure, row.toReach, row.isReached ? 'yes' : '**no**'])
  const lines = [['what', 'beside', 'figure', 'to reach', 'reached'], ['---', '---', '---', '---', '---'], ...cells]
  return lines.map((line) => `| ${line.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`).join('\n')
}
