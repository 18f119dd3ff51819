import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ApiError } from '#platform/client/call.ts'
import { afterAnswer, afterFault, reloadAfterMs } from './restore-flow.ts'
import { filesInWords } from './restore-result.ts'

const answer = { progress: 40, message: 'Copying the files', step: 'Files', isRestoring: true }

test('the progress is polled once a second while a restore runs', () => {
  assert.deepEqual(afterAnswer(answer), { do: 'ask-again', afterMs: 1000 })
})

test('a restore ends with success or with the reason for its failure', () => {
  assert.deepEqual(afterAnswer({ ...answer, step: 'Complete', isRestoring: false }), {
    do: 'celebrate',
    healedFiles: 0,
    lostFiles: 0,
  })
  const failed = { ...answer, step: 'Error', message: 'The disk is full.', isRestoring: false }
  assert.deepEqual(afterAnswer(failed), { do: 'tell-failure', message: 'The disk is full.' })
})

test('a step that is neither the end nor an error does not count as complete', () => {
  for (const step of ['Idle', 'Files']) {
    assert.deepEqual(afterAnswer({ ...answer, step, isRestoring: false }), { do: 'give-up' })
  }
})

test('the end of a restore says how many files were replaced, and how many could not be restored', () => {
  assert.equal(filesInWords({ healedFiles: 0, lostFiles: 0 }), '')
  assert.equal(filesInWords({ healedFiles: 1, lostFiles: 0 }), '1 damaged file was replaced. ')
  const both = filesInWords({ healedFiles: 2, lostFiles: 1 })
  assert.equal(both, '2 damaged files were replaced. 1 file could not be restored. ')
})

test('a lost connection is retried after two seconds, a refusal is not', () => {
  assert.deepEqual(afterFault(new TypeError('Failed to fetch')), { do: 'ask-again', afterMs: 2000 })
  assert.deepEqual(afterFault(new ApiError(500, '')), { do: 'give-up' })
})

test('the page is reloaded two seconds after a restore', () => {
  assert.equal(reloadAfterMs, 2000)
})
