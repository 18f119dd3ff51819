import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import type { Send } from '../faults/killable-server.ts'
import { multipart, type TestFile } from '../support/multipart.ts'
import { picture } from '../support/pictures.ts'

type Listed = {
  id: number
  filename: string
  mimeType: string
  size: number
  originalUrl: string
  thumbnailUrl: string
  aiStatus: string
  aiTags: string[]
}

let jpeg: Buffer | undefined
let made = 0

/** Pictures that convert well. Random bytes after the end of the JPEG make every file different. */
export async function makePictures(count: number, prefix: string): Promise<TestFile[]> {
  jpeg ??= await picture(600, 400).jpeg({ quality: 95 }).toBuffer()
  return Array.from({ length: count }, () => ({
    name: `${prefix}-${++made}.jpg`,
    bytes: Buffer.concat([jpeg!, randomBytes(64)]),
  }))
}

export async function upload(send: Send, files: TestFile[], fields: Record<string, string> = {}) {
  const answer = await send('POST', '/api/upload', multipart(files, { enableAi: 'false', ...fields }))
  const body = await answer.text()
  assert.equal(answer.status, 201, body)
  return (JSON.parse(body) as { media: Listed[] }).media
}

export async function ask<T>(send: Send, path: string): Promise<T> {
  const answer = await send('GET', path)
  assert.equal(answer.status, 200, `${path} answers`)
  return (await answer.json()) as T
}

export async function listAll(send: Send) {
  const listed: Listed[] = []
  for (let page = 1; ; page++) {
    const found = await ask<{ media: Listed[]; pagination: { hasNextPage: boolean } }>(
      send,
      `/api/media?limit=200&page=${page}`,
    )
    listed.push(...found.media)
    if (!found.pagination.hasNextPage) return listed
  }
}

export const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')

export async function deliveredHash(send: Send, { originalUrl }: Listed) {
  const answer = await send('GET', originalUrl)
  return answer.status === 200 ? sha256(new Uint8Array(await answer.arrayBuffer())) : `status ${answer.status}`
}
