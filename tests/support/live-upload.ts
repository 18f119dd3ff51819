import { once } from 'node:events'
import { Agent, type ClientRequest, type IncomingMessage, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import type { FastifyInstance } from 'fastify'
import { defaultTimeouts } from '#platform/server/http/connection-limits.ts'
import type { TestUser } from './test-user.ts'

/** Listens on a port, for behavior that only real sockets show; returns the address. */
export async function listenOnPort(app: FastifyInstance) {
  await app.listen({ port: 0, host: '127.0.0.1' })
  return `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`
}

const liveBoundary = '----albumen-live'
export const liveHeaders = { 'content-type': `multipart/form-data; boundary=${liveBoundary}` }
export const partHead = (filename: string) =>
  `--${liveBoundary}\r\ncontent-disposition: form-data; name="files"; filename="${filename}"\r\n\r\n`
export const bodyEnd = `\r\n--${liveBoundary}--\r\n`

/** For a test that pauses an upload, which on a slow machine may exceed the limit for idle clients. */
export const uploadsMayPause = {
  timeouts: { ...defaultTimeouts, minimumRate: { ...defaultTimeouts.minimumRate, windowMs: 3600_000 } },
}

/** Keeps connections open like a browser, so that an early response arrives while the body is still being sent. */
const keepAliveAgent = new Agent({ keepAlive: true })

/** Begins an upload over a real socket; the caller writes the body. */
export function beginUpload(address: string, user: TestUser, headers: Record<string, string | number> = {}) {
  return request(`${address}/api/upload`, {
    method: 'POST',
    agent: keepAliveAgent,
    headers: { ...liveHeaders, cookie: user.cookieHeader, ...headers },
  })
}

export async function responseTo(upload: ClientRequest) {
  const [response] = (await once(upload, 'response')) as [IncomingMessage]
  const body = await text(response)
  return { statusCode: response.statusCode, headers: response.headers, json: () => JSON.parse(body) }
}

/** Writes a chunk and waits until it is sent. */
export function writeTo(upload: ClientRequest, chunk: Uint8Array | string) {
  return new Promise<void>((resolve, reject) => {
    upload.write(chunk, (error) => (error ? reject(error) : resolve()))
  })
}
