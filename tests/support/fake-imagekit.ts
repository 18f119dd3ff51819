import { createHmac, randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import type { TestContext } from 'node:test'

type Stored = { fileId: string; name: string; filePath: string; bytes: Buffer; isPrivate: boolean }

const privateKey = 'private_test'

/** An ImageKit that speaks the documented calls and keeps files in memory; it can be told to fail, to lie and to stall. */
export async function startFakeImageKit(context: TestContext) {
  const files = new Map<string, Stored>()
  const moods = { failures: 0, failWith: 500, spoilsBytes: false, uploads: 0, onUpload: async () => {} }
  const server = createServer((request, response) => {
    answer(request, response).catch((error) => send(response, 500, { message: String(error) }))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  context.after(() => {
    server.closeAllConnections()
    return new Promise((resolve) => server.close(resolve))
  })
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const endpoint = `${address}/demo`

  async function answer(request: IncomingMessage, response: ServerResponse) {
    const url = new URL(request.url!, address)
    if (url.pathname.startsWith('/demo/')) return deliver(url, response)
    const isKnown = keyOf(request) === privateKey
    if (!isKnown) return send(response, 403, { message: 'Your account cannot be authenticated.' })
    const body = await buffer(request)
    if (moods.failures > 0) {
      moods.failures--
      return send(response, moods.failWith, { message: 'Sorry' })
    }
    if (request.method === 'POST' && url.pathname === '/api/v1/files/upload') return upload(request, body, response)
    if (request.method === 'PUT' && url.pathname === '/v1/files/rename')
      return rename(JSON.parse(body.toString()), response)
    const [, fileId, isDetails] = /^\/v1\/files\/([^/]+)(\/details)?$/.exec(url.pathname) ?? []
    const file = fileId && files.get(fileId)
    if (!file) return send(response, 404, { message: 'The requested file does not exist.' })
    if (isDetails) return send(response, 200, describe(file))
    files.delete(file.fileId)
    response.writeHead(204).end()
  }

  async function upload(request: IncomingMessage, body: Buffer, response: ServerResponse) {
    moods.uploads++
    await moods.onUpload()
    const form = await new Response(new Uint8Array(body), {
      headers: { 'content-type': request.headers['content-type']! },
    }).formData()
    const bytes = Buffer.from(await (form.get('file') as File).arrayBuffer())
    if (moods.spoilsBytes) bytes[0]! ^= 0xff
    const name = String(form.get('fileName'))
    const filePath = `${form.get('folder')}/${name}`
    const before = [...files.values()].find((file) => file.filePath === filePath)
    const stored: Stored = {
      fileId: before?.fileId ?? randomUUID(),
      name,
      filePath,
      bytes,
      isPrivate: form.get('isPrivateFile') === 'true',
    }
    files.set(stored.fileId, stored)
    return send(response, 200, describe(stored))
  }

  function rename({ filePath, newFileName }: { filePath: string; newFileName: string }, response: ServerResponse) {
    const file = [...files.values()].find((candidate) => candidate.filePath === filePath)
    if (!file) return send(response, 404, { message: 'No file found at this path.' })
    file.name = newFileName
    file.filePath = filePath.replace(/[^/]+$/, newFileName)
    return send(response, 200, { purgeRequestId: randomUUID() })
  }

  /** Private files want the signature that ImageKit documents: HMAC-SHA1 of path, query and expiry. */
  function deliver(url: URL, response: ServerResponse) {
    const path = decodeURIComponent(url.pathname.slice('/demo'.length))
    const file = [...files.values()].find((candidate) => candidate.filePath === path)
    if (!file) return send(response, 404, { message: 'Not found' })
    const signature = url.searchParams.get('ik-s')
    const signed = url.href.slice(`${endpoint}/`.length).replace(/[?&]ik-s=[^&]*/, '')
    const expected = createHmac('sha1', privateKey).update(`${signed}9999999999`).digest('hex')
    if (file.isPrivate && signature !== expected) return send(response, 401, { message: 'Private file' })
    response.writeHead(200, { 'content-type': 'application/octet-stream' }).end(file.bytes)
  }

  const describe = ({ fileId, name, filePath, bytes, isPrivate }: Stored) => ({
    type: 'file',
    fileId,
    name,
    filePath,
    size: bytes.length,
    isPrivateFile: isPrivate,
    url: `${endpoint}${filePath}`,
  })

  return {
    files,
    moods,
    settings: {
      IMAGEKIT_PRIVATE_KEY: privateKey,
      IMAGEKIT_URL_ENDPOINT: endpoint,
      IMAGEKIT_API_URL: address,
      IMAGEKIT_UPLOAD_URL: address,
    },
  }
}

/** The private key is the name of HTTP's basic sign-in, whatever the password. */
function keyOf({ headers: { authorization = '' } }: IncomingMessage) {
  return Buffer.from(authorization.replace(/^Basic /, ''), 'base64')
    .toString()
    .split(':')[0]
}

function send(response: ServerResponse, status: number, body: unknown) {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}
