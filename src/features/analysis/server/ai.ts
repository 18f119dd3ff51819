import type { FastifyBaseLogger } from 'fastify'
import type { Kysely } from 'kysely'
import { createLocalProvider, type LocalProvider } from '#engines/ai/local/local-provider.ts'
import { findMissingFiles, findMissingModels, installModels } from '#engines/ai/models/install-models.ts'
import { modelFiles } from '#engines/ai/models/lock.ts'
import { createOpenAiProvider, type OpenAiProvider } from '#engines/ai/openai/openai-provider.ts'
import type { AiHealth, AiProvider } from '#engines/ai/provider.ts'
import type { ImageEngine } from '#engines/images/image-engine.ts'
import { findAiLanguage } from '#features/auth/server/store.ts'
import { type AppError, notConfigured, unavailable } from '#platform/errors.ts'
import type { Config } from '#platform/server/config.ts'
import type { Tables } from '#platform/server/db/tables.ts'
import { raceAbort } from '#shared/concurrency.ts'
import { createHub, type Hub } from './hub/hub.ts'
import { createDuplicateGroups, type FindGroups } from './likeness/duplicate-search.ts'
import { createSketchIndex, type SketchIndex } from './likeness/sketch-index.ts'
import { endpointPauseMs } from './pauses.ts'
import { createVocabularies, type Vocabulary } from './vocabulary.ts'

/** The state of the built-in models: disabled, not checked yet, ready, being installed, or missing with a reason. */
type ModelState = 'off' | 'unknown' | 'ready' | 'installing' | 'missing'

export type HealthReport = AiHealth & { at: number }

export type Ai = {
  local: LocalProvider | undefined
  /** Large models that an administrator has set up; those in use are preferred to `local`. */
  hub: Hub
  /** An OpenAI-compatible endpoint; it is preferred to all others. */
  endpoint: OpenAiProvider | undefined
  monthlyLimit: { perUser?: number; server?: number }
  models: { state: ModelState; message: string; directory: string }
  vocabularyOf(ownerId: number): Promise<Vocabulary>
  /** The language of descriptions and tags that the owner chose, else that of the server. */
  languageOf(ownerId: number): Promise<string>
  sketches: SketchIndex
  duplicateGroupsOf: FindGroups
  /** Downloads missing models in the background. The server runs meanwhile, even if the download fails. */
  prepareModels(): void
  /** Checks the folder again, as `npm run models` may have been run in the meantime. */
  refreshModels(): Promise<void>
  /** Whether the optional model that tells a subject from its background is installed. */
  canFindSubjects(): Promise<boolean>
  /** Resolves when no model is being installed. */
  modelsSettled(signal?: AbortSignal): Promise<void>
  /** The reason why the endpoint is paused, or undefined. It is paused after a rate limit and while it cannot be reached. */
  pauseReason(): AppError | undefined
  pauseEndpoint(fault: AppError): void
  /** The last health check or pause of the endpoint that this process saw, apart from its successful responses. */
  lastHealth(): HealthReport | undefined
  noteHealth(health: AiHealth): void
  /** Runs work on the same bytes one at a time, so that the second call finds the result of the first. */
  inTurn<T>(sha256: string, work: () => Promise<T>): Promise<T>
  close(): Promise<void>
}

type Options = {
  config: Config['ai']
  log: FastifyBaseLogger
  slowReads: Kysely<Tables>
  images: ImageEngine
}

export function createAi({ config, log, slowReads, images }: Options): Ai {
  const { isLocalOn, modelsDir: directory, endpoint, hubUrl, monthlyLimit } = config
  const local = isLocalOn ? createLocalProvider({ modelsDirectory: directory }) : undefined
  const remote = endpoint ? createOpenAiProvider({ ...endpoint, shrink: images.shrink }) : undefined
  const hub = createHub({ url: hubUrl, modelsDirectory: directory, db: slowReads })
  const turns = new Map<string, Promise<unknown>>()
  const stopping = new AbortController()
  let preparing: Promise<void> = Promise.resolve()
  let rest: { until: number; fault: AppError } | undefined
  let lastHealth: HealthReport | undefined
  const models: Ai['models'] = {
    state: local ? 'unknown' : 'off',
    message: local ? 'The built-in AI has not been checked yet.' : 'The built-in AI is switched off (AI_LOCAL=0).',
    directory,
  }

  async function prepare() {
    const isUsable = (await findMissingModels(directory)).length === 0
    if (isUsable) ready()
    if ((await findMissingFiles(directory)).length === 0) return
    const tell = (message: string) => isUsable || say('installing', message)
    tell('The built-in AI is being set up: downloading its models.')
    log.info({ directory }, 'download of AI models started')
    try {
      await installModels({
        directory,
        signal: stopping.signal,
        onProgress: ({ done, total, message }) =>
          tell(`The built-in AI is being set up (step ${done + 1} of ${total}: ${message}).`),
      })
      ready()
      log.info('AI models downloaded')
    } catch (error) {
      if ((await findMissingModels(directory)).length === 0) ready()
      else say('missing', missingModels)
      if (!stopping.signal.aborted) log.warn({ err: error }, 'download of AI models failed; run `npm run models`')
    }
  }

  const noteHealth = (health: AiHealth) => {
    lastHealth = { ...health, at: Date.now() }
  }
  const ready = () => say('ready', 'The built-in models are in place.')
  function say(state: ModelState, message: string) {
    Object.assign(models, { state, message })
  }

  return {
    local,
    hub,
    endpoint: remote,
    monthlyLimit,
    models,
    vocabularyOf: createVocabularies(slowReads),
    languageOf: async (ownerId) => (await findAiLanguage(slowReads, ownerId)) ?? config.language,
    sketches: createSketchIndex(slowReads),
    duplicateGroupsOf: createDuplicateGroups(slowReads),
    prepareModels() {
      if (local && models.state !== 'installing') preparing = prepare()
    },
    async refreshModels() {
      if (models.state === 'missing' && (await findMissingModels(directory)).length === 0) ready()
    },
    canFindSubjects: async () =>
      local !== undefined && !(await findMissingFiles(directory)).includes(modelFiles.saliency),
    modelsSettled: (signal) => (signal ? raceAbort(signal, preparing) : preparing),
    pauseReason: () => (rest && rest.until > Date.now() ? rest.fault : undefined),
    pauseEndpoint(fault) {
      noteHealth({ ok: false, message: fault.message })
      rest = { until: Date.now() + endpointPauseMs(fault), fault }
    },
    lastHealth: () => lastHealth,
    noteHealth,
    async inTurn(sha256, work) {
      const before = turns.get(sha256) ?? Promise.resolve()
      // The failure of the previous work is handled by its own caller.
      const mine = before.catch(() => {}).then(work)
      turns.set(sha256, mine)
      try {
        return await mine
      } finally {
        if (turns.get(sha256) === mine) turns.delete(sha256)
      }
    },
    async close() {
      stopping.abort(new Error('The server is stopping'))
      await Promise.all([preparing, local?.close(), hub.close(), remote?.close()])
    },
  }
}

const missingModels =
  'The models of the built-in AI are missing. Run `npm run models` on the server, or set AI_BASE_URL and AI_MODEL.'

export const hasAi = ({ endpoint, hub, local }: Ai) => Boolean(endpoint ?? hub.provider() ?? local)

/** The best one there is. The models of the hub are those of the last `hub.refresh`. */
export function preferredProvider({ endpoint, hub, local }: Ai): AiProvider {
  const provider = endpoint ?? hub.provider() ?? local
  if (!provider) {
    throw notConfigured('No AI is configured. Set AI_LOCAL=1 for the built-in one, or AI_BASE_URL and AI_MODEL.')
  }
  return provider
}

/** For interactive requests: throws at once if the AI cannot answer now. */
export async function requireAi(ai: Ai): Promise<AiProvider> {
  await ai.hub.refresh()
  const provider = preferredProvider(ai)
  await ai.refreshModels()
  if (provider === ai.local && ai.models.state === 'installing') throw unavailable(ai.models.message, 30)
  if (provider === ai.local && ai.models.state === 'missing') throw notConfigured(missingModels)
  return provider
}
