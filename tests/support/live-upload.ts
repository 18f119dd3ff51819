import { once } from 'node:events'
import { Agent, type ClientRequest, type IncomingMessage, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import type { FastifyInstance } from 'fastify'
import { defaultTimeouts } from '#platform/server/http/connection-limits.ts'
import type { TestUser } from './test-user.ts'

/** Opens a port, for what only real sockets show; gives back the address. */
export async function listenOnPort(app: FastifyInstance) {
  await app.listen({ port: 0, host: '127.0.0.1' })
  return `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`
}

const liveBoundary = '----albumen-live'
export const liveHeaders = { 'content-type': `multipart/form-data; boundary=${liveBoundary}` }
export const partHead = (filename: string) =>
  `--${liveBoundary}\r\ncontent-disposition: form-data; name="files"; filename="${filename}"\r\n\r\n`
export const bodyEnd = `\r\n--${liveBoundary}--\r\n`

/** For an upload that a story holds back: on a slow machine that may take longer than anybody may be silent. */
export const uploadsMayPause = {
  timeouts: { ...defaultTimeouts, minimumRate: { ...defaultTimeouts.minimumRate, windowMs: 3600_000 } },
}

/** As a browser does: a connection that stays open lets an early answer arrive while the body is still on its way. */
const keepsConnection = new Agent({ keepAlive: true })

/** Begins an upload over a real socket; what is written to it is the body. */
export function beginUpload(address: string, user: TestUser, headers: Record<string, string | number> = {}) {
  return request(`${address}/api/upload`, {
    method: 'POST',
    agent: keepsConnection,
    headers: { ...liveHeaders, cookie: user.cookieHeader, ...headers },
  })
}

export async function responseTo(upload: ClientRequest) {
  const [response] = (await once(upload, 'response')) as [IncomingMessage]
  const body = await text(response)
  return { statusCode: response.statusCode, headers: response.headers, json: () => JSON.parse(body) }
}

/** Writes at the other side's pace. */
export function writeTo(upload: ClientRequest, chunk: Uint8Array | string) {
  return new Promise<void>((resolve, reject) => {
    upload.write(chunk, (error) => (error ? reject(error) : resolve()))
  })
}
