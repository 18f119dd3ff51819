import { createGraphBuilder, type GraphBuilder, storedNumbers } from './graph-builder.ts'
import { layers } from './layers.ts'
import { model, type Value } from './onnx.ts'
import { parseTflite, type TfliteModel, type TfliteOperator } from './tflite.ts'

type Converted = { model: Buffer; anchors: Float32Array | null }

type Output = { name: string; tensor: number }

/**
 * Converts a TFLite model. An int8 classifier or detector then takes raw pixels (`pixels`, uint8, NHWC) and gives
 * `embedding` and `logits`, or `boxes` and `scores` with the anchors apart: what follows in TFLite (softmax, the
 * choice of boxes) is done in our own code. A model of floats takes floats and gives its own outputs.
 */
export function convertTflite(bytes: Uint8Array): Converted {
  const source = unpackHalves(parseTflite(bytes))
  const graph = createGraphBuilder(source)
  addInput(graph, source.input)

  const outputs: Output[] = []
  let anchors: Float32Array | null = null
  for (const [index, operator] of source.operators.entries()) {
    if (operator.name === 'SOFTMAX') {
      outputs.push({ name: 'logits', tensor: operator.inputs[0]! })
      break
    }
    if (operator.name === 'CUSTOM') {
      outputs.push({ name: 'boxes', tensor: operator.inputs[0]! }, { name: 'scores', tensor: operator.inputs[1]! })
      anchors = readAnchors(graph, operator)
      break
    }
    const layer = layers[operator.name]
    if (!layer) throw new Error(`The model uses ${operator.name}, which the converter does not know`)
    if (operator.name === 'FULLY_CONNECTED') outputs.push({ name: 'embedding', tensor: operator.inputs[0]! })
    layer(graph, operator, `layer${index}`)
  }

  if (outputs.length === 0) {
    outputs.push(...source.outputs.map((tensor) => ({ name: graph.tensorAt(tensor).name, tensor })))
  }

  const values = outputs.map(({ name, tensor }) => {
    graph.addNode({ operator: 'Identity', inputs: [graph.floatOf(tensor)], output: name })
    return { name, type: 'float' as const, dimensions: onnxShape(graph.shapeOf(tensor)) }
  })
  const isFloat = graph.tensorAt(source.input).type === 'float32'
  const pixels: Value = { name: 'pixels', type: isFloat ? 'float' : 'uint8', dimensions: graph.shapeOf(source.input) }
  return {
    model: model({ nodes: graph.nodes, tensors: graph.tensors, inputs: [pixels], outputs: values }),
    anchors,
  }
}

/** Weights that are stored as 16-bit floats are used as 32-bit ones, without a layer that widens them each time. */
function unpackHalves(source: TfliteModel): TfliteModel {
  const tensors = [...source.tensors]
  const operators = source.operators.filter(({ name, inputs, outputs }) => {
    const packed = tensors[inputs[0]!]
    if (name !== 'DEQUANTIZE' || packed?.type !== 'float16' || !packed.data) return true
    const data = new Uint8Array((storedNumbers(packed) as Float32Array).buffer)
    tensors[outputs[0]!] = { ...packed, type: 'float32', data }
    return false
  })
  return { ...source, tensors, operators }
}

function addInput(graph: GraphBuilder, input: number) {
  const { quantisation } = graph.tensorAt(input)
  const picture = graph.addNode({
    operator: 'Transpose',
    inputs: ['pixels'],
    output: 'picture',
    attributes: { perm: [0, 3, 1, 2] },
  })
  if (!quantisation) return graph.setFloat(input, picture)
  const scale = graph.addTensor('inputScale', [], 'float', Float32Array.of(quantisation.scales[0]!))
  const zeroPoint = graph.addTensor('inputZero', [], 'uint8', Uint8Array.of(quantisation.zeroPoints[0]!))
  graph.addNode({ operator: 'DequantizeLinear', inputs: [picture, scale, zeroPoint], output: 'input' })
  return graph.setFloat(input, 'input')
}

function readAnchors(graph: GraphBuilder, operator: TfliteOperator): Float32Array {
  const anchors = graph.tensorAt(operator.inputs[2]!)
  const stored = storedNumbers(anchors)
  if (stored instanceof Float32Array) return stored
  const { scales, zeroPoints } = anchors.quantisation!
  return Float32Array.from(stored, (value) => (value - zeroPoints[0]!) * scales[0]!)
}

/** Pictures were NHWC in the TFLite file and are NCHW in the ONNX graph. */
function onnxShape(shape: number[]): number[] {
  const [batch, height, width, channels] = shape
  return channels === undefined ? shape : [batch!, channels, height!, width!]
}
