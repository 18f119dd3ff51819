import heads from './labels/heads.json' with { type: 'json' }

/** A concept that a small linear classifier recognises in the features of the large one, with its probability. */
export type Concept = { name: string; probability: number; isRecognised: boolean }

/**
 * [Note: Heads]
 * ImageNet's classes have no words for sky, night, street or indoors, but the features in front of them do tell these
 * apart. So each such concept has a head: 1,280 weights, trained on photographs by `scripts/train-heads`, and a threshold
 * above which it was right nine times in ten. A head costs no time that could be measured.
 */
export function recogniseConcepts(features: Float32Array): Concept[] {
  const rooted = toUnitLength(features.map((value) => Math.sqrt(Math.max(0, value))))
  return decodedHeads.map(({ name, threshold, bias, scale, weights }) => {
    const sum = weights.reduce((total, weight, index) => total + weight * rooted[index]!, 0)
    const probability = 1 / (1 + Math.exp(-(sum * scale + bias)))
    return { name, probability, isRecognised: probability >= threshold }
  })
}

const decodedHeads = heads.concepts.map((head) => ({
  ...head,
  weights: new Int8Array(Buffer.from(head.weights, 'base64')),
}))

function toUnitLength(vector: Float32Array): Float32Array {
  const length = Math.hypot(...vector)
  return length === 0 ? vector : vector.map((value) => value / length)
}
