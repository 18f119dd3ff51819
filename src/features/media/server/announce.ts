import type { Events } from '#platform/server/events/events.ts'
import { chunksOf } from '#shared/chunks.ts'

const idsPerEvent = 500

/** Tells the owner's open pages that items changed; a word between processes is short, so many ids go in several. */
export async function announceMedia(events: Events, ownerId: number, ids: number[]) {
  for (const part of chunksOf(ids, idsPerEvent)) await events.publish(ownerId, { type: 'media', ids: part })
}
