import type { DatabaseSync } from 'node:sqlite'
import { Kysely, SqliteDialect } from 'kysely'
import { searchTexts } from '#features/media/server/search-documents.ts'
import type { SearchDocument } from '#platform/server/db/sql-dialect.ts'
import { sqliteSearch } from '#platform/server/db/sqlite-search.ts'
import { asKyselyDatabase } from '#platform/server/db/sqlite-statements.ts'
import type { Tables } from '#platform/server/db/tables.ts'
import { sortKey } from '#shared/fold.ts'

const places = ['harbour', 'mountain', 'garden', 'market', 'bridge', 'forest', 'beach', 'castle', 'island', 'station']
const moments = ['morning', 'noon', 'evening', 'night', 'sunset', 'birthday', 'wedding', 'holiday', 'concert', 'picnic']
const rareItems = 20
const members = 5000
const neighbours = 5000

/** A million rows through the front door would take hours; these are the same rows, written directly, for owners 1 and 2. */
export async function seedLargeLibrary(connection: DatabaseSync, count: number) {
  connection.exec('PRAGMA synchronous = OFF; PRAGMA cache_size = -400000; BEGIN')
  connection.exec(`INSERT INTO blobs (sha256, bytes, created_at) VALUES ('${'a'.repeat(64)}', 1000, 0)`)
  connection.exec(`INSERT INTO collections (id, owner_id, name, created_at, updated_at) VALUES (1, 1, 'Chosen', 0, 0)`)
  const library = openLibrary(connection)
  const rareEvery = Math.floor(count / rareItems)
  for (let index = 0; index < count; index++) {
    const rare = index % rareEvery === 7 ? ' Zanzibar' : ''
    const isMember = index % Math.ceil(count / members) === 0
    await library.add(1, `IMG ${placeOf(index)} ${momentOf(index)}${rare} ${index}.jpg`, isMember)
  }
  for (let index = 0; index < neighbours; index++)
    await library.add(2, `IMG ${placeOf(index)} ${momentOf(index)} ${index}.jpg`)
  await library.finish()
  connection.exec('COMMIT; ANALYZE; PRAGMA wal_checkpoint(TRUNCATE)')
  connection.close()
}

/** Rows one by one, search documents by the hundred. */
function openLibrary(connection: DatabaseSync) {
  const kysely = new Kysely<Tables>({ dialect: new SqliteDialect({ database: asKyselyDatabase(connection) }) })
  const media = connection.prepare(`INSERT INTO media
    (owner_id, filename, name_key, type, mime_type, blob, size, status, is_favorite, created_at, updated_at)
    VALUES (?, ?, ?, ?, ?, '${'a'.repeat(64)}', ?, 'ready', ?, ?, ?)`)
  const member = connection.prepare('INSERT INTO collection_media VALUES (1, ?, ?, ?, 0)')
  let documents: SearchDocument[] = []
  let id = 0
  const finish = async () => {
    await sqliteSearch.replace(kysely, documents)
    documents = []
  }
  return {
    async add(ownerId: number, name: string, isMember = false) {
      id++
      const type = id % 19 === 3 ? 'video' : 'image'
      const isFavorite = id % 49 === 9
      const [mimeType, size] = [`${type}/x`, 1000 + ((id * 7919) % 1_000_003)]
      media.run(ownerId, name, sortKey(name), type, mimeType, size, isFavorite ? 1 : 0, id, id)
      documents.push({
        ownerId,
        isTrashed: false,
        mediaId: id,
        type,
        isFavorite,
        collectionIds: isMember ? [1] : [],
        ...searchTexts({ name: [name], text: [] }),
      })
      if (isMember) member.run(id, id, id)
      if (documents.length === 200) await finish()
    },
    finish,
  }
}

const placeOf = (index: number) => places[(index * 7) % 10]!
const momentOf = (index: number) => moments[Math.floor(index / 10) % 10]!
