import { z } from 'zod'
import type { MediaRow } from '#features/media/server/to-media.ts'
import type { Db } from '#platform/server/db/tables.ts'
import type { ObtainedAnalysis } from '../obtain-analysis.ts'
import { StoredResult } from '../results-store.ts'
import { findingKinds } from './runs.ts'

/**
 * The suggestions and their model, stored as the output of the run item, since the item's bytes may change until the review.
 */
const StoredProposal = StoredResult.extend({
  provider: z.string(),
  model: z.string(),
  version: z.string(),
  shortfall: z.object({ code: z.string(), status: z.number(), message: z.string() }).nullable(),
})

/** The owner's choices in the review, stored as the input of the run item. */
const Choice = z.object({
  isRejected: z.boolean().default(false),
  isDescriptionRefused: z.boolean().default(false),
  tags: z.array(z.string()).default([]),
})

export type ProposedItem = {
  media: MediaRow
  proposal: z.infer<typeof StoredProposal>
  choice: z.infer<typeof Choice>
}

export function toStoredProposal({ analysis, shortfall }: ObtainedAnalysis): string {
  const reason = shortfall ? { code: shortfall.code, status: shortfall.status, message: shortfall.message } : null
  // Parsing drops other properties, such as the embedding.
  return JSON.stringify(StoredProposal.parse({ ...analysis, shortfall: reason }))
}

type ProposedOptions = {
  mediaId?: number
  /** At most this many, and only those that may stay as they are: not items that would get their first description. */
  maybeUnchanged?: number
}

export async function listProposed(
  db: Db,
  runId: number,
  { mediaId, maybeUnchanged }: ProposedOptions = {},
): Promise<ProposedItem[]> {
  const rows = await db
    .selectFrom('run_items')
    .where('run_id', '=', runId)
    .where('state', '=', 'found')
    .innerJoin('media', 'media.id', 'run_items.media_id')
    .selectAll('media')
    .select(['output as proposal', 'input as choice'])
    .$if(mediaId !== undefined, (query) => query.where('media_id', '=', mediaId!))
    .$if(maybeUnchanged !== undefined, (query) =>
      query
        .where(({ eb, or }) =>
          or([
            eb('ai_description', 'is not', null),
            eb('ai_description_source', '=', 'person'),
            eb('output', 'like', '%"description":""%'),
          ]),
        )
        .limit(maybeUnchanged!),
    )
    .orderBy('run_items.position')
    .execute()
  return rows.map(({ proposal, choice, ...media }) => ({
    media,
    proposal: StoredProposal.parse(JSON.parse(proposal ?? '{}')),
    choice: Choice.parse(JSON.parse(choice ?? '{}')),
  }))
}

export async function saveChoice(db: Db, runId: number, mediaId: number, choice: object) {
  await db
    .updateTable('run_items')
    .set({ input: JSON.stringify(choice) })
    .where('run_id', '=', runId)
    .where('media_id', '=', mediaId)
    .where('state', '=', 'found')
    .execute()
}

const maxReviews = 100

export async function listWaitingRuns(db: Db, ownerId: number) {
  return db
    .selectFrom('runs')
    .innerJoin('run_items', 'run_items.run_id', 'runs.id')
    .select((select) => ['runs.id', 'key', 'kind', 'options', 'created_at', select.fn.countAll<number>().as('items')])
    .where('owner_id', '=', ownerId)
    .where('kind', 'in', findingKinds)
    .where('status', '<>', 'running')
    .where('undone_at', 'is', null)
    .where('state', '=', 'found')
    .groupBy(['runs.id', 'key', 'kind', 'options', 'created_at'])
    .orderBy('created_at', 'desc')
    .limit(maxReviews)
    .execute()
}
