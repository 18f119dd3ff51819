import { measureMedian, measureUsage, type Product, type Usage } from './product.ts'
import { ms, type Row, wall } from './row.ts'
import { seededCollection } from './seed-large-library.ts'
import type { Workspace } from './workspace.ts'

type Query = Record<string, string | number>
/** `turn` counts up, so that each request can be different. */
type Question = (size: number, turn: number) => Query

const sizes = [10_000, 100_000, 1_000_000] as const
/** CPU time is counted in ticks of 10 ms; with this much work, one tick does not matter. */
const measuredCpuMs = 400
const mostRequests = 2500
const warmUp = 600
const turnsEach = 5

const pages: Record<string, Question> = {
  'page 1': () => ({}),
  'deep page': (size, turn) => ({ page: size / 100 + 1 + ((turn * 37) % (size / 200)) }),
  'by name': () => ({ sort: 'name' }),
  'a jump to a month': (size, turn) => ({
    sort: 'taken',
    page: Math.ceil(((0.2 + ((turn * 37) % 60) / 100) * size) / 50),
  }),
  'by collection': () => ({ collectionId: seededCollection }),
}

const searches: Record<string, Question> = {
  'rare word': () => ({ search: 'zanzibar' }),
  'common word': () => ({ search: 'beach' }),
  'two words': () => ({ search: 'beach sunset' }),
  'two letters': () => ({ search: 'be' }),
  'a tag and a type': () => ({ search: 'tag:beach type:video' }),
  'a word and dates': () => ({ search: 'sunset taken:2019..2021' }),
  'a size and a color': () => ({ search: 'size:>500kb color:red' }),
  'all but a tag': () => ({ search: '-tag:beach -is:favorite' }),
  'a camera': () => ({ search: 'camera:fujifilm is:undescribed' }),
}

export const list: Row = async (workspace) => {
  const measured = await measureAll(workspace, pages)
  return Object.keys(pages).map((name) => {
    const [small, medium, large] = measured.get(name)!
    const allowed = name === 'deep page' ? 3 : 1.5
    const ratio = large!.cpuMs / small!.cpuMs
    return {
      what: `\`GET /api/media\`, 50 items: ${name}`,
      context: `10,000 rows: ${ms(small!.cpuMs)}`,
      figure: `${ms(medium!.cpuMs)} at 100,000; ${ms(large!.cpuMs)} (${ratio.toFixed(1)}x) at 1,000,000; ${wall(large!.wallMs)}`,
      toReach: `at most 0.9 ms at 100,000, ${allowed}x at 1,000,000`,
      isReached: medium!.cpuMs <= 0.9 && ratio <= allowed,
    }
  })
}

export const search: Row = async (workspace) => {
  const measured = await measureAll(workspace, searches)
  return Object.keys(searches).map((name) => {
    const [small, medium, large] = measured.get(name)!
    const ratio = large!.cpuMs / medium!.cpuMs
    return {
      what: `search: ${name}`,
      context: `10,000 rows: ${ms(small!.cpuMs)}`,
      figure: `${ms(medium!.cpuMs)} at 100,000; ${ms(large!.cpuMs)} (${ratio.toFixed(1)}x of it) at 1,000,000; ${wall(large!.wallMs)}`,
      toReach: 'at most 4.5 ms at 100,000, 1.5x of it at 1,000,000',
      isReached: medium!.cpuMs <= 4.5 && ratio <= 1.5,
    }
  })
}

/** The cost of one response to each question, in the order of the sizes. */
async function measureAll(workspace: Workspace, questions: Record<string, Question>) {
  const measured = new Map<string, Usage[]>()
  for (const size of sizes) {
    const product = await workspace.openLibrary(size)
    for (const [name, question] of Object.entries(questions)) {
      const used = await costOf(product, (turn) => asPath(question(size, turn)))
      measured.set(name, [...(measured.get(name) ?? []), used])
    }
    await product.stop()
  }
  return measured
}

async function costOf(product: Product, pathOf: (turn: number) => string): Promise<Usage> {
  let turn = 0
  const ask = async (count: number) => {
    for (let asked = 0; asked < count; asked++) await product.ask(pathOf(turn++))
  }
  // The measured server has been up for a minute: its hot code is compiled.
  await ask(warmUp)
  const trial = await measureUsage(product, () => ask(20))
  const count = Math.max(20, Math.min(mostRequests, Math.ceil(measuredCpuMs / Math.max(0.1, trial.cpuMs / 20))))
  const used = await measureMedian(product, turnsEach, () => ask(count))
  return { cpuMs: used.cpuMs / count, wallMs: used.wallMs / count }
}

function asPath(query: Query) {
  const named = Object.entries({ limit: 50, ...query }).map(([name, value]): [string, string] => [name, String(value)])
  return `/api/media?${new URLSearchParams(named)}`
}
