import type { Kysely } from 'kysely'
import type { AiAnalysis } from '#engines/ai/provider.ts'
import { normaliseTags, tagKey } from '#engines/ai/tags.ts'
import { Exif } from '#features/media/contract.ts'
import { maxTags } from '#features/media/limits.ts'
import { indexMedia } from '#features/media/server/listing/search-documents.ts'
import { updateMedia } from '#features/media/server/store.ts'
import { listOwnTags, listRemovedTags, rememberRemoved, replaceTags } from '#features/media/server/tags.ts'
import type { MediaRow, TagRow } from '#features/media/server/to-media.ts'
import type { Db, Tables } from '#platform/server/db/tables.ts'
import type { Ai } from './ai.ts'
import { clearFailure, holdForAnalysis } from './failures.ts'
import { findLastAnalysis, onlyAi, rememberAnalysis, snapshotOf } from './history.ts'
import { asInt8, makeSketch } from './likeness/sketch.ts'
import { saveSketch } from './likeness/sketches-store.ts'
import type { Look } from './look.ts'

type Services = { db: Kysely<Tables>; ai: Ai }

/** What a person who looked at the findings first does not want of them. */
type Refusals = {
  isDescriptionRefused: boolean
  /** Tags whose change is not wanted: a new one stays away, one that would go stays. */
  tags: string[]
}

export type ApplyOptions = {
  runKey?: string
  refusals?: Refusals
  /** Nothing is written when somebody has cancelled the analysis meanwhile. */
  isOnlyWhileOpen?: boolean
  /** Part of the same transaction, at its end. */
  alsoWrite?: (transaction: Db) => Promise<void>
}

/**
 * [Note: A person's word wins for ever]
 * An analysis writes only what is still a model's: the description unless a person edited it, and tags of source "ai".
 * A person's tags stay where they are, and what a person took off or refused never returns, in no spelling.
 */
export async function applyFindings(
  { db, ai }: Services,
  media: Pick<MediaRow, 'id' | 'owner_id' | 'created_at'>,
  { analysis, shortfall }: Look,
  { runKey, refusals, isOnlyWhileOpen = false, alsoWrite }: ApplyOptions,
) {
  const { words } = await ai.vocabularyOf(media.owner_id)
  const bits = analysis.embedding && makeSketch(asInt8(analysis.embedding))
  const exif = await exifWithPlace(db, ai, media.id)
  await db.transaction().execute(async (transaction) => {
    const row = await holdForAnalysis(transaction, media, isOnlyWhileOpen)
    if (!row) return
    const before = await listOwnTags(transaction, row.id)
    const found = await chooseTags(transaction, row, { before, analysis, vocabulary: words })
    const { tags, refused } = heedRefusals(before, found, refusals?.tags ?? [])
    const isPersons = row.ai_description_source === 'person'
    const isKept = isPersons || refusals?.isDescriptionRefused
    // A description that stays keeps its author's name.
    const isOldText = isKept && !isPersons && row.ai_description !== null
    const changed = await updateMedia(transaction, row.id, {
      ...(!isKept && { ai_description: analysis.description || null, ai_description_source: 'ai' as const }),
      found_text: analysis.text || null,
      ai_status: 'done',
      ai_error: shortfall?.message ?? null,
      ...(!isOldText && { ai_provider: analysis.provider, ai_model: analysis.model, ai_analysed_at: Date.now() }),
      ...(exif && { exif }),
    })
    await replaceTags(transaction, row, tags)
    await rememberRemoved(
      transaction,
      refused.map((tag) => ({ media_id: row.id, tag })),
    )
    if (!(await isRepetition(transaction, row, changed!, before, tags, analysis))) {
      const replaced = { ...snapshotOf(row, before), refused }
      await rememberAnalysis(transaction, { mediaId: row.id, analysis, replaced, runKey })
    }
    if (bits) await saveSketch(transaction, 'picture', row, bits)
    await clearFailure(transaction, row.id)
    await indexMedia(transaction, [row.id])
    await alsoWrite?.(transaction)
  })
}

type Choice = { before: TagRow[]; analysis: Pick<AiAnalysis, 'tags'>; vocabulary: string[] }

/** The tags that an item would have after these findings. */
export async function chooseTags(db: Db, row: MediaRow, { before, analysis, vocabulary }: Choice): Promise<TagRow[]> {
  const removed = new Set((await listRemovedTags(db, row.id)).map(tagKey))
  const own = before.filter(({ source }) => source === 'person')
  const taken = new Set(own.map(({ tag }) => tagKey(tag)))
  const found = normaliseTags(analysis.tags, [...own.map(({ tag }) => tag), ...vocabulary])
    .filter(({ name }) => !removed.has(tagKey(name)) && !taken.has(tagKey(name)))
    .map(({ name, score }): TagRow => ({ tag: name, source: 'ai', score }))
  // What was there keeps its place; what is new follows, the surest first.
  const known = new Set(before.map(({ tag }) => tag))
  const kept = before.flatMap((tag) => (tag.source === 'person' ? tag : found.filter((other) => other.tag === tag.tag)))
  return [...kept, ...found.filter(({ tag }) => !known.has(tag))].slice(0, Math.max(maxTags, own.length))
}

/** New tags that the person refused, and the tags without them; what would go and should not is from now on the person's. */
function heedRefusals(before: TagRow[], after: TagRow[], unwanted: string[]) {
  const refusals = new Set(unwanted.map(tagKey))
  const isUnwanted = ({ tag }: TagRow) => refusals.has(tagKey(tag))
  const [was, willBe] = [before, after].map((tags) => new Set(tags.map(({ tag }) => tagKey(tag)))) as [
    Set<string>,
    Set<string>,
  ]
  const refused = after.filter((tag) => isUnwanted(tag) && !was.has(tagKey(tag.tag)))
  const saved = before.filter((tag) => isUnwanted(tag) && !willBe.has(tagKey(tag.tag)))
  const tags = [
    ...after.filter((tag) => !refused.includes(tag)),
    ...saved.map(({ tag }): TagRow => ({ tag, source: 'person', score: null })),
  ]
  return { tags, refused: refused.map(({ tag }) => tag) }
}

/** The same model said the same again: there is nothing that a revert would bring back. */
async function isRepetition(
  db: Db,
  before: MediaRow,
  after: MediaRow,
  tagsBefore: TagRow[],
  tagsAfter: TagRow[],
  { provider, model, version }: AiAnalysis,
) {
  const last = await findLastAnalysis(db, before.id)
  const isSameModel = last?.provider === provider && last.model === model && last.version === version
  const isSameText = before.ai_description === after.ai_description && before.found_text === after.found_text
  return isSameModel && isSameText && JSON.stringify(onlyAi(tagsBefore)) === JSON.stringify(onlyAi(tagsAfter))
}

/** What the camera wrote with the nearest town's name, for the owner's panel and search; undefined when that is not new. */
async function exifWithPlace(db: Db, { local }: Ai, mediaId: number): Promise<string | undefined> {
  const row = await db.selectFrom('media').select('exif').where('id', '=', mediaId).executeTakeFirst()
  const exif = row?.exif ? Exif.partial().parse(JSON.parse(row.exif)) : {}
  const { latitude, longitude, place: known } = exif
  if (known || latitude === undefined || longitude === undefined) return undefined
  // A place is a help, not a need.
  const place = await local?.findPlace({ latitude, longitude }).catch(() => null)
  return place ? JSON.stringify({ ...exif, place }) : undefined
}
