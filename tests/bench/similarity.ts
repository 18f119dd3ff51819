import { setTimeout as delay } from 'node:timers/promises'
import { modelsForTests } from '#engines/ai/testing/models-for-tests.ts'
import { peakPssMiB, pssMiBOf } from '../support/process-usage.ts'
import { measureUsage, type Product } from './product.ts'
import { mib, ms, type Row, wall } from './row.ts'

const [small, large] = [10_000, 100_000]
const similarAsked = 50

/** Possible duplicates, items similar to a given one, and searches by meaning. */
export const similarity: Row = async (workspace) => {
  const byMeaning = await measureSearch(await workspace.openAnalyzedLibrary(large, await withModels()))
  const reference = await measure(await workspace.openAnalyzedLibrary(small))
  const found = await measure(await workspace.openAnalyzedLibrary(large))
  return [
    {
      what: 'possible duplicates: first request with 100,000 items',
      context: `10,000 items: ${ms(reference.duplicates.cpuMs)} CPU, ${reference.groups} groups, +${mib(reference.addedMiB)}`,
      figure: `${ms(found.duplicates.cpuMs)} CPU, ${found.groups} groups (${wall(found.duplicates.wallMs)}, other requests waited at most ${ms(found.waitedMs)}), memory +${mib(found.addedMiB)}`,
      toReach: 'at most 3,000 ms CPU, memory at most +128 MiB',
      isReached: found.duplicates.cpuMs <= 3000 && found.addedMiB <= 128,
    },
    {
      what: 'similar pictures among 100,000 items',
      context: `10,000 items: ${ms(reference.similar.cpuMs)} CPU`,
      figure: `${ms(found.similar.cpuMs)} CPU (${wall(found.similar.wallMs)}); the first ${ms(found.firstSimilar.cpuMs)}`,
      toReach: 'at most 50 ms CPU',
      isReached: found.similar.cpuMs <= 50,
    },
    {
      what: 'search by meaning among 100,000 items, no word matches',
      context: `a new search, whose text is embedded first: ${ms(byMeaning.unknown.cpuMs)} CPU`,
      figure: `${ms(byMeaning.known.cpuMs)} CPU (${wall(byMeaning.known.wallMs)}); memory +${mib(byMeaning.addedMiB)} for the first`,
      toReach: 'at most 10 ms CPU',
      isReached: byMeaning.known.cpuMs <= 10,
    },
  ]
}

async function measure(product: Product) {
  // Anonymous memory only, because reading the library for the first time also maps its file.
  const before = pssMiBOf(product.pid, 'Pss_Anon')
  let groups = 0
  let waitedMs = 0
  let duplicates = { cpuMs: 0, wallMs: 0 }
  const look = async () => {
    duplicates = await measureUsage(product, async () => {
      const looking = product.send<{ total: number }>('GET', '/api/media/duplicates?limit=20')
      waitedMs = await longestWait(product, looking)
      groups = (await looking).total
    })
  }
  const { peak } = await peakPssMiB(product.pid, look, 'Pss_Anon')
  const similarTo = (turn: number) => product.ask(`/api/media?limit=12&similarToId=${1 + ((turn * 7919) % small)}`)
  const firstSimilar = await measureUsage(product, () => similarTo(0))
  const all = await measureUsage(product, async () => {
    for (let turn = 1; turn <= similarAsked; turn++) await similarTo(turn)
  })
  await product.stop()
  const similar = { cpuMs: all.cpuMs / similarAsked, wallMs: all.wallMs / similarAsked }
  return { duplicates, groups, waitedMs, addedMiB: peak - before, firstSimilar, similar }
}

const withModels = async () => ({ AI_LOCAL: '1', AI_MODELS_DIR: await modelsForTests() })

async function measureSearch(product: Product) {
  // Words that no item has, so that all results are by meaning.
  const search = (turn: number) =>
    product.ask(`/api/media?search=quasar${turn.toString(2).replaceAll('0', 'x').replaceAll('1', 'q')}`)
  const before = pssMiBOf(product.pid, 'Pss_Anon')
  // The first search starts the model process and reads the sketches.
  await search(1000)
  await delay(3000)
  await search(1000)
  const addedMiB = pssMiBOf(product.pid, 'Pss_Anon') - before
  const measureAll = async () => {
    const used = await measureUsage(product, async () => {
      for (let turn = 0; turn < similarAsked; turn++) await search(turn)
    })
    return { cpuMs: used.cpuMs / similarAsked, wallMs: used.wallMs / similarAsked }
  }
  const unknown = await measureAll()
  // Hot code is compiled after a while.
  await measureAll()
  const known = await measureAll()
  await product.stop()
  return { known, unknown, addedMiB }
}

/** The longest response time of small requests sent during the work. */
async function longestWait(product: Product, work: Promise<unknown>) {
  let longest = 0
  let isOver = false
  const ended = work.finally(() => (isOver = true))
  while (!isOver) {
    const begin = performance.now()
    await product.ask('/api/health')
    longest = Math.max(longest, performance.now() - begin)
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
  await ended
  return longest
}
