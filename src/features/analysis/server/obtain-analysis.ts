import { createHash } from 'node:crypto'
import type { FastifyBaseLogger } from 'fastify'
import type { Kysely } from 'kysely'
import { aiErrorKind } from '#engines/ai/errors.ts'
import { describeIn } from '#engines/ai/local/drafts.ts'
import type { AiAnalysis, AiInput, AiProvider, WebsiteContext } from '#engines/ai/provider.ts'
import type { ImageEngine } from '#engines/images/image-engine.ts'
import type { Storage } from '#engines/storage/storage.ts'
import type { VideoEngine } from '#engines/video/video-engine.ts'
import type { MediaRow } from '#features/media/server/to-media.ts'
import { AppError } from '#platform/errors.ts'
import type { Tables } from '#platform/server/db/tables.ts'
import { type Ai, preferredProvider } from './ai.ts'
import { payFor } from './budget.ts'
import { withClaim } from './claims.ts'
import { withFrames } from './frames.ts'
import { asksForPause, isWorthWaiting } from './pauses.ts'
import { findResult, saveResult } from './results-store.ts'

export type AiServices = {
  db: Kysely<Tables>
  ai: Ai
  log: FastifyBaseLogger
  storage: Storage
  images: ImageEngine
  videos: VideoEngine
}

/** The analysis; `shortfall` is why the built-in AI stood in for the endpoint. */
export type ObtainedAnalysis = { analysis: AiAnalysis; shortfall?: AppError }

/** With `canWait`, a short pause of the endpoint throws instead of using the built-in AI. */
export type ObtainOptions = { signal?: AbortSignal; canWait?: boolean; website?: WebsiteContext }

/**
 * [Note: The same bytes are never sent twice]
 * Results are stored by bytes, provider, model and version, and shared by all users who have these bytes. So a request
 * contains no user's text: the vocabulary it offers holds only words from models. The owner's spelling is applied afterwards.
 * The exception are the words of a website, of which the version of its results has a hash.
 */
export async function obtainAnalysis(
  services: AiServices,
  media: MediaRow,
  options: ObtainOptions = {},
): Promise<ObtainedAnalysis> {
  const language = options.website?.language ?? (await services.ai.languageOf(media.owner_id))
  const obtained = await obtainFindings(services, media, { ...options, language })
  return describeFor(obtained, media, language)
}

/** Only the endpoint writes in a language of its own accord; the other models' words are put into it afterwards. */
async function describeFor(obtained: ObtainedAnalysis, { type }: MediaRow, language: string) {
  const { analysis } = obtained
  if (analysis.provider === 'openai') return obtained
  const description = await describeIn(language, { ...analysis, isVideo: type === 'video' })
  return description ? { ...obtained, analysis: { ...analysis, description } } : obtained
}

/** As the model gave it: what is not from the endpoint is in English. */
export async function obtainFindings(
  services: AiServices,
  media: MediaRow,
  { signal, canWait = false, website, language }: ObtainOptions & { language?: string } = {},
): Promise<ObtainedAnalysis> {
  const { db, ai } = services
  await ai.hub.refresh()
  const preferred = preferredProvider(ai)
  return ai.inTurn(media.blob, async () => {
    const known = await findResult(db, media.blob, identityOf(ai, preferred, { website, language }))
    if (known) return { analysis: known }
    await ai.modelsSettled(signal)
    return withFrames(services, media, (frames) => {
      const input = { frames, isVideo: media.type === 'video', website, language, signal }
      return analyzeFrames(services, media, preferred, input, canWait)
    })
  })
}

async function analyzeFrames(
  services: AiServices,
  media: MediaRow,
  preferred: AiProvider,
  input: AiInput,
  canWait: boolean,
): Promise<ObtainedAnalysis> {
  const { ai } = services
  const { local, endpoint } = ai
  if (preferred === local) return { analysis: await ask(services, media, preferred, input) }
  const isEndpoint = preferred === endpoint
  const finding = local && ask(services, media, local, input)
  // Results of the hub's models are stored together with the built-in AI's, so they are not made without them.
  const hints = await (isEndpoint ? finding?.catch(rethrowAbort(input.signal)) : finding)
  const fallBack = (fault: AppError): ObtainedAnalysis | undefined =>
    hints && !(canWait && isWorthWaiting(fault)) ? { analysis: hints, shortfall: fault } : undefined
  const pauseReason = isEndpoint ? ai.pauseReason() : undefined
  const instead = pauseReason && fallBack(pauseReason)
  if (instead) return instead
  // Without a built-in AI a connection failure is retried at once, but a requested pause is respected.
  if (pauseReason && asksForPause(pauseReason)) throw pauseReason
  try {
    const { modelWords: vocabulary } = await ai.vocabularyOf(media.owner_id)
    return { analysis: await ask(services, media, preferred, { ...input, hints, vocabulary }) }
  } catch (error) {
    if (input.signal?.aborted || !(error instanceof AppError)) throw error
    const isAway = asksForPause(error) || ['timeout', 'network'].includes(aiErrorKind(error) ?? '')
    if (isEndpoint && isAway) ai.pauseEndpoint(error)
    const found = fallBack(error)
    if (!found) throw error
    return found
  }
}

/** The endpoint's results for a website, or in another language, are stored as versions of their own. */
export function identityOf(
  ai: Ai,
  { name, model, version }: AiProvider,
  { website, language = 'en' }: Pick<AiInput, 'website' | 'language'>,
) {
  if (ai.endpoint?.name !== name) return { name, model, version }
  if (!website) return { name, model, version: language === 'en' ? version : `${version}+${language}` }
  const hash = createHash('sha256').update(JSON.stringify(website)).digest('hex').slice(0, 16)
  return { name, model, version: `${version}+${hash}` }
}

/** The built-in AI may fail where the endpoint does not, so only an abort is thrown. */
const rethrowAbort = (signal?: AbortSignal) => (error: unknown) => {
  if (signal?.aborted || !(error instanceof AppError)) throw error
  return undefined
}

/** The provider's stored result, or a new one. */
export async function ask(
  { db, ai, log }: AiServices,
  media: MediaRow,
  provider: AiProvider,
  input: AiInput,
): Promise<AiAnalysis> {
  // Analyzing locally twice is harmless; sending bytes to an endpoint twice is not.
  if (provider !== ai.endpoint) return findOrAsk()
  return withClaim(db, media.blob, findOrAsk, input.signal)

  async function findOrAsk() {
    const identity = identityOf(ai, provider, input)
    const known = await findResult(db, media.blob, identity)
    if (known) return known
    const payer = { db, limits: ai.monthlyLimit, ownerId: media.owner_id }
    const begin = performance.now()
    const answer = await provider.analyze({ ...input, pay: payFor(payer, provider) }).catch((error: unknown) => {
      // The user sees a short message, so the cause is logged here.
      if (error instanceof AppError && error.cause) log.warn({ err: error }, 'AI analysis failed')
      throw error
    })
    const analysis = { ...answer, version: identity.version }
    await saveResult(db, media.blob, analysis, performance.now() - begin)
    return analysis
  }
}
