import { type Kysely, sql } from 'kysely'
import type { AiProvider, Pay } from '#engines/ai/provider.ts'
import { AppError } from '#platform/errors.ts'
import type { Db, Tables } from '#platform/server/db/tables.ts'
import { countOf } from '#shared/count.ts'
import type { Ai } from './ai.ts'

/** The owner id of the row that counts the usage of the whole server. */
const server = 0

const thisMonth = () => new Date().toISOString().slice(0, 7)

function limitReached(limit: number, whose: string) {
  const questions = countOf(limit, 'AI request')
  return new AppError('ai-limit', 429, `This month's limit of ${questions} for ${whose} has been reached.`)
}

type Limits = Ai['monthlyLimit']
type Payer = { db: Kysely<Tables>; limits: Limits; ownerId: number }

/** Counts each request to a paid provider before it is sent, and refunds it if it cannot be billed. */
export function payFor({ db, limits, ownerId }: Payer, { isPaid }: AiProvider): Pay | undefined {
  if (!isPaid) return undefined
  return async (send) => {
    const month = thisMonth()
    await reservePaidCall(db, month, ownerId, limits)
    const { isFree } = await send()
    // A failed refund stays counted: it must not hide the error of the request itself.
    if (isFree) await giveBackPaidCall(db, month, ownerId).catch(() => {})
  }
}

/** Counts one request for its owner and for the server. Throws if either has reached its limit. */
async function reservePaidCall(db: Kysely<Tables>, month: string, ownerId: number, { perUser, server: all }: Limits) {
  await db.transaction().execute(async (transaction) => {
    if (!(await addCall(transaction, month, server, all))) throw limitReached(all!, 'this server')
    if (!(await addCall(transaction, month, ownerId, perUser))) throw limitReached(perUser!, 'each user')
  })
}

async function addCall(db: Db, month: string, ownerId: number, limit: number | undefined) {
  if (limit === 0) return false
  const { numInsertedOrUpdatedRows } = await db
    .insertInto('ai_usage')
    .values({ month, owner_id: ownerId, calls: 1 })
    .onConflict((conflict) => {
      const counted = conflict.columns(['month', 'owner_id']).doUpdateSet({ calls: sql`ai_usage.calls + 1` })
      return limit === undefined ? counted : counted.where('ai_usage.calls', '<', limit)
    })
    .executeTakeFirst()
  return numInsertedOrUpdatedRows === 1n
}

/** Updates the server's row first, in the same order as counting, to avoid deadlocks on PostgreSQL. */
async function giveBackPaidCall(db: Kysely<Tables>, month: string, ownerId: number) {
  await db.transaction().execute(async (transaction) => {
    for (const id of [server, ownerId])
      await transaction
        .updateTable('ai_usage')
        .set({ calls: sql`calls - 1` })
        .where('month', '=', month)
        .where('owner_id', '=', id)
        .where('calls', '>', 0)
        .execute()
  })
}

/** The requests left this month, of which a picture takes at least one; null without a limit. */
export async function remainingPaidCalls(db: Db, ownerId: number, limits: Limits): Promise<number | null> {
  const used = await loadUsage(db, ownerId)
  const left = [
    limits.perUser === undefined ? null : limits.perUser - used.own,
    limits.server === undefined ? null : limits.server - used.all,
  ].filter((count) => count !== null)
  return left.length === 0 ? null : Math.max(0, Math.min(...left))
}

export async function loadUsage(db: Db, ownerId: number) {
  const rows = await db
    .selectFrom('ai_usage')
    .select(['owner_id', 'calls'])
    .where('month', '=', thisMonth())
    .where('owner_id', 'in', [server, ownerId])
    .execute()
  const callsOf = (id: number) => rows.find(({ owner_id }) => owner_id === id)?.calls ?? 0
  return { own: callsOf(ownerId), all: callsOf(server) }
}
