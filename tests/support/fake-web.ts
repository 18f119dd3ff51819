import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import type { TestContext } from 'node:test'

type Answer = (request: IncomingMessage, response: ServerResponse) => unknown

export type FakeWeb = {
  origin: string
  /** `host:port`, as in SCRAPER_ALLOW_HOSTS. */
  pair: string
  settings: { SCRAPER_ALLOW_HOSTS: string }
  /** The requested paths, in order. */
  hits: string[]
  openSockets(): number
  page(path: string, html: string): string
  file(path: string, bytes: Uint8Array, type?: string): string
  answer(path: string, answer: Answer): string
}

/** A website on loopback to which a test adds pages and pictures; all other paths return 404. */
export async function fakeWeb(context: Pick<TestContext, 'after'>): Promise<FakeWeb> {
  const answers = new Map<string, Answer>()
  const hits: string[] = []
  const sockets = new Set<Socket>()
  const listener: RequestListener = (request, response) => {
    hits.push(request.url!)
    const answer = answers.get(request.url!.split('?')[0]!)
    if (answer) return void answer(request, response)
    response.writeHead(404, { 'content-type': 'text/html' }).end('<h1>Not here</h1>')
  }
  const server = createServer(listener)
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
    socket.on('error', () => {})
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  context.after(async () => {
    for (const socket of sockets) socket.destroy()
    await new Promise((resolve) => server.close(resolve))
  })
  const pair = `127.0.0.1:${(server.address() as AddressInfo).port}`
  const origin = `http://${pair}`
  const answer = (path: string, given: Answer) => {
    answers.set(path, given)
    return origin + path
  }
  return {
    origin,
    pair,
    settings: { SCRAPER_ALLOW_HOSTS: pair },
    hits,
    openSockets: () => sockets.size,
    answer,
    page: (path, html) =>
      answer(path, (_request, response) =>
        response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(html),
      ),
    file: (path, bytes, type = 'image/jpeg') =>
      answer(path, ({ headers }, response) => sendRange(response, { bytes, type, range: headers.range })),
  }
}

type Sent = { bytes: Uint8Array; type: string; range?: string }

/** Supports ranges, because the scraper reads image sizes from the first bytes. */
function sendRange(response: ServerResponse, { bytes, type, range }: Sent) {
  const end = /^bytes=0-(\d+)$/.exec(range ?? '')?.[1]
  if (end === undefined) {
    return response.writeHead(200, { 'content-type': type, 'content-length': bytes.length }).end(bytes)
  }
  const part = bytes.subarray(0, Number(end) + 1)
  response
    .writeHead(206, {
      'content-type': type,
      'content-length': part.length,
      'content-range': `bytes 0-${part.length - 1}/${bytes.length}`,
    })
    .end(part)
}
