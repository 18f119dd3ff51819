import assert from 'node:assert/strict'
import { test } from 'node:test'
import { estimateWords } from './estimate-words.ts'

const free = {
  images: 3,
  alreadyKnown: 0,
  estimatedTokens: 0,
  estimatedSeconds: 2,
  isPaid: false,
  provider: 'local',
  model: 'built-in',
  remainingThisMonth: null,
}

test('the estimate of a free run gives the number of pictures and the duration', () => {
  assert.deepEqual(estimateWords(free), ['3 items to analyze with the built-in AI.', 'Takes about 5 seconds.'])
})

test('the estimate of a paid run gives an approximate cost and warns if it exceeds the monthly limit', () => {
  const paid = { ...free, images: 400, alreadyKnown: 1, isPaid: true, estimatedTokens: 518_700, estimatedSeconds: 400 }
  assert.deepEqual(estimateWords({ ...paid, provider: 'openai', model: 'gpt', remainingThisMonth: 100 }), [
    '399 items to analyze with gpt; 1 already analyzed.',
    'Takes about 7 minutes.',
    'Images are sent to a paid service: about 519,000 tokens.',
    "This month's limit allows only 100 more items.",
  ])
})

test('the estimate of a run with reused results is free', () => {
  assert.deepEqual(estimateWords({ ...free, alreadyKnown: 3, isPaid: true }), [
    '3 items already analyzed; results will be reused.',
  ])
})
