import type { Kysely } from 'kysely'
import type { AiAnalysis } from '#engines/ai/provider.ts'
import { normaliseTags, tagKey } from '#engines/ai/tags.ts'
import { Exif } from '#features/media/contract.ts'
import { maxTags } from '#features/media/limits.ts'
import { foundFocalPoint } from '#features/media/server/focal-point.ts'
import { indexMedia } from '#features/media/server/listing/search-documents.ts'
import { updateMedia } from '#features/media/server/store.ts'
import { listOwnTags, listUnwantedTags, rememberRemoved, replaceTags } from '#features/media/server/tags.ts'
import type { MediaRow, TagRow } from '#features/media/server/to-media.ts'
import type { Db, Tables } from '#platform/server/db/tables.ts'
import type { Ai } from './ai.ts'
import { clearFailure, holdForAnalysis } from './failures.ts'
import { findLastAnalysis, onlyAi, rememberAnalysis, snapshotOf } from './history.ts'
import { asInt8, makeSketch } from './likeness/sketch.ts'
import { saveSketch } from './likeness/sketches-store.ts'
import type { ObtainedAnalysis } from './obtain-analysis.ts'
import { findFocalPoint } from './results-store.ts'

type Services = { db: Kysely<Tables>; ai: Ai }

/** What the user rejected in a review. */
type Refusals = {
  isDescriptionRefused: boolean
  /** Tags whose change is rejected: a new one is not added, an old one is not removed. */
  tags: string[]
}

export type ApplyOptions = {
  runKey?: string
  refusals?: Refusals
  /** Writes nothing if the user has canceled the analysis in the meantime. */
  isOnlyWhileOpen?: boolean
  /** Runs at the end of the same transaction. */
  alsoWrite?: (transaction: Db) => Promise<void>
}

/**
 * [Note: User edits always win]
 * An analysis replaces only what an AI wrote: the description unless a user edited it, and tags of source "ai". A user's tags
 * keep their position, and a tag that a user removed or rejected never returns, in any spelling.
 */
export async function applyFindings(
  { db, ai }: Services,
  media: Pick<MediaRow, 'id' | 'owner_id' | 'created_at' | 'blob'>,
  { analysis, shortfall }: ObtainedAnalysis,
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
    const { tags, refused } = applyRefusals(before, found, refusals?.tags ?? [])
    const isUserOwned = row.ai_description_source === 'person'
    const isKept = isUserOwned || refusals?.isDescriptionRefused
    // A description that is kept also keeps its model name.
    const isOldText = isKept && !isUserOwned && row.ai_description !== null
    const changed = await updateMedia(transaction, row.id, {
      ...(!isKept && { ai_description: analysis.description || null, ai_description_source: 'ai' as const }),
      found_text: analysis.text || null,
      ai_status: 'done',
      ai_error: shortfall?.message ?? null,
      ...(!isOldText && { ai_provider: analysis.provider, ai_model: analysis.model, ai_analysed_at: Date.now() }),
      ...(exif && { exif }),
      ...foundFocalPoint(await findFocalPoint(transaction, row.blob)),
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

/** The tags an item would have after this analysis. */
export async function chooseTags(db: Db, row: MediaRow, choice: Choice): Promise<TagRow[]> {
  return tagsAfter({ ...choice, removed: await listUnwantedTags(db, row) })
}

/** The tags an item would have after this analysis; `removed` are those that the user does not want. */
export function tagsAfter({
  before,
  analysis,
  vocabulary,
  removed: unwanted,
}: Choice & { removed: string[] }): TagRow[] {
  const removed = new Set(unwanted.map(tagKey))
  const own = before.filter(({ source }) => source === 'person')
  const taken = new Set(own.map(({ tag }) => tagKey(tag)))
  const ownSpellings = own.map(({ tag }) => tag)
  const found = normaliseTags(analysis.tags, ownSpellings, vocabulary)
    .filter(({ name }) => !removed.has(tagKey(name)) && !taken.has(tagKey(name)))
    .map(({ name, score }): TagRow => ({ tag: name, source: 'ai', score }))
  // Existing tags keep their position, and new ones follow by descending confidence.
  const known = new Set(before.map(({ tag }) => tag))
  const kept = before.flatMap((tag) => (tag.source === 'person' ? tag : found.filter((other) => other.tag === tag.tag)))
  return [...kept, ...found.filter(({ tag }) => !known.has(tag))].slice(0, Math.max(maxTags, own.length))
}

/**
 * Returns the new tags that the user rejected, and the tags without them. A rejected removal turns the tag into the user's
 * own.
 */
function applyRefusals(before: TagRow[], after: TagRow[], unwanted: string[]) {
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

/** Whether the same model gave the same result again, so that there is nothing to revert. */
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

/**
 * The camera's metadata with the name of the nearest town, for the details panel and search; undefined if it is unchanged.
 */
async function exifWithPlace(db: Db, { local }: Ai, mediaId: number): Promise<string | undefined> {
  const row = await db.selectFrom('media').select('exif').where('id', '=', mediaId).executeTakeFirst()
  const exif = row?.exif ? Exif.partial().parse(JSON.parse(row.exif)) : {}
  const { latitude, longitude, place: known } = exif
  if (known || latitude === undefined || longitude === undefined) return undefined
  // The analysis continues without a town name.
  const place = await local?.findPlace({ latitude, longitude }).catch(() => null)
  return place ? JSON.stringify({ ...exif, place }) : undefined
}
