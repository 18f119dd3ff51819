import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AppError } from '#platform/errors.ts'
import { killedBySystem, UnexpectedTaskError } from '#platform/server/process-pool/process-pool.ts'
import { aiError, aiErrorKind, asAiError } from './errors.ts'

test('a fault says whether another attempt may help', () => {
  assert.equal(aiError('rate', 'Wait.', { retryAfterSeconds: 9 }).details.isRetryable, true)
  assert.equal(aiError('auth', 'No.').details.isRetryable, false)
})

test('the kind survives the way from a child process', () => {
  const { code, status, message, details } = aiError('unreadable', 'Damaged.')
  assert.equal(aiErrorKind(new AppError(code, status, message, details)), 'unreadable')
  assert.equal(aiErrorKind(new Error('other')), undefined)
})

test('a dead or slow child is told in the words of an analysis', () => {
  assert.equal(aiErrorKind(asAiError(new AppError('worker-died', 500, 'x'))), 'crashed')
  const killed = asAiError(killedBySystem())
  assert.equal(aiErrorKind(killed), 'crashed')
  assert.match((killed as AppError).message, /memory ran out/)
  assert.equal(aiErrorKind(asAiError(new AppError('timeout', 500, 'x'))), 'timeout')
  const odd = asAiError(new UnexpectedTaskError('ENOENT /home/ann'))
  assert.equal(aiErrorKind(odd), 'crashed')
  assert.doesNotMatch((odd as AppError).message, /ENOENT/)
  const abort = new Error('stopped')
  assert.equal(asAiError(abort), abort)
})
