import { dialectOf } from '#platform/server/db/dialect.ts'
import type { Db } from '#platform/server/db/tables.ts'
import { chunksOf } from '#shared/chunks.ts'
import { fold } from '#shared/fold.ts'
import { umlautPlurals } from '#shared/word-forms.ts'
import type { Exif } from '../../contract.ts'
import { listMemberships, listTagsByMedia } from '../store.ts'
import type { MediaRow } from '../to-media.ts'
import { altTextsOf } from '../words.ts'
import { postgresSearch } from './postgres-search.ts'
import { markWords, type SearchDocument, type SearchIndex, type SearchWord, toSearchWord } from './search-index.ts'
import { sqliteSearch } from './sqlite-search.ts'

export const searchIndexOf = (db: Db): SearchIndex =>
  dialectOf(db).choose({ sqlite: sqliteSearch, postgres: postgresSearch })

const batch = 500
/** Room for two descriptions of the maximum length, the recognized text and other fields. */
const maxDocumentLength = 40_000
/** As many words as a search supports. */
const maxWords = 100

/**
 * Must be called in every transaction that changes a name, description, tags, recognized text, favorite, trash or
 * memberships.
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
        .select(['id', 'owner_id', 'is_trashed', 'type', 'is_favorite'])
        .select([
          'title',
          'alt_texts',
          'creator',
          'credit',
          'licence',
          'filename',
          'user_description',
          'ai_description',
          'found_text',
          'exif',
          'taken_at',
        ])
        .where('id', 'in', ids)
        .orderBy('id'),
    )
    .execute()
  const tags = await listTagsByMedia(db, ids)
  const memberships = Map.groupBy(await listMemberships(db, ids), ({ media_id }) => media_id)
  return rows.map((row) => ({
    ownerId: row.owner_id,
    isTrashed: row.is_trashed === 1,
    mediaId: row.id,
    type: row.type,
    isFavorite: row.is_favorite === 1,
    collectionIds: (memberships.get(row.id) ?? []).map(({ id }) => id),
    ...searchTexts({
      name: [row.filename, ...(tags.get(row.id) ?? []).map(({ tag }) => tag)],
      text: [...factsToFind(row), ...wordsToFind(row), row.found_text, row.user_description, row.ai_description],
    }),
  }))
}

const dayFormat = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'long', year: 'numeric', timeZone: 'UTC' })

/** Camera, location and date ("6 May 2024" in the camera's local time). Only the owner can search for them. */
function factsToFind({ exif, taken_at }: Pick<MediaRow, 'exif' | 'taken_at'>): Parts {
  const { camera, place }: Exif = exif ? JSON.parse(exif) : {}
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

/** A line break between two words counts as a space. */
const withSpaces = (text: string) => text.replace(/\s+/g, ' ')

/** One line per part, so that no match spans two parts. */
export function searchTexts(parts: { name: Parts; text: Parts }) {
  const asDocument = (texts: Parts) => {
    const lines = texts.filter((text) => text !== null).map((text) => withSpaces(fold(text)))
    return markWords(lines.join('\n').slice(0, maxDocumentLength), texts.join('\n'))
  }
  return { name: asDocument(parts.name), text: asDocument(parts.text) }
}

/** A phrase between straight or curly quotation marks, the last of which may still be missing, or a word. */
const phraseOrWord = /["“”„]([^"“”„]*)(?:["“”]|$)|\S+/gu

/**
 * The words and quoted phrases that must all match. Words of one or two characters match beginnings of words, which contain
 * only letters and digits, so other characters are removed from them, unless nothing else remains.
 */
export function searchWords(search: string): SearchWord[] {
  const words = [...fold(search).matchAll(phraseOrWord)]
    .map(([word, phrase]) => (phrase === undefined ? word : withSpaces(phrase).trim()))
    .filter(Boolean)
  const meaningful = words.map((word) => (word.length < 3 ? word.replace(/[^\p{L}\p{N}]/gu, '') : word)).filter(Boolean)
  const umlauts = umlautPlurals(search)
  return [...new Set(meaningful.length > 0 ? meaningful : words)]
    .slice(0, maxWords)
    .map((word) => toSearchWord(word, umlauts.has(word)))
}
