import assert from 'node:assert/strict'
import { test } from 'node:test'
import { namePastedFiles } from './pasted-files.ts'

const at = new Date(2025, 2, 9, 14, 5, 7)

test('a copied picture is named after the moment, a copied file keeps its name', () => {
  const picture = new File(['x'], 'image.png', { type: 'image/png' })
  const file = new File(['y'], 'beach.jpg', { type: 'image/jpeg' })
  const [first, second, third] = namePastedFiles([picture, file, picture], at)
  assert.equal(first!.name, 'Pasted 2025-03-09 14.05.07.png')
  assert.equal(first!.type, 'image/png')
  assert.equal(second, file)
  assert.equal(third!.name, 'Pasted 2025-03-09 14.05.07 3.png')
})
