import type { Kysely } from 'kysely'
import { paginationOf } from '#features/media/server/listing/listing.ts'
import type { Owned } from '#features/media/server/owned.ts'
import { conflict, notFound } from '#platform/errors.ts'
import type { Db, Tables } from '#platform/server/db/tables.ts'
import { continueAs, publishRun, waitForRun } from '#platform/server/runs/runs.ts'
import { countItems, holdRun, type Run } from '#platform/server/runs/runs-store.ts'
import { countOf } from '#shared/count.ts'
import type { AiRun, Proposal, ProposalChoice } from '../../contract.ts'
import type { Ai } from '../ai.ts'
import { altTextSuggestions } from '../alt-texts/alt-text-suggestions.ts'
import type { AnalysisServices } from '../analyze-media.ts'
import { listWaitingRuns } from './review-store.ts'
import { applyAltTextKind, applyKind, describeRun, isOfAltTexts, listRunErrors } from './runs.ts'
import type { Suggestions } from './suggestions.ts'
import { tagSuggestions } from './tag-suggestions.ts'

type Services = { db: Kysely<Tables>; ai: Ai }
type Page = { page: number; limit: number }

const maxWaitMs = 50_000

const notInReview: Partial<Record<AiRun['status'], string>> = {
  running: 'The analysis is still running.',
  discarded: 'These suggestions were discarded.',
}

async function describeInReview(db: Db, run: Owned<Run>): Promise<AiRun> {
  const described = await describeRun(db, run.id)
  if (described.status === 'review') return described
  const { status } = described
  throw conflict(notInReview[status] ?? 'These suggestions have already been reviewed.', { status })
}

/** Each kind of run has suggestions of its own. */
function withSuggestions<R>(
  services: Services,
  run: Pick<Run, 'id' | 'kind' | 'options'>,
  use: <T extends { choice: { isRejected: boolean } }>(suggestions: Suggestions<T>) => Promise<R>,
): Promise<R> {
  return isOfAltTexts(run) ? use(altTextSuggestions(services, run)) : use(tagSuggestions(services, run))
}

export async function listReviews(services: Services, ownerId: number) {
  const { db } = services
  const runs = await listWaitingRuns(db, ownerId)
  return Promise.all(
    runs.map(async (run) => {
      const unchanged = await withSuggestions(services, run, async ({ listComparable, findUnchanged }) =>
        findUnchanged(await listComparable(db)),
      )
      const { key, items, created_at } = run
      const changes = items - unchanged.size
      const kind = isOfAltTexts(run) ? ('alt-text' as const) : ('tag' as const)
      return { runId: key ?? '', kind, items, changes, createdAt: new Date(created_at).toISOString() }
    }),
  )
}

/** Choices, applying and discarding lock the run, so that each sees the effects of those before it. */
async function holdInReview(transaction: Db, run: Owned<Run>) {
  await holdRun(transaction, run.id)
  await describeInReview(transaction, run)
}

/** The changes that the run would make to the items in their current state. Items that would stay the same come last. */
export async function loadReview(services: Services, run: Owned<Run>, { page, limit }: Page, origin: string) {
  const { db } = services
  const described = await describeInReview(db, run)
  return withSuggestions(services, run, async ({ list, findUnchanged, describe }) => {
    const proposed = await list(db)
    const unchanged = await findUnchanged(proposed)
    const changed = proposed.filter((item) => !unchanged.has(item))
    const items = [...changed, ...unchanged].slice((page - 1) * limit, page * limit)
    return {
      run: described,
      accepted: changed.filter(({ choice }) => !choice.isRejected).length,
      changes: changed.length,
      items: await describe(items, origin),
      pagination: paginationOf({ page, limit }, proposed.length),
      errors: await listRunErrors(db, run.id),
    }
  })
}

export async function chooseProposal(
  services: Services,
  run: Owned<Run>,
  { mediaId, choice, origin }: { mediaId: number; choice: ProposalChoice; origin: string },
): Promise<Proposal> {
  const { db } = services
  return withSuggestions(services, run, async ({ list, save, describe }) => {
    await db.transaction().execute(async (transaction) => {
      await holdInReview(transaction, run)
      await save(transaction, await loadItem(transaction), choice)
    })
    const [proposal] = await describe([await loadItem(db)], origin)
    return proposal!

    async function loadItem(connection: Db) {
      const [found] = await list(connection, mediaId)
      if (!found) throw notFound('Proposal')
      return found
    }
  })
}

/** Starts applying the accepted suggestions. Responds when that is done, or after the time limit of a request. */
export async function applyReview(services: AnalysisServices, run: Owned<Run>) {
  const { db, jobs } = services
  await db.transaction().execute(async (transaction) => {
    await holdInReview(transaction, run)
    await continueAs(transaction, jobs, run, isOfAltTexts(run) ? applyAltTextKind : applyKind)
  })
  await waitForRun(services, run, { withinMs: maxWaitMs })
  const after = await describeRun(db, run.id)
  const { done: changed } = (await countItems(db, [run])).get(run.id)!
  const failures = after.failed > 0 ? ` ${countOf(after.failed, 'item')} failed.` : ''
  const rest = after.status === 'applying' ? ' The rest continues in the background.' : ''
  return {
    message: `${countOf(changed, 'item')} changed.${failures}${rest}`,
    summary: { successful: changed, failed: after.failed },
    run: after,
  }
}

/** The suggestions are kept until the run is removed. It counts as undone, so that they cannot be applied. */
export async function discardReview(services: AnalysisServices, run: Owned<Run>): Promise<AiRun> {
  const { db } = services
  await db.transaction().execute(async (transaction) => {
    await holdInReview(transaction, run)
    const now = Date.now()
    await transaction.updateTable('runs').set({ undone_at: now, updated_at: now }).where('id', '=', run.id).execute()
  })
  await publishRun(services, run.id)
  return describeRun(db, run.id)
}
