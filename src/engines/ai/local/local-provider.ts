import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { createProcessPool } from '#platform/server/process-pool/process-pool.ts'
import { countOf } from '#shared/count.ts'
import { cleanLines } from '../clean-text.ts'
import { aiError, asAiError } from '../errors.ts'
import { findMissingModels } from '../models/install-models.ts'
import { modelFiles } from '../models/lock.ts'
import { suggestNameByRules } from '../naming.ts'
import { type AiProvider, mostFrames } from '../provider.ts'
import { packEmbedding } from '../similarity.ts'
import { normaliseTags } from '../tags.ts'
import type { FrameFindings } from './analyze-frame.ts'
import type { LocalResult, LocalTask } from './child.ts'
import { describe } from './describe.ts'
import type { Coordinates } from './places.ts'
import type { SaliencyMap } from './saliency.ts'

export type LocalProvider = AiProvider & {
  /** A text's meaning as a unit vector of 384 numbers. */
  embedText(text: string): Promise<Float32Array>
  /** The embedding that an analysis of this still image would have, at a third of the cost. */
  embedPicture(frame: string, signal?: AbortSignal): Promise<Uint8Array>
  /** The mask of a picture's subject; null where its optional model is not installed. */
  findSubject(path: string): Promise<SaliencyMap | null>
  /** The nearest town's name, "Zermatt, Switzerland", from a list of 130,000; null far from any. */
  findPlace(coordinates: Coordinates): Promise<string | null>
}

const identity = {
  name: 'local',
  model: 'efficientnet-lite4+efficientdet-lite2+pp-ocrv4',
  /** Grows when the same picture would get another answer, so that kept results can be told apart. */
  version: '4',
}
const startMs = 60_000
const frameMs = 30_000
const longestText = 5000

/** Without an optional model fewer things are found, so these results are told apart from those made with it. */
function versionWith(modelsDirectory: string) {
  const optional = { faces: modelFiles.faceDetector, saliency: modelFiles.saliency }
  const missing = Object.entries(optional).filter(([, file]) => !existsSync(join(modelsDirectory, file)))
  return [identity.version, ...missing.map(([name]) => `without ${name}`)].join(', ')
}

/** The built-in AI: no key, no network. Its models run in one child process that leaves after two idle minutes. */
export function createLocalProvider({ modelsDirectory }: { modelsDirectory: string }): LocalProvider {
  const pool = createProcessPool<LocalTask, LocalResult>({
    entry: new URL('./child.ts', import.meta.url),
    size: 1,
    timeoutMs: startMs,
    idleMs: 120_000,
  })

  async function run<T extends LocalResult>(
    task: LocalTask,
    options: { timeoutMs?: number; signal?: AbortSignal } = {},
  ) {
    try {
      return (await pool.run(task, options)) as T
    } catch (error) {
      throw asAiError(error)
    }
  }

  return {
    ...identity,
    get version() {
      return versionWith(modelsDirectory)
    },
    isPaid: false,

    async health() {
      const missing = await findMissingModels(modelsDirectory)
      if (missing.length > 0) {
        return {
          ok: false,
          message: `${countOf(missing.length, 'model file is', 'model files are')} missing. Run \`npm run models\` on the server.`,
        }
      }
      try {
        await run({ type: 'try', modelsDirectory })
        return { ok: true, message: 'The built-in models are loaded and working.' }
      } catch (error) {
        return { ok: false, message: (error as Error).message }
      }
    },

    async analyze({ frames, isVideo = false, vocabulary, signal }) {
      const chosen = frames.slice(0, mostFrames)
      if (chosen.length === 0) throw aiError('unreadable', 'There is no image to analyze.')
      const version = versionWith(modelsDirectory)
      const findings = await run<FrameFindings>(
        { type: 'analyze', modelsDirectory, frames: chosen },
        { timeoutMs: startMs + frameMs * chosen.length, signal },
      )
      const tags = normaliseTags(findings.tags)
      return {
        ...describe({ ...findings, tags, isVideo }),
        tags: vocabulary ? normaliseTags(tags, vocabulary) : tags,
        text: cleanLines(findings.lines, longestText),
        embedding: packEmbedding(findings.features),
        impressions: findings.impressions,
        focalPoint: findings.focalPoint,
        provider: identity.name,
        model: identity.model,
        version,
      }
    },

    suggestName: async (context) => suggestNameByRules(context).name,
    embedText: (text) => run<Float32Array>({ type: 'embed-text', modelsDirectory, text }),
    async embedPicture(frame, signal) {
      const task = { type: 'embed-picture' as const, modelsDirectory, frame }
      return packEmbedding(await run<Float32Array>(task, { timeoutMs: startMs + frameMs, signal }))
    },
    findSubject: (path) =>
      run<SaliencyMap | null>({ type: 'find-subject', modelsDirectory, path }, { timeoutMs: startMs + frameMs }),
    findPlace: (coordinates) => run<string | null>({ type: 'find-place', modelsDirectory, coordinates }),
    close: () => pool.close(),
  }
}
