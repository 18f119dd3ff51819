/** Builders for the messages of onnx.proto; the numbers are its field numbers. */
const elementTypes = { float: 1, uint8: 2, int8: 3, int32: 6, int64: 7 } as const
export type ElementType = keyof typeof elementTypes

const attributeTypes = { integer: 2, text: 3, integers: 7 } as const
type Attributes = Record<string, number | string | number[]>

export function tensor(name: string, dimensions: number[], type: ElementType, data: NodeJS.ArrayBufferView): Buffer {
  return message(
    ...dimensions.map((dimension) => integerField(1, dimension)),
    integerField(2, elementTypes[type]),
    textField(8, name),
    bytesField(9, new Uint8Array(data.buffer, data.byteOffset, data.byteLength)),
  )
}

function attribute(name: string, value: Attributes[string]): Buffer {
  if (typeof value === 'string') {
    return message(textField(1, name), textField(4, value), integerField(20, attributeTypes.text))
  }
  if (Array.isArray(value)) {
    const items = value.map((item) => integerField(8, item))
    return message(textField(1, name), ...items, integerField(20, attributeTypes.integers))
  }
  return message(textField(1, name), integerField(3, value), integerField(20, attributeTypes.integer))
}

export type Node = { operator: string; inputs: string[]; output: string; attributes?: Attributes }

export function node({ operator, inputs, output, attributes = {} }: Node): Buffer {
  return message(
    ...inputs.map((input) => textField(1, input)),
    textField(2, output),
    textField(3, output),
    textField(4, operator),
    ...Object.entries(attributes).map(([name, value]) => bytesField(5, attribute(name, value))),
  )
}

/** A dimension with a name may have any length. */
export type Value = { name: string; type: ElementType; dimensions: (number | string)[] }

function valueInfo({ name, type, dimensions }: Value): Buffer {
  const shape = message(
    ...dimensions.map((dimension) =>
      bytesField(1, typeof dimension === 'string' ? textField(2, dimension) : integerField(1, dimension)),
    ),
  )
  const tensorType = message(integerField(1, elementTypes[type]), bytesField(2, shape))
  return message(textField(1, name), bytesField(2, bytesField(1, tensorType)))
}

type Model = { nodes: Uint8Array[]; tensors: Uint8Array[]; inputs: Value[]; outputs: Value[] }

const irVersion = 8
const operatorSetVersion = 13

export function model({ nodes, tensors, inputs, outputs }: Model): Buffer {
  const graph = message(
    ...nodes.map((encoded) => bytesField(1, encoded)),
    textField(2, 'graph'),
    ...tensors.map((encoded) => bytesField(5, encoded)),
    ...inputs.map((input) => bytesField(11, valueInfo(input))),
    ...outputs.map((output) => bytesField(12, valueInfo(output))),
  )
  const operatorSet = message(textField(1, ''), integerField(2, operatorSetVersion))
  return message(integerField(1, irVersion), textField(2, 'albumen'), bytesField(7, graph), bytesField(8, operatorSet))
}

/**
 * The few parts of the protobuf wire format that an ONNX file needs. Every function returns one encoded field;
 * a message is its fields, one after the other.
 */
const wireType = { varint: 0, bytes: 2 } as const

export function encodeVarint(value: number | bigint): Buffer {
  let rest = BigInt.asUintN(64, BigInt(value))
  const encoded: number[] = []
  do {
    const low = Number(rest & 0x7fn)
    rest >>= 7n
    encoded.push(rest > 0n ? low | 0x80 : low)
  } while (rest > 0n)
  return Buffer.from(encoded)
}

const encodeTag = (field: number, type: number) => encodeVarint((field << 3) | type)

export const message = (...fields: Uint8Array[]) => Buffer.concat(fields)

export const integerField = (field: number, value: number | bigint) =>
  message(encodeTag(field, wireType.varint), encodeVarint(value))

export const bytesField = (field: number, value: Uint8Array) =>
  message(encodeTag(field, wireType.bytes), encodeVarint(value.byteLength), value)

export const textField = (field: number, value: string) => bytesField(field, Buffer.from(value))
