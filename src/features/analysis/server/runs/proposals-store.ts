import { z } from 'zod'
import type { MediaRow } from '#features/media/server/to-media.ts'
import { countRows } from '#platform/server/db/count-rows.ts'
import type { Db } from '#platform/server/db/tables.ts'
import type { Look } from '../look.ts'
import { KeptResult } from '../results-store.ts'

/** What was found and by whom: kept whole, since an item's bytes may change while it waits. */
const KeptProposal = KeptResult.extend({
  provider: z.string(),
  model: z.string(),
  version: z.string(),
  shortfall: z.object({ code: z.string(), status: z.number(), message: z.string() }).nullable(),
})

const Choice = z.object({
  isRejected: z.boolean().default(false),
  isDescriptionRefused: z.boolean().default(false),
  tags: z.array(z.string()).default([]),
})
type Choice = z.infer<typeof Choice>

export type ProposedItem = { media: MediaRow; proposal: z.infer<typeof KeptProposal>; choice: Choice }

/** Not once the run was stopped: whoever reviews it then would accept what they were never shown. */
export async function saveProposal(db: Db, runId: string, mediaId: number, { analysis, shortfall }: Look) {
  const reason = shortfall ? { code: shortfall.code, status: shortfall.status, message: shortfall.message } : null
  // Parsing drops what is not part of it, such as the embedding.
  const proposal = KeptProposal.parse({ ...analysis, shortfall: reason })
  await db
    .updateTable('ai_run_items')
    .set({ state: 'found', proposal: JSON.stringify(proposal) })
    .where('run_id', '=', runId)
    .where('media_id', '=', mediaId)
    .where(({ exists, selectFrom }) =>
      exists(selectFrom('ai_runs').select('ai_runs.id').where('id', '=', runId).where('status', '=', 'running')),
    )
    .execute()
}

type Part = { offset?: number; limit: number; mediaId?: number }

export async function listProposed(
  db: Db,
  runId: string,
  { offset = 0, limit, mediaId }: Part,
): Promise<ProposedItem[]> {
  let query = db
    .selectFrom('ai_run_items')
    .innerJoin('media', 'media.id', 'ai_run_items.media_id')
    .selectAll('media')
    .select(['proposal', 'choice'])
    .where('run_id', '=', runId)
    .where('state', '=', 'found')
    .orderBy('position')
    .offset(offset)
    .limit(limit)
  if (mediaId !== undefined) query = query.where('media_id', '=', mediaId)
  return (await query.execute()).map(({ proposal, choice, ...media }) => ({
    media,
    proposal: KeptProposal.parse(JSON.parse(proposal ?? '{}')),
    choice: Choice.parse(JSON.parse(choice ?? '{}')),
  }))
}

/** How many are proposed, and how many of those are rejected as a whole. */
export async function countProposed(db: Db, runId: string) {
  const proposed = db.selectFrom('ai_run_items').where('run_id', '=', runId).where('state', '=', 'found')
  const chosen = await proposed.select('choice').where('choice', 'is not', null).execute()
  const rejected = chosen.filter(({ choice }) => Choice.parse(JSON.parse(choice!)).isRejected).length
  return { total: await countRows(proposed), rejected }
}

export async function saveChoice(db: Db, runId: string, mediaId: number, choice: Choice) {
  await db
    .updateTable('ai_run_items')
    .set({ choice: JSON.stringify(choice) })
    .where('run_id', '=', runId)
    .where('media_id', '=', mediaId)
    .where('state', '=', 'found')
    .execute()
}

export async function rejectItem(db: Db, runId: string, mediaId: number) {
  await db
    .updateTable('ai_run_items')
    .set({ state: 'rejected' })
    .where('run_id', '=', runId)
    .where('media_id', '=', mediaId)
    .execute()
}

const mostReviews = 100

export async function listReviews(db: Db, ownerId: number) {
  const rows = await db
    .selectFrom('ai_runs')
    .innerJoin('ai_run_items', 'ai_run_items.run_id', 'ai_runs.id')
    .select((select) => ['ai_runs.id', 'ai_runs.created_at', select.fn.countAll<number>().as('items')])
    .where('ai_runs.owner_id', '=', ownerId)
    .where('ai_runs.status', '=', 'review')
    .where('ai_run_items.state', '=', 'found')
    .groupBy(['ai_runs.id', 'ai_runs.created_at'])
    .orderBy('ai_runs.created_at', 'desc')
    .limit(mostReviews)
    .execute()
  return rows.map(({ id, created_at, items }) => ({
    runId: id,
    items,
    createdAt: new Date(created_at).toISOString(),
  }))
}
