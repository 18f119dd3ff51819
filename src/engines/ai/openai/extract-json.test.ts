import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { extractJson } from './completion.ts'
import { parseRetryAfter } from './transport.ts'

test('the object is found among braces that are none', () => {
  assert.deepEqual(extractJson('a {b} c {"d": "}{"} e'), { d: '}{' })
  assert.deepEqual(extractJson('{"a": "say \\"hi\\" {"}'), { a: 'say "hi" {' })
})

test('an answer without an object has none', () => {
  for (const answer of ['', 'no', '[1, 2]', '{"cut": "of', '{{{{', '<think>{"a":1}']) {
    assert.equal(extractJson(answer), undefined, answer)
  }
})

test('any object survives chatter around it', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (object) => {
      const json = JSON.stringify(object)
      fc.pre(!json.includes('think>') && !json.includes('```'))
      assert.deepEqual(extractJson(`Well, here it is:\n${json}\nGood luck.`), JSON.parse(json))
    }),
    { seed: 20_261_115 },
  )
})

test('a thousand open braces, and a fence that is never closed, are given up quickly', () => {
  assert.equal(extractJson('{"a":'.repeat(200_000)), undefined)
  assert.equal(extractJson(`\`\`\`${' '.repeat(200_000)}.`), undefined)
})

test('Retry-After is understood as seconds and as a date', (context) => {
  context.mock.timers.enable({ apis: ['Date'], now: Date.UTC(2026, 0, 1) })
  assert.equal(parseRetryAfter('30'), 30)
  assert.equal(parseRetryAfter(new Date(Date.now() + 60_000).toUTCString()), 60)
  for (const header of [undefined, '', 'soon', '0', '-5', ['1', '2']]) assert.equal(parseRetryAfter(header), undefined)
})
