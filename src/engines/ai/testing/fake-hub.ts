import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TestContext } from 'node:test'
import { type HubModelId, hubModelById } from '../hub/catalog.ts'
import { type HubFiles, sha256Of } from './tiny-hub-models.ts'

/** What the hub does instead of answering well: once for each entry, or until it is told otherwise. */
type Misbehavior =
  /** Ends the connection after half of the rest. */
  | { do: 'break-off' }
  /** Sends half and then nothing, until it is released. */
  | { do: 'stall' }
  /** Ignores the range, sends the first bytes and ends the connection. */
  | { do: 'begin-again'; bytes: number }
  | { do: 'answer'; status: number }
  | { do: 'send'; bytes: Buffer }
  | { do: 'redirect'; to: string }

type FakeHub = {
  url: string
  /** Requests as "path" or "path from 123". */
  asked: string[]
  /** The next requests for this file meet these faults, one each. */
  misbehave(path: string, ...faults: Misbehavior[]): void
  /** Resolves when a request stalls. */
  stalled(): Promise<void>
  close(): Promise<void>
}

/** A hub on this machine, which knows ranges as the real one does. The catalog's hashes become those of its files. */
export async function startFakeHub(
  context: TestContext,
  models: Partial<Record<HubModelId, HubFiles>>,
): Promise<FakeHub> {
  const files = new Map<string, Buffer>()
  for (const id of ['siglip2', 'florence2'] as const) {
    const content = models[id]
    if (!content) continue
    pinFiles(context, id, content)
    const { repository, revision } = hubModelById(id)
    for (const [path, bytes] of content) files.set(`/${repository}/resolve/${revision}/${path}`, bytes)
  }
  const faults = new Map<string, Misbehavior[]>()
  const asked: string[] = []
  let stall = Promise.withResolvers<void>()

  const server = createServer((request, response) => {
    const path = request.url ?? ''
    const name = path.split('/').slice(5).join('/')
    const from = Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? '')?.[1] ?? 0)
    asked.push(from > 0 ? `${name} from ${from}` : name)
    const fault = faults.get(name)?.shift()
    const bytes = fault?.do === 'send' ? fault.bytes : files.get(path)
    if (fault?.do === 'answer') return response.writeHead(fault.status).end('No')
    if (fault?.do === 'redirect') return response.writeHead(302, { location: fault.to }).end()
    if (!bytes) return response.writeHead(404).end('Entry not found')
    if (fault?.do === 'begin-again') {
      response.writeHead(200, { 'content-length': bytes.length })
      return response.write(bytes.subarray(0, fault.bytes), () => response.destroy())
    }
    const rest = bytes.subarray(from)
    const range = { 'content-range': `bytes ${from}-${bytes.length - 1}/${bytes.length}` }
    response.writeHead(from > 0 ? 206 : 200, { 'content-length': rest.length, ...(from > 0 ? range : {}) })
    if (fault?.do !== 'break-off' && fault?.do !== 'stall') return response.end(rest)
    response.write(rest.subarray(0, Math.ceil(rest.length / 2)), () => {
      if (fault.do === 'break-off') return response.destroy()
      stall.resolve()
      stall = Promise.withResolvers()
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const close = async () => {
    server.closeAllConnections()
    if (server.listening) await new Promise((resolve) => server.close(resolve))
  }
  context.after(close)
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    misbehave: (path, ...next) => void faults.set(path, next),
    stalled: () => stall.promise,
    close,
  }
}

/** The catalog expects these files until the test ends. */
export function pinFiles(context: TestContext, id: HubModelId, files: HubFiles) {
  const model = hubModelById(id)
  const { files: real } = model
  model.files = [...files].map(([path, bytes]) => ({ path, bytes: bytes.length, sha256: sha256Of(bytes) }))
  context.after(() => {
    model.files = real
  })
}
