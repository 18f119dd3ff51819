import { dialectOf } from '#platform/server/db/dialect.ts'
import type { Db } from '#platform/server/db/tables.ts'
import { chunksOf } from '#shared/chunks.ts'
import { fold } from '#shared/fold.ts'
import type { Exif } from '../../contract.ts'
import { listMemberships, listTagsByMedia } from '../store.ts'
import type { MediaRow } from '../to-media.ts'
import { altTextsOf } from '../words.ts'
import { loadFacetIds } from './facets.ts'
import { searchIndexOf } from './index-of-database.ts'
import { markWords, type SearchDocument } from './search-index.ts'
import { marksOf } from './search-marks.ts'
import { withSpaces } from './search-words.ts'

const batch = 500
/** Room for two descriptions of the maximum length, the recognized text and other fields. */
const maxDocumentLength = 40_000

/**
 * Must be called in every transaction that changes a name, description, tags, recognized text, favorite, trash, memberships,
 * public address, alt texts, date or file.
 */
export async function indexMedia(db: Db, mediaIds: number[]) {
  // See [Note: Items are locked first].
  const ids = mediaIds.toSorted((first, second) => first - second)
  for (const part of chunksOf(ids, batch)) await searchIndexOf(db).replace(db, await loadDocumentsLocked(db, part))
}

async function loadDocumentsLocked(db: Db, ids: number[]): Promise<SearchDocument[]> {
  // Locked, so that of two concurrent changes the later one indexes both.
  const rows = await dialectOf(db)
    .lockRows(
      db
        .selectFrom('media')
        .select(['id', 'owner_id', 'is_trashed', 'type', 'is_favorite', 'mime_type', 'size', 'width', 'height'])
        .select(['filename', 'user_description', 'ai_description', 'found_text', 'exif', 'taken_at', 'dated_at'])
        .select(['colours', 'created_at', 'public_slug', 'alt_texts', 'is_decorative'])
        .select(['title', 'creator', 'credit', 'licence'])
        .where('id', 'in', ids)
        .orderBy('id'),
    )
    .execute()
  const tags = await listTagsByMedia(db, ids)
  const memberships = Map.groupBy(await listMemberships(db, ids), ({ media_id }) => media_id)
  const facetsOf = (row: (typeof rows)[number]) => {
    const { camera, place } = exifOf(row)
    const facets = [
      ...(tags.get(row.id) ?? []).map(({ tag }) => ({ kind: 'tag' as const, value: tag })),
      ...(camera ? [{ kind: 'camera' as const, value: camera }] : []),
      ...(place ? [{ kind: 'place' as const, value: place }] : []),
    ]
    return facets.map((facet) => ({ ownerId: row.owner_id, ...facet }))
  }
  const idOf = await loadFacetIds(db, rows.flatMap(facetsOf))
  return rows.map((row) => ({
    ownerId: row.owner_id,
    isTrashed: row.is_trashed === 1,
    mediaId: row.id,
    marks: marksOf(
      row,
      (memberships.get(row.id) ?? []).map(({ id }) => id),
      facetsOf(row).flatMap((facet) => idOf(facet) ?? []),
    ),
    ...searchTexts({
      name: [row.filename, ...(tags.get(row.id) ?? []).map(({ tag }) => tag)],
      text: [...factsToFind(row), ...wordsToFind(row), row.found_text, row.user_description, row.ai_description],
    }),
  }))
}

const exifOf = ({ exif }: Pick<MediaRow, 'exif'>): Exif => (exif ? JSON.parse(exif) : {})

const dayFormat = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'long', year: 'numeric', timeZone: 'UTC' })

/** Camera, location and date ("6 May 2024" in the camera's local time). Only the owner can search for them. */
function factsToFind({ exif, taken_at }: Pick<MediaRow, 'exif' | 'taken_at'>): Parts {
  const { camera, place } = exifOf({ exif })
  const day = taken_at ? new Date(`${taken_at.slice(0, 10)}T00:00:00Z`) : undefined
  return [camera ?? null, place ?? null, day && !Number.isNaN(day.getTime()) ? dayFormat.format(day) : null]
}

type Words = Pick<MediaRow, 'title' | 'alt_texts' | 'creator' | 'credit' | 'licence'>

const wordsToFind = (row: Words): Parts => [
  row.title,
  ...Object.values(altTextsOf(row)),
  row.creator,
  row.credit,
  row.licence,
]

type Parts = (string | null)[]

/** One line per part, so that no match spans two parts. */
export function searchTexts(parts: { name: Parts; text: Parts }) {
  const asDocument = (texts: Parts) => {
    const lines = texts.filter((text) => text !== null).map((text) => withSpaces(fold(text)))
    return markWords(lines.join('\n').slice(0, maxDocumentLength), texts.join('\n'))
  }
  return { name: asDocument(parts.name), text: asDocument(parts.text) }
}
