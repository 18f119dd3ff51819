import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseSrcset } from './srcset.ts'

const read = (srcset: string) => parseSrcset(srcset, 'srcset').map(({ origin: _origin, ...candidate }) => candidate)

test('widths and densities are read', () => {
  assert.deepEqual(read('a.jpg 300w, b.jpg 1024w'), [
    { address: 'a.jpg', width: 300 },
    { address: 'b.jpg', width: 1024 },
  ])
  assert.deepEqual(read('a.jpg, b.jpg 1.5x,\n c.jpg   2x'), [
    { address: 'a.jpg' },
    { address: 'b.jpg', density: 1.5 },
    { address: 'c.jpg', density: 2 },
  ])
})

test('commas inside an address belong to it', () => {
  assert.deepEqual(read('/w_300,h_200/a.jpg 300w,/w_600,h_400/a.jpg 600w'), [
    { address: '/w_300,h_200/a.jpg', width: 300 },
    { address: '/w_600,h_400/a.jpg', width: 600 },
  ])
  assert.deepEqual(read('data:image/png;base64,AAAA 1x'), [{ address: 'data:image/png;base64,AAAA', density: 1 }])
})

test('nonsense yields nothing, or an address without a size', () => {
  assert.deepEqual(read(''), [])
  assert.deepEqual(read(' , ,, '), [])
  assert.deepEqual(read('a.jpg huge, b.jpg -5w,,,'), [{ address: 'a.jpg' }, { address: 'b.jpg' }])
  assert.equal(read('a.jpg 1x, '.repeat(1000)).length, 50)
})
