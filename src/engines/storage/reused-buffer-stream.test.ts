import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, open, rm, truncate, writeFile } from 'node:fs/promises'
import { createServer, get, type IncomingMessage, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { after, before, test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import {
  largeChunkBytes,
  ReusedBufferStream,
  type ReusedChunks,
  readWithReusedBuffers,
} from './reused-buffer-stream.ts'

// More than two chunks, and not a whole number of them.
const bytes = randomBytes(700_001)
let folder: string
let path: string
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'lent-'))
  path = join(folder, 'file')
  await writeFile(path, bytes)
})
after(() => rm(folder, { recursive: true }))

const lend = async (start = 0, length = bytes.length) =>
  readWithReusedBuffers(await open(path), { start, bytes: length })

test('a reader that keeps its chunks gets the bytes of the file', async () => {
  assert.deepEqual(await buffer(await lend()), bytes)
  assert.deepEqual(await buffer(await lend(3, 200_000)), bytes.subarray(3, 200_003))
  assert.deepEqual(await buffer(await lend(0, 0)), Buffer.alloc(0))
})

test('files of every length are read completely in large chunks, one after another and concurrently', async () => {
  const long = Buffer.concat([bytes, bytes, bytes, bytes])
  const longPath = join(folder, 'long')
  await writeFile(longPath, long)
  const read = async (length: number) => {
    const part = { start: 1, bytes: length, chunkBytes: largeChunkBytes } as const
    const pieces: Buffer[] = []
    const stream = readWithReusedBuffers(await open(longPath), part)
    for await (const piece of stream.reusedChunks()) pieces.push(Buffer.from(piece))
    stream.destroy()
    assert.ok(Buffer.concat(pieces).equals(long.subarray(1, 1 + length)), `${length} bytes`)
    return pieces.length
  }
  const lengths = [0, 1, 200_000, 1024 * 1024, 1024 * 1024 + 1, 2_800_000]
  for (const length of lengths) assert.equal(await read(length), Math.ceil(length / (1024 * 1024)))
  await Promise.all(lengths.map(read))
})

test('concurrent responses each get their own bytes, even over slow connections', async (t) => {
  const address = await serve(t, async (request, answer) => {
    const start = Number(request.url!.slice(1))
    const stream = await lend(start, bytes.length - start)
    stream.pipe(answer)
  })
  const starts = [0, 1, 2, 131_072, 300_000, 699_999]
  await Promise.all(
    starts.map(async (start) => {
      const [answer] = (await once(get(`${address}/${start}`), 'response')) as [IncomingMessage]
      const read: Buffer[] = []
      for await (const chunk of answer) {
        read.push(chunk)
        for (let turn = 0; turn < start % 7; turn++) await setImmediate()
      }
      assert.ok(Buffer.concat(read).equals(bytes.subarray(start)), `from ${start}`)
    }),
  )
})

test('closing the connection closes the file', async (t) => {
  const closed = Promise.withResolvers<void>()
  const address = await serve(t, (_request, answer) => {
    async function* endless(): ReusedChunks {
      const piece = Buffer.alloc(1024 * 1024)
      for (;;) yield piece
    }
    const stream = new ReusedBufferStream(endless(), closed.resolve)
    answer.once('close', () => stream.destroy())
    stream.pipe(answer)
  })
  const [answer] = (await once(get(address), 'response')) as [IncomingMessage]
  answer.destroy()
  await closed.promise
})

test('a file that has become shorter ends the stream and the response with an error', async (t) => {
  const short = join(folder, 'short')
  await writeFile(short, bytes)
  const openShort = async () => {
    const stream = readWithReusedBuffers(await open(short), { start: 0, bytes: bytes.length })
    await truncate(short, 300_000)
    return stream
  }
  await assert.rejects(async () => buffer(await openShort()), /Expected 700001 bytes/)

  const address = await serve(t, async (_request, answer) => {
    const stream = await openShort()
    stream.on('error', () => answer.destroy())
    stream.pipe(answer)
  })
  const [answer] = (await once(get(address), 'response')) as [IncomingMessage]
  await assert.rejects(buffer(answer), { code: 'ECONNRESET' })
})

async function serve(t: { after(run: () => void): void }, listener: RequestListener) {
  const server = createServer(listener).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close().closeAllConnections())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}
