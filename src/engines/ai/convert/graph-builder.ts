import { type ElementType, type Node, node, tensor } from './onnx.ts'
import type { TfliteModel, TfliteTensor } from './tflite.ts'

/**
 * [Note: Quantised values in ONNX]
 * TFLite computes on int8 directly. ONNX says the same with a QuantizeLinear/DequantizeLinear pair around each value;
 * the runtime fuses the pairs back into int8 kernels. So here every TFLite tensor has a float name, and what produces
 * a quantised tensor passes through such a pair. Pictures are NHWC in TFLite and NCHW in ONNX.
 */
export type GraphBuilder = ReturnType<typeof createGraphBuilder>

export function createGraphBuilder(source: TfliteModel) {
  const nodes: Buffer[] = []
  const tensors: Buffer[] = []
  const floatNames = new Map<number, string>()
  const quantisers = new Map<number, [string, string]>()

  const addNode = (description: Node) => {
    nodes.push(node(description))
    return description.output
  }

  const addTensor = (name: string, dimensions: number[], type: ElementType, data: NodeJS.ArrayBufferView) => {
    tensors.push(tensor(name, dimensions, type, data))
    return name
  }

  const tensorAt = (index: number) => {
    const found = source.tensors[index]
    if (!found) throw new Error(`Expected a tensor at ${index}, received none`)
    return found
  }

  function quantiserOf(index: number): [string, string] {
    const known = quantisers.get(index)
    if (known) return known
    const { quantisation, type } = tensorAt(index)
    if (!quantisation || (type !== 'int8' && type !== 'uint8')) throw new Error(`Tensor ${index} is not quantised`)
    const scale = addTensor(`scale${index}`, [], 'float', Float32Array.of(quantisation.scales[0]!))
    const zeroPoint = addTensor(`zero${index}`, [], type, byteArray(type, [quantisation.zeroPoints[0]!]))
    quantisers.set(index, [scale, zeroPoint])
    return [scale, zeroPoint]
  }

  return {
    addNode,
    addTensor,
    tensorAt,
    shapeOf: (index: number) => tensorAt(index).shape,
    nodes,
    tensors,

    setFloat: (index: number, name: string) => floatNames.set(index, name),
    floatOf: (index: number) => {
      const name = floatNames.get(index)
      if (!name) throw new Error(`Tensor ${index} is used before it is made`)
      return name
    },

    /** Declares `name` as the float value of a tensor, rounded the way TFLite would have rounded it. */
    produce(index: number, name: string) {
      if (!isQuantised(tensorAt(index))) return floatNames.set(index, name)
      const [scale, zeroPoint] = quantiserOf(index)
      const quantised = `value${index}q`
      addNode({ operator: 'QuantizeLinear', inputs: [name, scale, zeroPoint], output: quantised })
      addNode({ operator: 'DequantizeLinear', inputs: [quantised, scale, zeroPoint], output: `value${index}` })
      return floatNames.set(index, `value${index}`)
    },
  }
}

export const isQuantised = ({ type, quantisation }: TfliteTensor) =>
  quantisation !== null && (type === 'int8' || type === 'uint8')

export function byteArray(type: 'int8' | 'uint8', values: ArrayLike<number>): Int8Array | Uint8Array {
  return type === 'int8' ? Int8Array.from(values) : Uint8Array.from(values)
}

/** The numbers of a constant tensor as they are stored, before their scale. */
export function storedNumbers({ type, data }: TfliteTensor): Float32Array | Int32Array | Int8Array | Uint8Array {
  if (!data) throw new Error('Expected a constant tensor, received a computed one')
  // A copy, because the file's tensors need not lie on a four-byte boundary.
  const copy = Uint8Array.from(data)
  if (type === 'float32') return new Float32Array(copy.buffer)
  if (type === 'int32') return new Int32Array(copy.buffer)
  if (type === 'int8') return new Int8Array(copy.buffer)
  return copy
}
