import type { Kysely } from 'kysely'
import { LRUCache } from 'lru-cache'
import { isRecognizable } from '#engines/ai/local/recognizable-words.ts'
import { compareEmbeddings, packEmbedding } from '#engines/ai/similarity.ts'
import type { FindNear } from '#features/media/server/listing/listing.ts'
import type { Tables } from '#platform/server/db/tables.ts'
import type { Ai } from '../ai.ts'
import { asPhoto } from './meanings.ts'
import { makeSketch } from './sketch.ts'

/**
 * [Note: A search without an answer finds nothing]
 * Something is always the nearest. Of what the built-in AI recognizes ("guitar"), a similar picture without that tag probably
 * shows something else, so it must be much nearer than for other searches ("laboratory"). Tuned on the tuning half of
 * `evaluation`: lower limits answer questions that have no answer, higher ones miss right pictures.
 */
const minSimilarity = { ofRecognizable: 0.8, ofOthers: 0.64 }
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
    const learning = ai.local.embedText(asPhoto(text)).then(
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
    const nearest = isRecognizable(search) ? minSimilarity.ofRecognizable : minSimilarity.ofOthers
    return rows
      .map(({ media_id, vector }) => ({ id: media_id, likeness: compareEmbeddings(wanted, vector) }))
      .filter(({ likeness }) => likeness >= nearest)
      .sort((a, b) => b.likeness - a.likeness)
      .slice(0, maxFound)
      .map(({ id }) => id)
  }
}

function after(ms: number): Promise<undefined> {
  return new Promise((resolve) => setTimeout(resolve, ms, undefined).unref())
}
