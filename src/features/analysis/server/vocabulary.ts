import type { Kysely } from 'kysely'
import { LRUCache } from 'lru-cache'
import { loadEdition } from '#features/media/server/library-pause.ts'
import { listNeverTags } from '#features/media/server/tags.ts'
import type { Tables } from '#platform/server/db/tables.ts'

/** A library's tags, the most used first. */
export type Vocabulary = {
  /** All tags; an existing spelling is preferred to a new one. */
  words: string[]
  /** Only tags from models, as a user's own text is never sent to an endpoint. */
  modelWords: string[]
}

const maxVocabulary = 2000
/** The most tags that are offered to a model. */
const maxModelWords = 100
/** Only this many of the newest items are counted, which is enough to find the usual tags. */
const maxItems = 5000
/** Counting a million tags takes a while, and a library's tags change slowly. */
const freshMs = 60_000

export function createVocabularies(slowReads: Kysely<Tables>) {
  const kept = new LRUCache<string, Promise<Vocabulary>>({ max: 100, ttl: freshMs })

  return async function vocabularyOf(ownerId: number): Promise<Vocabulary> {
    // In another library the same id may belong to another user.
    const key = `${await loadEdition(slowReads)} ${ownerId}`
    const known = kept.get(key)
    if (known) return known
    const loading = loadVocabulary(slowReads, ownerId)
    kept.set(key, loading)
    loading.catch(() => kept.delete(key))
    return loading
  }
}

async function loadVocabulary(db: Kysely<Tables>, ownerId: number): Promise<Vocabulary> {
  const used = mostUsed(db, maxVocabulary).where('owner_id', '=', ownerId)
  const byModels = mostUsed(db, maxModelWords)
    .where('source', '=', 'ai')
    .where('media_id', 'in', newestItems(db, ownerId))
  const [words, modelWords] = [await used.execute(), await byModels.execute()]
  const never = new Set(await listNeverTags(db, ownerId))
  const wanted = (rows: { tag: string }[]) => rows.map(({ tag }) => tag).filter((tag) => !never.has(tag))
  return { words: wanted(words), modelWords: wanted(modelWords) }
}

const mostUsed = (db: Kysely<Tables>, limit: number) =>
  db
    .selectFrom('media_tags')
    .select('tag')
    .groupBy('tag')
    .orderBy((order) => order.fn.countAll(), 'desc')
    .orderBy('tag')
    .limit(limit)

const newestItems = (db: Kysely<Tables>, ownerId: number) =>
  db.selectFrom('media').select('id').where('owner_id', '=', ownerId).orderBy('id', 'desc').limit(maxItems)
