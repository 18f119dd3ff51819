import { randomBytes } from 'node:crypto'
import type { Kysely } from 'kysely'
import { sessionOwner } from '#features/auth/server/sessions.ts'
import { fileColumns } from '#features/media/server/files/served-file.ts'
import { focalColumns } from '#features/media/server/focal-point.ts'
import { findHolders } from '#features/media/server/listing/collection-items.ts'
import { dialectOf } from '#platform/server/db/dialect.ts'
import { prepareQuery } from '#platform/server/db/prepared.ts'
import type { Db, Row, Tables } from '#platform/server/db/tables.ts'
import type { Preset } from '../contract.ts'
import { defaultPresets } from '../default-presets.ts'

const deliveredColumns = [...fileColumns, ...focalColumns, 'owner_id', 'width', 'height', 'is_animated'] as const

/** Reads the item, its owner's settings and the session in one query, as a query costs more than the rows it reads. */
export const findDelivered = prepareQuery((db, tokenHash: string, now: number, slug: string) =>
  db
    .selectFrom('media')
    .leftJoin('delivery_settings', 'delivery_settings.owner_id', 'media.owner_id')
    .select(deliveredColumns.map((column) => `media.${column}` as const))
    .select(['media.is_trashed', 'delivery_settings.signing_key', 'delivery_settings.presets'])
    .select(sessionOwner(db, tokenHash, now).as('visitor_id'))
    .where('public_slug', '=', slug),
)

/** The columns of an item that its delivered files depend on. */
export type DeliveredRow = Omit<
  NonNullable<Awaited<ReturnType<typeof findDelivered>>>,
  'is_trashed' | 'signing_key' | 'presets' | 'visitor_id'
>

export async function findPublicSlug(db: Db, mediaId: number) {
  const media = db.selectFrom('media').select('public_slug').where('id', '=', mediaId).where('is_trashed', '=', 0)
  return (await media.executeTakeFirst())?.public_slug
}

export const readPresets = (presets: string | null | undefined): Preset[] =>
  presets ? JSON.parse(presets) : defaultPresets

/** Of the websites whose collections contain the item; where two have the same name, that of the older website comes first. */
export async function listWebsitePresets(db: Kysely<Tables>, mediaId: number): Promise<Preset[]> {
  const smart: number[] = []
  for await (const { website_id } of findHolders(db, mediaId, (collection) => collection.website_id !== null))
    smart.push(website_id!)
  const rows = await db
    .selectFrom('websites')
    .select('presets')
    .where('presets', 'is not', null)
    .where(({ exists, or, eb, selectFrom }) => {
      const members = selectFrom('collection_media as member')
        .innerJoin('collections', 'collections.id', 'member.collection_id')
        .select('member.media_id')
        .where('member.media_id', '=', mediaId)
        .whereRef('collections.website_id', '=', 'websites.id')
      return smart.length === 0 ? exists(members) : or([exists(members), eb('websites.id', 'in', smart)])
    })
    .orderBy('id')
    .execute()
  return rows.flatMap(({ presets }) => JSON.parse(presets!) as Preset[])
}

/** A website's preset comes before the user's preset of the same name. */
export function mergePresets(ofWebsites: Preset[], own: Preset[]): Preset[] {
  const all = [...ofWebsites, ...own]
  return all.filter(({ name }, index) => all.findIndex((other) => other.name === name) === index)
}

export async function loadSettings(db: Db, ownerId: number) {
  return db.selectFrom('delivery_settings').selectAll().where('owner_id', '=', ownerId).executeTakeFirst()
}

/** Whether search engines may list the page of a single item: what the item says, else what its owner says. */
export async function isPageIndexed(db: Db, media: Pick<Row<'media'>, 'owner_id' | 'is_indexed'>) {
  if (media.is_indexed !== null) return media.is_indexed === 1
  return (await loadSettings(db, media.owner_id))?.indexes_pages === 1
}

export async function saveIndexing(db: Db, ownerId: number, indexesPages: boolean) {
  await claimSettings(db, ownerId)
  await db
    .updateTable('delivery_settings')
    .set({ indexes_pages: indexesPages ? 1 : 0 })
    .where('owner_id', '=', ownerId)
    .execute()
}

/** The settings of a user, which are created with a new key if there are none. */
export async function claimSettings(db: Db, ownerId: number) {
  const signing_key = randomBytes(32).toString('base64url')
  await db
    .insertInto('delivery_settings')
    .values({ owner_id: ownerId, signing_key })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  return (await loadSettings(db, ownerId))!
}

/** Changes the presets under a lock that lasts until the transaction ends. */
export async function updatePresets(transaction: Db, ownerId: number, change: (presets: Preset[]) => Preset[]) {
  await claimSettings(transaction, ownerId)
  const settings = transaction.selectFrom('delivery_settings').select('presets').where('owner_id', '=', ownerId)
  const row = await dialectOf(transaction).lockRows(settings).executeTakeFirstOrThrow()
  const presets = change(readPresets(row.presets))
  await transaction
    .updateTable('delivery_settings')
    .set({ presets: JSON.stringify(presets) })
    .where('owner_id', '=', ownerId)
    .execute()
  return presets
}
