import { createHash } from 'node:crypto'
import type { Insertable, Kysely } from 'kysely'
import type { Services } from '#app/server/services.ts'
import { indexMedia } from '#features/media/server/listing/search-documents.ts'
import type { Tables } from '#platform/server/db/tables.ts'
import { sortKey } from '#shared/fold.ts'

export type Draft = Partial<Insertable<Tables['media']>> & { tags?: string[] }

const perStatement = 100
let blobs = 0

/** Inserts many rows without files into a user's library; returns their ids in order. */
export async function seedLibrary({ db }: Pick<Services, 'db'>, ownerId: number, drafts: Draft[]): Promise<number[]> {
  const sha256 = createHash('sha256').update(`seed ${ownerId} ${++blobs}`).digest('hex')
  await db.insertInto('blobs').values({ sha256, bytes: 1, created_at: Date.now() }).execute()
  const ids: number[] = []
  for (let start = 0; start < drafts.length; start += perStatement) {
    const part = drafts.slice(start, start + perStatement)
    const rows = part.map((draft, index) => rowOf(draft, { ownerId, sha256, number: start + index }))
    const inserted = await db.insertInto('media').values(rows).returning('id').execute()
    const partIds = inserted.map(({ id }) => id).sort((a, b) => a - b)
    const tags = part.flatMap(({ tags = [] }, index) =>
      tags.map((tag, position) => ({
        media_id: partIds[index]!,
        owner_id: ownerId,
        tag,
        position,
        source: 'ai' as const,
        score: 0.9,
      })),
    )
    if (tags.length > 0) await db.insertInto('media_tags').values(tags).execute()
    ids.push(...partIds)
  }
  await indexMedia(db, ids)
  return ids
}

type RowContext = { ownerId: number; sha256: string; number: number }

function rowOf({ tags: _tags, ...draft }: Draft, { ownerId, sha256, number }: RowContext): Insertable<Tables['media']> {
  const filename = draft.filename ?? `item ${number}.jpg`
  const createdAt = 1_700_000_000_000 + number * 1000
  return {
    owner_id: ownerId,
    filename,
    name_key: sortKey(filename),
    type: 'image',
    mime_type: 'image/jpeg',
    blob: sha256,
    size: 1000 + number,
    is_favorite: 0,
    is_trashed: 0,
    created_at: createdAt,
    updated_at: createdAt,
    ...draft,
  }
}

const batch = 500

/** Inserts rows without files, for tests with many items: `photo 1.jpg` to `photo {count}.jpg`, one second apart. */
export async function insertManyMedia(db: Kysely<Tables>, ownerId: number, count: number): Promise<number[]> {
  const ids: number[] = []
  const start = Date.now() - count * 1000
  for (let first = 0; first < count; first += batch) {
    const numbers = Array.from({ length: Math.min(batch, count - first) }, (_, index) => first + index + 1)
    await db.transaction().execute(async (transaction) => {
      await transaction
        .insertInto('blobs')
        .values(numbers.map((number) => ({ sha256: blobOf(ownerId, number), bytes: number, created_at: start })))
        .execute()
      const rows = await transaction
        .insertInto('media')
        .values(
          numbers.map((number) => ({
            owner_id: ownerId,
            filename: `photo ${number}.jpg`,
            name_key: sortKey(`photo ${number}.jpg`),
            type: 'image' as const,
            mime_type: 'image/jpeg',
            blob: blobOf(ownerId, number),
            size: number,
            created_at: start + number * 1000,
            updated_at: start,
          })),
        )
        .returning('id')
        .execute()
      const inserted = rows.map(({ id }) => id)
      await indexMedia(transaction, inserted)
      ids.push(...inserted)
    })
  }
  return ids
}

/** Copies one item's row: `copy 1.jpg` to `copy {count}.jpg`, one second apart, with the same file and thumbnail. */
export async function copyManyMedia(db: Kysely<Tables>, mediaId: number, count: number): Promise<number[]> {
  const { id: _id, ...original } = await db
    .selectFrom('media')
    .selectAll()
    .where('id', '=', mediaId)
    .executeTakeFirstOrThrow()
  const rows = Array.from({ length: count }, (_, index) => {
    const filename = `copy ${index + 1}.jpg`
    return { ...original, filename, name_key: sortKey(filename), created_at: original.created_at + (index + 1) * 1000 }
  })
  return db.transaction().execute(async (transaction) => {
    const inserted = await transaction.insertInto('media').values(rows).returning('id').execute()
    const ids = inserted.map(({ id }) => id).sort((first, second) => first - second)
    await indexMedia(transaction, ids)
    return ids
  })
}

const blobOf = (ownerId: number, number: number) => createHash('sha256').update(`${ownerId}/${number}`).digest('hex')
