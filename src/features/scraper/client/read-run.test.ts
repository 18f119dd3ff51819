import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { RunProgress } from '../contract.ts'
import { type Follow, readRun } from './read-run.ts'

const event = (step: RunProgress['step'], current: number): RunProgress => ({
  step,
  message: '',
  current,
  total: 2,
  results: { successCount: current, errorCount: 0 },
  stoppedCount: 0,
  runId: 5,
})
const never: Follow = () => Promise.reject(new Error('Expected no follow request'))

async function* tell(events: RunProgress[], fault?: Error) {
  yield* events
  if (fault) throw fault
}

async function read(events: AsyncIterable<RunProgress>, follow: Follow, { signal } = new AbortController()) {
  const heard: string[] = []
  await readRun({ events, follow, signal }, (progress) => heard.push(`${progress?.step} ${progress?.current}`))
  return heard
}

test('a stream that ends with its run makes no follow request', async () => {
  assert.deepEqual(await read(tell([event('starting', 0), event('complete', 2)]), never), ['starting 0', 'complete 2'])
})

test('a broken stream is followed to the end of the run', async () => {
  const follow: Follow = async (runId, onProgress) => {
    assert.equal(runId, 5)
    onProgress(event('complete', 2))
  }
  for (const fault of [undefined, new TypeError('network error')]) {
    const heard = await read(tell([event('starting', 0), event('processing', 1)], fault), follow)
    assert.deepEqual(heard, ['starting 0', 'processing 1', 'complete 2'])
  }
})

test('leaving the page makes no follow request', async () => {
  const leaving = new AbortController()
  leaving.abort()
  await assert.rejects(read(tell([event('starting', 0)], new Error('Left')), never, leaving), /Left/)
})

test('a run without any event is a failure', async () => {
  await assert.rejects(read(tell([], new Error('400: no')), never), /400: no/)
  await assert.rejects(read(tell([]), never), /received nothing/)
})
