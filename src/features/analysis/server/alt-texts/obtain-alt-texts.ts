import { createHash } from 'node:crypto'
import { tidyAltText } from '#engines/ai/alt-text.ts'
import { aiErrorKind } from '#engines/ai/errors.ts'
import { draftAltText, draftLanguageOf, draftLanguages } from '#engines/ai/local/drafts.ts'
import type { AiAnalysis, AltTextInput, WebsiteContext } from '#engines/ai/provider.ts'
import type { MediaRow } from '#features/media/server/to-media.ts'
import { AppError, invalid } from '#platform/errors.ts'
import { languageName } from '#shared/languages.ts'
import type { Ai } from '../ai.ts'
import { payFor } from '../budget.ts'
import { withClaim } from '../claims.ts'
import { withFrames } from '../frames.ts'
import { type AiServices, ask, obtainFindings } from '../obtain-analysis.ts'
import { asksForPause, isWorthWaiting } from '../pauses.ts'
import { findAltTexts, saveAltTexts } from '../results-store.ts'

type Wanted = { languages: string[]; website?: WebsiteContext }
type Options = { signal: AbortSignal; canWait: boolean }

/** `note` is what the reviewer should know about the texts. */
type ObtainedAltTexts = {
  texts: Record<string, string>
  provider: string
  model: string
  note: string | null
}

const draftNote = 'This is a draft. Please check it before you apply it.'
const unrecognized = 'The built-in AI does not recognize what this item shows. Please write its alt text yourself.'

/** Refuses languages that neither the endpoint nor the built-in AI writes. */
export function checkLanguages({ endpoint }: Pick<Ai, 'endpoint'>, languages: string[]) {
  const others = endpoint ? [] : languages.filter((language) => !draftLanguageOf(language))
  if (others.length === 0) return
  const [known, unknown] = [draftLanguages, others].map((tags) => tags.map(languageName).join(', '))
  const sentence = `The built-in AI writes alt texts in ${known}, but not in ${unknown}.`
  throw invalid(`${sentence} Choose one of these, or connect a model with AI_BASE_URL.`, { field: 'languages' })
}

/** By the endpoint in one request for all languages, or drafts from what the built-in AI or a larger model recognized. */
export async function obtainAltTexts(
  services: AiServices,
  media: MediaRow,
  wanted: Wanted,
  options: Options,
): Promise<ObtainedAltTexts> {
  const { ai } = services
  if (ai.endpoint) return ai.inTurn(media.blob, () => obtainFromEndpoint(services, media, wanted, options))
  const { analysis } = await obtainFindings(services, media, options)
  const drafts = await draftFrom(analysis, media, wanted)
  if (!drafts) throw new AppError('ai-unrecognized', 422, unrecognized)
  return drafts
}

async function obtainFromEndpoint(
  services: AiServices,
  media: MediaRow,
  wanted: Wanted,
  { signal, canWait }: Options,
): Promise<ObtainedAltTexts> {
  const { db, ai } = services
  const known = await findAltTexts(db, media.blob, identityOf(ai, wanted))
  if (known) return asMade(ai, known)
  await ai.modelsSettled(signal)
  return withFrames(services, media, async (frames) => {
    const input = { frames, isVideo: media.type === 'video', signal }
    // The endpoint sees for itself; what the built-in AI counted and read only helps.
    const hints = ai.local && (await ask(services, media, ai.local, input).catch(() => undefined))
    signal.throwIfAborted()
    try {
      const pauseReason = ai.pauseReason()
      if (pauseReason) throw pauseReason
      return await askEndpoint(services, media, { ...input, ...wanted, hints })
    } catch (error) {
      if (signal.aborted || !(error instanceof AppError)) throw error
      const isAway = asksForPause(error) || ['timeout', 'network'].includes(aiErrorKind(error) ?? '')
      if (isAway && error !== ai.pauseReason()) ai.pauseEndpoint(error)
      const drafts = hints && !(canWait && isWorthWaiting(error)) && (await draftFrom(hints, media, wanted))
      if (!drafts) throw error
      return { ...drafts, note: `${error.message} ${draftNote}` }
    }
  })
}

/** Texts are stored as results are; see [Note: The same bytes are never sent twice]. */
async function askEndpoint({ db, ai }: AiServices, media: MediaRow, input: AltTextInput & { signal: AbortSignal }) {
  const identity = identityOf(ai, input)
  const write = async () => {
    const byOthers = await findAltTexts(db, media.blob, identity)
    if (byOthers) return asMade(ai, byOthers)
    const pay = payFor({ db, limits: ai.monthlyLimit, ownerId: media.owner_id }, ai.endpoint!)
    const begin = performance.now()
    const written = await ai.endpoint!.writeAltTexts({ ...input, pay })
    await saveAltTexts(db, media.blob, identity, { ...written, tookMs: performance.now() - begin })
    return asMade(ai, written.texts)
  }
  return withClaim(db, media.blob, write, input.signal)
}

function asMade({ endpoint }: Ai, texts: Record<string, string>): ObtainedAltTexts {
  return { texts, provider: endpoint!.name, model: endpoint!.model, note: null }
}

/** The languages and the words of the website are a part of the version. */
function identityOf({ endpoint }: Ai, { languages, website }: Wanted) {
  const { language: _main, ...words } = website ?? { language: '' }
  const parts = JSON.stringify([languages.toSorted(), website ? words : null])
  const hash = createHash('sha256').update(parts).digest('hex').slice(0, 16)
  const { name, model, altTextVersion } = endpoint!
  return { name, model, version: `${altTextVersion}+${hash}` }
}

/** In the languages that can be written; undefined where nothing was recognized. */
async function draftFrom(found: AiAnalysis, { type }: MediaRow, { languages }: Wanted) {
  const written = await Promise.all(languages.map(async (language) => [language, await draft(language)] as const))
  const texts = Object.fromEntries(written.filter((entry): entry is [string, string] => entry[1] !== undefined))
  if (Object.keys(texts).length === 0) return undefined
  return { texts, provider: found.provider, model: found.model, note: draftNote }

  async function draft(language: string) {
    // Florence-2 writes English sentences.
    const isSentence = found.provider === 'hub' && draftLanguageOf(language) === 'en' && found.description !== ''
    return isSentence ? tidyAltText(found.description) : draftAltText(language, { ...found, isVideo: type === 'video' })
  }
}
