import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { bytesField, encodeVarint, integerField, message, textField } from './protobuf.ts'

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex')

test('numbers are written seven bits at a time, lowest first', () => {
  assert.equal(hex(encodeVarint(0)), '00')
  assert.equal(hex(encodeVarint(127)), '7f')
  assert.equal(hex(encodeVarint(128)), '8001')
  assert.equal(hex(encodeVarint(300)), 'ac02')
})

test('a negative number takes ten bytes, as two’s complement of 64 bits', () => {
  assert.equal(hex(encodeVarint(-1)), 'ffffffffffffffffff01')
})

test('fields carry their number and their kind before the value', () => {
  assert.equal(hex(integerField(1, 150)), '089601')
  assert.equal(hex(textField(2, 'testing')), '120774657374696e67')
  assert.equal(hex(integerField(20, 2)), 'a00102')
  assert.equal(hex(bytesField(3, message(integerField(1, 150)))), '1a03089601')
  assert.equal(hex(textField(4, '')), '2200')
})

test('every number can be read back', () => {
  const decode = (bytes: Buffer) =>
    bytes.reduce((sum, byte, index) => sum | (BigInt(byte & 0x7f) << BigInt(7 * index)), 0n)
  fc.assert(
    fc.property(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 64n - 1n }), (value) => {
      assert.equal(decode(encodeVarint(value)), BigInt.asUintN(64, value))
    }),
    { seed: 20_261_115 },
  )
})
