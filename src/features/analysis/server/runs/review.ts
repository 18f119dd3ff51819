import type { Kysely } from 'kysely'
import { tagKey } from '#engines/ai/tags.ts'
import { announceMedia } from '#features/media/server/announce.ts'
import { paginationOf } from '#features/media/server/listing/listing.ts'
import type { Owned } from '#features/media/server/owned.ts'
import { describeMedia, listTagsByMedia } from '#features/media/server/store.ts'
import { listOwnTags, listRemovedTagsByMedia } from '#features/media/server/tags.ts'
import { AppError, conflict, notFound } from '#platform/errors.ts'
import type { Db, Tables } from '#platform/server/db/tables.ts'
import { continueAs, NotNow, publishRun, type RunKind, waitForRun } from '#platform/server/runs/runs.ts'
import { countItems, endRun, holdRun, type Run } from '#platform/server/runs/runs-store.ts'
import { chunksOf } from '#shared/chunks.ts'
import { countOf } from '#shared/count.ts'
import type { AiRun, Proposal, ProposalChoice } from '../../contract.ts'
import type { Ai } from '../ai.ts'
import type { AnalysisServices } from '../analyze-media.ts'
import { applyFindings, chooseTags, tagsAfter } from '../apply.ts'
import { asFailure } from '../failures.ts'
import { findEmbedding } from '../results-store.ts'
import { listProposed, listWaitingRuns, type ProposedItem, saveChoice } from './review-store.ts'
import { applyKind, describeRun, listRunErrors, tagKind } from './runs.ts'

type Services = { db: Kysely<Tables>; ai: Ai }
type Page = { page: number; limit: number }

const maxWaitMs = 50_000
/** Every page asks for the reviews, so of a longer review only these items are compared; the others count as changes. */
const maxCompared = 1000
const itemsPerQuery = 500

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

export async function listReviews(services: Services, ownerId: number) {
  const runs = await listWaitingRuns(services.db, ownerId)
  return Promise.all(
    runs.map(async ({ id, key, created_at, items }) => {
      const compared = await listProposed(services.db, id, { maybeUnchanged: maxCompared })
      const { size } = await findUnchanged(services, compared)
      return { runId: key ?? '', items, changes: items - size, createdAt: new Date(created_at).toISOString() }
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
  const proposed = await listProposed(db, run.id)
  const unchanged = await findUnchanged(services, proposed)
  const changed = proposed.filter((item) => !unchanged.has(item))
  const items = [...changed, ...unchanged].slice((page - 1) * limit, page * limit)
  return {
    run: described,
    accepted: changed.filter(({ choice }) => !choice.isRejected).length,
    changes: changed.length,
    items: await describeProposals(services, items, origin),
    pagination: paginationOf({ page, limit }, proposed.length),
    errors: await listRunErrors(db, run.id),
  }
}

export async function chooseProposal(
  services: Services,
  run: Owned<Run>,
  { mediaId, choice, origin }: { mediaId: number; choice: ProposalChoice; origin: string },
): Promise<Proposal> {
  const { db } = services
  await db.transaction().execute(async (transaction) => {
    await holdInReview(transaction, run)
    const { choice: before } = await loadItem(transaction)
    await saveChoice(transaction, run.id, mediaId, {
      isRejected: choice.isAccepted === undefined ? before.isRejected : !choice.isAccepted,
      isDescriptionRefused:
        choice.isDescriptionAccepted === undefined ? before.isDescriptionRefused : !choice.isDescriptionAccepted,
      tags: choice.refusedTags ?? before.tags,
    })
  })
  const [proposal] = await describeProposals(services, [await loadItem(db)], origin)
  return proposal!

  async function loadItem(connection: Db) {
    const [found] = await listProposed(connection, run.id, { mediaId })
    if (!found) throw notFound('Proposal')
    return found
  }
}

const keepsDescription = (media: ProposedItem['media'], { description }: ProposedItem['proposal']) =>
  media.ai_description_source === 'person' || (media.ai_description ?? '') === description

/** The tags are compared only if the description stays, which is rare except for a repeated run. */
async function findUnchanged({ db, ai }: Services, proposed: ProposedItem[]): Promise<Set<ProposedItem>> {
  const unchanged = new Set<ProposedItem>()
  const candidates = proposed.filter(({ media, proposal }) => keepsDescription(media, proposal))
  for (const part of chunksOf(candidates, itemsPerQuery)) {
    const ids = part.map(({ media }) => media.id)
    const [tags, removedTags] = [await listTagsByMedia(db, ids), await listRemovedTagsByMedia(db, ids)]
    for (const item of part) {
      const { media, proposal } = item
      const { words: vocabulary } = await ai.vocabularyOf(media.owner_id)
      const before = tags.get(media.id) ?? []
      const removed = (removedTags.get(media.id) ?? []).map(({ tag }) => tag)
      const after = tagsAfter({ before, removed, analysis: proposal, vocabulary })
      const was = new Set(before.map(({ tag }) => tag))
      if (after.length === before.length && after.every(({ tag }) => was.has(tag))) unchanged.add(item)
    }
  }
  return unchanged
}

async function describeProposals({ db, ai }: Services, items: ProposedItem[], origin: string): Promise<Proposal[]> {
  const described = await describeMedia(
    db,
    items.map(({ media }) => media),
    origin,
  )
  return Promise.all(
    items.map(async ({ media, proposal, choice }, index): Promise<Proposal> => {
      const { words: vocabulary } = await ai.vocabularyOf(media.owner_id)
      const before = await listOwnTags(db, media.id)
      const after = await chooseTags(db, media, { before, analysis: proposal, vocabulary })
      const isRefused = new Set(choice.tags.map(tagKey))
      const willBe = new Set(after.map(({ tag }) => tag))
      const was = new Set(before.map(({ tag }) => tag))
      return {
        media: described[index]!,
        isAccepted: !choice.isRejected,
        provider: proposal.provider,
        model: proposal.model,
        note: proposal.shortfall?.message ?? null,
        description: keepsDescription(media, proposal)
          ? null
          : {
              before: media.ai_description,
              after: proposal.description,
              isAccepted: !choice.isDescriptionRefused,
            },
        tags: [
          ...after.map(({ tag }) => ({
            tag,
            change: was.has(tag) ? ('kept' as const) : ('added' as const),
            isAccepted: was.has(tag) || !isRefused.has(tagKey(tag)),
          })),
          ...before
            .filter(({ tag }) => !willBe.has(tag))
            .map(({ tag }) => ({ tag, change: 'dropped' as const, isAccepted: !isRefused.has(tagKey(tag)) })),
        ],
      }
    }),
  )
}

/** Starts applying the accepted suggestions. Responds when that is done, or after the time limit of a request. */
export async function applyReview(services: AnalysisServices, run: Owned<Run>) {
  const { db, jobs } = services
  await db.transaction().execute(async (transaction) => {
    await holdInReview(transaction, run)
    await continueAs(transaction, jobs, run, applyKind)
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

/** How the job processes the runs that `applyReview` continues. */
export function applyRuns(services: AnalysisServices): RunKind {
  const { db, events, log } = services
  return {
    kind: applyKind,
    takes: 'found',
    runsAtOnce: 2,
    itemsAtOnce: 1,
    itemsPerJob: 100,
    // Suggestions that were not applied return to the review and can be applied again.
    interrupted: async (run) => void (await endRun(db, run, { kind: tagKind, status: 'ended' })),
    begin:
      (run, { signal }) =>
      async ({ media_id }, mark) => {
        const [item] = await listProposed(db, run.id, { mediaId: media_id! })
        if (!item) return
        const { media, proposal, choice } = item
        if (choice.isRejected || (await findUnchanged(services, [item])).has(item))
          return db.transaction().execute((transaction) => mark(transaction, { state: 'rejected' }))
        const { shortfall, ...found } = proposal
        const fault = shortfall ? new AppError(shortfall.code, shortfall.status, shortfall.message) : undefined
        const analysis = { ...found, embedding: await findEmbedding(db, media.blob) }
        const options = { runKey: run.key!, refusals: choice, alsoWrite: mark }
        await applyFindings(services, media, { analysis, shortfall: fault }, options).catch((error) => {
          throw signal.aborted || error instanceof NotNow ? error : asFailure(error, log)
        })
        await announceMedia(events, media.owner_id, [media.id])
      },
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
