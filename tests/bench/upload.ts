import assert from 'node:assert/strict'
import { openAsBlob } from 'node:fs'
import { basename } from 'node:path'
import type { Media } from '#features/media/contract.ts'
import type { Product } from './product.ts'

/** Uploads files as the page does, in one request; they are read from the disk while they are sent. */
export async function uploadFiles({ address, cookie }: Product, paths: string[]): Promise<Media[]> {
  const form = new FormData()
  for (const path of paths) form.append('files', await openAsBlob(path), basename(path))
  form.append('enableAi', 'false')
  const answer = await fetch(`${address}/api/upload`, { method: 'POST', headers: { cookie }, body: form })
  const text = await answer.text()
  assert.equal(answer.status, 201, text)
  const { media } = JSON.parse(text) as { media: Media[] }
  assert.equal(media.length, paths.length)
  return media
}
