import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isWithin } from './likely-pairs.ts'

test('one typing error is an insertion, a deletion, a replacement or a swap', () => {
  for (const typo of ['lighthouse', 'lighthuose', 'lihthouse', 'lighthousse', 'lighthause'])
    assert.ok(isWithin('lighthouse', typo, 1), typo)
  for (const other of ['lghthuse', 'lighthouses at', 'greenhouse']) assert.ok(!isWithin('lighthouse', other, 1), other)
})
