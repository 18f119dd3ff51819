import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { test } from 'node:test'

test('no animation on public pages is longer than the design tokens allow', () => {
  const css = globSync('*.css', { cwd: import.meta.dirname }).map((file) =>
    readFileSync(`${import.meta.dirname}/${file}`, 'utf8'),
  )
  const transitions = css.flatMap((text) => text.match(/transition:[^;]*;/g) ?? [])
  assert.notEqual(transitions.length, 0)
  for (const transition of transitions) {
    const lengths = [...transition.matchAll(/([\d.]+)(m?s)\b/g)].map(
      ([, n, unit]) => Number(n) * (unit === 's' ? 1000 : 1),
    )
    assert.ok(Math.max(...lengths) <= 200, transition)
  }
})
