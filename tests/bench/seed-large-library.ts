import { createHash } from 'node:crypto'
import type { DatabaseSync } from 'node:sqlite'
import { Kysely, SqliteDialect } from 'kysely'
import { searchTexts } from '#features/media/server/listing/search-documents.ts'
import type { SearchDocument } from '#features/media/server/listing/search-index.ts'
import { marksOf } from '#features/media/server/listing/search-marks.ts'
import { sqliteSearch } from '#features/media/server/listing/sqlite-search.ts'
import { asKyselyDatabase } from '#platform/server/db/sqlite-statements.ts'
import type { Tables } from '#platform/server/db/tables.ts'
import { sortKey } from '#shared/fold.ts'

const places = ['harbour', 'mountain', 'garden', 'market', 'bridge', 'forest', 'beach', 'castle', 'island', 'station']
const moments = ['morning', 'noon', 'evening', 'night', 'sunset', 'birthday', 'wedding', 'holiday', 'concert', 'picnic']
const rareItems = 20
const members = 5000
const otherOwnersItems = 5000

/** The id of the collection that is created for owner 1. */
export const seededCollection = 1

/** Inserts the rows for owners 1 and 2 directly, because uploading a million items would take hours. */
export async function seedLargeLibrary(connection: DatabaseSync, count: number) {
  connection.exec('PRAGMA synchronous = OFF; PRAGMA cache_size = -400000; BEGIN')
  connection.exec(`INSERT INTO collections (id, owner_id, name, created_at, updated_at) VALUES (1, 1, 'Chosen', 0, 0)`)
  const library = openLibrary(connection)
  const rareEvery = Math.floor(count / rareItems)
  for (let index = 0; index < count; index++) {
    const rare = index % rareEvery === 7 ? ' Zanzibar' : ''
    const isMember = index % Math.ceil(count / members) === 0
    await library.add({ ownerId: 1, index, rare, isMember })
  }
  for (let index = 0; index < otherOwnersItems; index++) await library.add({ ownerId: 2, index })
  await library.finish()
  connection.exec(`UPDATE facets SET key = ' ' || lower(replace(value, '-', ' '))`)
  // As after the janitor's first run: every blob belongs to an item.
  connection.exec('DELETE FROM loose_blobs; COMMIT; ANALYZE; PRAGMA wal_checkpoint(TRUNCATE)')
  connection.close()
}

type Item = { ownerId: number; index: number; rare?: string; isMember?: boolean }

/** Inserts rows one by one, and search documents in batches. */
function openLibrary(connection: DatabaseSync) {
  const kysely = new Kysely<Tables>({ dialect: new SqliteDialect({ database: asKyselyDatabase(connection) }) })
  const blob = connection.prepare('INSERT INTO blobs (sha256, bytes, created_at) VALUES (?, ?, 0)')
  const media = connection.prepare(`INSERT INTO media
    (owner_id, filename, name_key, type, mime_type, blob, size, width, height, duration, thumbhash, colours,
      perceptual_hash, exif, taken_at, ai_description, ai_status, is_favorite, created_at, updated_at)
    VALUES (?, ?, ?, ?, ?, ?, ?, 4000, 3000, ?, '1QcSHQRnh493V4dIh4eXh1h4kJUI', ?, ?, ?, ?, ?, 'done', ?, ?, ?)`)
  const facet = connection.prepare('SELECT id FROM facets WHERE owner_id = ? AND value = ?')
  const facetIds = new Map<string, number>()
  const tag = connection.prepare(`INSERT INTO media_tags VALUES (?, ?, ?, ?, 'ai', 0.87)`)
  const member = connection.prepare('INSERT INTO collection_media VALUES (1, ?, ?, ?, 0)')
  let documents: SearchDocument[] = []
  let id = 0
  const finish = async () => {
    await sqliteSearch.replace(kysely, documents)
    documents = []
  }
  const facetIdOf = (ownerId: number, value: string) => {
    const name = `${ownerId} ${value}`
    const known = facetIds.get(name) ?? (facet.get(ownerId, value) as { id: number }).id
    facetIds.set(name, known)
    return known
  }
  return {
    async add({ ownerId, index, rare = '', isMember = false }: Item) {
      id++
      const [place, moment] = [placeOf(index), momentOf(index)]
      const name = `IMG ${place} ${moment}${rare} ${index}.jpg`
      const description = `A ${moment} at the ${place}, seen from afar.`
      const tags = [place, moment]
      const [type, mimeType] = id % 19 === 3 ? (['video', 'video/mp4'] as const) : (['image', 'image/jpeg'] as const)
      const isFavorite = id % 49 === 9
      const size = 1000 + ((id * 7919) % 1_000_003)
      const sha256 = createHash('sha256').update(String(id)).digest('hex')
      const createdAt = firstDay + id * 60_000
      // Spread over 15 years, in another order than they were added.
      const takenAt = new Date(firstDay - ((id * 7919) % 5475) * dayMs).toISOString().slice(0, 19)
      const colours = JSON.stringify([id % 10 === 4 ? '#c02020' : '#6b7f94', '#d9c7a3', '#2f3b2a'])
      blob.run(sha256, size)
      media.run(
        ...[ownerId, name, sortKey(name), type, mimeType, sha256, size, type === 'video' ? 12.5 : null],
        ...[colours, sha256.slice(0, 16), exif, takenAt, description, isFavorite ? 1 : 0, createdAt, createdAt],
      )
      tags.forEach((word, position) => void tag.run(id, word, ownerId, position))
      if (isMember) member.run(id, createdAt, id)
      const collectionIds = isMember ? [seededCollection] : []
      const texts = searchTexts({ name: [name, ...tags], text: [description] })
      const facts = { type, mime_type: mimeType, size, width: 4000, height: 3000, colours, dated_at: takenAt }
      const flags = { is_favorite: isFavorite ? 1 : 0, is_decorative: 0, public_slug: null, alt_texts: null }
      const marks = marksOf(
        { ...facts, ...flags, created_at: createdAt, user_description: null, ai_description: description },
        collectionIds,
        [...tags, camera].map((value) => facetIdOf(ownerId, value)),
      )
      documents.push({ ownerId, isTrashed: false, mediaId: id, marks, ...texts })
      if (documents.length === 200) await finish()
    },
    finish,
  }
}

const dayMs = 24 * 3600_000
const firstDay = Date.UTC(2026, 0, 1)
const camera = 'FUJIFILM X-T5'
const exif = JSON.stringify({
  takenAt: '2024-05-17T14:03:22',
  camera,
  lens: 'XF 23mm F1.4 R LM WR',
  focalLength: 23,
  aperture: 2.8,
  exposure: '1/250',
  iso: 400,
  latitude: 43.29,
  longitude: 5.36,
})
const placeOf = (index: number) => places[(index * 7) % 10]!
const momentOf = (index: number) => moments[Math.floor(index / 10) % 10]!
