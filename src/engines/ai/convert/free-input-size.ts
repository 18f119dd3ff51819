import { bytesField } from './onnx.ts'

/** Where an ONNX file states the shape of an input or output: graph, input or output, type, tensor type, shape. */
const shapes = [
  [7, 11, 2, 1, 2],
  [7, 12, 2, 1, 2],
]

/** A network of convolutions works at any size, although its file states the size it was exported at. */
export const freeInputSize = (model: Uint8Array): Uint8Array =>
  shapes.reduce((bytes, path) => without(bytes, path), Buffer.from(model))

/** A message without the field at this path of field numbers. */
function without(message: Buffer, [field, ...rest]: number[]): Buffer<ArrayBuffer> {
  const parts = [...readFields(message)].map(({ number, encoded, content }) => {
    if (number !== field || !content) return encoded
    return rest.length === 0 ? Buffer.alloc(0) : bytesField(number, without(content, rest))
  })
  return Buffer.concat(parts)
}

type Field = { number: number; encoded: Buffer; content?: Buffer }

const wireType = { varint: 0, double: 1, bytes: 2, float: 5 }

function* readFields(message: Buffer): Generator<Field> {
  let position = 0
  while (position < message.length) {
    const start = position
    const tag = readVarint()
    let content: Buffer | undefined
    const type = tag & 7
    if (type === wireType.varint) readVarint()
    else if (type === wireType.double) position += 8
    else if (type === wireType.float) position += 4
    else if (type === wireType.bytes) {
      const length = readVarint()
      content = message.subarray(position, position + length)
      position += length
    } else throw new Error(`Expected an ONNX file, received a field of type ${type}`)
    yield { number: tag >>> 3, encoded: message.subarray(start, position), content }
  }

  /** Lengths and field numbers are below 2²⁸; of larger values only the position after them matters. */
  function readVarint(): number {
    let value = 0
    for (let shift = 0; ; shift += 7) {
      const byte = message[position++]
      if (byte === undefined) throw new Error('Expected an ONNX file, received one that is cut off')
      value |= shift < 28 ? (byte & 127) << shift : 0
      if (byte < 128) return value
    }
  }
}
