import assert from 'node:assert/strict'
import { test } from 'node:test'
import { contrastOf } from '#features/collections/colour-contrast.ts'
import { suggestPalettes } from './palettes.ts'

test('text and accent of every suggested palette are readable on its background', () => {
  const levels = ['00', '40', '80', 'c0', 'ff']
  for (const red of levels)
    for (const green of levels)
      for (const blue of levels)
        for (const { name, backgroundColor, textColor, accentColor } of suggestPalettes([`#${red}${green}${blue}`])) {
          const what = `${name} of #${red}${green}${blue}`
          assert.ok(contrastOf(backgroundColor, textColor) >= 7, `${what}: text`)
          assert.ok(contrastOf(backgroundColor, accentColor) >= 4.5, `${what}: accent`)
        }
})

test('palettes have the strongest hues of the colors, light and dark', () => {
  const names = suggestPalettes(['#ffffff', '#101010', '#2060c0', '#2458a8', '#c03020', '#405040']).map(
    ({ name }) => name,
  )
  assert.deepEqual(names, ['Light blue', 'Dark blue', 'Light red', 'Dark red'])
})

test('shades of gray give a gray palette, and no colors give none', () => {
  assert.deepEqual(
    suggestPalettes(['#222222', '#eeeeee']).map(({ name }) => name),
    ['Light gray', 'Dark gray'],
  )
  assert.deepEqual(suggestPalettes([]), [])
})
