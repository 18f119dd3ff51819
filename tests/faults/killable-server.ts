import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { atExit } from '../support/at-exit.ts'
import type { multipart } from '../support/multipart.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

export type ServerOptions = {
  /** A module that is loaded into the process first, for faults that cannot be caused from outside. */
  preload?: URL
  /** A command that runs the server, such as strace; it becomes the server or its parent process. */
  under?: string[]
  /** The folder of another version of the program. */
  program?: string
}

export type KillableServer = {
  url: string
  pid: number
  child: ChildProcess
  /** The exit code or signal of the process. */
  ended: Promise<number | string>
  /** The last output to the log and to stderr. */
  printed(): string
  kill(): Promise<void>
}

const keptOutput = 200_000

/** The server as `npm start` runs it, in a process that can be killed at any time. */
export async function startServer(
  settings: Record<string, string>,
  { preload, under = [], program = root }: ServerOptions = {},
): Promise<KillableServer> {
  const node = [
    process.execPath,
    ...(preload ? ['--import', preload.href] : []),
    join(program, 'src/app/server/main.ts'),
  ]
  const [command, ...args] = [...under, ...node] as [string, ...string[]]
  const child = spawn(command, args, {
    cwd: settings.DATA_DIR,
    env: { PATH: process.env.PATH, ...settings },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  })
  const ended = once(child, 'exit').then(([code, signal]) => (code ?? signal) as number | string)
  void ended.then(atExit(() => child.kill('SIGKILL')))
  let printed = ''
  const url = await new Promise<string>((resolve, reject) => {
    for (const stream of [child.stdout!, child.stderr!]) {
      stream.on('data', (chunk) => {
        printed = (printed + chunk).slice(-keptOutput)
        const found = /Albumen is running\. Open (\S+)/.exec(printed)?.[1]
        if (found) resolve(found.replace('localhost', '127.0.0.1'))
      })
    }
    ended.then(() => reject(new Error(`Expected the server to start, received: ${printed}`)))
    child.on('error', reject)
  })
  return {
    url,
    pid: child.pid!,
    child,
    ended,
    printed: () => printed,
    async kill() {
      child.kill('SIGKILL')
      await ended
    },
  }
}

export type Send = ReturnType<typeof createClient>

/**
 * A client that keeps its cookie when the server restarts on another port. `addressOf` gives the network address of each
 * request, for a server that trusts a proxy on this machine.
 */
export function createClient(urlOf: () => string, cookie = '', addressOf?: () => string) {
  return async function send(method: string, path: string, body?: object | ReturnType<typeof multipart>) {
    const isUpload = body !== undefined && 'payload' in body
    const answer = await fetch(`${urlOf()}${path}`, {
      method,
      headers: {
        cookie,
        ...(addressOf && { 'x-forwarded-for': addressOf() }),
        ...(isUpload ? body.headers : body ? { 'content-type': 'application/json' } : {}),
      },
      body: isUpload ? new Uint8Array(body.payload) : body ? JSON.stringify(body) : undefined,
    })
    const set = answer.headers.getSetCookie()[0]
    if (set) cookie = set.split(';')[0]!
    return answer
  }
}
