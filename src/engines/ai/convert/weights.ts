import { byteArray, type GraphBuilder, storedNumbers } from './graph-builder.ts'

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

/** Adds a layer's int8 weights in ONNX order and answers the name of their float value. */
export function addWeights(graph: GraphBuilder, index: number, name: string, { dimensions, sourceIndex }: Layout) {
  const { type, quantisation, ...rest } = graph.tensorAt(index)
  if (!quantisation || (type !== 'int8' && type !== 'uint8')) throw new Error('Expected quantised weights')
  const stored = storedNumbers({ type, quantisation, ...rest })
  const length = dimensions.reduce((product, dimension) => product * dimension, 1)
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

/** A bias is int32 whose scale is that of the input times that of the weights. */
export function addBias(graph: GraphBuilder, indexes: { bias: number; input: number; weights: number }, name: string) {
  const stored = storedNumbers(graph.tensorAt(indexes.bias))
  const length = stored.length
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
