import type { Kysely } from 'kysely'
import { LRUCache } from 'lru-cache'
import { compareEmbeddings, packEmbedding } from '#engines/ai/similarity.ts'
import type { FindNear } from '#features/media/server/listing/listing.ts'
import type { Tables } from '#platform/server/db/tables.ts'
import type { Ai } from '../ai.ts'
import { makeSketch } from './sketch.ts'

/** Tuned on the tuning half of `evaluation`: a lower limit answers questions that have no answer, a higher one misses right pictures. */
const minSimilarity = 0.42
const compared = 200
const maxFound = 50
/**
 * A search waits no longer than this for the model process, which may be starting or busy. The next search benefits from it.
 */
const maxWaitMs = 700

/** Finds items whose words mean nearly the search text, the nearest first. Never throws: without models it finds nothing. */
export function createFindNear({ slowReads, ai }: { slowReads: Kysely<Tables>; ai: Ai }): FindNear {
  const meanings = new LRUCache<string, Float32Array>({ max: 1000 })

  async function meaningOf(text: string): Promise<Float32Array | undefined> {
    const known = meanings.get(text)
    if (known || !ai.local || ai.models.state !== 'ready') return known
    const learning = ai.local.embedText(text).then(
      (meaning) => {
        meanings.set(text, meaning)
        return meaning
      },
      // A failure here must not fail the search by words.
      () => undefined,
    )
    return Promise.race([learning, after(maxWaitMs)])
  }

  return async (ownerId, search) => {
    const meaning = await meaningOf(search.toLowerCase())
    if (!meaning) return []
    const near = await ai.sketches.findNearest(ownerId, 'words', makeSketch(meaning), compared)
    const ids = near.map(({ id }) => id)
    if (ids.length === 0) return []
    const rows = await slowReads.selectFrom('meanings').selectAll().where('media_id', 'in', ids).execute()
    const wanted = packEmbedding(meaning)
    return rows
      .map(({ media_id, vector }) => ({ id: media_id, likeness: compareEmbeddings(wanted, vector) }))
      .filter(({ likeness }) => likeness >= minSimilarity)
      .sort((a, b) => b.likeness - a.likeness)
      .slice(0, maxFound)
      .map(({ id }) => id)
  }
}

function after(ms: number): Promise<undefined> {
  return new Promise((resolve) => setTimeout(resolve, ms, undefined).unref())
}
