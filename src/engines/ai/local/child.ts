import { serveTasks } from '#platform/server/process-pool/serve-tasks.ts'
import { loadPicture } from '../picture.ts'
import { analyzeFrame, analyzePicture, type FrameFindings, mergeFrames } from './analyze-frame.ts'
import { classify } from './classifier.ts'
import { type Models, openModels } from './models.ts'
import { type Coordinates, createPlaceFinder, type PlaceFinder } from './places.ts'
import { findSubject, type SaliencyMap } from './saliency.ts'
import { createTokenizer, embedText, type Tokenizer } from './text-embedding.ts'

/** What the local provider asks of its child process. */
export type LocalTask =
  | { type: 'analyze'; modelsDirectory: string; frames: string[] }
  | { type: 'try'; modelsDirectory: string }
  | { type: 'find-subject'; modelsDirectory: string; path: string }
  | { type: 'embed-text'; modelsDirectory: string; text: string }
  | { type: 'embed-picture'; modelsDirectory: string; frame: string }
  | { type: 'find-place'; modelsDirectory: string; coordinates: Coordinates }

export type LocalResult = FrameFindings | SaliencyMap | Float32Array | string | null

const greyPicture = { data: Buffer.alloc(64 * 64 * 3, 128), width: 64, height: 64 }

type Resident = { directory: string; models: Models; tokenize?: Tokenizer; findPlace?: PlaceFinder }
let resident: Resident | undefined

serveTasks<LocalTask, LocalResult>(async (task, report) => {
  if (resident?.directory !== task.modelsDirectory) {
    resident = { directory: task.modelsDirectory, models: openModels(task.modelsDirectory) }
  }
  const { models } = resident
  if (task.type === 'embed-text') {
    resident.tokenize ??= createTokenizer(await models.tokenizerJson())
    return embedText(await models.textEmbedding(), resident.tokenize, task.text)
  }
  if (task.type === 'embed-picture') {
    return (await classify(await models.classifier(), await loadPicture(task.frame))).features
  }
  if (task.type === 'find-place') {
    resident.findPlace ??= createPlaceFinder(await models.citiesTable())
    return resident.findPlace(task.coordinates)
  }
  if (task.type === 'find-subject') return findSubject(models, task.path)
  if (task.type === 'try') return analyzePicture(models, greyPicture)
  const findings: FrameFindings[] = []
  for (const frame of task.frames) findings.push(await analyzeFrame(models, frame, () => report('seen')))
  return mergeFrames(findings)
})
