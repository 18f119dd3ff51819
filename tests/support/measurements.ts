import { readFile, writeFile } from 'node:fs/promises'
import { availableParallelism, cpus, totalmem } from 'node:os'
import { fileURLToPath } from 'node:url'

/** One line of `docs/measurements.md`: what was measured, compared with what, and whether the goal was reached. */
export interface Measurement {
  what: string
  /** The bare limit measured in the same run, so that the figure can be compared between machines; empty if there is none. */
  context: string
  figure: string
  toReach: string
  isReached: boolean
}

/** In the order of their sections on the page. */
const commands = ['npm run bench', 'npm run test:faults', 'npm run scale'] as const
type Command = (typeof commands)[number]

const page = fileURLToPath(new URL('../../docs/measurements.md', import.meta.url))
const opening = `# Measurements

The latest run of each command, written with \`--record\` at the end of a piece of work. Figures are ratios, counts or CPU time,
since wall time on a shared machine is noise. Goals that are about wall time name the load of other programs as well.
`

/** Prints the table and replaces the section of this command in docs/measurements.md, which holds the latest run only. */
export async function recordMeasurements(command: Command, rows: readonly Measurement[]) {
  const part = printMeasurements(command, rows)
  const before = await readFile(page, 'utf8').catch(() => opening)
  await writeFile(page, replacePart(before, command, part))
}

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
  const cells = rows.map((row) => [row.what, row.context, row.figure, row.toReach, row.isReached ? 'yes' : '**no**'])
  const lines = [['what', 'context', 'figure', 'goal', 'reached'], ['---', '---', '---', '---', '---'], ...cells]
  return lines.map((line) => `| ${line.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`).join('\n')
}
