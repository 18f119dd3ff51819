import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { test } from 'node:test'
import { blobKey } from './keys.ts'
import { createS3Bucket } from './s3-bucket.ts'
import { createS3Storage } from './s3-storage.ts'
import { startS3TestServer } from './s3-test-server.ts'

async function temporaryFolder() {
  const path = await mkdtemp(join(tmpdir(), 's3-'))
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) }
}
const arrive = (data: Uint8Array) => [Readable.from([data]), { maxBytes: 1e9 }] as const

type Answer = { status?: number; headers?: Record<string, string>; body?: string }

/** A service that responds as the test says and records its requests, for calls that the test server does not support. */
async function startScriptedService(answer: (question: string, query: URLSearchParams) => Answer | undefined) {
  const asked: string[] = []
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://service')
    const copySource = request.headers['x-amz-copy-source']
    const question = `${request.method} ${pathname.replace(/\/$/, '')}${copySource ? ` from ${copySource}` : ''}`
    asked.push(question)
    const { status = 200, headers, body } = answer(question, searchParams) ?? { status: 404 }
    request.resume().on('end', () => response.writeHead(status, headers).end(body))
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const { port } = server.address() as AddressInfo
  async function close() {
    server.closeAllConnections()
    await new Promise((closed) => server.close(closed))
  }
  return {
    asked,
    options: {
      bucket: 'b',
      endpoint: `http://127.0.0.1:${port}`,
      accessKeyId: 'a',
      secretAccessKey: 's',
      forcePathStyle: true,
    },
    close,
    [Symbol.asyncDispose]: close,
  }
}

test('decoders never get other bytes than those that were uploaded', async () => {
  await using folder = await temporaryFolder()
  await using server = await startS3TestServer(join(folder.path, 'server'))
  const storage = await createS3Storage({ ...server.options, cacheDirectory: join(folder.path, 'scratch') })
  const staged = await storage.receive(...arrive(randomBytes(100)))
  await staged.commit()
  await writeFile(server.fileOf(blobKey(staged.sha256)), randomBytes(100))
  await assert.rejects(
    storage.withLocalFile(staged.sha256, async () => {}),
    { code: 'damaged-file' },
  )
  assert.deepEqual(await readdir(join(folder.path, 'scratch/copies')), [])
  assert.deepEqual(await readdir(join(folder.path, 'scratch/tmp')), [])
  await storage.close()
})

test('old bytes in the bucket are sent again if copying does not make them recent', async () => {
  await using folder = await temporaryFolder()
  await using server = await startS3TestServer(join(folder.path, 'server'))
  const storage = await createS3Storage({ ...server.options, cacheDirectory: join(folder.path, 'scratch') })
  const data = randomBytes(100)
  const { sha256, commit } = await storage.receive(...arrive(data))
  await commit()
  await utimes(server.fileOf(blobKey(sha256)), new Date(0), new Date(0))
  await (await storage.receive(...arrive(data))).commit()
  assert.ok(Date.now() - (await storage.stat(sha256))!.modifiedAt.getTime() < 60_000)
  await storage.close()
})

test('a listing continues over all its pages', async () => {
  const page = (key: string, next = '') =>
    `<ListBucketResult>${next && `<IsTruncated>true</IsTruncated><NextContinuationToken>${next}</NextContinuationToken>`}
      <Contents><Key>p/${key}</Key><Size>5</Size><LastModified>2026-01-02T03:04:05.000Z</LastModified></Contents>
    </ListBucketResult>`
  const pages = new Map([
    [null, page('blobs/a', 'one')],
    ['one', page('blobs/b', 'two')],
    ['two', page('blobs/c')],
  ])
  await using service = await startScriptedService((question, query) => {
    if (question !== 'GET /b' || query.get('list-type') !== '2' || query.get('prefix') !== 'p/blobs/') return
    return { body: pages.get(query.get('continuation-token')) }
  })
  const bucket = createS3Bucket({ ...service.options, prefix: 'p/' })
  const listed = await Array.fromAsync(bucket.list('blobs/'))
  bucket.close()
  assert.deepEqual(
    listed.map(({ key }) => key),
    ['blobs/a', 'blobs/b', 'blobs/c'],
  )
  assert.deepEqual(listed[0], { key: 'blobs/a', bytes: 5, modifiedAt: new Date('2026-01-02T03:04:05.000Z') })
})

test('bytes that the bucket has are made recent by a copy and not sent again', async () => {
  const now = new Date()
  const answers: Record<string, Answer> = {
    'HEAD /b/%C3%B6%25/k': { headers: { 'content-length': '5', 'last-modified': new Date(0).toUTCString() } },
    'HEAD /b/%C3%B6%25/young': { headers: { 'content-length': '5', 'last-modified': now.toUTCString() } },
    'PUT /b/%C3%B6%25/k from b/%C3%B6%25/k': {
      body: `<CopyObjectResult><LastModified>${now.toISOString()}</LastModified><ETag>"e"</ETag></CopyObjectResult>`,
    },
  }
  await using service = await startScriptedService((question) => answers[question])
  const bucket = createS3Bucket({ ...service.options, prefix: 'ö%/' })
  assert.equal(await bucket.refresh('k', 5), true)
  assert.equal(await bucket.refresh('k', 6), false, 'another size')
  assert.equal(await bucket.refresh('young', 5), true)
  assert.equal(await bucket.refresh('missing', 5), false)
  assert.equal(service.asked.filter((question) => question.startsWith('PUT')).length, 1)
  bucket.close()
})

test('parts of uploads that a crash interrupted are swept from the bucket', async () => {
  const upload = (key: string, time: Date) =>
    `<Upload><Key>${key}</Key><UploadId>${key}-id</UploadId><Initiated>${time.toISOString()}</Initiated></Upload>`
  const more =
    '<IsTruncated>true</IsTruncated><NextKeyMarker>m</NextKeyMarker><NextUploadIdMarker>n</NextUploadIdMarker>'
  const page = (content: string) => ({ body: `<ListMultipartUploadsResult>${content}</ListMultipartUploadsResult>` })
  await using service = await startScriptedService((question, query) => {
    if (question === 'DELETE /b/old' && query.get('uploadId') === 'old-id') return { status: 204 }
    if (question !== 'GET /b' || !query.has('uploads')) return
    if (query.get('prefix') === 'p/derived/') return page('')
    if (query.get('prefix') !== 'p/blobs/') return
    if (query.get('key-marker') === 'm' && query.get('upload-id-marker') === 'n')
      return page(upload('gone', new Date(0)))
    return page(more + upload('old', new Date(0)) + upload('new', new Date()))
  })
  const bucket = createS3Bucket({ ...service.options, prefix: 'p/' })
  assert.equal(await bucket.abortStaleUploads(3_600_000), 2)
  assert.deepEqual(service.asked, ['GET /b', 'DELETE /b/old', 'GET /b', 'DELETE /b/gone', 'GET /b'])
  bucket.close()
})

test('settings that name no usable bucket stop the start with one line that says why', async () => {
  await using folder = await temporaryFolder()
  let status = 404
  let body = ''
  await using service = await startScriptedService(() => ({ status, body }))
  const open = () => createS3Storage({ ...service.options, cacheDirectory: folder.path })
  const refusal = (reason: string, advice = '') => ({
    name: 'ConfigError',
    message: `S3_BUCKET names a bucket that cannot be used (${reason})${advice}`,
  })
  await assert.rejects(open(), refusal('no bucket has this name'))
  status = 403
  await assert.rejects(open(), refusal('the keys are refused'))
  status = 200
  body = '<!doctype html><html><head><meta charset="utf-8"><title>Console</title></head><body></body></html>'
  await assert.rejects(open(), refusal('S3_ENDPOINT is not an S3 service, but perhaps its web page'))
  const { port } = new URL(service.options.endpoint)
  await service.close()
  await assert.rejects(open(), refusal(`connect ECONNREFUSED 127.0.0.1:${port}`))
  const asHost = { ...service.options, bucket: 'albumen', endpoint: 'http://store.invalid', forcePathStyle: false }
  await assert.rejects(
    createS3Storage({ ...asHost, cacheDirectory: folder.path }),
    refusal('getaddrinfo ENOTFOUND albumen.store.invalid', ': S3_FORCE_PATH_STYLE=1 asks without it'),
  )
})

test('a full or unreachable service is reported as such, and nothing is left behind', async () => {
  await using folder = await temporaryFolder()
  const data = randomBytes(10)
  const key = blobKey(createHash('sha256').update(data).digest('hex'))
  await using full = await startScriptedService((question) => {
    if (question === 'GET /b') return { body: '<ListBucketResult></ListBucketResult>' }
    return question === `PUT /b/${key}` ? { status: 507 } : undefined
  })
  const storage = await createS3Storage({ ...full.options, cacheDirectory: folder.path })
  const staged = await storage.receive(...arrive(data))
  await assert.rejects(staged.commit(), { code: 'storage-full', status: 507 })
  const waiting = await storage.receive(...arrive(data))
  await full.close()
  await assert.rejects(waiting.commit(), { code: 'unavailable', status: 503 })
  await assert.rejects(storage.check(), { code: 'unavailable', status: 503 })
  await assert.rejects(storage.stat(waiting.sha256), { code: 'unavailable' })
  assert.deepEqual(await readdir(join(folder.path, 'tmp')), [])
  await storage.close()
})
