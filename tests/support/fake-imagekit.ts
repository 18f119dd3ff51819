import { createHmac, randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import type { TestContext } from 'node:test'
import { parseByteRange } from '#engines/storage/byte-range.ts'

type Stored = { fileId: string; name: string; filePath: string; bytes: Buffer; isPrivate: boolean }

const privateKey = 'private_test'

/** How the fake may misbehave. Each `on…` is awaited before the response, and may delay it forever. */
const defaultBehavior = {
  /** The number of calls to fail, with the status `failWith`. */
  failures: 0,
  failWith: 500,
  /** Stores bytes that differ from the uploaded ones. */
  corruptsBytes: false,
  /** The number of uploads to store but answer with an error, so that the client sends the same file again. */
  lostUploadResponses: 0,
  /** Files for which this returns false are answered with an error. */
  delivers: (_name: string) => true,
  supportsRanges: true,
  sendsLength: true,
  uploads: 0,
  onUpload: async () => {},
  onStored: async () => {},
  onDeliver: async () => {},
}

/** A fake of the documented ImageKit API with files in memory, which can fail, corrupt and delay. */
export async function startFakeImageKit(context: Pick<TestContext, 'after'>) {
  const files = new Map<string, Stored>()
  const purged: string[] = []
  const behavior = { ...defaultBehavior }
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
    if (url.pathname.startsWith('/demo/')) return deliver(request, url, response)
    const isKnown = keyOf(request) === privateKey
    if (!isKnown) return send(response, 403, { message: 'Your account cannot be authenticated.' })
    const body = await buffer(request)
    if (behavior.failures > 0) {
      behavior.failures--
      return send(response, behavior.failWith, { message: 'Sorry' })
    }
    const call = calls[`${request.method} ${url.pathname}`]
    if (call) return call(request, body, response)
    const [, fileId] = /^\/v1\/files\/([^/]+)\/details$/.exec(url.pathname) ?? []
    const file = fileId && files.get(fileId)
    return file
      ? send(response, 200, describe(file))
      : send(response, 404, { message: 'The requested file does not exist.' })
  }

  type Call = (request: IncomingMessage, body: Buffer, response: ServerResponse) => Promise<void> | void
  const calls: Record<string, Call> = {
    'POST /api/v1/files/upload': upload,
    'PUT /v1/files/rename': (_request, body, response) => rename(JSON.parse(body.toString()), response),
    'DELETE /v1/folder': (_request, body, response) => removeFolder(JSON.parse(body.toString()).folderPath, response),
    'GET /v1/files': (_request, _body, response) => send(response, 200, [...files.values()].slice(0, 1).map(describe)),
    'POST /v1/files/purge': (_request, body, response) => {
      purged.push(JSON.parse(body.toString()).url)
      send(response, 201, { requestId: randomUUID() })
    },
  }

  async function upload(request: IncomingMessage, body: Buffer, response: ServerResponse) {
    behavior.uploads++
    await behavior.onUpload()
    const form = await new Response(new Uint8Array(body), {
      headers: { 'content-type': request.headers['content-type']! },
    }).formData()
    const bytes = Buffer.from(await (form.get('file') as File).arrayBuffer())
    if (behavior.corruptsBytes) bytes[0]! ^= 0xff
    const name = String(form.get('fileName'))
    const isUnique = form.get('useUniqueFileName') !== 'false'
    const filePath = `${form.get('folder')}/${isUnique ? `${randomUUID()}_` : ''}${name}`
    const before = [...files.values()].find((file) => file.filePath === filePath)
    const stored: Stored = {
      fileId: before?.fileId ?? randomUUID(),
      name,
      filePath,
      bytes,
      isPrivate: form.get('isPrivateFile') === 'true',
    }
    files.set(stored.fileId, stored)
    await behavior.onStored()
    if (behavior.lostUploadResponses-- > 0) return send(response, 500, { message: 'Where was I?' })
    return send(response, 200, describe(stored))
  }

  function rename({ filePath, newFileName }: { filePath: string; newFileName: string }, response: ServerResponse) {
    const file = [...files.values()].find((candidate) => candidate.filePath === filePath)
    if (!file) return send(response, 404, { message: 'No file found at this path.' })
    file.name = newFileName
    file.filePath = filePath.replace(/[^/]+$/, newFileName)
    return send(response, 200, { purgeRequestId: randomUUID() })
  }

  function removeFolder(folder: string, response: ServerResponse) {
    const inside = [...files.values()].filter(({ filePath }) => filePath.startsWith(`${folder.replace(/\/$/, '')}/`))
    if (inside.length === 0) return send(response, 404, { message: `No folder found with folderPath ${folder}` })
    for (const { fileId } of inside) files.delete(fileId)
    response.writeHead(204).end()
  }

  /** Private files need the signature that ImageKit documents: HMAC-SHA1 of path, query and expiry. */
  async function deliver(request: IncomingMessage, url: URL, response: ServerResponse) {
    await behavior.onDeliver()
    const path = decodeURIComponent(url.pathname.slice('/demo'.length))
    const file = [...files.values()].find((candidate) => candidate.filePath === path)
    if (!file) return send(response, 404, { message: 'Not found' })
    if (!behavior.delivers(file.name)) return send(response, 500, { message: 'Sorry' })
    const signature = url.searchParams.get('ik-s')
    const signed = url.href.slice(`${endpoint}/`.length).replace(/[?&]ik-s=[^&]*/, '')
    const expected = createHmac('sha1', privateKey).update(`${signed}9999999999`).digest('hex')
    if (file.isPrivate && signature !== expected) return send(response, 401, { message: 'Private file' })
    const range = parseByteRange(behavior.supportsRanges ? request.headers.range : undefined, file.bytes.length)
    if (range === 'unsatisfiable') return void response.writeHead(416).end()
    const part = range === 'whole' ? file.bytes : file.bytes.subarray(range.start, range.end + 1)
    response
      .writeHead(range === 'whole' ? 200 : 206, {
        'content-type': 'application/octet-stream',
        ...(behavior.sendsLength && { 'content-length': part.length }),
      })
      .end(part)
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
    purged,
    behavior,
    /** Stops all misbehavior. */
    resetBehavior: () => Object.assign(behavior, { ...defaultBehavior, uploads: behavior.uploads }),
    settings: {
      IMAGEKIT_PRIVATE_KEY: privateKey,
      IMAGEKIT_URL_ENDPOINT: endpoint,
      IMAGEKIT_API_URL: address,
      IMAGEKIT_UPLOAD_URL: address,
    },
  }
}

/** The private key is the user name of HTTP basic authentication; the password is ignored. */
function keyOf({ headers: { authorization = '' } }: IncomingMessage) {
  return Buffer.from(authorization.replace(/^Basic /, ''), 'base64')
    .toString()
    .split(':')[0]
}

function send(response: ServerResponse, status: number, body: unknown) {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}
