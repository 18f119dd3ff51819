import { createHmac } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import { type Kysely, sql } from 'kysely'
import { addressGroup } from '#features/auth/server/address-group.ts'
import { loadShareSecret } from '#features/media/server/share-keys.ts'
import type { Db, SlugKind, Tables } from '#platform/server/db/tables.ts'

const hourMs = 3600_000
/** Those that fetch a page to make a preview or an index of it are no visitors. */
const robots = /bot\b|crawl|spider|preview|facebookexternalhit|slurp|curl|wget|whatsapp|embedly/i

type Target = { kind: SlugKind; id: number }

/** [Note: A view is counted once a visitor and hour] and nothing is kept of the visitor but a hash that no day shares with another. */
export async function countView(db: Kysely<Tables>, request: FastifyRequest, target: Target) {
  if (robots.test(request.headers['user-agent'] ?? '')) return
  const visitor = await visitorHash(db, request)
  await db.transaction().execute(async (transaction) => {
    if (await isNewVisitor(transaction, target, visitor)) await addView(transaction, target)
  })
}

async function visitorHash(db: Db, request: FastifyRequest) {
  const day = dayOf(Date.now())
  return createHmac('sha256', await loadShareSecret(db))
    .update(`visitor ${day} ${addressGroup(request.ip)} ${request.headers['user-agent'] ?? ''}`)
    .digest('base64url')
    .slice(0, 22)
}

export const dayOf = (time: number) => new Date(time).toISOString().slice(0, 10)

async function isNewVisitor(db: Db, { kind, id }: Target, visitor: string) {
  const now = Date.now()
  await db.deleteFrom('share_visitors').where('seen_until', '<=', now).execute()
  const { numInsertedOrUpdatedRows } = await db
    .insertInto('share_visitors')
    .values({ kind, target_id: id, visitor, seen_until: now + hourMs })
    .onConflict((conflict) => conflict.columns(['kind', 'target_id', 'visitor']).doNothing())
    .executeTakeFirst()
  return numInsertedOrUpdatedRows === 1n
}

async function addView(db: Db, { kind, id }: Target) {
  await db
    .insertInto('share_views')
    .values({ kind, target_id: id, day: dayOf(Date.now()), views: 1 })
    .onConflict((conflict) =>
      conflict.columns(['kind', 'target_id', 'day']).doUpdateSet({ views: sql<number>`share_views.views + 1` }),
    )
    .execute()
  await db
    .updateTable(kind === 'media' ? 'media' : 'collections')
    .set({ view_count: sql<number>`view_count + 1` })
    .where('id', '=', id)
    .execute()
}
