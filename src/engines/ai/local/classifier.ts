import { type Picture, resizePicture } from '../picture.ts'
import type { Impression } from '../provider.ts'
import classes from './labels/imagenet.json' with { type: 'json' }
import type { Model } from './runtime.ts'

export type Classification = {
  /** One probability for each ImageNet class. */
  probabilities: Float32Array
  /** What the network saw before it named it. */
  features: Float32Array
}

const size = { width: 300, height: 300 }

/** Looks twice, at the middle and at the squeezed whole, and averages: the whole loses shape, the middle loses edges. */
export async function classify(model: Model, picture: Picture): Promise<Classification> {
  const views = [
    await look(model, await resizePicture(picture, size, 'cover')),
    await look(model, await resizePicture(picture, size, 'fill')),
  ]
  return {
    probabilities: average(views.map(({ logits }) => softmax(logits))),
    features: average(views.map(({ embedding }) => embedding)),
  }
}

async function look(model: Model, { data }: Picture) {
  const { logits, embedding } = await model.run({
    pixels: { type: 'uint8', data, dims: [1, size.height, size.width, 3] },
  })
  return { logits: logits!.data, embedding: embedding!.data }
}

function softmax(logits: Float32Array): Float32Array {
  const highest = logits.reduce((a, b) => Math.max(a, b), -Infinity)
  const powers = logits.map((value) => Math.exp(value - highest))
  const sum = powers.reduce((a, b) => a + b, 0)
  return powers.map((value) => value / sum)
}

const fewestPercent = 0.5

/** The classes that a picture may show, even where none of them is likely enough for a tag. */
export function listImpressions(probabilities: Float32Array): Impression[] {
  return classes.flatMap(({ label }, index) => {
    const likelihood = Math.round(probabilities[index]! * 1000) / 1000
    return likelihood * 100 >= fewestPercent ? [{ word: label.toLowerCase(), likelihood }] : []
  })
}

export function average(vectors: Float32Array[]): Float32Array {
  const [first = new Float32Array()] = vectors
  return first.map((_, index) => vectors.reduce((sum, vector) => sum + vector[index]!, 0) / vectors.length)
}
