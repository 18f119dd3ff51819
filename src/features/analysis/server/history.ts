import { z } from 'zod'
import type { AiAnalysis } from '#engines/ai/provider.ts'
import type { MediaRow, TagRow } from '#features/media/server/to-media.ts'
import type { Db } from '#platform/server/db/tables.ts'

const maxStoredAnalyses = 10

/** The item's values before an analysis changed them. */
export const Replaced = z.object({
  description: z.string().nullable(),
  descriptionSource: z.enum(['ai', 'person']).nullable(),
  text: z.string().nullable(),
  provider: z.string().nullable(),
  model: z.string().nullable(),
  analysedAt: z.number().nullable(),
  tags: z.array(z.object({ tag: z.string(), score: z.number().nullable() })),
  /** All tags in their previous order, including the user's, so that a revert restores positions. */
  tagOrder: z.array(z.string()),
  /** Tags that the user rejected when it was applied. Reverting the analysis also reverts the rejection. */
  refused: z.array(z.string()),
})
export type Replaced = z.infer<typeof Replaced>

export const onlyAi = (tags: TagRow[]) =>
  tags.filter(({ source }) => source === 'ai').map(({ tag, score }) => ({ tag, score }))

export const snapshotOf = (media: MediaRow, tags: TagRow[]): Replaced => ({
  description: media.ai_description,
  descriptionSource: media.ai_description_source,
  text: media.found_text,
  provider: media.ai_provider,
  model: media.ai_model,
  analysedAt: media.ai_analysed_at,
  tags: onlyAi(tags),
  tagOrder: tags.map(({ tag }) => tag),
  refused: [],
})

type HistoryEntry = {
  mediaId: number
  analysis: Pick<AiAnalysis, 'provider' | 'model' | 'version'>
  replaced: Replaced
  runKey?: string
}

/** Stores the last few analyses of an item, each with the values it replaced. */
export async function rememberAnalysis(db: Db, { mediaId, analysis, replaced, runKey }: HistoryEntry) {
  const { provider, model, version } = analysis
  await db
    .insertInto('media_analyses')
    .values({
      media_id: mediaId,
      run_key: runKey ?? null,
      provider,
      model,
      version,
      replaced: JSON.stringify(replaced),
      created_at: Date.now(),
    })
    .execute()
  const oldest = await db
    .selectFrom('media_analyses')
    .select('id')
    .where('media_id', '=', mediaId)
    .orderBy('id', 'desc')
    .offset(maxStoredAnalyses)
    .limit(1)
    .executeTakeFirst()
  if (oldest)
    await db.deleteFrom('media_analyses').where('media_id', '=', mediaId).where('id', '<=', oldest.id).execute()
}

export async function findLastAnalysis(db: Db, mediaId: number) {
  return db
    .selectFrom('media_analyses')
    .selectAll()
    .where('media_id', '=', mediaId)
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
}

export async function forgetAnalysis(db: Db, id: number) {
  await db.deleteFrom('media_analyses').where('id', '=', id).execute()
}
