import { createHmac, hash, randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import type { FastifyBaseLogger, FastifyRequest } from 'fastify'
import { type Kysely, sql } from 'kysely'
import { LRUCache } from 'lru-cache'
import { addressGroup } from '#features/auth/server/address-group.ts'
import type { SlugKind } from '#features/media/server/tables.ts'
import { loadShareSecret } from '#features/media/server/visibility.ts'
import type { Db, Row, Tables } from '#platform/server/db/tables.ts'
import { chunksOf } from '#shared/chunks.ts'

const hourMs = 3600_000
const rememberedVisitors = 50_000
const atOnce = 500
/** Each write costs a disk flush and blocks readers, so views are batched; the delay is too short to be noticed. */
const gatherMs = 250
/** User agents that fetch a page for a preview or an index are no visitors. */
const robots = /bot\b|crawl|spider|preview|facebookexternalhit|slurp|curl|wget|whatsapp|embedly/i

type Target = { kind: SlugKind; id: number }
type View = Target & { visitor: string }

/**
 * Visitors behind one address are told apart by browser, up to this many, so that invented user agents count little.
 */
const browsersPerAddress = 16

/** User agents repeat, and the regular expression costs as much as the rest of counting a view. */
const browsers = new LRUCache<string, number | 'robot'>({
  max: 200,
  memoMethod: (agent) =>
    robots.test(agent) ? 'robot' : hash('sha256', agent, 'buffer').readUInt32BE() % browsersPerAddress,
})

/**
 * [Note: A view is counted once a visitor and hour] and all that is stored of a visitor is a hash with a daily secret.
 */
export function countView(db: Kysely<Tables>, request: FastifyRequest, target: Target) {
  const browser = browsers.memo(request.headers['user-agent'] ?? '')
  // A HEAD request shows nothing.
  if (request.method === 'HEAD' || browser === 'robot') return
  const counter = counters.get(db) ?? createCounter(db)
  counters.set(db, counter)
  counter.count(target, `${addressGroup(request.ip)} ${browser}`, request.log)
}

/** Resolves when every view so far is written or has failed. */
export const viewsWritten = async (db: Kysely<Tables>) => counters.get(db)?.written()

const counters = new WeakMap<Kysely<Tables>, ReturnType<typeof createCounter>>()

type PendingView = { key: string; target: Target; description: string; log: FastifyBaseLogger }

/**
 * [Note: A page does not wait for its count] A full disk or a restore does not keep a page from being served. Recent
 * visitors are held in memory, so repeated views need no query. Concurrent views are written in one transaction, since
 * a thousand visitors must not cost a thousand disk flushes.
 */
function createCounter(db: Kysely<Tables>) {
  const salt = randomUUID()
  const counted = new LRUCache<string, number>({ max: rememberedVisitors })
  let pending: PendingView[] = []
  let writing: Promise<void> | undefined
  let gathering = new AbortController()

  async function writeAll() {
    while (pending.length > 0) {
      gathering = new AbortController()
      await delay(gatherMs, undefined, gathering).catch(() => {}) // aborted when a caller waits
      const views = pending
      pending = []
      await write(views).catch((error) => {
        // The next view of the same visitor is counted again.
        for (const { key } of views) counted.delete(key)
        views[0]!.log.warn({ err: error, views: views.length }, 'views were not counted')
      })
    }
    writing = undefined
  }

  async function write(views: PendingView[]) {
    const secret = await loadShareSecret(db)
    const named = views.map(({ target, description }) => ({ ...target, visitor: visitorHash(secret, description) }))
    await db.transaction().execute((transaction) => addViews(transaction, named))
  }

  return {
    count(target: Target, description: string, log: FastifyBaseLogger) {
      const key = hash('sha256', `${salt} ${target.kind} ${target.id} ${description}`, 'base64url')
      if (Date.now() < (counted.get(key) ?? 0) || pending.length >= rememberedVisitors) return
      counted.set(key, Date.now() + hourMs)
      pending.push({ key, target, description, log })
      writing ??= writeAll()
    },
    written() {
      gathering.abort()
      return writing
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
  const inOrder = views.toSorted(inOneOrder)
  const fresh: VisitorRow[] = []
  for (const part of chunksOf(inOrder, atOnce)) fresh.push(...(await addVisitors(db, part, now)))
  for (const ofOne of Map.groupBy(fresh, ({ kind, target_id }) => `${kind} ${target_id}`).values())
    await addToTarget(db, ofOne[0]!, ofOne.length)
}

/**
 * One lock order keeps concurrent writers from a deadlock: items before collections, each by id,
 * see [Note: Items are locked first].
 */
function inOneOrder(one: View, other: View) {
  if (one.kind !== other.kind) return one.kind === 'media' ? -1 : 1
  return one.id - other.id || (one.visitor < other.visitor ? -1 : 1)
}

type VisitorRow = Pick<Row<'share_visitors'>, 'kind' | 'target_id'>

/** One statement for many views; returns those that were not there. */
function addVisitors(db: Db, views: View[], now: number): Promise<VisitorRow[]> {
  const rows = views.map(({ kind, id, visitor }) => ({ kind, target_id: id, visitor, seen_until: now + hourMs }))
  return db
    .insertInto('share_visitors')
    .values(rows)
    .onConflict((conflict) => conflict.columns(['kind', 'target_id', 'visitor']).doNothing())
    .returning(['kind', 'target_id'])
    .execute()
}

async function addToTarget(db: Db, { kind, target_id: id }: VisitorRow, count: number) {
  const { numUpdatedRows } = await db
    .updateTable(kind === 'media' ? 'media' : 'collections')
    .set({ view_count: sql<number>`view_count + ${count}` })
    .where('id', '=', id)
    .executeTakeFirst()
  // The target was deleted meanwhile.
  if (numUpdatedRows === 0n) return
  await db
    .insertInto('share_views')
    .values({ kind, target_id: id, day: dayOf(Date.now()), views: count })
    .onConflict((conflict) =>
      conflict.columns(['kind', 'target_id', 'day']).doUpdateSet({ views: sql<number>`share_views.views + ${count}` }),
    )
    .execute()
}
