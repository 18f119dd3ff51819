import { randomUUID } from 'node:crypto'
import type { Kysely } from 'kysely'
import { findMedia, loadOwnedMediaList } from '#features/media/server/store.ts'
import type { MediaRow } from '#features/media/server/to-media.ts'
import { loadOwnedWebsite } from '#features/websites/server/store.ts'
import { contextOfWebsite } from '#features/websites/server/website-context.ts'
import type { Db, Tables } from '#platform/server/db/tables.ts'
import { NotNow, type RunKind } from '#platform/server/runs/runs.ts'
import { holdRun, type Run } from '#platform/server/runs/runs-store.ts'
import { countOf } from '#shared/count.ts'
import type { AiEstimate, AiRun } from '../../contract.ts'
import { type Ai, requireAi } from '../ai.ts'
import { type AnalysisServices, analyze } from '../analyze-media.ts'
import { remainingPaidCalls } from '../budget.ts'
import { asFailure } from '../failures.ts'
import { identityOf, obtainAnalysis } from '../obtain-analysis.ts'
import { averageCost, countKnown } from '../results-store.ts'
import { createFaultJudge } from './item-faults.ts'
import { toStoredProposal } from './review-store.ts'
import { describeRun, listRunErrors, type TagOptions, tagKind } from './runs.ts'
import { startOnItems } from './start-on-items.ts'

export const endpointAtOnce = 4

type Request = { mediaIds: number[]; runId?: string; review?: boolean; websiteId?: number }

export async function tagMany(
  services: AnalysisServices,
  ownerId: number,
  { mediaIds, runId: key = randomUUID(), review = false, websiteId }: Request,
) {
  const { db, ai } = services
  await requireAi(ai)
  const website = await loadContext(db, ownerId, websiteId)
  const options: TagOptions = { review, website }
  const { id, missing } = await startOnItems(services, { kind: tagKind, ownerId, key, options, mediaIds })
  const run = await describeRun(db, id)
  const errors = [...missing, ...(await listRunErrors(db, id))]
  const summary = { successful: run.successful, failed: run.failed + missing.length }
  return { message: sentenceFor(run, summary), summary, errors, run }
}

export const loadContext = async (db: Db, ownerId: number, websiteId?: number) =>
  websiteId === undefined ? undefined : contextOfWebsite(await loadOwnedWebsite(db, ownerId, websiteId))

export function sentenceFor(
  { status, total, ...counts }: AiRun,
  { successful, failed }: { successful: number; failed: number } = counts,
) {
  const failures = failed > 0 ? ` ${countOf(failed, 'item')} failed.` : ''
  if (status === 'running') {
    return `${successful.toLocaleString('en')} of ${countOf(total, 'item')} analyzed so far; the rest continues in the background.${failures}`
  }
  const cancelled = status === 'cancelled' ? ' The rest was canceled.' : ''
  const waiting = status === 'review' ? ' Nothing changes until you review it.' : ''
  return `${countOf(successful, 'item')} analyzed.${failures}${cancelled}${waiting}`
}

type Mark = Parameters<ReturnType<RunKind['begin']>>[1]

/** How the job processes the runs that `tagMany` starts. An item for which the endpoint asks for a pause is tried again. */
export function tagRuns(services: AnalysisServices): RunKind {
  const { db, ai, log } = services
  return {
    kind: tagKind,
    runsAtOnce: 2,
    itemsAtOnce: ai.endpoint ? endpointAtOnce : 2,
    itemsPerJob: 40,
    interrupted: 'The run was interrupted.',
    begin(run, { signal, pauses }) {
      const { review, website } = JSON.parse(run.options) as TagOptions
      const { canWait, judge } = createFaultJudge(pauses)

      return async (item, mark) => {
        const media = await findMedia(db, item.media_id!)
        if (!media) return
        const markHere: Mark = async (transaction, ending) => {
          await refuseWhenOver(transaction, run, review)
          await mark(transaction, ending)
        }
        judge(await (review ? propose(media, markHere) : tag(media, markHere)))
      }

      async function tag(media: MediaRow, alsoWrite: Mark) {
        const { isApplied, fault } = await analyze(services, media, {
          signal,
          canWait,
          website,
          runKey: run.key!,
          alsoWrite,
        })
        return isApplied ? undefined : fault
      }

      /** The item itself does not change, not even when it fails. */
      async function propose(media: MediaRow, markFound: Mark) {
        try {
          const output = toStoredProposal(await obtainAnalysis(services, media, { signal, canWait, website }))
          await db.transaction().execute((transaction) => markFound(transaction, { state: 'found', output }))
        } catch (error) {
          if (signal.aborted || error instanceof NotNow) throw error
          return asFailure(error, log)
        }
      }
    },
  }
}

/** An item in work when its run was stopped must not appear in the review; a reverted one stays reverted. */
export async function refuseWhenOver(transaction: Db, { id }: Run, isReviewed: boolean) {
  const now = await holdRun(transaction, id)
  if (now?.undone_at !== null || (isReviewed && now.status !== 'running')) throw new NotNow('The run is over.')
}

/** Used before the first measured picture: the cost of a 1,024 px picture with its prompt and response. */
const usualCost: Record<string, { tokens: number; tookMs: number }> = {
  local: { tokens: 0, tookMs: 600 },
  hub: { tokens: 0, tookMs: 10_000 },
  openai: { tokens: 1300, tookMs: 4000 },
}

/** Estimates what a run would send and cost, based on the average of earlier pictures. */
export async function estimateRun(
  { db, ai }: { db: Kysely<Tables>; ai: Ai },
  ownerId: number,
  { mediaIds, websiteId }: Pick<Request, 'mediaIds' | 'websiteId'>,
): Promise<AiEstimate> {
  const provider = await requireAi(ai)
  const website = await loadContext(db, ownerId, websiteId)
  const rows = await loadOwnedMediaList(db, ownerId, [...new Set(mediaIds)])
  const hashes = [...new Set(rows.map(({ blob }) => blob))]
  const identity = identityOf(ai, provider, { website, language: await ai.languageOf(ownerId) })
  const unknown = hashes.length - (await countKnown(db, ownerId, hashes, identity))
  const isEndpoint = provider === ai.endpoint
  const each = (await averageCost(db, provider)) ?? usualCost[provider.name]!
  const { isPaid } = provider
  return {
    images: rows.length,
    // Items with the same bytes cost once.
    alreadyKnown: rows.length - unknown,
    estimatedTokens: Math.round(unknown * each.tokens),
    estimatedSeconds: Math.ceil((unknown * each.tookMs) / (isEndpoint ? endpointAtOnce : 1) / 1000),
    isPaid,
    provider: provider.name,
    model: provider.model,
    remainingThisMonth: isPaid ? await remainingPaidCalls(db, ownerId, ai.monthlyLimit) : null,
  }
}
