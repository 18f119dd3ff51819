import { createHash } from 'node:crypto'
import type { Kysely } from 'kysely'
import { LRUCache } from 'lru-cache'
import type { Impression } from '#engines/ai/provider.ts'
import { packEmbedding } from '#engines/ai/similarity.ts'
import { type LibraryEdition, loadEdition } from '#features/media/server/library-pause.ts'
import { listTagsByMedia } from '#features/media/server/store.ts'
import { loadSetting, saveSetting } from '#platform/server/db/settings.ts'
import type { Db, Tables } from '#platform/server/db/tables.ts'
import type { Ai } from '../ai.ts'
import { listImpressions } from '../results-store.ts'
import { makeSketch } from './sketch.ts'
import { deleteSketch, saveSketch } from './sketches-store.ts'

const batch = 100
const longestText = 1000
/** The number changes with the note below, so that all items are embedded again. */
const checkpoint = 'meanings-2-until'
/** A change may be committed slightly later than its timestamp. */
const overlapMs = 60_000

type Services = { db: Kysely<Tables>; ai: Ai }
type Local = NonNullable<Ai['local']>
type Worded = {
  id: number
  owner_id: number
  updated_at: number
  tags: string[]
  description: string
  impressions: Impression[]
}

/**
 * [Note: What an item means]
 * An item's place among others is the sum of three meanings: of its descriptions, of its tags, and of the impressions of its
 * picture, which are the classes that it may show, weighted by the root of their likelihood. Impressions let "feline" find
 * what is only tagged as an animal. Every text is embedded as "a photo of …", and so is a search: the model compares
 * sentences better than single words. The weight was chosen on the tuning half of `evaluation`.
 */
const weightOfImpressions = 0.6
export const asPhoto = (text: string) => `a photo of ${text}`

/**
 * Updates the text embedding of every item whose words changed. Processes changes in order from the last checkpoint; an item
 * whose words are unchanged costs one hash comparison.
 */
export async function learnMeanings({ db, ai }: Services, signal: AbortSignal) {
  if (!ai.local) return
  const edition = await loadEdition(db)
  let after = { time: (await loadCheckpoint(db, edition)) - overlapMs, id: 0 }
  for (;;) {
    const items = await listChanged(db, after)
    for (const item of items) {
      signal.throwIfAborted()
      await learn(db, ai.local, item)
    }
    const last = items.at(-1)
    if (!last) return
    after = { time: last.updated_at, id: last.id }
    await saveCheckpoint(db, edition, last.updated_at)
    if (items.length < batch) return
  }
}

async function learn(db: Kysely<Tables>, local: Local, item: Worded) {
  const { id, owner_id, tags, description, impressions } = item
  const hash = createHash('sha256')
    .update(JSON.stringify([tags, description, impressions]))
    .digest('hex')
  const known = await db.selectFrom('meanings').select('words_hash').where('media_id', '=', id).executeTakeFirst()
  if (known?.words_hash === hash) return
  if (tags.length === 0 && description === '') return known && deleteMeaning(db, id)
  const meaning = await meaningOf(local, item)
  const vector = Buffer.from(packEmbedding(meaning))
  const bits = makeSketch(meaning)
  await db.transaction().execute(async (transaction) => {
    const isThere = await transaction.selectFrom('media').select('id').where('id', '=', id).executeTakeFirst()
    if (!isThere) return
    await transaction
      .insertInto('meanings')
      .values({ media_id: id, words_hash: hash, vector })
      .onConflict((conflict) => conflict.column('media_id').doUpdateSet({ words_hash: hash, vector }))
      .execute()
    await saveSketch(transaction, 'words', { id, owner_id }, bits)
  })
}

/** The same tags and classes return in most items. A meaning takes 1.5 kB. */
const meaningsOfWords = new LRUCache<string, Float32Array>({ max: 3000 })

async function meaningOf(local: Local, { tags, description, impressions }: Worded): Promise<Float32Array> {
  const ofWord = async (word: string) => {
    const meaning = meaningsOfWords.get(word) ?? (await local.embedText(asPhoto(word)))
    meaningsOfWords.set(word, meaning)
    return meaning
  }
  const [sum, ofTags, ofPicture] = [emptyMeaning(), emptyMeaning(), emptyMeaning()]
  if (description) add(sum, await local.embedText(asPhoto(description)), 1)
  for (const tag of tags) add(ofTags, await ofWord(tag), 1)
  for (const { word, likelihood } of impressions) add(ofPicture, await ofWord(word), Math.sqrt(likelihood))
  if (tags.length > 0) add(sum, ofTags, 1 / Math.hypot(...ofTags))
  if (impressions.length > 0) add(sum, ofPicture, weightOfImpressions / Math.hypot(...ofPicture))
  return sum
}

const emptyMeaning = () => new Float32Array(384)

function add(sum: Float32Array, meaning: Float32Array, weight: number) {
  for (const [index, value] of meaning.entries()) sum[index]! += weight * value
}

/** Deletes the embedding of an item that has no words left. */
async function deleteMeaning(db: Kysely<Tables>, mediaId: number) {
  await db.transaction().execute(async (transaction) => {
    await transaction.deleteFrom('meanings').where('media_id', '=', mediaId).execute()
    await deleteSketch(transaction, 'words', mediaId)
  })
}

async function listChanged(db: Db, { time, id }: { time: number; id: number }): Promise<Worded[]> {
  const rows = await db
    .selectFrom('media')
    .select(['id', 'owner_id', 'updated_at', 'blob', 'user_description', 'ai_description'])
    .where((where) =>
      where.or([where('updated_at', '>', time), where.and([where('updated_at', '=', time), where('id', '>', id)])]),
    )
    .orderBy('updated_at')
    .orderBy('id')
    .limit(batch)
    .execute()
  if (rows.length === 0) return []
  const tags = await listTagsByMedia(
    db,
    rows.map((row) => row.id),
  )
  const impressions = await listImpressions(
    db,
    rows.map(({ blob }) => blob),
  )
  return rows.map((row) => ({
    id: row.id,
    owner_id: row.owner_id,
    updated_at: row.updated_at,
    tags: (tags.get(row.id) ?? []).map(({ tag }) => tag),
    description: [row.user_description, row.ai_description].filter(Boolean).join('. ').slice(0, longestText),
    impressions: impressions.get(row.blob) ?? [],
  }))
}

/** The checkpoint of another library is ignored: restored items may be older than it and have no embedding yet. */
async function loadCheckpoint(db: Db, edition: LibraryEdition) {
  const [time, markedEdition = ''] = (await loadSetting(db, checkpoint))?.split(' ') ?? []
  return markedEdition === edition ? Number(time ?? 0) : 0
}

/** Never later than now: after a clock that ran ahead was corrected, changes have earlier timestamps. */
async function saveCheckpoint(db: Db, edition: LibraryEdition, time: number) {
  await saveSetting(db, checkpoint, `${Math.min(time, Date.now())} ${edition}`.trim())
}
