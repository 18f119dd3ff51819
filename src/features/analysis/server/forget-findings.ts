import { foundFocalPoint } from '#features/media/server/focal-point.ts'
import { updateMedia } from '#features/media/server/store.ts'
import { listOwnTags, replaceTags } from '#features/media/server/tags.ts'
import type { MediaRow } from '#features/media/server/to-media.ts'
import type { Db } from '#platform/server/db/tables.ts'
import { clearFailure } from './failures.ts'
import { deleteSketch } from './likeness/sketches-store.ts'

/** Removes what an AI found in the item's file. What the user wrote or chose stays; see [Note: User edits always win]. */
export async function forgetFindings(transaction: Db, media: MediaRow) {
  const isUserOwned = media.ai_description_source === 'person'
  await updateMedia(transaction, media.id, {
    ...(!isUserOwned && { ai_description: null, ai_description_source: null }),
    found_text: null,
    ...foundFocalPoint(null),
    ai_status: 'none',
    ai_error: null,
    ai_provider: null,
    ai_model: null,
    ai_analysed_at: null,
  })
  const tags = await listOwnTags(transaction, media.id)
  await replaceTags(
    transaction,
    media,
    tags.filter(({ source }) => source === 'person'),
  )
  await deleteSketch(transaction, 'picture', media.id)
  // Reverting an analysis would bring back words about the earlier file.
  await transaction.deleteFrom('media_analyses').where('media_id', '=', media.id).execute()
  await clearFailure(transaction, media.id)
}
