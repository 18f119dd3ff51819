import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { runInNewContext } from 'node:vm'
import { parsePreference, themeFor } from './theme.ts'

const firstPaint = readFileSync(new URL('../../../public/theme.js', import.meta.url), 'utf8')

test('the theme is dark by default', () => {
  assert.equal(parsePreference(null), 'dark')
  assert.equal(parsePreference('sepia'), 'dark')
  assert.equal(parsePreference('light'), 'light')
  assert.equal(parsePreference('system'), 'system')
})

test('only the preference "system" follows the system', () => {
  assert.equal(themeFor('system', true), 'light')
  assert.equal(themeFor('system', false), 'dark')
  assert.equal(themeFor('dark', true), 'dark')
  assert.equal(themeFor('light', false), 'light')
})

test('public/theme.js chooses the same theme as the page', () => {
  for (const stored of [null, 'dark', 'light', 'system', 'sepia']) {
    for (const isSystemLight of [true, false]) {
      const expected = themeFor(parsePreference(stored), isSystemLight)
      assert.deepEqual(
        paintFirst(() => stored, isSystemLight),
        { theme: expected, colorScheme: expected },
      )
    }
  }
})

test('a browser that forbids storage gets the dark theme', () => {
  const refuse = () => {
    throw new Error('The operation is insecure.')
  }
  assert.equal(paintFirst(refuse, true).theme, 'dark')
})

function paintFirst(getItem: (key: string) => string | null, isSystemLight: boolean) {
  const documentElement = { dataset: { theme: '' }, style: { colorScheme: '' } }
  runInNewContext(firstPaint, {
    document: { documentElement },
    localStorage: { getItem: (key: string) => (key === 'albumen-theme' ? getItem(key) : null) },
    matchMedia: (query: string) => ({ matches: query === '(prefers-color-scheme: light)' && isSystemLight }),
  })
  return { theme: documentElement.dataset.theme, colorScheme: documentElement.style.colorScheme }
}
