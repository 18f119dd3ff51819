import { type Picture, resizePicture } from '../picture.ts'
import { areaOf, type Corners, clipped, overlap } from './boxes.ts'
import labels from './labels/coco.json' with { type: 'json' }
import type { Model } from './runtime.ts'

export type Detection = {
  label: string
  score: number
  corners: Corners
  /** Share of the picture that it covers, 0 to 1. */
  area: number
}

type Candidate = { kind: number; score: number; corners: Corners }

const size = { width: 448, height: 448 }
const lowestScore = 0.3
const mostDetections = 60
const mostCandidates = 2000

export async function detect(model: Model, anchors: Float32Array, picture: Picture): Promise<Detection[]> {
  const { data } = await resizePicture(picture, size)
  const { boxes, scores } = await model.run({
    pixels: { type: 'uint8', data, dims: [1, size.height, size.width, 3] },
  })
  const candidates = listCandidates(boxes!.data, scores!.data, anchors)
  return keepDistinct(candidates).flatMap(({ kind, score, corners }) => {
    const label = labels[kind]
    return label ? [{ label, score, corners: clipped(corners), area: areaOf(clipped(corners)) }] : []
  })
}

function listCandidates(boxes: Float32Array, scores: Float32Array, anchors: Float32Array): Candidate[] {
  const kinds = labels.length
  const candidates: Candidate[] = []
  for (let index = 0; index < scores.length; index++) {
    const score = scores[index]!
    if (score < lowestScore) continue
    const anchor = Math.floor(index / kinds)
    candidates.push({ kind: index % kinds, score, corners: decodeBox(boxes, anchors, anchor * 4) })
  }
  return candidates.sort((a, b) => b.score - a.score).slice(0, mostCandidates)
}

/** A box is told relative to its anchor (centre y, centre x, height, width), sizes as logarithms. */
function decodeBox(boxes: Float32Array, anchors: Float32Array, at: number): Corners {
  const [anchorY, anchorX, anchorHeight, anchorWidth] = anchors.subarray(at, at + 4) as unknown as number[]
  const y = boxes[at]! * anchorHeight! + anchorY!
  const x = boxes[at + 1]! * anchorWidth! + anchorX!
  const height = Math.exp(boxes[at + 2]!) * anchorHeight!
  const width = Math.exp(boxes[at + 3]!) * anchorWidth!
  return { top: y - height / 2, left: x - width / 2, bottom: y + height / 2, right: x + width / 2 }
}

/** The best boxes first; one of the same kind may overlap a better one by half, one of another kind nearly wholly. */
function keepDistinct(candidates: Candidate[]): Candidate[] {
  const kept: Candidate[] = []
  for (const candidate of candidates) {
    if (kept.length === mostDetections) break
    const isDistinct = kept.every(
      ({ kind, corners }) => overlap(corners, candidate.corners) < (kind === candidate.kind ? 0.5 : 0.85),
    )
    if (isDistinct) kept.push(candidate)
  }
  return kept
}
