import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Kysely } from 'kysely'
import { LRUCache } from 'lru-cache'
import { tagKey } from '#engines/ai/tags.ts'
import type { Ai } from '#features/analysis/server/ai.ts'
import type { Db, Tables } from '#platform/server/db/tables.ts'
import { fold } from '#shared/fold.ts'
import type { TagPair } from '../contract.ts'
import { likelyReason } from '../likely-pairs.ts'
import { listLibraryTags } from './tags.ts'

/** Only the most used tags are compared, each with each. */
const compared = 500
const maxPairs = 50
/**
 * The cosine of the meanings of two words. Among 58 pairs of common tags, all pairs above it were synonyms ("sofa", "couch")
 * except for numbers and days, which are never compared by meaning; opposites such as sunrise and sunset reach 0.74.
 */
const minSimilarity = 0.78
const maxWaitMs = 1500
/** Comparing one tag with all others takes about 0.1 ms. */
const comparedPerTurn = 50

type Services = { slowReads: Kysely<Tables>; ai: Ai }

export function createTagPairs({ slowReads, ai }: Services) {
  const meanings = new LRUCache<string, Float32Array>({ max: 3000 })
  let learning: Promise<void> | undefined

  /** One word after another, so that a picture waiting for its analysis is not held up. */
  async function learn(tags: string[]) {
    for (const tag of tags) meanings.set(tag, normalized(await ai.local!.embedText(tag)))
  }

  async function loadMeanings(tags: string[]) {
    const unknown = () => tags.filter((tag) => !meanings.has(tag))
    if (!ai.local || ai.models.state !== 'ready' || unknown().length === 0) return { isComplete: true }
    // Without models, pairs are found by their spelling alone.
    learning ??= learn(unknown())
      .catch(() => undefined)
      .finally(() => {
        learning = undefined
      })
    await Promise.race([learning, after(maxWaitMs)])
    return { isComplete: learning === undefined || unknown().length === 0 }
  }

  return async function findPairs(ownerId: number): Promise<{ pairs: TagPair[]; isComplete: boolean }> {
    const tags = (await listLibraryTags(slowReads, ownerId, { limit: compared })).filter(({ count }) => count > 0)
    const { isComplete } = await loadMeanings(tags.map(({ tag }) => tag))
    const dismissed = await listDismissed(slowReads, ownerId)
    const words = tags.map((described) => ({
      described,
      name: described.tag,
      key: tagKey(described.tag),
      folded: fold(described.tag),
      meaning: meanings.get(described.tag),
    }))
    const pairs: (TagPair & { likeness: number })[] = []
    for (const [index, one] of words.entries()) {
      if (index % comparedPerTurn === 0) await nextTurn()
      for (const other of words.slice(index + 1)) {
        const reason = likelyReason(one, other)
        const likeness = reason ? 1 : similarityOf(one, other)
        if (likeness < minSimilarity || dismissed.has(pairKey(one.name, other.name))) continue
        pairs.push({ tags: [one.described, other.described], reason: reason ?? 'meaning', likeness })
      }
    }
    const likeliest = pairs.sort((one, other) => other.likeness - one.likeness).slice(0, maxPairs)
    return { pairs: likeliest, isComplete }
  }
}

type Word = { folded: string; meaning: Float32Array | undefined }

function similarityOf(one: Word, other: Word) {
  if (!one.meaning || !other.meaning || [one, other].some(({ folded }) => isNumbered.test(folded))) return 0
  let sum = 0
  for (let index = 0; index < one.meaning.length; index++) sum += one.meaning[index]! * other.meaning[index]!
  return sum
}

/** Numbers, days and months are close in meaning and never the same. */
const isNumbered =
  /\d|^((mon|tues|wednes|thurs|fri|satur|sun)day|january|february|march|april|may|june|july|august|(septem|octo|novem|decem)ber)$/

function normalized(vector: Float32Array) {
  const length = Math.hypot(...vector) || 1
  return vector.map((value) => value / length)
}

const pairKey = (one: string, other: string) => JSON.stringify([one, other].sort())

async function listDismissed(db: Db, ownerId: number) {
  const rows = await db
    .selectFrom('different_tags')
    .select(['tag_a', 'tag_b'])
    .where('owner_id', '=', ownerId)
    .execute()
  return new Set(rows.map(({ tag_a, tag_b }) => pairKey(tag_a, tag_b)))
}

export async function dismissPair(db: Db, ownerId: number, tags: string[]) {
  const [tag_a, tag_b] = tags.toSorted() as [string, string]
  await db
    .insertInto('different_tags')
    .values({ owner_id: ownerId, tag_a, tag_b })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

const after = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms).unref())
