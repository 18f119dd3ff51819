import type { AiTag } from '../provider.ts'
import { areaOf } from './boxes.ts'
import type { Detection } from './detector.ts'
import type { Face } from './faces.ts'

/** A smaller face or person is part of a scene, not of a portrait. */
const portraitFace = 0.025
const portraitPerson = 0.35

type People = { faces: Face[]; detections: Pick<Detection, 'label' | 'area'>[] }

/** Every face belongs to a person, also where the detector saw none or fewer. */
export function countPeople(shown: AiTag[], { faces }: People): AiTag[] {
  const known = shown.find(({ name, source }) => name === 'person' && source === 'detector')
  if (faces.length === 0 || (known?.count ?? 0) >= faces.length) return shown
  const person: AiTag = { name: 'person', score: faces[0]!.score, source: 'detector', count: faces.length }
  return [...shown.filter((tag) => tag !== known), { ...person, score: Math.max(person.score, known?.score ?? 0) }]
}

export function peopleTags(shown: AiTag[], { faces, detections }: People): AiTag[] {
  const count = shown.find(({ name, source }) => name === 'person' && source === 'detector')?.count ?? 0
  if (count >= 3) return [ruleTag('group of people', 1)]
  if (count === 2) return [ruleTag('two people', 1)]
  const person = largestOf(detections.filter(({ label }) => label === 'person').map(({ area }) => area))
  const isPortrait = largestOf(faces.map(({ corners }) => areaOf(corners))) > portraitFace || person > portraitPerson
  return count === 1 && isPortrait ? [ruleTag('portrait', Math.min(1, person + 0.3))] : []
}

const largestOf = (areas: number[]) => Math.max(0, ...areas)

const ruleTag = (name: string, score: number): AiTag => ({ name, score, source: 'rule' })
