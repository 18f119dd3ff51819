import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addFiles, emptyQueue, type UploadItem } from './upload-queue.ts'
import { itemWords, overallWords, resultNotice } from './upload-words.ts'

const megabyte = 1024 * 1024
const file = { name: 'film.mp4', size: 62 * megabyte, type: 'video/mp4', lastModified: 0 } as File
const [selected] = addFiles(emptyQueue, [file]).items as [UploadItem]
const nothing = { done: 0, failed: 0, refused: 0, cancelled: 0, copyIds: [] }

test('a file says where it stands', () => {
  const words = (change: Partial<UploadItem>) => itemWords({ ...selected, ...change }, 10_000)
  assert.equal(words({}), '62.0 MB')
  assert.equal(words({ status: 'waiting' }), '62.0 MB · Waiting')
  assert.equal(words({ status: 'cancelled' }), '62.0 MB · Cancelled')
  assert.equal(words({ status: 'done' }), '62.0 MB · Uploaded')
  assert.equal(words({ status: 'sending' }), '62.0 MB · Uploading')
  assert.equal(words({ status: 'sending', hasReportedBytes: true, sentBytes: file.size }), '62.0 MB · Saving')
  assert.equal(words({ status: 'refused', message: 'This is not a picture.' }), 'This is not a picture.')
})

test('a long one also says how fast it goes and how long it will take', () => {
  const sending = { ...selected, status: 'sending', hasReportedBytes: true, startedAtMs: 0 } as const
  assert.equal(itemWords({ ...sending, sentBytes: 31 * megabyte }, 10_000), '31.0 MB of 62.0 MB · 3.1 MB/s · 10 s left')
  assert.equal(itemWords({ ...sending, sentBytes: 61 * megabyte }, 10_000), '61.0 MB of 62.0 MB')
})

test('all files together are one line', () => {
  const items: UploadItem[] = [
    { ...selected, id: 1, status: 'done', sentBytes: file.size },
    { ...selected, id: 2, status: 'sending', sentBytes: 0 },
    { ...selected, id: 3, status: 'refused' },
    { ...selected, id: 4, status: 'cancelled' },
    { ...selected, id: 5, status: 'refused' },
  ]
  const queue = { ...emptyQueue, items }
  const run = new Set([1, 2, 3, 4])
  const samples = [
    { atMs: 0, bytes: 0 },
    { atMs: 2000, bytes: 6.2 * megabyte },
  ]
  assert.equal(overallWords({ queue, samples, run }), '1 of 3 · 3.1 MB/s · 20 s left')
  assert.equal(overallWords({ queue, samples: [], run }), '1 of 3')
})

test('the end is told with its numbers', () => {
  assert.deepEqual(resultNotice({ ...nothing, done: 1 }), {
    title: 'Upload complete',
    description: '1 file was added to your library.',
    tone: 'success',
  })
  assert.equal(
    resultNotice({ ...nothing, done: 3, refused: 2, message: 'x' })?.description,
    '3 files were added to your library, 2 were not accepted.',
  )
  assert.equal(resultNotice({ ...nothing, cancelled: 3 }), undefined)
  assert.equal(resultNotice({ ...nothing, done: 1, cancelled: 3 })?.title, 'Upload cancelled')
})

test('what was in the library already is counted', () => {
  const words = (done: number, copyIds: number[], place?: string) =>
    resultNotice({ ...nothing, done, copyIds }, place)?.description
  assert.equal(words(1, [7]), '1 file was added to your library. It was there already.')
  assert.equal(words(3, [7]), '3 files were added to your library. 1 of them was there already.')
  assert.equal(words(3, [7, 8]), '3 files were added to your library. 2 of them were there already.')
  assert.equal(words(2, [7, 8]), '2 files were added to your library. All of them were there already.')
  assert.equal(words(1, [7], '"Sea"'), '1 file was added to "Sea". It was in your library already.')
  assert.equal(
    resultNotice({ ...nothing, done: 2, refused: 1, copyIds: [7] })?.description,
    '2 files were added to your library, 1 was not accepted. 1 of them was there already.',
  )
})

test('a failure is told with what the server said, or plainly', () => {
  const told = { title: 'Upload failed', tone: 'danger' }
  assert.deepEqual(resultNotice({ ...nothing, done: 2, failed: 1, message: 'The disk is full.' }), {
    ...told,
    description: 'The disk is full.',
  })
  assert.deepEqual(resultNotice({ ...nothing, refused: 1, message: 'Not a picture.' }), {
    ...told,
    description: 'Not a picture.',
  })
  assert.deepEqual(resultNotice({ ...nothing, failed: 1 }), { ...told, description: 'Upload failed' })
})
