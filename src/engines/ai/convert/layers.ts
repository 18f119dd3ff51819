import {
  addBias,
  addWeights,
  convolutionLayout,
  denseLayout,
  depthwiseLayout,
  type GraphBuilder,
  isQuantised,
  storedNumbers,
} from './graph-builder.ts'
import type { TfliteOperator } from './tflite.ts'

type Layer = (graph: GraphBuilder, operator: TfliteOperator, name: string) => void

const activation = { relu: 1, relu6: 3 } as const

/** TFLite fuses a clip into the layer; rounding to the output's range often does the same, and then it is left out. */
function clip(graph: GraphBuilder, name: string, output: number, kind = 0): string {
  if (kind === 0) return name
  const target = graph.tensorAt(output)
  if (isQuantised(target)) {
    const [scale, zeroPoint] = [target.quantisation!.scales[0]!, target.quantisation!.zeroPoints[0]!]
    const [low, high] = target.type === 'int8' ? [-128, 127] : [0, 255]
    const isClippedBelow = (low! - zeroPoint) * scale >= -1e-6
    const isClippedAbove = kind === activation.relu || (high! - zeroPoint) * scale <= 6.03
    if (isClippedBelow && isClippedAbove) return name
  }
  if (kind === activation.relu) return graph.addNode({ operator: 'Relu', inputs: [name], output: `${name}r` })
  if (kind !== activation.relu6) throw new Error(`Expected ReLU or ReLU6, received activation ${kind}`)
  const low = graph.addTensor(`${name}min`, [], 'float', Float32Array.of(0))
  const high = graph.addTensor(`${name}max`, [], 'float', Float32Array.of(6))
  return graph.addNode({ operator: 'Clip', inputs: [name, low, high], output: `${name}r` })
}

const padding = (isPadded?: boolean) => (isPadded ? 'SAME_UPPER' : 'VALID')

const convolve: Layer = (graph, { name: operatorName, inputs, outputs, options }, name) => {
  const [input, weights, bias] = inputs as [number, number, number | undefined]
  const shape = graph.shapeOf(weights)
  const isDepthwise = operatorName === 'DEPTHWISE_CONV_2D'
  const layout = isDepthwise ? depthwiseLayout(shape) : convolutionLayout(shape)
  const operands = [graph.floatOf(input), addWeights(graph, weights, `${name}w`, layout)]
  if (bias !== undefined && bias >= 0) operands.push(addBias(graph, { bias, input, weights }, `${name}b`))
  graph.addNode({
    operator: 'Conv',
    inputs: operands,
    output: name,
    attributes: {
      auto_pad: padding(options.isPadded),
      strides: options.stride!,
      dilations: options.dilation!,
      kernel_shape: [shape[1]!, shape[2]!],
      group: isDepthwise ? graph.shapeOf(input)[3]! : 1,
    },
  })
  graph.produce(outputs[0]!, clip(graph, name, outputs[0]!, options.activation))
}

const combine =
  (operator: string): Layer =>
  (graph, { inputs, outputs, options }, name) => {
    graph.addNode({ operator, inputs: inputs.map(graph.floatOf), output: name })
    graph.produce(outputs[0]!, clip(graph, name, outputs[0]!, options.activation))
  }

const pool =
  (operator: 'MaxPool' | 'AveragePool'): Layer =>
  (graph, { inputs, outputs, options }, name) => {
    const [, height, width] = graph.shapeOf(inputs[0]!)
    const isGlobal = operator === 'AveragePool' && options.kernel![0] === height && options.kernel![1] === width
    graph.addNode({
      operator: isGlobal ? 'GlobalAveragePool' : operator,
      inputs: [graph.floatOf(inputs[0]!)],
      output: name,
      attributes: isGlobal
        ? {}
        : { auto_pad: padding(options.isPadded), strides: options.stride!, kernel_shape: options.kernel! },
    })
    graph.produce(outputs[0]!, name)
  }

const enlarge: Layer = (graph, { inputs, outputs, options }, name) => {
  const channels = graph.shapeOf(inputs[0]!)[3]!
  const [, height, width] = graph.shapeOf(outputs[0]!)
  const sizes = BigInt64Array.from([1, channels, height!, width!], BigInt)
  const coordinates = options.alignCorners ? 'align_corners' : 'asymmetric'
  graph.addNode({
    operator: 'Resize',
    inputs: [graph.floatOf(inputs[0]!), '', '', graph.addTensor(`${name}s`, [4], 'int64', sizes)],
    output: name,
    attributes: {
      mode: 'nearest',
      coordinate_transformation_mode: options.halfPixelCenters ? 'half_pixel' : coordinates,
      nearest_mode: options.halfPixelCenters ? 'round_prefer_ceil' : 'floor',
    },
  })
  graph.produce(outputs[0]!, name)
}

const interpolate: Layer = (graph, { inputs, outputs, options }, name) => {
  if (!options.halfPixelCenters) throw new Error('Expected an interpolation between the centers of pixels')
  const [, height, width, channels] = graph.shapeOf(outputs[0]!)
  const sizes = BigInt64Array.from([1, channels!, height!, width!], BigInt)
  graph.addNode({
    operator: 'Resize',
    inputs: [graph.floatOf(inputs[0]!), '', '', graph.addTensor(`${name}s`, [4], 'int64', sizes)],
    output: name,
    attributes: { mode: 'linear', coordinate_transformation_mode: 'half_pixel' },
  })
  graph.produce(outputs[0]!, name)
}

/** TFLite tells the zeros before and after each dimension in pairs, ONNX all those before first. */
const pad: Layer = (graph, { inputs, outputs }, name) => {
  const pairs = storedNumbers(graph.tensorAt(inputs[1]!))
  const starts = [0, 3, 1, 2].map((dimension) => pairs[2 * dimension]!)
  const ends = [0, 3, 1, 2].map((dimension) => pairs[2 * dimension + 1]!)
  const pads = graph.addTensor(`${name}p`, [8], 'int64', BigInt64Array.from([...starts, ...ends], BigInt))
  graph.addNode({ operator: 'Pad', inputs: [graph.floatOf(inputs[0]!), pads], output: name })
  graph.produce(outputs[0]!, name)
}

const reshape: Layer = (graph, { inputs, outputs }, name) => {
  const [, height, width, channels] = graph.shapeOf(inputs[0]!)
  const isPicture = channels !== undefined && !(height === 1 && width === 1)
  let source = graph.floatOf(inputs[0]!)
  if (isPicture) {
    const attributes = { perm: [0, 2, 3, 1] }
    source = graph.addNode({ operator: 'Transpose', inputs: [source], output: `${name}t`, attributes })
  }
  const shape = graph.shapeOf(outputs[0]!)
  const target = graph.addTensor(`${name}s`, [shape.length], 'int64', BigInt64Array.from(shape, BigInt))
  graph.addNode({ operator: 'Reshape', inputs: [source, target], output: name })
  graph.produce(outputs[0]!, name)
}

const concatenate: Layer = (graph, { inputs, outputs, options }, name) => {
  if (graph.shapeOf(outputs[0]!).length === 4) throw new Error('Expected rows to be joined, received pictures')
  graph.addNode({
    operator: 'Concat',
    inputs: inputs.map(graph.floatOf),
    output: name,
    attributes: { axis: options.axis! },
  })
  graph.produce(outputs[0]!, name)
}

const connect: Layer = (graph, { inputs, outputs, options }, name) => {
  const [input, weights, bias] = inputs as [number, number, number | undefined]
  const flat = graph.addTensor(`${name}s`, [2], 'int64', BigInt64Array.of(1n, -1n))
  const row = graph.addNode({ operator: 'Reshape', inputs: [graph.floatOf(input), flat], output: `${name}x` })
  const operands = [row, addWeights(graph, weights, `${name}w`, denseLayout(graph.shapeOf(weights)))]
  if (bias !== undefined && bias >= 0) operands.push(addBias(graph, { bias, input, weights }, `${name}b`))
  graph.addNode({ operator: 'Gemm', inputs: operands, output: name, attributes: { transB: 1 } })
  graph.produce(outputs[0]!, clip(graph, name, outputs[0]!, options.activation))
}

const apply =
  (operator: string): Layer =>
  (graph, { inputs, outputs }, name) => {
    graph.addNode({ operator, inputs: [graph.floatOf(inputs[0]!)], output: name })
    graph.produce(outputs[0]!, name)
  }

export const layers: Record<string, Layer> = {
  CONV_2D: convolve,
  DEPTHWISE_CONV_2D: convolve,
  ADD: combine('Add'),
  MUL: combine('Mul'),
  SUB: combine('Sub'),
  MAX_POOL_2D: pool('MaxPool'),
  AVERAGE_POOL_2D: pool('AveragePool'),
  RESIZE_NEAREST_NEIGHBOR: enlarge,
  RESIZE_BILINEAR: interpolate,
  PAD: pad,
  RESHAPE: reshape,
  CONCATENATION: concatenate,
  FULLY_CONNECTED: connect,
  LOGISTIC: apply('Sigmoid'),
  RELU: apply('Relu'),
  QUANTIZE: (graph, { inputs, outputs }) => graph.produce(outputs[0]!, graph.floatOf(inputs[0]!)),
  DEQUANTIZE: (graph, { inputs, outputs }) => graph.setFloat(outputs[0]!, graph.floatOf(inputs[0]!)),
}
