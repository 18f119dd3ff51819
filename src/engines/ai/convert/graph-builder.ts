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

function byteArray(type: 'int8' | 'uint8', values: ArrayLike<number>): Int8Array | Uint8Array {
  return type === 'int8' ? Int8Array.from(values) : Uint8Array.from(values)
}

/** The numbers of a constant tensor as they are stored, before their scale. */
export function storedNumbers({ type, data }: TfliteTensor): Float32Array | Int32Array | Int8Array | Uint8Array {
  if (!data) throw new Error('Expected a constant tensor, received a computed one')
  // A copy, because the file's tensors need not lie on a four-byte boundary.
  const copy = Uint8Array.from(data)
  if (type === 'float32') return new Float32Array(copy.buffer)
  if (type === 'float16') return Float32Array.from(new Uint16Array(copy.buffer), halfToFloat)
  if (type === 'int32') return new Int32Array(copy.buffer)
  if (type === 'int8') return new Int8Array(copy.buffer)
  return copy
}

/** One sign bit, five of the exponent and ten of the fraction. */
function halfToFloat(half: number): number {
  const exponent = (half >> 10) & 31
  const fraction = half & 1023
  const sign = half >> 15 ? -1 : 1
  if (exponent === 31) return fraction ? Number.NaN : sign * Number.POSITIVE_INFINITY
  return sign * (exponent ? 2 ** (exponent - 15) * (1 + fraction / 1024) : 2 ** -14 * (fraction / 1024))
}

/** Where the k-th number of the ONNX layout stands in the TFLite one. */
type Layout = { dimensions: number[]; sourceIndex(position: number): number }

export function convolutionLayout([outputs = 0, height = 0, width = 0, inputs = 0]: number[]): Layout {
  const area = height * width
  return {
    dimensions: [outputs, inputs, height, width],
    sourceIndex(position) {
      const output = Math.floor(position / (inputs * area))
      const input = Math.floor(position / area) % inputs
      return (output * area + (position % area)) * inputs + input
    },
  }
}

export function depthwiseLayout([, height = 0, width = 0, channels = 0]: number[]): Layout {
  const area = height * width
  return {
    dimensions: [channels, 1, height, width],
    sourceIndex: (position) => (position % area) * channels + Math.floor(position / area),
  }
}

export const denseLayout = (shape: number[]): Layout => ({
  dimensions: shape,
  sourceIndex: (position) => position,
})

/** Adds a layer's weights in ONNX order and answers the name of their float value. */
export function addWeights(graph: GraphBuilder, index: number, name: string, { dimensions, sourceIndex }: Layout) {
  const weights = graph.tensorAt(index)
  const { type, quantisation } = weights
  const stored = storedNumbers(weights)
  const length = dimensions.reduce((product, dimension) => product * dimension, 1)
  if (type === 'float32') {
    return graph.addTensor(
      name,
      dimensions,
      'float',
      Float32Array.from({ length }, (_, k) => stored[sourceIndex(k)]!),
    )
  }
  if (!quantisation || (type !== 'int8' && type !== 'uint8')) throw new Error(`Expected weights, received ${type}`)
  const ordered = byteArray(type, { length })
  for (let position = 0; position < length; position++) ordered[position] = stored[sourceIndex(position)]!

  const { scales, zeroPoints } = quantisation
  const isPerChannel = scales.length > 1
  const parameterShape = isPerChannel ? [scales.length] : []
  graph.addNode({
    operator: 'DequantizeLinear',
    inputs: [
      graph.addTensor(`${name}q`, dimensions, type, ordered),
      graph.addTensor(`${name}s`, parameterShape, 'float', Float32Array.from(scales)),
      graph.addTensor(`${name}z`, parameterShape, type, byteArray(type, zeroPoints)),
    ],
    output: name,
    attributes: isPerChannel ? { axis: 0 } : {},
  })
  return name
}

/** A bias is float, or int32 whose scale is that of the input times that of the weights. */
export function addBias(graph: GraphBuilder, indexes: { bias: number; input: number; weights: number }, name: string) {
  const stored = storedNumbers(graph.tensorAt(indexes.bias))
  const length = stored.length
  if (stored instanceof Float32Array) return graph.addTensor(name, [length], 'float', stored)
  const inputScale = graph.tensorAt(indexes.input).quantisation?.scales[0] ?? 1
  const weightScales = graph.tensorAt(indexes.weights).quantisation?.scales ?? [1]
  const scales = Float32Array.from({ length }, (_, k) => inputScale * (weightScales[k] ?? weightScales[0]!))
  graph.addNode({
    operator: 'DequantizeLinear',
    inputs: [
      graph.addTensor(`${name}q`, [length], 'int32', Int32Array.from(stored)),
      graph.addTensor(`${name}s`, [length], 'float', scales),
      graph.addTensor(`${name}z`, [length], 'int32', new Int32Array(length)),
    ],
    output: name,
    attributes: { axis: 0 },
  })
  return name
}
