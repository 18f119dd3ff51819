import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import {
  connectionLost,
  createUploader,
  type SendFile,
  type Target,
  type UploadOutcome,
  type UploadResult,
} from './uploader.ts'

type SentFile = {
  name: string
  fields: Record<string, string>
  place: Target
  signal: AbortSignal
  onBegun: () => void
  onSent: (bytes: number) => void
  answer: (outcome: UploadOutcome) => void
  breakOff: () => void
}

/** An uploader whose files wait until the test settles their outcome. */
function setUp(context: TestContext, names: string[]) {
  context.mock.timers.enable({ apis: ['setInterval'] })
  const travelling: SentFile[] = []
  const send: SendFile = (file, fields, { signal, onBegun, onSent, ...place }) =>
    new Promise((resolve, reject) => {
      const breakOff = () => reject(new Error('The connection broke.'))
      travelling.push({ name: file.name, fields, place, signal, onBegun, onSent, answer: resolve, breakOff })
    })
  let nowMs = 0
  const uploader = createUploader({ send, atOnce: 2, now: () => nowMs })
  const results: UploadResult[] = []
  let arrived = 0
  let changes = 0
  uploader.subscribe(() => changes++)
  uploader.onFinished(({ result }) => results.push(result))
  uploader.onArrived(() => arrived++)
  uploader.add(names.map((name) => new File(['0123456789'], name, { type: 'image/png' })))
  const shown = () => uploader.state().queue.items.map(({ file, status, percent }) => [file.name, status, percent])
  const find = (name: string) => travelling.findLast((one) => one.name === name)!
  const idOf = (name: string) => uploader.state().queue.items.find(({ file }) => file.name === name)!.id
  const passTime = (ms: number) => {
    for (let passed = 0; passed < ms; passed += 200) {
      nowMs += 200
      context.mock.timers.tick(200)
    }
  }
  return { uploader, travelling, results, shown, find, idOf, passTime, arrived: () => arrived, changes: () => changes }
}

/** Lets promises that are already settled be heard. */
const settle = () => new Promise((resolve) => setImmediate(resolve))
const numbered = (sequence: number) => ({ sequenceStart: String(sequence) })

const nothing = { done: 0, failed: 0, refused: 0, cancelled: 0, copyIds: [], message: undefined }

test('files are sent two at a time, each with its number in the selection', async (context) => {
  const { uploader, travelling, find, results, shown, arrived } = setUp(context, ['a', 'b', 'c'])
  uploader.upload(numbered)
  assert.deepEqual(
    travelling.map(({ name, fields }) => [name, fields.sequenceStart]),
    [
      ['a', '1'],
      ['b', '2'],
    ],
  )
  find('a').answer({ status: 'done' })
  await settle()
  assert.equal(find('c').fields.sequenceStart, '3')
  assert.equal(arrived(), 1)
  find('b').answer({ status: 'done' })
  find('c').answer({ status: 'done' })
  await settle()
  assert.deepEqual(results, [{ ...nothing, done: 3 }])
  assert.deepEqual(shown(), [])
  assert.equal(uploader.state().isUploading, false)
})

test('sent bytes move the progress bar, which stops at 90% until the response', async (context) => {
  const { uploader, find, shown, passTime } = setUp(context, ['a'])
  uploader.upload(numbered)
  find('a').onSent(5)
  passTime(1000)
  assert.deepEqual(shown(), [['a', 'sending', 50]])
  find('a').onSent(10)
  passTime(1000)
  assert.deepEqual(shown(), [['a', 'sending', 90]])
})

test('without reported bytes the progress bar rises 10% every 200 ms to 90%', (context) => {
  const { uploader, find, shown, passTime } = setUp(context, ['a'])
  uploader.upload(numbered)
  passTime(1000)
  assert.deepEqual(shown(), [['a', 'sending', 0]], 'asking before it is no progress: the bar would fall back')
  find('a').onBegun()
  passTime(200)
  assert.deepEqual(shown(), [['a', 'sending', 10]])
  passTime(600)
  assert.deepEqual(shown(), [['a', 'sending', 40]])
  passTime(5000)
  assert.deepEqual(shown(), [['a', 'sending', 90]])
})

test('a lost connection is shown in its row and the notice shows the server message', async (context) => {
  const { uploader, find, results, shown } = setUp(context, ['a', 'b'])
  uploader.upload(numbered)
  find('a').answer(connectionLost)
  find('b').answer({ status: 'failed', message: 'The disk is full.' })
  await settle()
  assert.deepEqual(shown(), [
    ['a', 'failed', 0],
    ['b', 'failed', 0],
  ])
  assert.equal(uploader.state().queue.items[0]!.message, connectionLost.message)
  assert.equal(results[0]!.message, 'The disk is full.')
})

test('a failed file stays in the list with the error message and can be retried', async (context) => {
  const { uploader, find, results, shown, idOf, travelling } = setUp(context, ['a', 'b'])
  uploader.upload(numbered)
  find('a').answer({ status: 'done' })
  find('b').answer({ status: 'failed', message: 'The disk is full. Free some space and try again.' })
  await settle()
  assert.deepEqual(shown(), [['b', 'failed', 0]])
  assert.equal(results[0]!.message, 'The disk is full. Free some space and try again.')
  uploader.retry(idOf('b'), numbered)
  assert.equal(travelling.at(-1)!.fields.sequenceStart, '2')
  find('b').answer({ status: 'done' })
  await settle()
  assert.deepEqual(results[1], { ...nothing, done: 1 })
  assert.deepEqual(shown(), [])
})

test('files refused in an earlier run do not count in the next one', async (context) => {
  const { uploader, find, results, shown } = setUp(context, ['bad'])
  uploader.upload(numbered)
  find('bad').answer({ status: 'refused', message: 'This is not a picture.' })
  await settle()
  uploader.add([new File(['x'], 'good', { type: 'image/png' })])
  uploader.upload(numbered)
  find('good').answer({ status: 'done' })
  await settle()
  assert.deepEqual(results[1], { ...nothing, done: 1 })
  assert.deepEqual(shown(), [['bad', 'refused', 0]])
})

test('after one file is cancelled the next one starts', async (context) => {
  const { uploader, find, shown, idOf, results } = setUp(context, ['a', 'b', 'c'])
  uploader.upload(numbered)
  uploader.cancel(idOf('a'))
  assert.equal(find('a').signal.aborted, true)
  find('a').breakOff()
  find('a').onSent(9)
  await settle()
  assert.deepEqual(shown(), [
    ['a', 'cancelled', 0],
    ['b', 'sending', 0],
    ['c', 'sending', 0],
  ])
  find('b').answer({ status: 'done' })
  find('c').answer({ status: 'done' })
  await settle()
  assert.deepEqual(results, [{ ...nothing, done: 2, cancelled: 1 }])
  assert.deepEqual(shown(), [['a', 'cancelled', 0]])
})

test('cancelling all keeps the selection without the files that are done', async (context) => {
  const { uploader, find, shown, results, travelling } = setUp(context, ['a', 'b', 'c'])
  uploader.upload(numbered)
  find('a').answer({ status: 'done' })
  await settle()
  uploader.cancelAll()
  assert.ok(travelling.slice(1).every(({ signal }) => signal.aborted))
  assert.deepEqual(shown(), [
    ['b', 'cancelled', 0],
    ['c', 'cancelled', 0],
  ])
  assert.deepEqual(results, [{ ...nothing, done: 1, cancelled: 2 }])
})

test('cancelling all waits for files that the server is saving', async (context) => {
  const { uploader, find, shown, results } = setUp(context, ['a', 'b', 'c'])
  uploader.upload(numbered)
  find('a').onSent(10)
  find('b').onSent(9)
  uploader.cancelAll()
  assert.equal(find('a').signal.aborted, false)
  assert.equal(find('b').signal.aborted, true)
  assert.deepEqual(shown(), [
    ['a', 'sending', 90],
    ['b', 'cancelled', 0],
    ['c', 'cancelled', 0],
  ])
  assert.equal(uploader.state().isUploading, true)
  find('a').answer({ status: 'done' })
  await settle()
  assert.deepEqual(results, [{ ...nothing, done: 1, cancelled: 2 }])
  assert.deepEqual(shown(), [
    ['b', 'cancelled', 0],
    ['c', 'cancelled', 0],
  ])
})

test('a broken connection fails its file and the run continues', async (context) => {
  const { uploader, find, shown } = setUp(context, ['a'])
  uploader.upload(numbered)
  find('a').breakOff()
  await settle()
  assert.deepEqual(shown(), [['a', 'failed', 0]])
})

test('a file retried during a run keeps its index in the batch', async (context) => {
  const { uploader, find, idOf } = setUp(context, ['a', 'b'])
  uploader.upload(numbered)
  const { batch } = find('a').place
  find('a').answer({ status: 'failed', message: 'Not now.' })
  await settle()
  uploader.retry(idOf('a'), numbered)
  assert.equal(find('a').place.batch, batch)
  assert.deepEqual([find('a').place.index, find('b').place.index], [0, 1])
})

test('a queue without files never reports an end', (context) => {
  const { uploader, results } = setUp(context, [])
  uploader.upload(numbered)
  uploader.cancelAll()
  assert.deepEqual(results, [])
})

test('the timer stops when the last file has ended', async (context) => {
  const { uploader, find, passTime, changes } = setUp(context, ['a'])
  uploader.upload(numbered)
  find('a').answer({ status: 'done' })
  await settle()
  const before = changes()
  passTime(400)
  assert.equal(changes(), before)
})

test('clearing aborts all requests and shows no notice', async (context) => {
  const { uploader, find, results, passTime, changes } = setUp(context, ['a'])
  uploader.upload(numbered)
  uploader.clear()
  assert.ok(find('a').signal.aborted)
  const before = changes()
  passTime(400)
  assert.equal(changes(), before)
  find('a').answer({ status: 'done' })
  await settle()
  assert.deepEqual(results, [])
  assert.deepEqual(uploader.state().queue.items, [])
})
