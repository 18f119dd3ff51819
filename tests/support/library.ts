import { createHash } from 'node:crypto'
import type { Insertable } from 'kysely'
import type { Services } from '#app/server/services.ts'
import { indexMedia } from '#features/media/server/listing/search-documents.ts'
import type { Tables } from '#platform/server/db/tables.ts'
import { sortKey } from '#shared/fold.ts'

export type Draft = Partial<Insertable<Tables['media']>> & { tags?: string[] }

const perStatement = 100
let blobs = 0

/** Puts rows into somebody's library without any bytes, for tests that need many; gives back their ids in order. */
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

type Place = { ownerId: number; sha256: string; number: number }

function rowOf({ tags: _tags, ...draft }: Draft, { ownerId, sha256, number }: Place): Insertable<Tables['media']> {
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
