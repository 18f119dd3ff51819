/** Reads the tables of a FlatBuffer. A position of 0 means that the field is absent. */
type FlatbufferReader = ReturnType<typeof createFlatbufferReader>

function createFlatbufferReader(bytes: Uint8Array) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)

  function fieldAt(table: number, index: number): number {
    const slots = table - view.getInt32(table, true)
    const slot = 4 + 2 * index
    if (slot >= view.getUint16(slots, true)) return 0
    const offset = view.getUint16(slots + slot, true)
    return offset === 0 ? 0 : table + offset
  }

  const follow = (position: number) => position + view.getUint32(position, true)

  function vectorAt(table: number, index: number): { length: number; start: number } | null {
    const field = fieldAt(table, index)
    if (field === 0) return null
    const vector = follow(field)
    return { length: view.getUint32(vector, true), start: vector + 4 }
  }

  function readVector<T>(table: number, index: number, itemBytes: number, read: (position: number) => T): T[] {
    const vector = vectorAt(table, index)
    if (!vector) return []
    return Array.from({ length: vector.length }, (_, item) => read(vector.start + item * itemBytes))
  }

  return {
    root: () => follow(0),
    byte: (table: number, index: number) => {
      const field = fieldAt(table, index)
      return field ? view.getInt8(field) : 0
    },
    integer: (table: number, index: number, fallback = 0) => {
      const field = fieldAt(table, index)
      return field ? view.getInt32(field, true) : fallback
    },
    text: (table: number, index: number) => {
      const vector = vectorAt(table, index)
      if (!vector) return ''
      return new TextDecoder().decode(bytes.subarray(vector.start, vector.start + vector.length))
    },
    bytes: (table: number, index: number) => {
      const vector = vectorAt(table, index)
      return vector && bytes.subarray(vector.start, vector.start + vector.length)
    },
    table: (table: number, index: number) => {
      const field = fieldAt(table, index)
      return field ? follow(field) : 0
    },
    tables: (table: number, index: number) => readVector(table, index, 4, follow),
    integers: (table: number, index: number) =>
      readVector(table, index, 4, (position) => view.getInt32(position, true)),
    floats: (table: number, index: number) =>
      readVector(table, index, 4, (position) => view.getFloat32(position, true)),
    longs: (table: number, index: number) =>
      readVector(table, index, 8, (position) => Number(view.getBigInt64(position, true))),
  }
}

/** The part of the TFLite schema that our models use; indexes are the schema's field numbers. */
type Quantisation = { scales: number[]; zeroPoints: number[] }
export type TfliteTensor = {
  name: string
  shape: number[]
  type: 'float32' | 'float16' | 'int32' | 'uint8' | 'int8' | 'other'
  data: Uint8Array | null
  quantisation: Quantisation | null
}
export type TfliteOperator = { name: string; inputs: number[]; outputs: number[]; options: Options }
export type TfliteModel = { tensors: TfliteTensor[]; operators: TfliteOperator[]; input: number; outputs: number[] }

type Options = {
  isPadded?: boolean
  stride?: [number, number]
  dilation?: [number, number]
  kernel?: [number, number]
  activation?: number
  axis?: number
  alignCorners?: boolean
  halfPixelCenters?: boolean
}

const tensorTypes: Record<number, TfliteTensor['type']> = {
  0: 'float32',
  1: 'float16',
  2: 'int32',
  3: 'uint8',
  9: 'int8',
}

const operatorNames: Record<number, string> = {
  0: 'ADD',
  1: 'AVERAGE_POOL_2D',
  2: 'CONCATENATION',
  3: 'CONV_2D',
  4: 'DEPTHWISE_CONV_2D',
  6: 'DEQUANTIZE',
  9: 'FULLY_CONNECTED',
  14: 'LOGISTIC',
  17: 'MAX_POOL_2D',
  18: 'MUL',
  19: 'RELU',
  22: 'RESHAPE',
  23: 'RESIZE_BILINEAR',
  25: 'SOFTMAX',
  32: 'CUSTOM',
  34: 'PAD',
  41: 'SUB',
  97: 'RESIZE_NEAREST_NEIGHBOR',
  114: 'QUANTIZE',
}

const samePadding = 0

export function parseTflite(bytes: Uint8Array): TfliteModel {
  const reader = createFlatbufferReader(bytes)
  const root = reader.root()
  // Old files keep the operator in a byte, new ones in an integer; the larger of the two is the valid one.
  const codes = reader.tables(root, 1).map((code) => Math.max(reader.byte(code, 0), reader.integer(code, 3)))
  const buffers = reader.tables(root, 4).map((buffer) => reader.bytes(buffer, 0))
  const [graph] = reader.tables(root, 2)
  if (graph === undefined) throw new Error('Expected a TFLite model with one graph, received none')

  const tensors = reader.tables(graph, 0).map((table): TfliteTensor => {
    const quantisation = reader.table(table, 4)
    const scales = quantisation ? reader.floats(quantisation, 2) : []
    return {
      name: reader.text(table, 3),
      shape: reader.integers(table, 0),
      type: tensorTypes[reader.byte(table, 1)] ?? 'other',
      data: buffers[reader.integer(table, 2)] ?? null,
      quantisation: scales.length > 0 ? { scales, zeroPoints: reader.longs(quantisation, 3) } : null,
    }
  })
  const operators = reader.tables(graph, 3).map((table): TfliteOperator => {
    const code = codes[reader.integer(table, 0)] ?? -1
    const name = operatorNames[code] ?? `operator ${code}`
    const options = reader.table(table, 4)
    return {
      name,
      inputs: reader.integers(table, 1),
      outputs: reader.integers(table, 2),
      options: options ? readOptions(reader, name, options) : {},
    }
  })
  return { tensors, operators, input: reader.integers(graph, 1)[0] ?? 0, outputs: reader.integers(graph, 2) }
}

function readOptions(reader: FlatbufferReader, name: string, table: number): Options {
  const pair = (high: number, low: number, fallback = 0): [number, number] => [
    reader.integer(table, high, fallback),
    reader.integer(table, low, fallback),
  ]
  const isPadded = reader.byte(table, 0) === samePadding
  switch (name) {
    case 'CONV_2D':
      return { isPadded, stride: pair(2, 1), activation: reader.byte(table, 3), dilation: pair(5, 4, 1) }
    case 'DEPTHWISE_CONV_2D':
      return { isPadded, stride: pair(2, 1), activation: reader.byte(table, 4), dilation: pair(6, 5, 1) }
    case 'AVERAGE_POOL_2D':
    case 'MAX_POOL_2D':
      return { isPadded, stride: pair(2, 1), kernel: pair(4, 3), activation: reader.byte(table, 5) }
    case 'CONCATENATION':
      return { axis: reader.integer(table, 0), activation: reader.byte(table, 1) }
    case 'RESIZE_NEAREST_NEIGHBOR':
      return { alignCorners: reader.byte(table, 0) !== 0, halfPixelCenters: reader.byte(table, 1) !== 0 }
    case 'RESIZE_BILINEAR':
      return { alignCorners: reader.byte(table, 2) !== 0, halfPixelCenters: reader.byte(table, 3) !== 0 }
    case 'ADD':
    case 'MUL':
    case 'SUB':
    case 'FULLY_CONNECTED':
      return { activation: reader.byte(table, 0) }
    default:
      return {}
  }
}
