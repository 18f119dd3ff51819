import type { Kysely } from 'kysely'
import { LRUCache } from 'lru-cache'
import type { Tables } from '#platform/server/db/tables.ts'

/** A library's tags, the most used first. */
export type Vocabulary = {
  /** All of them: their spelling is preferred to a new one. */
  words: string[]
  /** Only those that models gave: what a person wrote stays in the house. */
  modelWords: string[]
}

const mostWords = 2000
/** A model is shown only so many. */
const mostModelWords = 100
/** Counting a million tags takes a while, and a library's habits change slowly. */
const freshMs = 60_000

export function createVocabularies(slowReads: Kysely<Tables>) {
  const kept = new LRUCache<number, Promise<Vocabulary>>({ max: 100, ttl: freshMs })

  return function vocabularyOf(ownerId: number): Promise<Vocabulary> {
    const known = kept.get(ownerId)
    if (known) return known
    const loading = loadVocabulary(slowReads, ownerId)
    kept.set(ownerId, loading)
    loading.catch(() => kept.delete(ownerId))
    return loading
  }
}

async function loadVocabulary(db: Kysely<Tables>, ownerId: number): Promise<Vocabulary> {
  const rows = await db
    .selectFrom('media_tags')
    .select((select) => ['tag', select.fn.min('source').as('source')])
    .where('owner_id', '=', ownerId)
    .groupBy('tag')
    .orderBy((order) => order.fn.countAll(), 'desc')
    .orderBy('tag')
    .limit(mostWords)
    .execute()
  // "ai" comes before "person": the least source says whether a model ever gave this word.
  const modelWords = rows.filter(({ source }) => source === 'ai').map(({ tag }) => tag)
  return { words: rows.map(({ tag }) => tag), modelWords: modelWords.slice(0, mostModelWords) }
}
