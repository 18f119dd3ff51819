import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { adminApi } from '../contract.ts'
import { downloadFile } from './download-file.ts'

/** Mocks a browser's fetch and its downloads. */
function browse(context: TestContext, status: number) {
  const asked: (AbortSignal | null | undefined)[] = []
  const saved: string[] = []
  context.mock.method(globalThis, 'fetch', async (_address: string, { signal }: RequestInit) => {
    asked.push(signal)
    return new Response('{}', { status })
  })
  const link = { href: '', download: '', click: () => saved.push(link.href) }
  Object.assign(globalThis, { document: { createElement: () => link } })
  context.after(() => Reflect.deleteProperty(globalThis, 'document'))
  return { asked, saved }
}

test('a download is probed once, aborted, and then saved', async (context) => {
  const { asked, saved } = browse(context, 200)
  await downloadFile<typeof adminApi.downloadDatabase>('GET /api/admin/database/download')
  assert.deepEqual([asked.length, asked[0]?.aborted], [1, true])
  assert.deepEqual(saved, ['/api/admin/database/download'])
})

test('a refused download throws the error, and nothing is saved', async (context) => {
  const { saved } = browse(context, 500)
  await assert.rejects(downloadFile<typeof adminApi.downloadDatabase>('GET /api/admin/database/download'), {
    status: 500,
  })
  assert.deepEqual(saved, [])
})
