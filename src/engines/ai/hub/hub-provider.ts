import { createProcessPool } from '#platform/server/process-pool/process-pool.ts'
import { cleanText } from '../clean-text.ts'
import { aiError, asAiError } from '../errors.ts'
import { suggestNameByRules } from '../naming.ts'
import { type AiProvider, type AiTag, mostFrames } from '../provider.ts'
import { packEmbedding } from '../similarity.ts'
import { normaliseTags } from '../tags.ts'
import { type HubModelId, hubModels, isComplete } from './catalog.ts'
import { type Examination, pathOf, questions } from './examination.ts'
import type { HubFindings, HubResult, HubTask } from './hub-child.ts'

export type HubEngine = {
  examine(model: HubModelId, signal?: AbortSignal): Promise<Examination>
  /** The chosen models as one provider; what they do not make comes from the built-in AI's findings. */
  provide(models: HubModelId[]): AiProvider
  /** A text's meaning for SigLIP, comparable with those of pictures. */
  embedText(text: string): Promise<Float32Array>
  close(): Promise<void>
}

/** Grows when the same picture would get another answer from the same models. */
const version = '2'
/** Models of some 300 MB are read from the disk first; every word of a description then reports progress. */
const longestMs = 20 * 60_000

/** Large models in one child process of their own, which leaves after two idle minutes. */
export function createHubEngine({ modelsDirectory }: { modelsDirectory: string }): HubEngine {
  const pool = createProcessPool<HubTask, HubResult>({
    entry: new URL('./hub-child.ts', import.meta.url),
    size: 1,
    timeoutMs: longestMs,
    idleMs: 120_000,
  })

  async function run<T extends HubResult>(task: HubTask, signal?: AbortSignal) {
    try {
      return (await pool.run(task, { signal })) as T
    } catch (error) {
      throw asAiError(error)
    }
  }

  function provide(models: HubModelId[]): AiProvider {
    const chosen = hubModels.filter(({ id }) => models.includes(id))
    const identity = { name: 'hub', model: chosen.map(({ identity }) => identity).join('+'), version }
    return {
      ...identity,
      isPaid: false,
      async health() {
        for (const model of chosen) {
          if (await isComplete(model, modelsDirectory)) continue
          return { ok: false, message: `Files of ${model.name} are missing. Set it up again.` }
        }
        const [cat] = questions
        try {
          const task: HubTask = { type: 'analyze', modelsDirectory, models, frames: [pathOf(cat!)] }
          const { tags, description } = await run<HubFindings>(task)
          const isTagged = !tags || tags.some(({ name }) => name === cat!.label)
          const isRight = isTagged && (description === undefined || cat!.inCaption.test(description))
          if (isRight) return { ok: true, message: 'The models recognized a test picture.' }
          return {
            ok: false,
            message: 'The models did not recognize a test picture. Stop using them and set them up again.',
          }
        } catch (error) {
          return { ok: false, message: (error as Error).message }
        }
      },
      async analyze({ frames, hints, vocabulary, signal }) {
        const taken = frames.slice(0, mostFrames)
        if (taken.length === 0) throw aiError('unreadable', 'There is no image to analyze.')
        const found = await run<HubFindings>({ type: 'analyze', modelsDirectory, models, frames: taken }, signal)
        const written = found.description && cleanText(found.description, 2000)
        return {
          title: written ? cleanText(written.split(/(?<=[.!?])\s/)[0]!, 80) : (hints?.title ?? ''),
          description: written || (hints?.description ?? ''),
          tags: normaliseTags(mergeTags(found, hints?.tags), vocabulary ?? []),
          text: hints?.text ?? '',
          embedding: hints?.embedding ?? null,
          seen: found.seen && packEmbedding(found.seen),
          provider: identity.name,
          model: identity.model,
          version: identity.version,
        }
      },
      suggestName: async (context) => suggestNameByRules(context).name,
      // The process belongs to the engine and not to one choice of models.
      close: async () => {},
    }
  }

  return {
    examine: (model, signal) => run<Examination>({ type: 'examine', modelsDirectory, model }, signal),
    provide,
    embedText: (text) => run<Float32Array>({ type: 'embed-text', modelsDirectory, text }),
    close: () => pool.close(),
  }
}

/** SigLIP's words are better than the built-in classes, but it neither counts people nor reads. */
function mergeTags({ tags, regions = [] }: HubFindings, known: AiTag[] = []): AiTag[] {
  if (!tags) return [...known, ...regions]
  return [...tags, ...regions, ...known.filter(({ source }) => source === 'ocr' || source === 'rule')]
}
