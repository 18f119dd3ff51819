import { serveTasks } from '#platform/server/process-pool/serve-tasks.ts'
import { loadPicture } from '../picture.ts'
import type { AiTag } from '../provider.ts'
import type { HubModelId } from './catalog.ts'
import { type Examination, examineFlorence, examineSiglip } from './examination.ts'
import { type Florence, openFlorence } from './florence.ts'
import { openSiglip, type Siglip } from './siglip.ts'

/** What the server asks of the child process that holds the models of the hub. */
export type HubTask = { modelsDirectory: string } & (
  | { type: 'examine'; model: HubModelId }
  | { type: 'analyze'; models: HubModelId[]; frames: string[] }
  | { type: 'embed-text'; text: string }
)

/** What the models in use make: SigLIP `tags` and `seen`, Florence `description` and `regions`. */
export type HubFindings = { tags?: AiTag[]; regions?: AiTag[]; description?: string; seen?: Float32Array }

export type HubResult = Examination | HubFindings | Float32Array

type Resident = { directory: string; siglip: Siglip; florence: Florence }
let resident: Resident | undefined

function open(directory: string): Resident {
  if (resident?.directory === directory) return resident
  resident = { directory, siglip: openSiglip(directory), florence: openFlorence(directory) }
  return resident
}

serveTasks<HubTask, HubResult>(async (task, report) => {
  const { siglip, florence } = open(task.modelsDirectory)
  const onStep = () => report('step')
  if (task.type === 'embed-text') return siglip.embedText(task.text)
  if (task.type === 'examine') {
    return task.model === 'siglip2' ? examineSiglip(siglip, onStep) : examineFlorence(florence, onStep)
  }
  const findings: HubFindings = {}
  if (task.models.includes('siglip2')) {
    findings.seen = await meaningOf(siglip, task.frames, onStep)
    findings.tags = await siglip.tag(findings.seen, onStep)
  }
  if (task.models.includes('florence2')) {
    // One frame tells what a video shows; a sentence for each would take minutes.
    const middle = await loadPicture(task.frames[Math.floor(task.frames.length / 2)]!)
    findings.description = await florence.describe(middle, onStep)
    findings.regions = await florence.findRegions(middle, onStep)
  }
  return findings
})

/** The frames' common direction. */
async function meaningOf(siglip: Siglip, frames: string[], onStep: () => void): Promise<Float32Array> {
  const vectors: Float32Array[] = []
  for (const frame of frames) {
    vectors.push(await siglip.embedPicture(await loadPicture(frame)))
    onStep()
  }
  const sum = vectors[0]!.map((_, index) => vectors.reduce((total, vector) => total + vector[index]!, 0))
  const length = Math.hypot(...sum) || 1
  return sum.map((value) => value / length)
}
