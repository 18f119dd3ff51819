import assert from 'node:assert/strict'
import { test } from 'node:test'
import { overallPercent, sentPercent, simulatedPercent } from './upload-progress.ts'

test('the bar follows the bytes and is held at 90% until the server has answered', () => {
  assert.equal(sentPercent(0, 200), 0)
  assert.equal(sentPercent(100, 200), 50)
  assert.equal(sentPercent(190, 200), 90)
  assert.equal(sentPercent(200, 200), 90)
  assert.equal(sentPercent(0, 0), 90)
})

test('without reported bytes the bar rises by 10% to 90%', () => {
  let percent = 0
  const seen = Array.from({ length: 11 }, () => (percent = simulatedPercent(percent)))
  assert.deepEqual(seen, [10, 20, 30, 40, 50, 60, 70, 80, 90, 90, 90])
})

test('a large file weighs more than a small one', () => {
  assert.equal(overallPercent([]), 0)
  assert.equal(
    overallPercent([
      { percent: 100, file: { size: 100 } },
      { percent: 0, file: { size: 300 } },
    ]),
    25,
  )
})
