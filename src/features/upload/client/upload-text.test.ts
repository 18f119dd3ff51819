import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addFiles, emptyQueue, type UploadItem } from './upload-queue.ts'
import { itemText, overallText, resultNotice } from './upload-text.ts'

const megabyte = 1024 * 1024
const file = { name: 'film.mp4', size: 62 * megabyte, type: 'video/mp4', lastModified: 0 } as File
const [selected] = addFiles(emptyQueue, [file]).items as [UploadItem]
const nothing = { done: 0, failed: 0, refused: 0, cancelled: 0, copyIds: [] }

test('a row shows the status of its file', () => {
  const words = (change: Partial<UploadItem>) => itemText({ ...selected, ...change }, 10_000)
  assert.equal(words({}), '62.0 MB')
  assert.equal(words({ status: 'waiting' }), '62.0 MB · Waiting')
  assert.equal(words({ status: 'cancelled' }), '62.0 MB · Canceled')
  assert.equal(words({ status: 'done' }), '62.0 MB · Uploaded')
  assert.equal(words({ status: 'sending' }), '62.0 MB · Uploading')
  assert.equal(words({ status: 'sending', hasReportedBytes: true, sentBytes: file.size }), '62.0 MB · Saving')
  assert.equal(words({ status: 'refused', message: 'This is not a picture.' }), 'This is not a picture.')
})

test('a row of a long upload shows speed and time left', () => {
  const sending = { ...selected, status: 'sending', hasReportedBytes: true, startedAtMs: 0 } as const
  assert.equal(itemText({ ...sending, sentBytes: 31 * megabyte }, 10_000), '31.0 MB of 62.0 MB · 3.1 MB/s · 10 s left')
  assert.equal(itemText({ ...sending, sentBytes: 61 * megabyte }, 10_000), '61.0 MB of 62.0 MB')
})

test('the summary of a run is one line', () => {
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
  assert.equal(overallText({ queue, samples, run }), '1 of 3 · 3.1 MB/s · 20 s left')
  assert.equal(overallText({ queue, samples: [], run }), '1 of 3')
})

test('the notice at the end counts added and refused files', () => {
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
  assert.equal(resultNotice({ ...nothing, done: 1, cancelled: 3 })?.title, 'Upload canceled')
})

test('the notice at the end counts duplicates', () => {
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

test('the notice about a failure shows the server message if there is one', () => {
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
