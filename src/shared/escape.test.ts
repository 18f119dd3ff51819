import assert from 'node:assert/strict'
import { test } from 'node:test'
import { escapeHtml } from './escape.ts'

test('escapeHtml makes text safe in elements and attributes and leaves other characters alone', () => {
  assert.equal(escapeHtml(`<b a="1" c='2'>&amp;</b>`), '&lt;b a=&quot;1&quot; c=&#39;2&#39;&gt;&amp;amp;&lt;/b&gt;')
  assert.equal(escapeHtml('Zoë & 🌅'), 'Zoë &amp; 🌅')
})
