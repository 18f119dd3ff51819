import { itemsOf, withCounts } from '#features/media/server/listing/collection-items.ts'
import type { Owned } from '#features/media/server/owned.ts'
import { describeMedia } from '#features/media/server/store.ts'
import { type ListedRow, listedColumns } from '#features/media/server/to-media.ts'
import { brandingOf } from '#features/websites/server/branding.ts'
import type { Db } from '#platform/server/db/tables.ts'
import { chunksOf } from '#shared/chunks.ts'
import type { Collection } from '../contract.ts'
import { sampleSize } from '../limits.ts'
import type { CollectionRow } from './store.ts'

/** Rows as their owner sees them, each with a few sample images, the chosen cover first. */
export async function describeCollections(db: Db, rows: CollectionRow[], origin: string): Promise<Collection[]> {
  const samples: ListedRow[][] = []
  for (const row of rows) samples.push(await listSamples(db, row))
  const described = await describeMany(db, samples.flat(), origin)
  return (await withCounts(db, rows)).map((row, index) =>
    toCollection(row, described.splice(0, samples[index]!.length), origin),
  )
}

/** Both queries read an index, so the number of items does not matter. */
async function listSamples(db: Db, row: CollectionRow): Promise<ListedRow[]> {
  const { cover_media_id } = row
  const items = await itemsOf(db, row)
  const first = await items.inOrder({ limit: sampleSize }).select(listedColumns).execute()
  if (cover_media_id === null) return first
  const cover = await items.among([cover_media_id]).select(listedColumns).execute()
  return [...cover, ...first.filter((row) => row.id !== cover_media_id)].slice(0, sampleSize)
}

export async function describeCollection(db: Db, row: CollectionRow, origin: string) {
  const [collection] = await describeCollections(db, [row], origin)
  return collection!
}

function toCollection(row: CollectionRow, sampleMedia: Collection['sampleMedia'], origin: string): Collection {
  return {
    id: row.id,
    name: row.name,
    description: row.description,
    company: row.company,
    websiteId: row.website_id,
    query: row.query,
    isPublic: row.is_public === 1,
    publicSlug: row.public_slug,
    publicUrl: row.is_public === 1 && row.public_slug ? `${origin}/public/collections/${row.public_slug}` : null,
    viewCount: row.view_count,
    mediaCount: row.media_count,
    createdAt: new Date(row.created_at).toISOString(),
    updatedAt: new Date(row.updated_at).toISOString(),
    coverMediaId: row.cover_media_id,
    sampleMedia,
    customBranding: brandingOf(row),
  }
}

export async function describeMembers(db: Db, collection: Owned<CollectionRow>, origin: string) {
  const items = await itemsOf(db, collection)
  return describeMany(db, await items.inOrder().select(listedColumns).execute(), origin)
}

const batch = 500

async function describeMany(db: Db, rows: ListedRow[], origin: string) {
  const described = []
  for (const part of chunksOf(rows, batch)) described.push(...(await describeMedia(db, part, origin)))
  return described
}
