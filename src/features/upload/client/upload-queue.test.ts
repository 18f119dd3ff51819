import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  addFiles,
  cancelItems,
  changeItem,
  countByStatus,
  doneLast,
  emptyQueue,
  enqueue,
  isSaving,
  nextToSend,
  overallPercent,
  removeItem,
  sentPercent,
  simulatedPercent,
  withoutDone,
} from './upload-queue.ts'

const file = (name: string, lastModified = 1) => new File(['abc'], name, { type: 'image/png', lastModified })
const three = () => addFiles(emptyQueue, [file('a.png'), file('b.png'), file('c.png')])
const statuses = (queue: ReturnType<typeof three>) => queue.items.map(({ status }) => status)

test('a file that is chosen twice is listed only one time', () => {
  const queue = addFiles(addFiles(emptyQueue, [file('a.png'), file('a.png')]), [file('a.png'), file('a.png', 2)])
  assert.equal(queue.items.length, 2)
  assert.notEqual(queue.items[0]!.id, queue.items[1]!.id)
})

test('files of the same name from two folders are two files with their own ids', () => {
  const inFolder = (path: string) => Object.defineProperty(file('1.png'), 'webkitRelativePath', { value: path })
  let queue = addFiles(emptyQueue, [inFolder('spring/1.png'), inFolder('summer/1.png')])
  for (const name of ['a.png', 'b.png']) queue = addFiles(queue, [file(name)])
  assert.equal(new Set(queue.items.map(({ id }) => id)).size, 4)
})

test('files are sent in order and not more at the same time than the limit', () => {
  const queue = enqueue(three())
  assert.deepEqual(
    nextToSend(queue, 2).map(({ file }) => file.name),
    ['a.png', 'b.png'],
  )
  const busy = changeItem(queue, queue.items[0]!.id, { status: 'sending' })
  assert.deepEqual(
    nextToSend(busy, 2).map(({ file }) => file.name),
    ['b.png'],
  )
  assert.deepEqual(nextToSend(changeItem(busy, queue.items[1]!.id, { status: 'sending' }), 2), [])
})

test('a retried file keeps its number and later files get the next numbers', () => {
  let queue = enqueue(three())
  assert.deepEqual(
    queue.items.map(({ sequence }) => sequence),
    [1, 2, 3],
  )
  const lost = { status: 'failed', message: 'The connection was lost.', percent: 60, sentBytes: 2 } as const
  queue = changeItem(queue, queue.items[1]!.id, lost)
  queue = addFiles(queue, [file('d.png')])
  queue = enqueue(queue)
  assert.deepEqual(
    queue.items.map(({ sequence }) => sequence),
    [1, 2, 3, 4],
  )
  const { message, percent, sentBytes } = queue.items[1]!
  assert.deepEqual([message, percent, sentBytes], [undefined, 0, 0])
})

test('the first file of an upload has the number 1, also after an earlier upload', () => {
  let queue = enqueue(three())
  for (const { id } of queue.items) queue = changeItem(queue, id, { status: 'done' })
  queue = enqueue(addFiles(queue, [file('d.png'), file('e.png')]))
  assert.deepEqual(
    queue.items.map(({ sequence }) => sequence),
    [1, 2, 3, 1, 2],
  )
})

test('failed and cancelled files are queued again and refused files are not', () => {
  let queue = three()
  const [a, b, c] = queue.items.map(({ id }) => id) as [number, number, number]
  queue = changeItem(queue, a, { status: 'refused' })
  queue = changeItem(queue, b, { status: 'failed' })
  queue = changeItem(queue, c, { status: 'cancelled' })
  assert.deepEqual(statuses(enqueue(queue)), ['refused', 'waiting', 'waiting'])
  assert.deepEqual(statuses(enqueue(queue, [b])), ['refused', 'waiting', 'cancelled'])
})

test('cancelling stops files in progress and keeps those that are done', () => {
  let queue = enqueue(three())
  const ids = queue.items.map(({ id }) => id)
  queue = changeItem(queue, ids[0]!, { status: 'done', percent: 100 })
  queue = changeItem(queue, ids[1]!, { status: 'sending', percent: 40, sentBytes: 1 })
  queue = cancelItems(queue, ids)
  assert.deepEqual(statuses(queue), ['done', 'cancelled', 'cancelled'])
  assert.deepEqual([queue.items[1]!.percent, queue.items[1]!.sentBytes], [0, 0])
  assert.deepEqual(statuses(withoutDone(queue)), ['cancelled', 'cancelled'])
  assert.deepEqual(countByStatus(queue), {
    selected: 0,
    waiting: 0,
    sending: 0,
    done: 1,
    failed: 0,
    refused: 0,
    cancelled: 2,
  })
})

test('a file whose bytes are all sent is being saved and cannot be cancelled', () => {
  const queue = three()
  const id = queue.items[0]!.id
  assert.equal(isSaving(changeItem(queue, id, { status: 'sending', sentBytes: 2 }).items[0]!), false)
  assert.equal(isSaving(changeItem(queue, id, { status: 'sending', sentBytes: 3 }).items[0]!), true)
})

test('uploaded files are listed below files in progress', () => {
  const queue = three()
  const arrived = changeItem(queue, queue.items[0]!.id, { status: 'done' })
  assert.deepEqual(
    doneLast(arrived.items).map(({ file }) => file.name),
    ['b.png', 'c.png', 'a.png'],
  )
})

test('a removed file is no longer in the list', () => {
  const queue = three()
  assert.equal(removeItem(queue, queue.items[1]!.id).items.length, 2)
})

test('the progress bar follows the bytes and stops at 90% until the server responds', () => {
  assert.equal(sentPercent(0, 200), 0)
  assert.equal(sentPercent(100, 200), 50)
  assert.equal(sentPercent(190, 200), 90)
  assert.equal(sentPercent(200, 200), 90)
  assert.equal(sentPercent(0, 0), 90)
})

test('without reported bytes the progress bar rises in steps of 10% to 90%', () => {
  let percent = 0
  const seen = Array.from({ length: 11 }, () => (percent = simulatedPercent(percent)))
  assert.deepEqual(seen, [10, 20, 30, 40, 50, 60, 70, 80, 90, 90, 90])
})

test('overall progress is weighted by file size', () => {
  assert.equal(overallPercent([]), 0)
  assert.equal(
    overallPercent([
      { percent: 100, file: { size: 100 } },
      { percent: 0, file: { size: 300 } },
    ]),
    25,
  )
})
