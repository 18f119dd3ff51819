import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import fc from 'fast-check'
import { loadModel } from '../local/runtime.ts'
import { freeInputSize } from './free-input-size.ts'
import { convolutionLayout, depthwiseLayout } from './graph-builder.ts'
import { bytesField, encodeVarint, integerField, message, model, node, tensor, textField } from './onnx.ts'

test('a written model loads and computes in the runtime', async (t) => {
  const directory = await mkdtemp(join(tmpdir(), 'onnx-'))
  t.after(() => rm(directory, { recursive: true }))
  const path = join(directory, 'scale.onnx')
  const bytes = model({
    tensors: [tensor('factor', [], 'float', Float32Array.of(3))],
    nodes: [
      node({ operator: 'Mul', inputs: ['numbers', 'factor'], output: 'tripled' }),
      node({ operator: 'Transpose', inputs: ['tripled'], output: 'turned', attributes: { perm: [1, 0] } }),
      node({ operator: 'Concat', inputs: ['turned', 'turned'], output: 'twice', attributes: { axis: 1 } }),
    ],
    inputs: [{ name: 'numbers', type: 'float', dimensions: [1, 3] }],
    outputs: [{ name: 'twice', type: 'float', dimensions: [3, 2] }],
  })
  await writeFile(path, bytes)
  const loaded = await loadModel(path)
  const { twice } = await loaded.run({ numbers: { type: 'float32', data: Float32Array.of(1, 2, 4), dims: [1, 3] } })
  await loaded.release()
  assert.deepEqual([...twice!.data], [3, 3, 6, 6, 12, 12])
  assert.deepEqual([...twice!.dims], [3, 2])
})

test('a model that was exported at one size runs at another once its sizes are taken out', async (t) => {
  const directory = await mkdtemp(join(tmpdir(), 'onnx-'))
  t.after(() => rm(directory, { recursive: true }))
  const path = join(directory, 'any.onnx')
  const bytes = model({
    tensors: [],
    nodes: [node({ operator: 'Relu', inputs: ['numbers'], output: 'positive' })],
    inputs: [{ name: 'numbers', type: 'float', dimensions: [1, 3] }],
    outputs: [{ name: 'positive', type: 'float', dimensions: [1, 3] }],
  })
  const numbers = { type: 'float32' as const, data: Float32Array.of(-1, 2), dims: [2, 1] }
  await writeFile(path, bytes)
  await assert.rejects((await loadModel(path)).run({ numbers }), /dimensions/)
  await writeFile(path, freeInputSize(bytes))
  const { positive } = await (await loadModel(path)).run({ numbers })
  assert.deepEqual(
    [[...positive!.data], [...positive!.dims]],
    [
      [0, 2],
      [2, 1],
    ],
  )
})

test('weights move from height, width, channel order to channel, height, width order', () => {
  const shape = [2, 1, 3, 2]
  const { dimensions, sourceIndex } = convolutionLayout(shape)
  assert.deepEqual(dimensions, [2, 2, 1, 3])
  assert.deepEqual(
    Array.from({ length: 12 }, (_, position) => sourceIndex(position)),
    [0, 2, 4, 1, 3, 5, 6, 8, 10, 7, 9, 11],
  )
  const depthwise = depthwiseLayout([1, 1, 2, 3])
  assert.deepEqual(depthwise.dimensions, [3, 1, 1, 2])
  assert.deepEqual(
    Array.from({ length: 6 }, (_, position) => depthwise.sourceIndex(position)),
    [0, 3, 1, 4, 2, 5],
  )
})

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
