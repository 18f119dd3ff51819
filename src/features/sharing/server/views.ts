import { createHmac, hash, randomUUID } from 'node:crypto'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { FastifyRequest } from 'fastify'
import { type Kysely, sql } from 'kysely'
import { LRUCache } from 'lru-cache'
import { addressGroup } from '#features/auth/server/address-group.ts'
import { loadShareSecret } from '#features/media/server/share-keys.ts'
import type { Db, SlugKind, Tables } from '#platform/server/db/tables.ts'

const hourMs = 3600_000
const rememberedVisitors = 50_000
/** Those that fetch a page to make a preview or an index of it are no visitors. */
const robots = /bot\b|crawl|spider|preview|facebookexternalhit|slurp|curl|wget|whatsapp|embedly/i

type Target = { kind: SlugKind; id: number }
type View = Target & { visitor: string }

/** [Note: A view is counted once a visitor and hour] and nothing is kept of the visitor but a hash that no day shares with another. */
export async function countView(db: Kysely<Tables>, request: FastifyRequest, target: Target) {
  const agent = request.headers['user-agent'] ?? ''
  if (robots.test(agent)) return
  const counter = counters.get(db) ?? createCounter(db)
  counters.set(db, counter)
  await counter.count(target, `${addressGroup(request.ip)} ${agent}`)
}

const counters = new WeakMap<Kysely<Tables>, ReturnType<typeof createCounter>>()

/**
 * Who was counted lately is known in memory, so turning pages asks the database nothing. Those who come at the same moment
 * are written in one transaction: a thousand visitors are not a thousand waits for the disk.
 */
function createCounter(db: Kysely<Tables>) {
  const salt = randomUUID()
  const counted = new LRUCache<string, number>({ max: rememberedVisitors })
  let coming: { views: { target: Target; description: string }[]; written: Promise<void> } | undefined

  async function writeComing() {
    await nextTurn()
    const { views } = coming!
    coming = undefined
    const secret = await loadShareSecret(db)
    const named = views.map(({ target, description }) => ({ ...target, visitor: visitorHash(secret, description) }))
    await db.transaction().execute((transaction) => addViews(transaction, named))
  }

  return {
    async count(target: Target, description: string) {
      const key = hash('sha256', `${salt} ${target.kind} ${target.id} ${description}`, 'base64url')
      if (Date.now() < (counted.get(key) ?? 0)) return
      coming ??= { views: [], written: writeComing() }
      coming.views.push({ target, description })
      await coming.written
      counted.set(key, Date.now() + hourMs)
    },
  }
}

const visitorHash = (secret: string, description: string) =>
  createHmac('sha256', secret)
    .update(`visitor ${dayOf(Date.now())} ${description}`)
    .digest('base64url')
    .slice(0, 22)

export const dayOf = (time: number) => new Date(time).toISOString().slice(0, 10)

async function addViews(db: Db, views: View[]) {
  const now = Date.now()
  await db.deleteFrom('share_visitors').where('seen_until', '<=', now).execute()
  const fresh: View[] = []
  for (const view of views) if (await isNewVisitor(db, view, now)) fresh.push(view)
  // In one order, so that two processes that write at the same moment wait for each other, never both for good.
  const targets = Map.groupBy(fresh, ({ kind, id }) => `${kind} ${id}`)
  for (const key of [...targets.keys()].sort()) {
    const [first] = targets.get(key)!
    await addToTarget(db, first!, targets.get(key)!.length)
  }
}

async function isNewVisitor(db: Db, { kind, id, visitor }: View, now: number) {
  const { numInsertedOrUpdatedRows } = await db
    .insertInto('share_visitors')
    .values({ kind, target_id: id, visitor, seen_until: now + hourMs })
    .onConflict((conflict) => conflict.columns(['kind', 'target_id', 'visitor']).doNothing())
    .executeTakeFirst()
  return numInsertedOrUpdatedRows === 1n
}

async function addToTarget(db: Db, { kind, id }: Target, count: number) {
  await db
    .insertInto('share_views')
    .values({ kind, target_id: id, day: dayOf(Date.now()), views: count })
    .onConflict((conflict) =>
      conflict.columns(['kind', 'target_id', 'day']).doUpdateSet({ views: sql<number>`share_views.views + ${count}` }),
    )
    .execute()
  await db
    .updateTable(kind === 'media' ? 'media' : 'collections')
    .set({ view_count: sql<number>`view_count + ${count}` })
    .where('id', '=', id)
    .execute()
}
