import { type Picture, resizePicture } from '../picture.ts'
import { type Corners, centerOf, contains, overlap } from './boxes.ts'
import type { Detection } from './detector.ts'
import type { Model } from './runtime.ts'

/** Where a face is, from 0 to 1 of the picture, and how sure that is. Nothing tells whose face it is. */
export type Face = { score: number; corners: Corners }

const edge = 192
/** The model looks at a grid of this many cells a side, and says of each cell whether a face is around it. */
const grid = 48
const numbersEach = 16
const lowestScore = 0.5
const largestOverlap = 0.3
const mostFaces = 50

/**
 * Petals and lights at night look like faces at times, so a doubtful one counts only where the detector sees a person.
 * Measured on `evaluation`.
 */
const certainScore = 0.75
const personScore = 0.3

/** The faces that count, the surest first. */
export const certainFaces = (faces: Face[], detections: Detection[]) => {
  const persons = detections.filter(({ label, score }) => label === 'person' && score >= personScore)
  return faces.filter(
    ({ score, corners }) =>
      score >= certainScore || persons.some((person) => contains(person.corners, centerOf(corners))),
  )
}

export async function findFaces(model: Model, picture: Picture): Promise<Face[]> {
  const { data } = await resizePicture(picture, { width: edge, height: edge }, 'contain')
  const pixels = Float32Array.from(data, (value) => value / 127.5 - 1)
  const answer = await model.run({ pixels: { type: 'float32', data: pixels, dims: [1, edge, edge, 3] } })
  const boxes = answer.reshaped_regressor_face_4!.data
  const logits = answer.reshaped_classifier_face_4!.data
  const toPicture = fromSquare(picture)
  const candidates = [...logits]
    .map((logit, cell) => ({ score: 1 / (1 + Math.exp(-logit)), cell }))
    .filter(({ score }) => score >= lowestScore)
    .sort((a, b) => b.score - a.score)
    .map(({ score, cell }): Face => ({ score, corners: toPicture(boxOf(boxes, cell)) }))
  return keepDistinct(candidates)
}

/** A box is told in pixels: the distance of its center from that of its cell, and its size. The rest are eyes, nose and mouth. */
function boxOf(boxes: Float32Array, cell: number): Corners {
  const [shiftX, shiftY, width, height] = boxes.subarray(cell * numbersEach) as unknown as number[]
  const x = ((cell % grid) + 0.5) / grid + shiftX! / edge
  const y = (Math.floor(cell / grid) + 0.5) / grid + shiftY! / edge
  const [halfWidth, halfHeight] = [width! / edge / 2, height! / edge / 2]
  return { left: x - halfWidth, top: y - halfHeight, right: x + halfWidth, bottom: y + halfHeight }
}

/** The picture stands in the middle of the square that the model looks at. */
function fromSquare({ width, height }: Picture) {
  const longest = Math.max(width, height)
  const part = (value: number, length: number) =>
    Math.min(1, Math.max(0, (value * longest - (longest - length) / 2) / length))
  return ({ left, top, right, bottom }: Corners): Corners => ({
    left: part(left, width),
    top: part(top, height),
    right: part(right, width),
    bottom: part(bottom, height),
  })
}

function keepDistinct(candidates: Face[]): Face[] {
  const kept: Face[] = []
  for (const candidate of candidates) {
    if (kept.length === mostFaces) break
    if (kept.every(({ corners }) => overlap(corners, candidate.corners) < largestOverlap)) kept.push(candidate)
  }
  return kept
}
