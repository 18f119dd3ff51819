import assert from 'node:assert/strict'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import type { RequestListener } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough, Writable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { AppError } from '#platform/errors.ts'
import { webFor } from './fetch-public.fixture.ts'
import type { PublicWebOptions } from './fetch-public.ts'
import { openSite } from './test-site.ts'

const picture = Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), Buffer.alloc(300_000, 7)])

async function makeFolder() {
  const path = await mkdtemp(join(tmpdir(), 'albumen-web-'))
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) }
}

/** Fetches a file that must be refused with this code, and must leave the folder empty. */
async function refused(
  listener: RequestListener,
  code: string,
  { limits, maxBytes }: { limits?: PublicWebOptions['limits']; maxBytes?: number } = {},
): Promise<AppError> {
  await using site = await openSite(listener)
  await using web = webFor(site, limits)
  await using folder = await makeFolder()
  const destination = join(folder.path, 'file')
  const error = await web.fetchFile(`${site.origin}/a.png`, { destination, maxBytes }).then(
    () => assert.fail('the file was fetched'),
    (reason: unknown) => reason,
  )
  assert.ok(error instanceof AppError, String(error))
  assert.equal(error.code, code)
  assert.deepEqual(await readdir(folder.path), [])
  return error
}

test('a file is saved at a path, or written to a stream, byte for byte', async () => {
  await using site = await openSite(({ url }, response) => {
    if (url === '/old.png') return response.writeHead(307, { location: '/new.png' }).end()
    response.writeHead(200, { 'content-type': 'image/png' }).end(picture)
  })
  await using web = webFor(site)
  await using folder = await makeFolder()
  const destination = join(folder.path, 'file')
  await web.fetchFile(`${site.origin}/old.png`, { destination })
  assert.deepEqual(await readFile(destination), picture)

  const stream = new PassThrough()
  const [streamed] = await Promise.all([
    buffer(stream),
    web.fetchFile(`${site.origin}/new.png`, { destination: stream }),
  ])
  assert.deepEqual(streamed, picture)
})

test('a file that was packed on the way is unpacked', async () => {
  await using site = await openSite((_request, response) =>
    response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(picture)),
  )
  await using web = webFor(site)
  await using folder = await makeFolder()
  const destination = join(folder.path, 'file')
  await web.fetchFile(site.origin, { destination })
  assert.deepEqual(await readFile(destination), picture)
})

test('an unknown content encoding that means no compression is ignored, as browsers do', async () => {
  for (const word of ['aws-chunked', 'UTF-8', 'none', 'aws-chunked, gzip']) {
    const body = word.includes('gzip') ? gzipSync(picture) : picture
    await using site = await openSite(
      (_request, response) => void response.writeHead(200, { 'content-encoding': word }).end(body),
    )
    await using web = webFor(site)
    const destination = new PassThrough()
    const [saved] = await Promise.all([buffer(destination), web.fetchFile(`${site.origin}/a.png`, { destination })])
    assert.ok(saved.equals(picture), word)
  }
})

test('a file over the limit is refused, announced or not, and leaves nothing behind', async () => {
  const announced = await refused(
    (_request, response) => response.writeHead(200, { 'content-length': 501 * 1024 * 1024 }).flushHeaders(),
    'too-large',
  )
  assert.equal(announced.message, 'The file is larger than 500 MB.')
  await refused((_request, response) => void response.writeHead(200).end(picture), 'too-large', { maxBytes: 299_999 })
  const bomb = gzipSync(Buffer.alloc(8 * 1024 * 1024))
  await refused(
    (_request, response) => void response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb),
    'too-large',
    { maxBytes: 1024 * 1024 },
  )
})

test('a file that stops coming is given up and leaves nothing behind', async () => {
  const stall: RequestListener = (_request, response) => response.writeHead(200).write(picture)
  await refused(stall, 'timeout', { limits: { stallMs: 60 } })
  const drip: RequestListener = (_request, response) => {
    const timer = setInterval(() => response.write('x'), 10)
    response.on('close', () => clearInterval(timer))
  }
  await refused(drip, 'timeout', { limits: { stallMs: 80 } })
  await refused(() => {}, 'timeout', { limits: { headerMs: 60 } })
})

test('a file that breaks off leaves nothing behind', async () => {
  await refused((_request, response) => {
    response.writeHead(200, { 'content-length': picture.length }).write(picture.subarray(0, 1000))
    setImmediate(() => response.destroy())
  }, 'interrupted')
})

test('a missing file names the status', async () => {
  const error = await refused((_request, response) => void response.writeHead(404).end('gone'), 'bad-status')
  assert.equal(error.message, 'Nothing was found at this URL (404).')
  await refused((_request, response) => void response.writeHead(206).end(picture), 'bad-status')
})

test('a web page under the name of an image is refused by its bytes', async () => {
  for (const page of [
    '<!DOCTYPE html><title>Log in</title>',
    '\ufeff\n <html lang="en">',
    '<head><meta charset=utf-8>',
  ]) {
    const error = await refused(
      (_request, response) => void response.writeHead(200, { 'content-type': 'image/jpeg' }).end(page),
      'unsupported-type',
    )
    assert.match(error.message, /leads to a webpage/)
  }
})

test('a file that the caller no longer wants leaves nothing behind', async () => {
  const stop = new AbortController()
  await using site = await openSite((_request, response) => {
    response.writeHead(200).write(picture)
    setImmediate(() => stop.abort(new Error('no longer wanted')))
  })
  await using web = webFor(site)
  await using folder = await makeFolder()
  const destination = join(folder.path, 'file')
  await assert.rejects(web.fetchFile(site.origin, { destination, signal: stop.signal }), /no longer wanted/)
  assert.deepEqual(await readdir(folder.path), [])
})

test('a full disk or an existing file is reported as what it is, and an existing file is kept', async () => {
  await using site = await openSite((_request, response) => response.end(picture))
  await using web = webFor(site)
  const full = Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' })
  const fullDisk = new Writable({ write: (_chunk, _encoding, done) => done(full) })
  await assert.rejects(web.fetchFile(site.origin, { destination: fullDisk }), full)

  await using folder = await makeFolder()
  const destination = join(folder.path, 'file')
  await writeFile(destination, 'mine')
  await assert.rejects(web.fetchFile(site.origin, { destination }), { code: 'EEXIST' })
  assert.equal(await readFile(destination, 'utf8'), 'mine')
})

test('the beginning of a file tells its size, whether or not the server knows ranges', async () => {
  let asked: string | undefined
  await using site = await openSite(({ url, headers }, response) => {
    asked = headers.range
    if (url === '/ranges') {
      return response
        .writeHead(206, { 'content-type': 'image/png', 'content-range': `bytes 0-63/${picture.length}` })
        .end(picture.subarray(0, 64))
    }
    if (url === '/whole') return response.writeHead(200, { 'content-length': picture.length }).end(picture)
    response.writeHead(200).end(picture.subarray(0, 10))
  })
  await using web = webFor(site)
  const ranges = await web.peek(`${site.origin}/ranges`, { bytes: 64 })
  assert.equal(asked, 'bytes=0-63')
  assert.deepEqual(ranges, { bytes: picture.subarray(0, 64), size: picture.length })
  const whole = await web.peek(`${site.origin}/whole`, { bytes: 64 })
  assert.deepEqual([whole.bytes.length, whole.size], [64, picture.length])
  const short = await web.peek(`${site.origin}/short`, { bytes: 64 })
  assert.deepEqual([short.bytes.length, short.size], [10, undefined])
})
