import assert from 'node:assert/strict'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import pg from 'pg'
import type { authApi } from '#features/auth/contract.ts'
import type { ResponseOf, Route } from '#platform/contract.ts'
import { startFakeImageKit } from '../../support/fake-imagekit.ts'
import { type FakeWeb, fakeWeb } from '../../support/fake-web.ts'
import { until } from '../../support/until.ts'
import { createClient, type KillableServer, type Send, startServer } from '../killable-server.ts'
import { type Library, openLibrary } from '../library.ts'
import { startWordyAi } from './fake-ai.ts'
import type { Person } from './model.ts'

export type World = Awaited<ReturnType<typeof createWorld>>
export type Answer = { status: number; body: unknown; text: string }
/** Parses the body by the contract of the call. */
export const said = <R extends Route>({ body }: Answer) => body as ResponseOf<R>

export type WorldOptions = { settings?: Record<string, string>; processes?: number }

/** The server with its external services and access to its database. */
export async function createWorld({ settings = {}, processes = 1 }: WorldOptions = {}) {
  const cleanups: (() => unknown)[] = []
  const context = { after: (cleanup: unknown) => void cleanups.push(cleanup as () => unknown) }
  const web: FakeWeb = await fakeWeb(context as never)
  const imageKit = await startFakeImageKit(context as never)
  const ai = await startWordyAi()
  cleanups.push(ai.close)
  const library: Library = await openLibrary({
    settings: {
      ...web.settings,
      ...imageKit.settings,
      AI_BASE_URL: ai.baseUrl,
      AI_MODEL: 'wordy',
      AI_API_KEY: 'any',
      TRUST_PROXY: 'loopback',
      ...settings,
    },
  })
  const others: KillableServer[] = []
  for (let number = 2; number <= processes; number++) {
    const DATA_DIR = join(library.directory, `process-${number}`)
    await mkdir(DATA_DIR)
    others.push(await startServer({ ...library.environment, DATA_DIR }))
  }
  let clients = 0
  /** Distributes sessions over the processes; the first process may be killed and restarted on another port. */
  const newSession = () => {
    const at = clients++ % processes
    return createClient(() => (at === 0 ? library.server : others[at - 1]!).url)
  }
  let visits = 0
  /** A new address for each visit, since an address gets only so many 404s before it gets 429. */
  const newAddress = () => {
    visits++
    return `10.${visits >> 16}.${(visits >> 8) & 255}.${visits & 255}`
  }
  const pool = settings.DATABASE_URL ? new pg.Pool({ connectionString: settings.DATABASE_URL, max: 2 }) : undefined
  const query = async <T = Record<string, unknown>>(sql: string): Promise<T[]> => {
    if (pool) return (await pool.query(sql)).rows.map(numbered) as T[]
    using database = new DatabaseSync(join(library.directory, 'albumen.db'), { readOnly: true })
    return database.prepare(sql).all() as T[]
  }
  return {
    library,
    web,
    imageKit,
    isPostgres: pool !== undefined,
    query,
    people: [] as Person[],
    /** Everybody acts at once: on the same few things. */
    isCrowded: false,
    /** Of the checks: each looks for other words. */
    turn: 0,
    visitor: createClient(() => library.server.url, '', newAddress),
    newAddress,
    newSession,
    printed: () => [library.server, ...others].map((server) => server.printed().slice(-2000)).join('\n'),
    /** What was answered, counted by call. */
    counts: new Map<string, number>(),
    async [Symbol.asyncDispose]() {
      await pool?.end()
      await Promise.all(others.map((server) => server.kill()))
      await library[Symbol.asyncDispose]()
      for (const cleanup of cleanups) await cleanup()
    },
  }
}

/** PostgreSQL returns BIGINT as text. */
const numbered = (row: Record<string, unknown>) =>
  Object.fromEntries(
    Object.entries(row).map(([name, value]) => [
      name,
      typeof value === 'string' && /^-?\d{1,15}$/.test(value) ? Number(value) : value,
    ]),
  )

/** Sends a request; a response with status 500 fails the walk. */
export async function call(world: World, send: Send, method: string, path: string, body?: object): Promise<Answer> {
  const answer = await send(method, path, body)
  const text = await answer.text()
  const name = `${method} ${path.replace(/\?.*/, '').replace(/\d+|[\w-]{36}/g, '*')} ${answer.status}`
  world.counts.set(name, (world.counts.get(name) ?? 0) + 1)
  assert.ok(
    answer.status < 500 || answer.status === 503,
    `${method} ${path} ${JSON.stringify(body)?.slice(0, 300)} answered ${answer.status} ${text}\n${world.printed()}`,
  )
  const isJson = answer.headers.get('content-type')?.includes('json')
  return { status: answer.status, text, body: isJson ? JSON.parse(text) : undefined }
}

export async function signUp(world: World, username: string, sessions: number): Promise<Person> {
  const password = 'correct horse'
  const first = world.newSession()
  const answer = await call(world, first, 'POST', '/api/register', {
    username,
    email: `${username}@example.com`,
    password,
  })
  assert.equal(answer.status, 201, answer.text)
  const person: Person = {
    id: said<typeof authApi.register>(answer).id,
    username,
    password,
    sessions: [first],
    items: new Map(),
    shelves: new Map(),
    changes: [],
    movedSlugs: new Map(),
  }
  while (person.sessions.length < sessions) await signIn(world, person)
  world.people.push(person)
  return person
}

export async function signIn(world: World, person: Person) {
  const send = world.newSession()
  const { username, password } = person
  // Each process learns a moment later that a restore is over, and answers 503 until then.
  await until('the library is open', async () => {
    const { status, text } = await call(world, send, 'POST', '/api/login', { username, password })
    if (status !== 503) assert.equal(status, 200, text)
    return status === 200
  })
  person.sessions.push(send)
}
