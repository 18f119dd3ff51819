import type { FocalPoint } from '#shared/cover-crop.ts'
import { loadPicture, type Picture } from '../picture.ts'
import type { AiTag, Impression } from '../provider.ts'
import { average, classify, listImpressions } from './classifier.ts'
import { type ColourReading, findScenes, isBlank, readColours } from './colours.ts'
import { type Detection, detect } from './detector.ts'
import { certainFaces, type Face, findFaces } from './faces.ts'
import { findTags } from './find-tags.ts'
import { focusOnSaliency, focusOnSubject } from './focal-point.ts'
import { recogniseConcepts } from './heads.ts'
import type { Models } from './models.ts'
import { countPeople, peopleTags } from './people.ts'
import { findSaliency } from './saliency.ts'
import { readText, type TextReading } from './text-reader.ts'

/** All that was measured on one still image. */
export type FrameFindings = {
  tags: AiTag[]
  lines: string[]
  colours: string[]
  brightness: number
  features: Float32Array
  impressions: Impression[]
  /** What crops keep in view; null where nothing stands out. */
  focalPoint: FocalPoint | null
}

/** `onStep` is called after each model's look: on a slow machine the twelve frames of a video take minutes. */
export const analyzeFrame = async (models: Models, path: string, onStep: () => void) =>
  analyzePicture(models, await loadPicture(path), onStep)

export async function analyzePicture(models: Models, picture: Picture, onStep = () => {}): Promise<FrameFindings> {
  const { probabilities, features } = await classify(await models.classifier(), picture)
  onStep()
  const { model, anchors } = await models.detector()
  const detections = await detect(model, anchors, picture)
  const faces = await lookForFaces(models, picture, detections)
  onStep()
  const text = await readText(await models.textDetector(), await models.textRecogniser(), picture)
  onStep()
  const colours = await readColours(picture)
  return {
    tags: tagsOf({ probabilities, detections, faces, concepts: recogniseConcepts(features), text, colours }),
    lines: text.lines,
    colours: colours.dominant,
    brightness: colours.brightness,
    features,
    impressions: listImpressions(probabilities),
    focalPoint: focusOnSubject(faces, detections) ?? (await focusByLooking(models, picture)),
  }
}

async function lookForFaces(models: Models, picture: Picture, detections: Detection[]): Promise<Face[]> {
  const model = await models.faceDetector()
  return model ? certainFaces(await findFaces(model, picture), detections) : []
}

/** A small map is enough for a point, and costs a quarter of a precise one. */
const pointsOfGlance = 18_000

async function focusByLooking(models: Models, picture: Picture): Promise<FocalPoint | null> {
  const model = await models.saliency()
  return model && focusOnSaliency(await findSaliency(model, picture, pointsOfGlance))
}

type Readings = Parameters<typeof findTags>[0] & {
  faces: Face[]
  text: TextReading
  colours: ColourReading
}

function tagsOf({ text, colours, ...findings }: Readings): AiTag[] {
  if (isBlank(colours.pixels)) return lookTags(colours, text, [])
  const isOnPlainGround = findScenes(colours.pixels).includes('white background')
  const shown = countPeople(findTags({ ...findings, isOnPlainGround }), findings)
  return [...shown, ...peopleTags(shown, findings), ...textTags(text), ...lookTags(colours, text, shown)]
}

const ruleTag = (name: string, score: number): AiTag => ({ name, score, source: 'rule' })

function textTags(text: TextReading): AiTag[] {
  const tags: AiTag[] = []
  if (countCharacters(text) >= 4) tags.push({ name: 'text', score: 1, source: 'ocr' })
  if (isDocument(text)) tags.push({ name: 'document', score: 1, source: 'ocr' })
  return tags
}

const countCharacters = ({ lines }: TextReading) => lines.reduce((sum, line) => sum + line.length, 0)

const isDocument = (text: TextReading) => countCharacters(text) > 60 && text.coverage > 0.35

/** Leaves and grass by their colour count only where the heads see something that grows. */
const growing = new Set(['plant', 'grass', 'tree', 'forest', 'garden', 'flower', 'field'])

function lookTags(colours: ColourReading, text: TextReading, shown: AiTag[]): AiTag[] {
  if (colours.tone === 'grey') return [ruleTag('black and white', 1)]
  if (colours.tone === 'sepia') return [ruleTag('sepia', 0.9)]
  if (isDocument(text)) return []
  return findScenes(colours.pixels)
    .filter((scene) => scene !== 'greenery' || shown.some(({ name }) => growing.has(name)))
    .map((scene) => ruleTag(scene, 0.6))
}

const mostLines = 100

/** One finding for a video: the tags that a third of its frames share, every line of text once. */
export function mergeFrames(frames: FrameFindings[]): FrameFindings {
  if (frames.length === 1) return frames[0]!
  return {
    tags: mergeTags(frames),
    lines: [...new Set(frames.flatMap(({ lines }) => lines))].slice(0, mostLines),
    colours: mostFrequent(frames.flatMap(({ colours }) => colours)).slice(0, 3),
    brightness: frames.reduce((sum, { brightness }) => sum + brightness, 0) / frames.length,
    features: average(frames.map(({ features }) => features)),
    impressions: mergeImpressions(frames),
    // The poster is one of the first pictures of a video.
    focalPoint: frames[0]!.focalPoint,
  }
}

function mergeImpressions(frames: FrameFindings[]): Impression[] {
  const sums = new Map<string, number>()
  for (const { word, likelihood } of frames.flatMap(({ impressions }) => impressions)) {
    sums.set(word, (sums.get(word) ?? 0) + likelihood)
  }
  return [...sums].map(([word, sum]) => ({ word, likelihood: sum / frames.length }))
}

function mergeTags(frames: FrameFindings[]): AiTag[] {
  const needed = Math.ceil(frames.length / 3)
  const seen = new Map<string, AiTag[]>()
  for (const { tags } of frames) {
    for (const tag of bestOfEach(tags)) seen.set(tag.name, [...(seen.get(tag.name) ?? []), tag])
  }
  return [...seen.values()].filter((tags) => tags.length >= needed).map(combine)
}

/** A frame may claim a tag by classifier and detector; it is still one frame. */
function bestOfEach(tags: AiTag[]): AiTag[] {
  const best = new Map<string, AiTag>()
  for (const tag of tags) {
    const known = best.get(tag.name)
    if (!known || tag.score > known.score) best.set(tag.name, { ...tag, count: tag.count ?? known?.count })
  }
  return [...best.values()]
}

function combine(tags: AiTag[]): AiTag {
  const { name, source } = tags[0]!
  const score = tags.reduce((sum, tag) => sum + tag.score, 0) / tags.length
  const counts = tags.flatMap(({ count }) => count ?? []).sort((a, b) => a - b)
  const count = counts[Math.floor(counts.length / 2)]
  return { name, source, score, ...(count === undefined ? {} : { count }) }
}

function mostFrequent(words: string[]): string[] {
  const counts = new Map<string, number>()
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1)
  return [...counts].sort(([, a], [, b]) => b - a).map(([word]) => word)
}
