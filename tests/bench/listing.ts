import { seededCollection } from './large-library.ts'
import { type Product, type Used, usedBy, usuallyUsedBy } from './product.ts'
import { ms, type Row, wall } from './row.ts'
import type { Workshop } from './workshop.ts'

type Query = Record<string, string | number>
/** `turn` counts up, so that each request of a measurement can ask for something else. */
type Question = (size: number, turn: number) => Query

const sizes = [10_000, 100_000, 1_000_000] as const
/** CPU time is counted in ticks of 10 ms; with this much work one tick more or less does not matter. */
const measuredCpuMs = 400
const mostRequests = 2500
const warmUp = 600
const turnsEach = 5

const pages: Record<string, Question> = {
  'page 1': () => ({}),
  'deep page': (size, turn) => ({ page: size / 100 + 1 + ((turn * 37) % (size / 200)) }),
  'by name': () => ({ sort: 'name' }),
  'by collection': () => ({ collectionId: seededCollection }),
}

const searches: Record<string, Question> = {
  'rare word': () => ({ search: 'zanzibar' }),
  'common word': () => ({ search: 'beach' }),
  'two words': () => ({ search: 'beach sunset' }),
  'two letters': () => ({ search: 'be' }),
}

export const list: Row = async (workshop) => {
  const measured = await measureAll(workshop, pages)
  return Object.keys(pages).map((name) => {
    const [small, medium, large] = measured.get(name)!
    const allowed = name === 'deep page' ? 3 : 1.5
    const ratio = large!.cpuMs / small!.cpuMs
    return {
      what: `\`GET /api/media\`, 50 items: ${name}`,
      beside: `10,000 rows: ${ms(small!.cpuMs)}`,
      figure: `${ms(medium!.cpuMs)} at 100,000; ${ms(large!.cpuMs)} (${ratio.toFixed(1)}x) at 1,000,000; ${wall(large!.wallMs)}`,
      toReach: `at most 0.9 ms at 100,000, ${allowed}x at 1,000,000`,
      isReached: medium!.cpuMs <= 0.9 && ratio <= allowed,
    }
  })
}

export const search: Row = async (workshop) => {
  const measured = await measureAll(workshop, searches)
  return Object.keys(searches).map((name) => {
    const [small, medium, large] = measured.get(name)!
    const ratio = large!.cpuMs / medium!.cpuMs
    return {
      what: `search: ${name}`,
      beside: `10,000 rows: ${ms(small!.cpuMs)}`,
      figure: `${ms(medium!.cpuMs)} at 100,000; ${ms(large!.cpuMs)} (${ratio.toFixed(1)}x of it) at 1,000,000; ${wall(large!.wallMs)}`,
      toReach: 'at most 4.5 ms at 100,000, 1.5x of it at 1,000,000',
      isReached: medium!.cpuMs <= 4.5 && ratio <= 1.5,
    }
  })
}

/** The cost of one response to each question, in the order of the sizes. */
async function measureAll(workshop: Workshop, questions: Record<string, Question>) {
  const measured = new Map<string, Used[]>()
  for (const size of sizes) {
    const product = await workshop.openLibrary(size)
    for (const [name, question] of Object.entries(questions)) {
      const used = await costOf(product, (turn) => asPath(question(size, turn)))
      measured.set(name, [...(measured.get(name) ?? []), used])
    }
    await product.stop()
  }
  return measured
}

async function costOf(product: Product, pathOf: (turn: number) => string): Promise<Used> {
  let turn = 0
  const ask = async (count: number) => {
    for (let asked = 0; asked < count; asked++) await product.ask(pathOf(turn++))
  }
  // The measured server has been up for a minute: its hot code is compiled.
  await ask(warmUp)
  const trial = await usedBy(product, () => ask(20))
  const count = Math.max(20, Math.min(mostRequests, Math.ceil(measuredCpuMs / Math.max(0.1, trial.cpuMs / 20))))
  const used = await usuallyUsedBy(product, turnsEach, () => ask(count))
  return { cpuMs: used.cpuMs / count, wallMs: used.wallMs / count }
}

function asPath(query: Query) {
  const named = Object.entries({ limit: 50, ...query }).map(([name, value]): [string, string] => [name, String(value)])
  return `/api/media?${new URLSearchParams(named)}`
}
