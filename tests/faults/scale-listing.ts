import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import pino from 'pino'
import { buildApp } from '#app/server/build-app.ts'
import { createServices } from '#app/server/services.ts'
import { loadConfig } from '#platform/server/config.ts'
import { seedLargeLibrary } from './large-library.ts'

// `node tests/faults/scale-listing.ts [items]`: what a page and a search cost (CPU, all threads) in a library of ten
// thousand and in one of a million items. Nothing that a person waits for may cost more than three times as much.
const sizes = [10_000, Number(process.argv[2] ?? 1_000_000)]
const allowedRatio = 3
const repetitions = 15
/** Below this a ratio says nothing: a single hiccup of the machine is larger. */
const noticeableMs = 1

const questions: Record<string, (size: number) => Record<string, unknown>> = {
  'page 1': () => ({}),
  'page 20': () => ({ page: 20 }),
  'deep page (by 200)': (size) => ({ page: Math.min(size / 200 / 2, 25), limit: 200 }),
  'last page': (size) => ({ page: size / 50 }),
  'by name': () => ({ sort: 'name' }),
  'by size': () => ({ sort: 'size' }),
  'by type': () => ({ sort: 'type' }),
  'images only, by name': () => ({ type: 'image', sort: 'name' }),
  favorites: () => ({ favorite: 'true' }),
  'a collection of 5,000': () => ({ collectionId: 1 }),
  'search: rare word': () => ({ search: 'zanzibar' }),
  'search: part of a rare word': () => ({ search: 'nziba' }),
  'search: in every name': () => ({ search: 'img' }),
  'search: one in ten': () => ({ search: 'beach' }),
  'search: two words': () => ({ search: 'beach sunset' }),
  'search: common and rare': () => ({ search: 'img zanzibar' }),
  'search: two letters': () => ({ search: 'be' }),
  'search: one letter': () => ({ search: 'b' }),
  'search: word and two letters': () => ({ search: 'sunset be' }),
  'search: rare word and two letters': () => ({ search: 'zanzibar im' }),
  'search: nothing found': () => ({ search: 'qqqqq' }),
  'search: no such pair': () => ({ search: 'beach qqqqq' }),
  'search: two common that never meet': () => ({ search: 'sunset birthday' }),
  'search: by name': () => ({ search: 'img', sort: 'name' }),
  'search: one in ten, by name': () => ({ search: 'beach', sort: 'name' }),
  'search: videos only': () => ({ search: 'beach', type: 'video' }),
  'search: in the collection': () => ({ search: 'beach', collectionId: 1 }),
  'search: favorites': () => ({ search: 'beach', favorite: 'true' }),
  'small library beside it': () => ({ owner: 2 }),
  'small library beside it: search': () => ({ owner: 2, search: 'beach' }),
  'small library beside it: two letters': () => ({ owner: 2, search: 'be' }),
}

/**
 * These grow, up to a bound of their own: an order other than newest first looks at up to 10,000 matches, and what rarely
 * or never meets has to be compared to its end.
 */
const bounded = new Set(['search: one in ten, by name', 'search: two common that never meet', 'search: favorites'])

const directory = await mkdtemp(join(tmpdir(), 'albumen-scale-'))
try {
  const [small, large] = [await measure(sizes[0]!), await measure(sizes[1]!)]
  print(['CPU milliseconds', ...sizes.map((size) => size.toLocaleString('en')), 'ratio'])
  for (const name of Object.keys(questions)) {
    const ratio = large[name]! / small[name]!
    const isTooMuch = ratio > allowedRatio && large[name]! > noticeableMs && !bounded.has(name)
    if (isTooMuch) process.exitCode = 1
    print([
      name,
      small[name]!.toFixed(2),
      large[name]!.toFixed(2),
      `${isTooMuch ? 'too much ' : ''}${ratio.toFixed(1)}`,
    ])
  }
} finally {
  await rm(directory, { recursive: true, force: true })
}

function print([name, ...cells]: string[]) {
  process.stdout.write(`${name!.padEnd(44)}${cells.map((cell) => cell.padStart(14)).join('')}\n`)
}

/** Milliseconds of CPU per request, answer included; the median of several. */
async function measure(size: number) {
  const dataDir = join(directory, String(size))
  const config = loadConfig({ DATA_DIR: dataDir, LOG_LEVEL: 'silent', AI_LOCAL: '0' })
  const services = await createServices(config, pino({ level: 'silent' }))
  const app = await buildApp(services)
  const people = [await register('one'), await register('two')]
  const begin = performance.now()
  await seedLargeLibrary(new DatabaseSync(join(dataDir, 'albumen.db')), size)
  const seconds = (performance.now() - begin) / 1000
  process.stdout.write(`${size.toLocaleString('en')} items written in ${seconds.toFixed(0)} s\n`)
  const costs: Record<string, number> = {}
  for (const [name, question] of Object.entries(questions)) {
    const { owner = 1, ...query } = question(size) as { owner?: number }
    const times: number[] = []
    for (let count = 0; count <= repetitions; count++) times.push(await ask(people[owner - 1]!, query))
    costs[name] = times.slice(1).sort((a, b) => a - b)[Math.floor(repetitions / 2)]!
  }
  await app.close()
  await services.close()
  return costs

  async function register(username: string) {
    const payload = { username, email: `${username}@example.com`, password: 'correct horse' }
    const answer = await app.inject({ method: 'POST', url: '/api/register', payload })
    return Object.fromEntries(answer.cookies.map(({ name, value }) => [name, value]))
  }

  async function ask(cookies: Record<string, string>, query: Record<string, unknown>) {
    const before = process.cpuUsage()
    const answer = await app.inject({
      url: `/api/media?${new URLSearchParams(query as Record<string, string>)}`,
      cookies,
    })
    const { user, system } = process.cpuUsage(before)
    assert.equal(answer.statusCode, 200, answer.body)
    return (user + system) / 1000
  }
}
