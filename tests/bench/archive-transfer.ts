import assert from 'node:assert/strict'
import { once } from 'node:events'
import { closeSync, fsyncSync, openSync, writeSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { type IncomingMessage, request } from 'node:http'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { largeChunkBytes, readWithReusedBuffers } from '#engines/storage/reused-buffer-stream.ts'
import type { Product } from './product.ts'

// Without `fetch` and streams, which take more time for these bytes than the product, whose time is measured.

export async function downloadTo({ address, cookie }: Product, path: string) {
  const { hostname, port } = new URL(address)
  const file = openSync(path, 'w')
  const body = bodyOf((bytes) => writeSync(file, bytes))
  const socket = connect({
    host: hostname,
    port: Number(port),
    onread: {
      buffer: Buffer.alloc(1024 * 1024),
      callback: (length, buffer) => {
        body.take(Buffer.from(buffer.buffer, buffer.byteOffset, length))
        return true
      },
    },
  })
  const lines = [
    'GET /api/admin/backup/download HTTP/1.1',
    `host: ${hostname}`,
    `cookie: ${cookie}`,
    'connection: close',
  ]
  socket.write(`${lines.join('\r\n')}\r\n\r\n`)
  await once(socket, 'close')
  assert.ok(body.isWhole(), 'Expected the whole archive, received a part of it')
  fsyncSync(file)
  closeSync(file)
}

/** Parses an HTTP/1.1 response with a content-length, without copying its body. */
function bodyOf(onBytes: (bytes: Buffer) => void) {
  let head = ''
  let left: number | undefined

  function take(bytes: Buffer) {
    let at = 0
    while (left === undefined && at < bytes.length) {
      head += String.fromCharCode(bytes[at++]!)
      if (!head.endsWith('\r\n\r\n')) continue
      assert.match(head, /^HTTP\/1\.1 200 /)
      left = Number(/^content-length: (\d+)\r$/im.exec(head)?.[1])
    }
    if (left === undefined || at === bytes.length) return
    left -= bytes.length - at
    onBytes(bytes.subarray(at))
  }
  return { take, isWhole: () => left === 0 }
}

export async function restoreFrom({ address, cookie }: Product, path: string) {
  const boundary = 'the-archive-ends-here'
  const head = `--${boundary}\r\ncontent-disposition: form-data; name="backup"; filename="library.zip"\r\n\r\n`
  const tail = `\r\n--${boundary}--\r\n`
  const file = await open(path)
  const { size } = await file.stat()
  const call = request(`${address}/api/admin/backup/upload`, {
    method: 'POST',
    headers: {
      cookie,
      'content-type': `multipart/form-data; boundary=${boundary}`,
      'content-length': head.length + size + tail.length,
    },
  })
  const answered = once(call, 'response') as Promise<[IncomingMessage]>
  call.write(head)
  const archive = readWithReusedBuffers(file, { start: 0, bytes: size, chunkBytes: largeChunkBytes })
  archive.pipe(call, { end: false })
  await once(archive, 'end')
  call.end(tail)
  const [response] = await answered
  const body = await text(response)
  assert.equal(response.statusCode, 200, body)
}
