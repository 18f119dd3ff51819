import type { Kysely } from 'kysely'
import { conflict, notFound } from '#platform/errors.ts'
import type { Db, Tables } from '#platform/server/db/tables.ts'
import { safeFilename, safeTypedName, splitExtension } from '#shared/filenames.ts'
import { sortKey } from '#shared/fold.ts'
import { suggestSlug } from '#shared/slug.ts'
import type { MediaPatch } from '../contract.ts'
import { ownFocalPoint } from './focal-point.ts'
import { indexMedia } from './listing/search-documents.ts'
import type { Owned } from './owned.ts'
import { endEarlierSlugs, takeSlug } from './slugs.ts'
import { insertMediaRows, lockItem, updateMedia } from './store.ts'
import { addTagsByPerson, copyTags, setTagsByPerson } from './tags.ts'
import type { MediaRow } from './to-media.ts'
import { changedAltTexts, changedWords } from './words.ts'

type Database = Kysely<Tables>

/** A description that the user edited becomes the user's own. */
export async function changeMedia(db: Database, media: Owned<MediaRow>, patch: MediaPatch) {
  return db.transaction().execute(async (transaction) => {
    const isDescriptionEdited =
      patch.aiDescription !== undefined && (patch.aiDescription || null) !== media.ai_description
    const row = await updateMedia(transaction, media.id, {
      ...(patch.filename !== undefined && renamed(patch.filename)),
      ...changedWords(patch),
      ...(patch.altTexts && { alt_texts: changedAltTexts(await lockItem(transaction, media), patch.altTexts) }),
      ...(patch.userDescription !== undefined && { user_description: patch.userDescription || null }),
      ...(isDescriptionEdited && {
        ai_description: patch.aiDescription || null,
        ai_description_source: 'person' as const,
      }),
      ...(patch.focalPoint !== undefined && ownFocalPoint(media, patch.focalPoint)),
      ...(patch.isFavorite !== undefined && { is_favorite: flagOf(patch.isFavorite) }),
      ...(patch.isIndexed !== undefined && { is_indexed: patch.isIndexed === null ? null : flagOf(patch.isIndexed) }),
    })
    if (!row) throw notFound('Media')
    if (patch.aiTags) await setTagsByPerson(transaction, media, patch.aiTags)
    if (patch.addTags) await addTagsByPerson(transaction, media, patch.addTags)
    await indexMedia(transaction, [media.id])
    return row
  })
}

const flagOf = (isOn: boolean) => (isOn ? (1 as const) : (0 as const))

/** Only the given fields are written, as another change of the same item may be in progress. */
function renamed(wanted: string) {
  const filename = safeTypedName(wanted)
  return { filename, name_key: sortKey(filename) }
}

export async function copyMedia(db: Db, media: Owned<MediaRow>) {
  const current = await lockItem(db, media)
  const filename = safeFilename(`Copy of ${current.filename}`)
  const [copy] = await insertCopies(db, [{ ...current, filename, name_key: sortKey(filename) }])
  await indexMedia(db, [copy!.id])
  return copy!
}

/**
 * The caller indexes the copies. They cost no quota, see [Note: Shared bytes count once]. They come in the order of the
 * originals, which must be locked before they are read, so that background work on a video includes the copies.
 */
export async function insertCopies(db: Db, originals: MediaRow[]) {
  const copies = await insertMediaRows(db, originals.map(asCopy))
  await copyTags(
    db,
    originals.map(({ id }, index) => ({ fromId: id, to: copies[index]! })),
  )
  return copies
}

/** The first item of a series of copies; items with the same one are versions, and not duplicates, of each other. */
export const firstVersionOf = ({ id, derived_from }: Pick<MediaRow, 'id' | 'derived_from'>) => derived_from ?? id

function asCopy({ id, public_slug: _slug, ...media }: MediaRow) {
  const now = Date.now()
  return {
    ...media,
    derived_from: firstVersionOf({ id, ...media }),
    // Only the original is waiting for its analysis; a copy is analyzed on request.
    ai_status: media.ai_status === 'waiting' ? ('none' as const) : media.ai_status,
    view_count: 0,
    is_indexed: null,
    is_favorite: 0 as const,
    is_trashed: 0 as const,
    trashed_at: null,
    created_at: now,
    updated_at: now,
  }
}

/** Repeating the request returns the same address. `isEarlierUrl`: visitors may still have it from before. */
export async function publishMedia(db: Db, media: Owned<MediaRow>) {
  if (media.public_slug) return { row: media, isEarlierUrl: false }
  const current = await lockItem(db, media)
  if (current.public_slug) return { row: current, isEarlierUrl: false }
  const earlier = await latestSlug(db, media.id)
  const slug = earlier ?? suggestSlug(splitExtension(current.filename).stem)
  return { row: await setSlug(db, current, slug), isEarlierUrl: earlier !== undefined }
}

async function setSlug(db: Db, media: Owned<MediaRow>, slug: string) {
  await takeSlug(db, 'media', slug, media.id)
  const row = await updateMedia(db, media.id, { public_slug: slug })
  await indexMedia(db, [media.id])
  return row ?? media
}

/** An item that was public before gets its previous address back, so that shared links work again. */
async function latestSlug(db: Db, mediaId: number) {
  const row = await db
    .selectFrom('slugs')
    .select('slug')
    .where('kind', '=', 'media')
    .where('target_id', '=', mediaId)
    .orderBy('taken_at', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row?.slug
}

export async function unpublishMedia(db: Database, media: Owned<MediaRow>) {
  return db.transaction().execute(async (transaction) => {
    const { id } = await lockItem(transaction, media)
    const row = await updateMedia(transaction, id, { public_slug: null })
    await indexMedia(transaction, [id])
    return row!
  })
}

type NewUrl = { slug: string; endsEarlierUrls?: boolean }

/** Only a public item has an address to rename. Renaming must not publish an item that has just become private. */
export async function renamePublicSlug(db: Database, media: Owned<MediaRow>, { slug, endsEarlierUrls }: NewUrl) {
  return db.transaction().execute(async (transaction) => {
    const current = await lockItem(transaction, media)
    if (!current.public_slug) throw conflict('This item is not public. Create a public URL first.')
    const renamed = await setSlug(transaction, current, slug)
    if (endsEarlierUrls) await endEarlierSlugs(transaction, 'media', media.id, slug)
    return renamed
  })
}
