import { randomUUID } from 'node:crypto'
import type { Kysely } from 'kysely'
import { findMedia, loadOwnedMediaList } from '#features/media/server/store.ts'
import type { MediaRow } from '#features/media/server/to-media.ts'
import type { Tables } from '#platform/server/db/tables.ts'
import { NotNow, type RunKind } from '#platform/server/runs/runs.ts'
import { countOf } from '#shared/count.ts'
import type { AiRun, AltTextEstimate, AltTextRequest } from '../../contract.ts'
import { type Ai, requireAi } from '../ai.ts'
import type { AnalysisServices } from '../analyze-media.ts'
import { remainingPaidCalls } from '../budget.ts'
import { asFailure } from '../failures.ts'
import { createFaultJudge } from '../runs/item-faults.ts'
import { type AltTextOptions, altTextKind, describeRun, listRunErrors } from '../runs/runs.ts'
import { startOnItems } from '../runs/start-on-items.ts'
import { endpointAtOnce, loadContext, refuseWhenOver } from '../runs/tag-many.ts'
import { countSkipped, type SkipReason, toStored } from './alt-texts-store.ts'
import { missingLanguages, reasonToSkip } from './changes.ts'
import { checkLanguages, obtainAltTexts } from './obtain-alt-texts.ts'

type Request = AltTextRequest & { runId?: string }

/** Suggests alt texts for many items. Nothing changes before they are reviewed. */
export async function writeAltTexts(services: AnalysisServices, ownerId: number, request: Request) {
  const { db, ai } = services
  const { mediaIds, languages, overwrite, websiteId, runId: key = randomUUID() } = request
  await requireAi(ai)
  checkLanguages(ai, languages)
  const website = await loadContext(db, ownerId, websiteId)
  const options: AltTextOptions = { languages, overwrite, website }
  const { id, missing } = await startOnItems(services, { kind: altTextKind, ownerId, key, options, mediaIds })
  const run = await describeRun(db, id)
  const skipped = await countSkipped(db, id)
  const errors = [...missing, ...(await listRunErrors(db, id))]
  const failed = run.failed + missing.length
  return {
    message: sentenceFor({ ...run, failed }, skipped),
    summary: { successful: run.successful, skipped: skipped.decorative + skipped.complete, failed },
    errors,
    run,
  }
}

type Skipped = Record<SkipReason, number>

export function sentenceFor({ status, total, successful, failed }: AiRun, { decorative, complete }: Skipped) {
  const isRunning = status === 'running'
  const done = isRunning
    ? `${successful.toLocaleString('en')} of ${countOf(total, 'item')}`
    : countOf(successful, 'item')
  return [
    `Alt texts written for ${done}${isRunning ? ' so far; the rest continues in the background' : ''}.`,
    ...(decorative > 0 ? [`${countOf(decorative, 'decorative item')} skipped.`] : []),
    ...(complete > 0 ? [`${countOf(complete, 'item')} skipped: nothing is missing.`] : []),
    ...(failed > 0 ? [`${countOf(failed, 'item')} failed.`] : []),
    ...(status === 'cancelled' ? ['The rest was canceled.'] : []),
    ...(status === 'review' ? ['Nothing changes until you review it.'] : []),
  ].join(' ')
}

/** How the job processes the runs that `writeAltTexts` starts. */
export function altTextRuns(services: AnalysisServices): RunKind {
  const { db, ai, log } = services
  return {
    kind: altTextKind,
    runsAtOnce: 2,
    itemsAtOnce: ai.endpoint ? endpointAtOnce : 2,
    itemsPerJob: 40,
    interrupted: 'The run was interrupted.',
    begin(run, { signal, pauses }) {
      const { languages, overwrite, website } = JSON.parse(run.options) as AltTextOptions
      const { canWait, judge } = createFaultJudge(pauses)

      return async ({ media_id }, mark) => {
        const media = await findMedia(db, media_id!)
        if (!media) return
        const end = (ending: Parameters<typeof mark>[1]) =>
          db.transaction().execute(async (transaction) => {
            await refuseWhenOver(transaction, run, true)
            await mark(transaction, ending)
          })
        const reason = reasonToSkip(media, languages, overwrite)
        if (reason) return end({ state: 'rejected', output: reason })
        judge(await suggest(media))

        async function suggest(row: MediaRow) {
          try {
            const wanted = { languages: missingLanguages(row, languages, overwrite), website }
            const written = await obtainAltTexts(services, row, wanted, { signal, canWait })
            await end({ state: 'found', output: toStored(written) })
          } catch (error) {
            if (signal.aborted || error instanceof NotNow) throw error
            return asFailure(error, log)
          }
        }
      }
    },
  }
}

export async function estimateAltTexts(
  { db, ai }: { db: Kysely<Tables>; ai: Ai },
  ownerId: number,
  { mediaIds, languages, overwrite, websiteId }: AltTextRequest,
): Promise<AltTextEstimate> {
  const { isPaid, name: provider, model } = await requireAi(ai)
  checkLanguages(ai, languages)
  await loadContext(db, ownerId, websiteId)
  const rows = await loadOwnedMediaList(db, ownerId, [...new Set(mediaIds)])
  const reasons = rows.map((row) => reasonToSkip(row, languages, overwrite))
  const count = (reason: SkipReason | undefined) => reasons.filter((each) => each === reason).length
  return {
    images: count(undefined),
    decorative: count('decorative'),
    complete: count('complete'),
    isPaid,
    provider,
    model,
    remainingThisMonth: isPaid ? await remainingPaidCalls(db, ownerId, ai.monthlyLimit) : null,
  }
}
