import type { Kysely } from 'kysely'
import { tagKey } from '#engines/ai/tags.ts'
import { announceMedia } from '#features/media/server/announce.ts'
import { describeMedia, listTagsByMedia } from '#features/media/server/store.ts'
import { createUnwantedTags, listOwnTags } from '#features/media/server/tags.ts'
import { AppError } from '#platform/errors.ts'
import type { Tables } from '#platform/server/db/tables.ts'
import { NotNow, type RunKind } from '#platform/server/runs/runs.ts'
import { endRun, type Run } from '#platform/server/runs/runs-store.ts'
import { chunksOf } from '#shared/chunks.ts'
import type { Proposal } from '../../contract.ts'
import type { Ai } from '../ai.ts'
import type { AnalysisServices } from '../analyze-media.ts'
import { applyFindings, chooseTags, tagsAfter } from '../apply.ts'
import { asFailure } from '../failures.ts'
import { findEmbedding } from '../results-store.ts'
import { listProposed, type ProposedItem, saveChoice } from './review-store.ts'
import { applyKind, tagKind } from './runs.ts'
import { maxCompared, type Suggestions } from './suggestions.ts'

type Services = { db: Kysely<Tables>; ai: Ai }

const itemsPerQuery = 500

/** Descriptions and tags. */
export function tagSuggestions(services: Services, { id }: Pick<Run, 'id'>): Suggestions<ProposedItem> {
  return {
    list: (db, mediaId) => listProposed(db, id, { mediaId }),
    listComparable: (db) => listProposed(db, id, { maybeUnchanged: maxCompared }),
    findUnchanged: (items) => findUnchanged(services, items),
    async save(transaction, { media, choice: before }, { isAccepted, isDescriptionAccepted, refusedTags }) {
      await saveChoice(transaction, id, media.id, {
        isRejected: isAccepted === undefined ? before.isRejected : !isAccepted,
        isDescriptionRefused:
          isDescriptionAccepted === undefined ? before.isDescriptionRefused : !isDescriptionAccepted,
        tags: refusedTags ?? before.tags,
      })
    },
    describe: (items, origin) => describeProposals(services, items, origin),
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
    const tags = await listTagsByMedia(db, ids)
    const unwantedOf = await createUnwantedTags(db, part[0]!.media.owner_id, ids)
    for (const item of part) {
      const { media, proposal } = item
      const { words: vocabulary } = await ai.vocabularyOf(media.owner_id)
      const before = tags.get(media.id) ?? []
      const after = tagsAfter({ before, removed: unwantedOf(media.id), analysis: proposal, vocabulary })
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
        altTexts: [],
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
