import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { multipart } from '../support/multipart.ts'

const main = fileURLToPath(new URL('../../src/app/server/main.ts', import.meta.url))

export type KillableServer = { url: string; kill(): Promise<void> }

/** The product as `npm start` runs it, in a process that can be ended at any moment. */
export async function startServer(settings: Record<string, string>): Promise<KillableServer> {
  const child = fork(main, {
    cwd: settings.DATA_DIR,
    env: { PATH: process.env.PATH, ...settings },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  })
  const ended = once(child, 'exit')
  let faults = ''
  child.stderr!.on('data', (chunk) => (faults += chunk))
  const url = await new Promise<string>((resolve, reject) => {
    let printed = ''
    child.stdout!.on('data', (chunk) => {
      printed += chunk
      const found = /Open (\S+)/.exec(printed)?.[1]
      if (found) resolve(found.replace('localhost', '127.0.0.1'))
    })
    ended.then(() => reject(new Error(`Expected the server to start, received: ${faults}`)))
  })
  return {
    url,
    async kill() {
      child.kill('SIGKILL')
      await ended
    },
  }
}

export type Send = ReturnType<typeof createClient>

/** A browser that survives its server: it keeps its cookie and asks wherever the server is now. */
export function createClient(urlOf: () => string) {
  let cookie = ''
  return async function send(method: string, path: string, body?: object | ReturnType<typeof multipart>) {
    const isUpload = body !== undefined && 'payload' in body
    const answer = await fetch(`${urlOf()}${path}`, {
      method,
      headers: { cookie, ...(isUpload ? body.headers : body ? { 'content-type': 'application/json' } : {}) },
      body: isUpload ? new Uint8Array(body.payload) : body ? JSON.stringify(body) : undefined,
    })
    const set = answer.headers.getSetCookie()[0]
    if (set) cookie = set.split(';')[0]!
    return answer
  }
}
