import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import type { Db } from '#platform/server/db/tables.ts'
import { chunksOf } from '#shared/chunks.ts'

const rowsAtOnce = 300

/** Addresses may be longer than an index allows, so they are looked up by hash. */
function addressKey(address: string): string {
  return createHash('sha256').update(address).digest('hex')
}

/** The address in an item's source; a data URI is replaced by the page's address. */
export function sourceAddress(address: string, pageUrl: string | null): string {
  return address.startsWith('data:') ? `${pageUrl ?? ''}#embedded-${addressKey(address).slice(0, 16)}` : address
}

/** Records what a preview showed to this user. */
export async function insertFinds(db: Db, ownerId: number, addresses: string[]) {
  const now = Date.now()
  const keys = [...new Set(addresses.map(addressKey))]
  for (const part of chunksOf(keys, rowsAtOnce)) {
    await db
      .insertInto('scrape_finds')
      .values(part.map((key) => ({ owner_id: ownerId, address_key: key, seen_at: now })))
      .onConflict((conflict) => conflict.columns(['owner_id', 'address_key']).doUpdateSet({ seen_at: now }))
      .execute()
  }
}

export async function hasFound(db: Db, ownerId: number, address: string) {
  const row = await db
    .selectFrom('scrape_finds')
    .select('seen_at')
    .where('owner_id', '=', ownerId)
    .where('address_key', '=', addressKey(address))
    .executeTakeFirst()
  return row !== undefined
}

export async function deleteFindsBefore(db: Db, time: number) {
  await db.deleteFrom('scrape_finds').where('seen_at', '<', time).execute()
}

/** The addresses from which the owner's library already has an item outside the trash. */
export async function findKnownSources(db: Db, ownerId: number, addresses: string[]): Promise<Set<string>> {
  return new Set((await findSourceItems(db, ownerId, addresses)).keys())
}

/** By address, the newest item outside the trash that came from it. */
export async function findSourceItems(db: Db, ownerId: number, addresses: string[]): Promise<Map<string, number>> {
  const keys = addresses.map(addressKey)
  const known = new Map<string, number>()
  for (const part of chunksOf(keys, rowsAtOnce)) {
    const rows = await db
      .selectFrom('scraped_sources')
      .innerJoin('media', 'media.id', 'scraped_sources.media_id')
      .select(['scraped_sources.address_key', 'scraped_sources.media_id'])
      .where('scraped_sources.owner_id', '=', ownerId)
      .where('scraped_sources.address_key', 'in', part)
      .where('media.is_trashed', '=', 0)
      .execute()
    for (const { address_key, media_id } of rows)
      known.set(address_key, Math.max(media_id, known.get(address_key) ?? 0))
  }
  return new Map(
    addresses.flatMap((address, index) => {
      const mediaId = known.get(keys[index]!)
      return mediaId === undefined ? [] : [[address, mediaId] as const]
    }),
  )
}

/** Writes nothing for an item that was deleted meanwhile. */
export async function insertSource(db: Db, source: { ownerId: number; address: string; mediaId: number }) {
  await db
    .insertInto('scraped_sources')
    .columns(['owner_id', 'address_key', 'media_id'])
    .expression((from) =>
      from
        .selectFrom('media')
        .select(['owner_id', sql.val(addressKey(source.address)).as('address_key'), 'id'])
        .where('id', '=', source.mediaId)
        .where('owner_id', '=', source.ownerId),
    )
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

type Origin = { ownerId: number; address: string }

/** The item outside the trash, other than `exceptId`, that has the same bytes and came from the same address. */
export async function findSameBytes(db: Db, { ownerId, address }: Origin, sha256: string, exceptId = 0) {
  const rows = await db
    .selectFrom('media')
    .select(['id', 'source'])
    .where('blob', '=', sha256)
    .where('owner_id', '=', ownerId)
    .where('id', '!=', exceptId)
    .where('is_trashed', '=', 0)
    .where('source', 'is not', null)
    .execute()
  return rows.find(({ source }) => addressOf(source) === address)?.id
}

function addressOf(source: string | null): unknown {
  return source === null ? undefined : JSON.parse(source).address
}
