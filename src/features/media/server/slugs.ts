import { conflict, invalid } from '#platform/errors.ts'
import type { Db } from '#platform/server/db/tables.ts'
import type { SlugKind } from './tables.ts'

/** Path segments under /public/ with another meaning. */
const reserved = new Set(['collections'])
/** The field names of the calls that choose a slug. */
const fields: Record<SlugKind, string> = { media: 'publicUrlSlug', collection: 'publicSlug' }

export const isReservedSlug = (slug: string) => reserved.has(slug)

/**
 * [Note: A slug is taken by writing its row]
 * Of two concurrent requests one gets the slug and the other a 409. The current holder may take it again.
 */
export async function takeSlug(db: Db, kind: SlugKind, slug: string, targetId: number) {
  const field = fields[kind]
  if (isReservedSlug(slug)) throw invalid('This URL is reserved. Please choose another.', { field })
  const row = { kind, slug, target_id: targetId, taken_at: Date.now() }
  const { numInsertedOrUpdatedRows } = await db
    .insertInto('slugs')
    .values(row)
    .onConflict((taken) =>
      taken.columns(['kind', 'slug']).doUpdateSet({ taken_at: row.taken_at }).where('slugs.target_id', '=', targetId),
    )
    .executeTakeFirst()
  if (numInsertedOrUpdatedRows === 0n) throw conflict('This URL is already taken. Please choose another.', { field })
}

/** PostgreSQL throws for U+0000, which no slug contains. */
export const canBeSlug = (text: string) => !text.includes('\0')

export async function findSlugTarget(db: Db, kind: SlugKind, slug: string) {
  if (!canBeSlug(slug)) return undefined
  const row = await db
    .selectFrom('slugs')
    .select('target_id')
    .where('kind', '=', kind)
    .where('slug', '=', slug)
    .executeTakeFirst()
  return row?.target_id
}

/** All addresses of an item lead to another one from here on. Returns them. */
export async function moveSlugs(db: Db, { from, to }: { from: number; to: number }) {
  const rows = await db
    .updateTable('slugs')
    .set({ target_id: to })
    .where('kind', '=', 'media')
    .where('target_id', '=', from)
    .returning('slug')
    .execute()
  return rows.map(({ slug }) => slug)
}

/** Returns those that the item had given away and that their new owner does not use itself. */
export async function takeSlugsBack(db: Db, { from, to, slugs }: { from: number; to: number; slugs: string[] }) {
  if (slugs.length === 0) return []
  const used = db.selectFrom('media').select('public_slug').where('id', '=', from).where('public_slug', 'is not', null)
  const rows = await db
    .updateTable('slugs')
    .set({ target_id: to })
    .where('kind', '=', 'media')
    .where('target_id', '=', from)
    .where('slug', 'in', slugs)
    .where('slug', 'not in', used.$castTo<{ public_slug: string }>())
    .returning('slug')
    .execute()
  return rows.map(({ slug }) => slug)
}

/** After a link may have leaked: the earlier addresses no longer redirect to the current one. */
export async function endEarlierSlugs(db: Db, kind: SlugKind, targetId: number, current: string) {
  await db
    .deleteFrom('slugs')
    .where('kind', '=', kind)
    .where('target_id', '=', targetId)
    .where('slug', '!=', current)
    .execute()
}
