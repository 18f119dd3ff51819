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
  removeItem,
  withoutDone,
} from './upload-queue.ts'

const file = (name: string, lastModified = 1) => new File(['abc'], name, { type: 'image/png', lastModified })
const three = () => addFiles(emptyQueue, [file('a.png'), file('b.png'), file('c.png')])
const statuses = (queue: ReturnType<typeof three>) => queue.items.map(({ status }) => status)

test('the same file chosen twice is in the list once', () => {
  const queue = addFiles(addFiles(emptyQueue, [file('a.png'), file('a.png')]), [file('a.png'), file('a.png', 2)])
  assert.equal(queue.items.length, 2)
  assert.notEqual(queue.items[0]!.id, queue.items[1]!.id)
})

test('two of one name from two folders are two files, and each added file has an id of its own', () => {
  const inFolder = (path: string) => Object.defineProperty(file('1.png'), 'webkitRelativePath', { value: path })
  let queue = addFiles(emptyQueue, [inFolder('spring/1.png'), inFolder('summer/1.png')])
  for (const name of ['a.png', 'b.png']) queue = addFiles(queue, [file(name)])
  assert.equal(new Set(queue.items.map(({ id }) => id)).size, 4)
})

test('at most so many are sent at once, in order', () => {
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

test('a file keeps its number when it is tried again, and later files go on counting', () => {
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

test('a refused file is not sent again, a failed or cancelled one is', () => {
  let queue = three()
  const [a, b, c] = queue.items.map(({ id }) => id) as [number, number, number]
  queue = changeItem(queue, a, { status: 'refused' })
  queue = changeItem(queue, b, { status: 'failed' })
  queue = changeItem(queue, c, { status: 'cancelled' })
  assert.deepEqual(statuses(enqueue(queue)), ['refused', 'waiting', 'waiting'])
  assert.deepEqual(statuses(enqueue(queue, [b])), ['refused', 'waiting', 'cancelled'])
})

test('cancelling takes back what is on its way and leaves what arrived', () => {
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

test('a file whose bytes are all there is being saved', () => {
  const queue = three()
  const id = queue.items[0]!.id
  assert.equal(isSaving(changeItem(queue, id, { status: 'sending', sentBytes: 2 }).items[0]!), false)
  assert.equal(isSaving(changeItem(queue, id, { status: 'sending', sentBytes: 3 }).items[0]!), true)
})

test('files that have arrived go below those on their way, in their order', () => {
  const queue = three()
  const arrived = changeItem(queue, queue.items[0]!.id, { status: 'done' })
  assert.deepEqual(
    doneLast(arrived.items).map(({ file }) => file.name),
    ['b.png', 'c.png', 'a.png'],
  )
})

test('a removed file is gone', () => {
  const queue = three()
  assert.equal(removeItem(queue, queue.items[1]!.id).items.length, 2)
})
