import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createReadStream, createWriteStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { type IncomingMessage, request } from 'node:http'
import { text } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import type { Product } from './product.ts'

// Not by `fetch`: its streams take longer for these bytes than the product does, and the product's time is what is wanted.

export async function downloadTo({ address, cookie }: Product, path: string) {
  const call = request(`${address}/api/admin/backup/download`, { headers: { cookie } }).end()
  const [answer] = (await once(call, 'response')) as [IncomingMessage]
  assert.equal(answer.statusCode, 200)
  await pipeline(answer, createWriteStream(path, { flush: true }))
}

export async function restoreFrom({ address, cookie }: Product, path: string) {
  const boundary = 'the-archive-ends-here'
  const head = `--${boundary}\r\ncontent-disposition: form-data; name="backup"; filename="library.zip"\r\n\r\n`
  const tail = `\r\n--${boundary}--\r\n`
  const { size } = await stat(path)
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
  await pipeline(createReadStream(path, { highWaterMark: 1024 * 1024 }), call, { end: false })
  call.end(tail)
  const [answer] = await answered
  const body = await text(answer)
  assert.equal(answer.statusCode, 200, body)
}
