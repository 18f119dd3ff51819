import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addRow, areAllBlank, changeRow, oneEmptyRow, removeRow } from './url-rows.ts'

const texts = (rows: { text: string }[]) => rows.map(({ text }) => text)

test('rows are added and removed, and the last one stays', () => {
  const two = addRow(changeRow(oneEmptyRow(), 1, 'a'))
  assert.deepEqual(texts(two), ['a', ''])
  assert.deepEqual(texts(removeRow(two, two[0]!.id)), [''])
  const [last] = removeRow(two, two[0]!.id)
  assert.equal(removeRow([last!], last!.id).length, 1)
})

test('every row has a unique id', () => {
  const rows = addRow(removeRow(addRow(addRow(oneEmptyRow())), 2))
  assert.equal(new Set(rows.map(({ id }) => id)).size, 3)
  assert.notEqual(oneEmptyRow(rows)[0]!.id, rows[0]!.id, 'a fresh list begins with a fresh field')
})

test('pasting several lines adds one row per line', () => {
  const rows = changeRow(addRow(oneEmptyRow()), 1, 'https://a\r\n\n  https://b \nhttps://c')
  assert.deepEqual(texts(rows), ['https://a', 'https://b', 'https://c', ''])
  assert.equal(new Set(rows.map(({ id }) => id)).size, 4)
})

test('blank rows are ignored', () => {
  assert.equal(areAllBlank(changeRow(addRow(oneEmptyRow()), 1, '  ')), true)
  assert.equal(areAllBlank(changeRow(addRow(oneEmptyRow()), 2, 'x')), false)
})
