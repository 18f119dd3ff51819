/**
 * Packs an embedding as int8. Only its direction matters, so it is scaled until its largest number is 127, and the scale need
 * not be stored.
 */
export function packEmbedding(features: Float32Array): Uint8Array {
  const largest = features.reduce((most, value) => Math.max(most, Math.abs(value)), 0)
  const packed = new Int8Array(features.length)
  if (largest > 0) for (let i = 0; i < features.length; i++) packed[i] = Math.round((features[i]! / largest) * 127)
  return new Uint8Array(packed.buffer)
}

/** Cosine of two packed embeddings: 1 for the same picture, under 0.5 for pictures with nothing in common. */
export function compareEmbeddings(a: Uint8Array, b: Uint8Array): number {
  if (a.length !== b.length) throw new Error(`Expected embeddings of one length, received ${a.length} and ${b.length}`)
  const left = new Int8Array(a.buffer, a.byteOffset, a.length)
  const right = new Int8Array(b.buffer, b.byteOffset, b.length)
  let dot = 0
  let leftSquare = 0
  let rightSquare = 0
  for (let i = 0; i < left.length; i++) {
    dot += left[i]! * right[i]!
    leftSquare += left[i]! ** 2
    rightSquare += right[i]! ** 2
  }
  const product = Math.sqrt(leftSquare * rightSquare)
  return product === 0 ? 0 : dot / product
}

type TaggedNeighbour = { embedding: Uint8Array; tags: string[] }

const neighbourThreshold = 0.55
const fewestThatAgree = 2
const mostNeighbours = 12

/** Tags learned from the owner's own: those that at least two of the nearest pictures share, the surest first. */
export function suggestFromNeighbours(
  embedding: Uint8Array,
  neighbours: Iterable<TaggedNeighbour>,
): { name: string; score: number; count: number }[] {
  const nearest = Array.from(neighbours, ({ embedding: other, tags }) => ({
    tags,
    likeness: compareEmbeddings(embedding, other),
  }))
    .filter(({ likeness }) => likeness >= neighbourThreshold)
    .sort((a, b) => b.likeness - a.likeness)
    .slice(0, mostNeighbours)
  const total = nearest.reduce((sum, { likeness }) => sum + likeness, 0)
  const votes = new Map<string, { score: number; count: number }>()
  for (const { tags, likeness } of nearest) {
    for (const name of new Set(tags)) {
      const vote = votes.get(name) ?? { score: 0, count: 0 }
      votes.set(name, { score: vote.score + likeness / total, count: vote.count + 1 })
    }
  }
  return [...votes]
    .filter(([, { count }]) => count >= fewestThatAgree)
    .map(([name, vote]) => ({ name, ...vote }))
    .sort((a, b) => b.score - a.score || b.count - a.count)
}
