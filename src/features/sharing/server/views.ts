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
/** Each write waits for the disk and holds up those who look, so a few of them gather; whoever looks at the count sees no delay. */
const gatherMs = 250
/** Those that fetch a page to make a preview or an index of it are no visitors. */
const robots = /bot\b|crawl|spider|preview|facebookexternalhit|slurp|curl|wget|whatsapp|embedly/i

type Target = { kind: SlugKind; id: number }
type View = Target & { visitor: string }

/** People behind one address are told apart by their browsers, and who invents browsers is counted so often at most. */
const browsersPerAddress = 16

/** Many visitors share a few names of browsers, and looking through one costs as much as all else that counts a view. */
const browsers = new LRUCache<string, number | 'robot'>({
  max: 200,
  memoMethod: (agent) =>
    robots.test(agent) ? 'robot' : hash('sha256', agent, 'buffer').readUInt32BE() % browsersPerAddress,
})

/** [Note: A view is counted once a visitor and hour] and nothing is kept of the visitor but a hash that no day shares with another. */
export function countView(db: Kysely<Tables>, request: FastifyRequest, target: Target) {
  const browser = browsers.memo(request.headers['user-agent'] ?? '')
  // Who asks for the head alone has seen nothing.
  if (request.method === 'HEAD' || browser === 'robot') return
  const counter = counters.get(db) ?? createCounter(db)
  counters.set(db, counter)
  counter.count(target, `${addressGroup(request.ip)} ${browser}`, request.log)
}

/** Resolves when every view so far is in the database, or was given up. */
export const viewsWritten = async (db: Kysely<Tables>) => counters.get(db)?.written()

const counters = new WeakMap<Kysely<Tables>, ReturnType<typeof createCounter>>()

type Coming = { key: string; target: Target; description: string; log: FastifyBaseLogger }

/**
 * [Note: A page does not wait for its count]
 * Nor does it fail with it: a full disk or a restore keeps nobody from looking. Who was counted lately is known in memory,
 * so turning pages asks the database nothing. Those who come at the same moment, or while others are written, are written
 * in one transaction: a thousand visitors are not a thousand waits for the disk.
 */
function createCounter(db: Kysely<Tables>) {
  const salt = randomUUID()
  const counted = new LRUCache<string, number>({ max: rememberedVisitors })
  let coming: Coming[] = []
  let writing: Promise<void> | undefined
  let gathering = new AbortController()

  async function writeAll() {
    while (coming.length > 0) {
      gathering = new AbortController()
      await delay(gatherMs, undefined, gathering).catch(() => {}) // somebody waits for them
      const views = coming
      coming = []
      await write(views).catch((error) => {
        // They are counted when they come again.
        for (const { key } of views) counted.delete(key)
        views[0]!.log.warn({ err: error, views: views.length }, 'views not counted')
      })
    }
    writing = undefined
  }

  async function write(views: Coming[]) {
    const secret = await loadShareSecret(db)
    const named = views.map(({ target, description }) => ({ ...target, visitor: visitorHash(secret, description) }))
    await db.transaction().execute((transaction) => addViews(transaction, named))
  }

  return {
    count(target: Target, description: string, log: FastifyBaseLogger) {
      const key = hash('sha256', `${salt} ${target.kind} ${target.id} ${description}`, 'base64url')
      if (Date.now() < (counted.get(key) ?? 0) || coming.length >= rememberedVisitors) return
      counted.set(key, Date.now() + hourMs)
      coming.push({ key, target, description, log })
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
 * So that two who write at the same moment wait for each other, never both for good: items before collections, by their
 * ids; see [Note: Items are locked first].
 */
function inOneOrder(one: View, other: View) {
  if (one.kind !== other.kind) return one.kind === 'media' ? -1 : 1
  return one.id - other.id || (one.visitor < other.visitor ? -1 : 1)
}

type VisitorRow = Pick<Row<'share_visitors'>, 'kind' | 'target_id'>

/** One statement for many: says which of them were not there. */
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
  // Deleted since it was looked at.
  if (numUpdatedRows === 0n) return
  await db
    .insertInto('share_views')
    .values({ kind, target_id: id, day: dayOf(Date.now()), views: count })
    .onConflict((conflict) =>
      conflict.columns(['kind', 'target_id', 'day']).doUpdateSet({ views: sql<number>`share_views.views + ${count}` }),
    )
    .execute()
}
