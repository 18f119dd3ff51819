import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { splitExtension } from '#shared/filenames.ts'
import { bulkName } from './bulk-names.ts'

test('the number is padded to the count and stands before the extension', () => {
  assert.equal(bulkName('IMG_1.JPG', { index: 0, count: 120 }, { baseName: 'Trip', prefix: 'x-' }), 'x-Trip-001.JPG')
  assert.equal(bulkName('IMG_1.JPG', { index: 8, count: 9 }, { baseName: 'Trip' }), 'Trip-9.JPG')
  assert.equal(bulkName('IMG_1.JPG', { index: 8, count: 9 }, { prefix: 'x-' }), 'x-IMG_1.JPG')
})

test('a bulk rename keeps the extension and produces distinct names for any input', () => {
  const word = (maxLength: number) => fc.string({ minLength: 1, maxLength, unit: 'grapheme', size: 'max' })
  const extensions = fc.constantFrom('.jpg', '.PNG', '.webp', '.mp4')
  fc.assert(
    fc.property(word(40), extensions, word(150), word(100), (stem, extension, baseName, prefix) => {
      const current = `a${stem.replaceAll(/[./\\]/g, '')}${extension}`
      const names = [0, 1, 2].map((index) => bulkName(current, { index, count: 3 }, { baseName, prefix }))
      for (const [index, name] of names.entries()) {
        assert.ok(name.endsWith(`-${index + 1}${extension}`), name)
        assert.equal(splitExtension(name).extension, extension)
        assert.ok(name.length <= 200)
      }
    }),
    { seed: 20_261_115 },
  )
})
