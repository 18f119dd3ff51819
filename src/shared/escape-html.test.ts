import assert from 'node:assert/strict'
import { test } from 'node:test'
import { escapeHtml } from './escape-html.ts'

test('text stays text inside HTML, in elements and in attributes', () => {
  assert.equal(escapeHtml(`<b a="1" c='2'>&amp;</b>`), '&lt;b a=&quot;1&quot; c=&#39;2&#39;&gt;&amp;amp;&lt;/b&gt;')
  assert.equal(escapeHtml('Zoë & 🌅'), 'Zoë &amp; 🌅')
})
