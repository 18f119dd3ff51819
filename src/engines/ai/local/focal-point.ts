import type { FocalPoint } from '#shared/cover-crop.ts'
import { areaOf, around, type Corners, centerOf } from './boxes.ts'
import type { Detection } from './detector.ts'
import type { Face } from './faces.ts'
import type { SaliencyMap } from './saliency.ts'

const personScore = 0.45
const subjectScore = 0.5
/** What is smaller than this part of the largest of its kind stands in the background. */
const smallestPart = 0.25
const smallestSubject = 0.02
/** Tables and seats are what a subject stands or sits on. */
const surroundings = new Set(['bed', 'bench', 'chair', 'couch', 'dining table', 'person'])

/**
 * The point that crops keep in view: the middle of the faces, of the heads of people who look away, or of the main subject.
 * Undefined where there is none of them: the saliency map then tells where to look.
 */
export function focusOnSubject(faces: Face[], detections: Detection[]): FocalPoint | undefined {
  const heads = faces.length > 0 ? faces.map(({ corners }) => corners) : listHeads(detections)
  if (heads.length > 0) return centerOf(around(withoutSmall(heads)))
  const subjects = detections.filter(
    ({ label, score, area }) => score >= subjectScore && area >= smallestSubject && !surroundings.has(label),
  )
  if (subjects.length === 0) return undefined
  return centerOf(around(withoutSmall(subjects.map(({ corners }) => corners))))
}

/** The head is in the upper part of a person, and as wide as a third of a height that is wholly visible. */
function listHeads(detections: Detection[]): Corners[] {
  return detections
    .filter(({ label, score }) => label === 'person' && score >= personScore)
    .map(({ corners }) => {
      const { top, left, right, bottom } = corners
      return { top, left, right, bottom: top + Math.min((bottom - top) / 3, right - left) }
    })
}

function withoutSmall(boxes: Corners[]): Corners[] {
  const largest = Math.max(...boxes.map(areaOf))
  return boxes.filter((box) => areaOf(box) >= largest * smallestPart)
}

/** Below this value a point is background, and with a smaller share of the picture nothing stands out. */
const background = 96
const smallestShare = 0.005

/** The center of mass of what stands out, or null where nothing does, as in many landscapes. */
export function focusOnSaliency({ data, width, height }: SaliencyMap): FocalPoint | null {
  let [points, mass, x, y] = [0, 0, 0, 0]
  for (let index = 0; index < data.length; index++) {
    const value = data[index]!
    if (value < background) continue
    points++
    mass += value
    x += value * ((index % width) + 0.5)
    y += value * (Math.floor(index / width) + 0.5)
  }
  return points < smallestShare * data.length ? null : { x: x / mass / width, y: y / mass / height }
}
