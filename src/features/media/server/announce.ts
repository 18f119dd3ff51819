import type { Events } from '#platform/server/events/events.ts'
import { chunksOf } from '#shared/chunks.ts'

const idsPerEvent = 500

/**
 * Notifies the owner's open pages of changed items. Messages between processes have a size limit, so long lists of ids are
 * split.
 */
export async function announceMedia(events: Events, ownerId: number, ids: number[]) {
  for (const part of chunksOf(ids, idsPerEvent)) await events.publish(ownerId, { type: 'media', ids: part })
}
