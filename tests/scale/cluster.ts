import assert from 'node:assert/strict'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { startS3TestServer } from '#engines/storage/s3-test-server.ts'
import { createClient, type KillableServer, type Send, startServer } from '../faults/killable-server.ts'
import { startPostgres } from '../support/embedded-postgres.ts'
import { s3Settings } from '../support/s3-settings.ts'
import { startProxy } from './proxy.ts'
import { startSlowAi } from './slow-ai.ts'

export const processCount = 3

export type Cluster = Awaited<ReturnType<typeof startCluster>>
/** One user, with clients for the proxy and for each process. */
export type Person = { username: string; cookie: string; through: Send; at(process: number): Send }

/** PostgreSQL, an S3-compatible store, an AI endpoint, three processes of the product and a proxy before them. */
export async function startCluster() {
  const directory = await mkdtemp(join(tmpdir(), 'albumen-scale-'))
  const stack = new AsyncDisposableStack()
  stack.defer(() => rm(directory, { recursive: true, force: true, maxRetries: 5 }))
  try {
    const postgres = await startPostgres()
    stack.defer(postgres.stop)
    const [bucket, backups] = [join(directory, 'bucket'), join(directory, 'backups')]
    for (const folder of [bucket, backups]) await mkdir(folder)
    const store = stack.use(await startS3TestServer(bucket))
    const ai = await startSlowAi()
    stack.defer(ai.close)
    const shared = {
      PORT: '0',
      LOG_LEVEL: 'error',
      TRUST_PROXY: 'loopback',
      DATABASE_URL: postgres.url,
      BACKUP_DIR: backups,
      ...s3Settings(store),
      AI_LOCAL: '0',
      AI_BASE_URL: ai.baseUrl,
      AI_MODEL: 'any',
    }
    const processes: KillableServer[] = []
    const start = async (index: number) => {
      const DATA_DIR = join(directory, `process-${index}`)
      await mkdir(DATA_DIR, { recursive: true })
      // The key tells the endpoint which process sent the request.
      processes[index] = await startServer({ ...shared, DATA_DIR, AI_API_KEY: `process-${index}` })
    }
    stack.defer(async () => void (await Promise.all(processes.map(({ kill }) => kill()))))
    for (let index = 0; index < processCount; index++) await start(index)
    const proxy = await startProxy(() => processes.map(({ url }) => url))
    stack.defer(proxy.close)
    const database = new pg.Pool({ connectionString: postgres.url, max: 2 })
    stack.defer(() => database.end())
    let people = 0

    /** The first one is the administrator. */
    async function register(): Promise<Person> {
      const username = `person${++people}`
      const through = createClient(() => proxy.url)
      const account = { username, email: `${username}@example.com`, password: 'correct horse' }
      const answer = await through('POST', '/api/register', account)
      assert.equal(answer.status, 201, await answer.clone().text())
      const cookie = answer.headers.getSetCookie()[0]!.split(';')[0]!
      return { username, cookie, through, at: (index) => createClient(() => processes[index]!.url, cookie) }
    }
    const admin = await register()
    const started = stack.move()
    let ending: Promise<void> | undefined

    return {
      admin,
      register,
      proxyUrl: proxy.url,
      databaseUrl: postgres.url,
      processes,
      /** For what the API does not show, such as schedules that are due. */
      query: async <Row extends pg.QueryResultRow>(sql: string, values: unknown[] = []) =>
        (await database.query<Row>(sql, values)).rows,
      /** The number of pictures that each process has sent to the AI. */
      looks: () => Array.from({ length: processCount }, (_, index) => ai.askedBy(`process-${index}`)),
      async killAndRestart(index: number) {
        await processes[index]!.kill()
        await start(index)
      },
      /** Further calls wait for the same end. */
      [Symbol.asyncDispose]: () => (ending ??= started.disposeAsync()),
    }
  } catch (error) {
    await stack.disposeAsync()
    throw error
  }
}
