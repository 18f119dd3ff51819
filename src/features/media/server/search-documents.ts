import { dialectOf } from '#platform/server/db/dialect.ts'
import type { Db } from '#platform/server/db/tables.ts'
import { fold } from '#shared/fold.ts'
import { listMemberships, listTags } from './store.ts'

const batch = 500

/** To be called in the transaction that changed a name, a description, tags, found text, trash or memberships. */
export async function indexMedia(db: Db, mediaIds: number[]) {
  for (let start = 0; start < mediaIds.length; start += batch)
    await indexBatch(db, mediaIds.slice(start, start + batch))
}

async function indexBatch(db: Db, ids: number[]) {
  const rows = await db
    .selectFrom('media')
    .select(['id', 'owner_id', 'is_trashed', 'filename', 'user_description', 'ai_description', 'found_text'])
    .where('id', 'in', ids)
    .execute()
  const tags = Map.groupBy(await listTags(db, ids), ({ media_id }) => media_id)
  const memberships = Map.groupBy(await listMemberships(db, ids), ({ media_id }) => media_id)
  await dialectOf(db).search.replace(
    db,
    rows.map((row) => ({
      ownerId: row.owner_id,
      isTrashed: row.is_trashed === 1,
      mediaId: row.id,
      name: asDocument([row.filename, ...(tags.get(row.id) ?? []).map(({ tag }) => tag)]),
      text: asDocument([
        row.user_description,
        row.ai_description,
        row.found_text,
        ...(memberships.get(row.id) ?? []).map(({ name }) => name),
      ]),
    })),
  )
}

/** Underscores and other joints become spaces, so that `IMG_beach-2` is also found by the beginnings of its words. */
function asDocument(parts: (string | null)[]) {
  const text = parts.filter(Boolean).join(' \n ')
  return fold(`${text} ${text.replace(/[_\-.]+/g, ' ')}`).slice(0, 20_000)
}

export function searchWords(search: string) {
  return [...new Set(fold(search).split(/\s+/).filter(Boolean))].slice(0, 10)
}
