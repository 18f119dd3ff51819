import { z } from 'zod'
import type { MediaRow } from '#features/media/server/to-media.ts'
import type { Db } from '#platform/server/db/tables.ts'

/** The suggested texts, stored as the output of the run item until they are applied. */
const Suggested = z.object({
  texts: z.record(z.string(), z.string()),
  provider: z.string(),
  model: z.string(),
  note: z.string().nullable(),
})
type Suggested = z.infer<typeof Suggested>

/** What was written to the item, stored as the output of the run item for undo. */
export const AppliedAltTexts = z.array(
  z.object({ language: z.string(), before: z.string().nullable(), after: z.string() }),
)
export type AppliedAltTexts = z.infer<typeof AppliedAltTexts>

/** The owner's choices in the review, stored as the input of the run item. */
const Choice = z.object({ isRejected: z.boolean().default(false), languages: z.array(z.string()).default([]) })

/** Why an item got no suggestion, stored as the output of its run item. */
const skipReasons = ['decorative', 'complete'] as const
export type SkipReason = (typeof skipReasons)[number]

export type SuggestedItem = { media: MediaRow; suggested: Suggested; choice: z.infer<typeof Choice> }

export const toStored = (suggested: Suggested) => JSON.stringify(Suggested.parse(suggested))

type Part = { mediaId?: number; limit?: number }

export async function listSuggested(db: Db, runId: number, { mediaId, limit }: Part = {}): Promise<SuggestedItem[]> {
  const rows = await db
    .selectFrom('run_items')
    .where('run_id', '=', runId)
    .where('state', '=', 'found')
    .innerJoin('media', 'media.id', 'run_items.media_id')
    .selectAll('media')
    .select(['output as suggested', 'input as choice'])
    .$if(mediaId !== undefined, (query) => query.where('media_id', '=', mediaId!))
    .$if(limit !== undefined, (query) => query.limit(limit!))
    .orderBy('run_items.position')
    .execute()
  return rows.map(({ suggested, choice, ...media }) => ({
    media,
    suggested: Suggested.parse(JSON.parse(suggested!)),
    choice: Choice.parse(JSON.parse(choice ?? '{}')),
  }))
}

export async function countSkipped(db: Db, runId: number): Promise<Record<SkipReason, number>> {
  const rows = await db
    .selectFrom('run_items')
    .select((select) => ['output', select.fn.countAll<number>().as('count')])
    .where('run_id', '=', runId)
    .where('state', '=', 'rejected')
    .where('output', 'in', skipReasons)
    .groupBy('output')
    .execute()
  const counted = Object.fromEntries(rows.map(({ output, count }) => [output, Number(count)]))
  return { decorative: 0, complete: 0, ...counted }
}
