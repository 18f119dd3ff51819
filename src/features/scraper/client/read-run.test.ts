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
const never: Follow = () => Promise.reject(new Error('Nobody should follow'))

async function* tell(events: RunProgress[], fault?: Error) {
  yield* events
  if (fault) throw fault
}

async function read(events: AsyncIterable<RunProgress>, follow: Follow, { signal } = new AbortController()) {
  const heard: string[] = []
  await readRun({ events, follow, signal }, (progress) => heard.push(`${progress?.step} ${progress?.current}`))
  return heard
}

test('a stream that comes to its end needs nobody else', async () => {
  assert.deepEqual(await read(tell([event('starting', 0), event('complete', 2)]), never), ['starting 0', 'complete 2'])
})

test('a line that breaks on the way is picked up where the run goes on', async () => {
  const follow: Follow = async (runId, onProgress) => {
    assert.equal(runId, 5)
    onProgress(event('complete', 2))
  }
  for (const fault of [undefined, new TypeError('network error')]) {
    const heard = await read(tell([event('starting', 0), event('processing', 1)], fault), follow)
    assert.deepEqual(heard, ['starting 0', 'processing 1', 'complete 2'])
  }
})

test('whoever has left the page does not follow', async () => {
  const leaving = new AbortController()
  leaving.abort()
  await assert.rejects(read(tell([event('starting', 0)], new Error('Left')), never, leaving), /Left/)
})

test('what never began is a failure', async () => {
  await assert.rejects(read(tell([], new Error('400: no')), never), /400: no/)
  await assert.rejects(read(tell([]), never), /received nothing/)
})
