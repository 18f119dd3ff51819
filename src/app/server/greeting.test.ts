import assert from 'node:assert/strict'
import { test } from 'node:test'
import { loadConfig } from '#platform/server/config.ts'
import { greet } from './greeting.ts'

const greetingOf = (settings: Record<string, string>) => greet(loadConfig(settings), { port: 3000, isNew: false })

test('the greeting names an address that answers', () => {
  for (const HOST of ['127.0.0.1', '0.0.0.0', '::', 'localhost']) {
    assert.equal(greetingOf({ HOST }), 'Albumen is running. Open http://localhost:3000')
  }
  assert.equal(greetingOf({ HOST: '192.0.2.7' }), 'Albumen is running. Open http://192.0.2.7:3000')
  assert.equal(greetingOf({ HOST: '::1' }), 'Albumen is running. Open http://[::1]:3000')
  assert.equal(greetingOf({ HOST: 'fd00::7' }), 'Albumen is running. Open http://[fd00::7]:3000')
})
