import { sql } from 'kysely'
import type { Db } from '#platform/server/db/tables.ts'
import { chunksOf } from '#shared/chunks.ts'
import { addressKey } from './address-key.ts'

const rowsAtOnce = 300

/** Remembers what a preview showed to this person. */
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

/** Those of the addresses from which this person's library already has something, outside the trash. */
export async function findKnownSources(db: Db, ownerId: number, addresses: string[]): Promise<Set<string>> {
  const keys = addresses.map(addressKey)
  const known = new Set<string>()
  for (const part of chunksOf(keys, rowsAtOnce)) {
    const rows = await db
      .selectFrom('scraped_sources')
      .innerJoin('media', 'media.id', 'scraped_sources.media_id')
      .select('scraped_sources.address_key')
      .where('scraped_sources.owner_id', '=', ownerId)
      .where('scraped_sources.address_key', 'in', part)
      .where('media.is_trashed', '=', 0)
      .execute()
    for (const row of rows) known.add(row.address_key)
  }
  return new Set(addresses.filter((_address, index) => known.has(keys[index]!)))
}

/** Nothing for an item that somebody has deleted as soon as it was there. */
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

/** The item with these very bytes that came from this address, if the library has one beside `exceptId` outside the trash. */
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

/** The item that came from this address since `since`: what was accepted when nobody was left to note it down. */
export async function findArrivedSince(db: Db, { ownerId, address }: Origin, since: number) {
  const rows = await db
    .selectFrom('media')
    .select(['id', 'source'])
    .where('owner_id', '=', ownerId)
    // Both: so it is read from the index of recent items, which has this column before the time.
    .where('is_trashed', 'in', [0, 1])
    .where('created_at', '>=', since)
    .where('source', 'is not', null)
    .execute()
  return rows.find(({ source }) => addressOf(source) === address)?.id
}

function addressOf(source: string | null): unknown {
  return source === null ? undefined : JSON.parse(source).address
}
