import { seededCollection } from './large-library.ts'
import { type Product, type Used, usedBy, usuallyUsedBy } from './product.ts'
import { ms, type Row, wall } from './row.ts'
import type { Workshop } from './workshop.ts'

type Query = Record<string, string | number>
/** `turn` counts up: what would otherwise be asked again and again can be asked elsewhere each time. */
type Question = (size: number, turn: number) => Query
/** Of one answer: worked out, as after every change, and asked for again while nothing was written. */
type Cost = { anew: Used; again: Used }

const sizes = [10_000, 100_000, 1_000_000] as const
/** A tick of the clock that counts CPU time is 10 ms: so much work that one more or less says nothing. */
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
    const ratio = large!.anew.cpuMs / small!.anew.cpuMs
    return {
      what: `\`GET /api/media\`, 50 items: ${name}`,
      beside: `10,000 rows: ${told(small!)}`,
      figure: `${told(medium!)} at 100,000; ${told(large!)} (anew ${ratio.toFixed(1)}x) at 1,000,000; ${wall(large!.anew.wallMs)} anew`,
      toReach: `at most 1 ms at 100,000 (again), ${allowed}x at 1,000,000 (anew)`,
      isReached: medium!.again.cpuMs <= 1 && ratio <= allowed,
    }
  })
}

export const search: Row = async (workshop) => {
  const measured = await measureAll(workshop, searches)
  return Object.keys(searches).map((name) => {
    const [small, medium, large] = measured.get(name)!
    return {
      what: `search: ${name}`,
      beside: `10,000 rows: ${told(small!)}`,
      figure: `${told(medium!)} at 100,000; ${told(large!)} at 1,000,000; ${wall(large!.anew.wallMs)} anew`,
      toReach: 'at most 5 ms at 100,000 (again)',
      isReached: medium!.again.cpuMs <= 5,
    }
  })
}

const told = ({ anew, again }: Cost) => `${ms(again.cpuMs)} again, ${ms(anew.cpuMs)} anew`

/** For each question what one answer costs, in the order of the sizes. */
async function measureAll(workshop: Workshop, questions: Record<string, Question>) {
  const measured = new Map<string, Cost[]>()
  for (const size of sizes) {
    const product = await workshop.openLibrary(size)
    for (const [name, question] of Object.entries(questions)) {
      // What the call does not know is passed over, and makes it another question than any that was asked.
      const anew = await costOf(product, (turn) => asPath({ ...question(size, turn), turn }))
      const again = await costOf(product, () => asPath(question(size, 0)))
      measured.set(name, [...(measured.get(name) ?? []), { anew, again }])
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
  // What runs often is compiled; that is how a server that has been up for a minute answers.
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
