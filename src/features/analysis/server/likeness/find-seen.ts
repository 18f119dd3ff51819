import type { Kysely } from 'kysely'
import { LRUCache } from 'lru-cache'
import type { FindNear } from '#features/media/server/listing/listing.ts'
import type { Tables } from '#platform/server/db/tables.ts'
import type { Ai } from '../ai.ts'
import { createSeenIndex } from './seen-index.ts'

const maxFound = 50
/** Loading the model takes seconds; the search is not kept waiting, and the next one benefits from it. */
const maxWaitMs = 700
/** The model answers one request at a time, and each picture of a re-analysis takes seconds. */
const maxAsked = 4

/**
 * While SigLIP is in use, a search in any language finds the pictures that it describes, the nearest first, and then what
 * `findNear` finds by words. Never throws.
 */
export function createFindSeen({ slowReads, ai }: { slowReads: Kysely<Tables>; ai: Ai }, findNear: FindNear): FindNear {
  const meanings = new LRUCache<string, Float32Array>({ max: 1000 })
  const asked = new Map<string, Promise<Float32Array | undefined>>()
  const index = createSeenIndex(slowReads)

  async function meaningOf(text: string): Promise<Float32Array | undefined> {
    const known = meanings.get(text)
    if (known) return known
    // When too many wait already, this search is answered by words alone, without a delay.
    if (!asked.has(text) && asked.size >= maxAsked) return undefined
    const learning = asked.get(text) ?? learn(text)
    return Promise.race([learning, after(maxWaitMs)])
  }

  function learn(text: string) {
    const learning = ai.hub.engine
      .embedText(text)
      .then(
        (meaning) => {
          meanings.set(text, meaning)
          return meaning
        },
        () => undefined,
      )
      .finally(() => asked.delete(text))
    asked.set(text, learning)
    return learning
  }

  async function findSeen(ownerId: number, search: string): Promise<number[]> {
    await ai.hub.refresh()
    const least = ai.hub.leastSimilarity()
    if (least === undefined) return []
    const meaning = await meaningOf(search.toLowerCase())
    if (!meaning) return []
    const found = await index.findNearest(ownerId, meaning, { least, count: maxFound })
    return found.map(({ id }) => id)
  }

  return async (ownerId, search) => {
    const [seen, near] = await Promise.all([findSeen(ownerId, search), findNear(ownerId, search)])
    return [...new Set([...seen, ...near])].slice(0, maxFound)
  }
}

function after(ms: number): Promise<undefined> {
  return new Promise((resolve) => setTimeout(resolve, ms, undefined).unref())
}
