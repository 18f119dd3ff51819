import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import type { TestContext } from 'node:test'
import { fileURLToPath } from 'node:url'
import { createTestDatabase } from './postgres.ts'
import { temporaryFolder } from './temporary-folder.ts'

const main = fileURLToPath(new URL('../../src/app/server/main.ts', import.meta.url))
const slowRoute = new URL('./slow-route.ts', import.meta.url).href

type Ended = { code: number | null; signal: string | null; stdout: string; stderr: string }

const processes = new WeakMap<TestContext, (() => Promise<void>)[]>()

/** The functions that end the processes started by a test. */
function processesOf(context: TestContext) {
  const known = processes.get(context) ?? []
  processes.set(context, known)
  return known
}

/**
 * The settings for a new server: a free port, an empty folder, and on PostgreSQL a new database, which has its tables
 * unless `wanted` says otherwise.
 */
export async function serverSettings(
  context: TestContext,
  wanted?: Parameters<typeof createTestDatabase>[0],
): Promise<Record<string, string>> {
  const database = await createTestDatabase(wanted)
  // Registered before the folder's removal, so that no process still writes into the folder.
  context.after(async () => {
    for (const end of processesOf(context)) await end()
    await database?.drop()
  })
  const DATA_DIR = await temporaryFolder(context)
  return { PORT: '0', DATA_DIR, AI_LOCAL: '0', LOG_LEVEL: 'warn', ...database?.settings }
}

/** Starts the product like `npm start -- <args>` in a child process; `stdout` may be the descriptor of an open file. */
export function startServer(
  context: TestContext,
  settings: Record<string, string>,
  args: string[] = [],
  stdout: 'pipe' | number = 'pipe',
) {
  const child = fork(main, args, {
    cwd: settings.DATA_DIR,
    env: { PATH: process.env.PATH, ...settings },
    execArgv: ['--import', slowRoute],
    stdio: ['ignore', stdout, 'pipe', 'ipc'],
  })
  const ended = untilEnded(child)
  processesOf(context).push(async () => {
    child.kill('SIGKILL')
    await ended
  })
  return { child, ended }
}

async function untilEnded(child: ChildProcess): Promise<Ended> {
  const [[code, signal], stdout, stderr] = await Promise.all([
    once(child, 'exit'),
    child.stdout ? text(child.stdout) : '',
    text(child.stderr!),
  ])
  return { code, signal, stdout, stderr }
}

/** Resolves with the greeting that the server prints, and the address in it. */
export async function untilReady({ child, ended }: ReturnType<typeof startServer>) {
  let printed = ''
  const ready = new Promise<{ url: string; greeting: string }>((resolve) => {
    child.stdout!.on('data', (chunk) => {
      printed += chunk
      const [greeting, url] =
        /^Albumen (?:is running\. Open|is running as a background worker\. Health check:) (http\S+?)(?:\/api\/health)?(?: .*)?$/m.exec(
          printed,
        ) ?? []
      if (greeting && url && printed.includes('\n')) resolve({ greeting, url: url.replace('localhost', '127.0.0.1') })
    })
  })
  const failed = ended.then(({ stderr }) => {
    throw new Error(`Expected the server to start, received: ${stderr}`)
  })
  return Promise.race([ready, failed])
}
