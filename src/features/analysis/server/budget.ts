import { type Kysely, sql } from 'kysely'
import type { AiProvider, Pay } from '#engines/ai/provider.ts'
import { AppError } from '#platform/errors.ts'
import type { Db, Tables } from '#platform/server/db/tables.ts'
import type { Ai } from './ai.ts'

/** Whose usage is the whole server's. */
const server = 0

const thisMonth = () => new Date().toISOString().slice(0, 7)

function limitReached(limit: number, whose: string) {
  const questions = `${limit.toLocaleString('en')} AI requests`
  return new AppError('ai-limit', 429, `This month's limit of ${questions} for ${whose} has been reached.`)
}

type Limits = Ai['monthlyLimit']
type Payer = { db: Kysely<Tables>; limits: Limits; ownerId: number }

/** Each question to a paid provider is counted before it is sent, and given back when nothing can be billed for it. */
export function payFor({ db, limits, ownerId }: Payer, { isPaid }: AiProvider): Pay | undefined {
  if (!isPaid) return undefined
  return async (send) => {
    const month = thisMonth()
    await reservePaidCall(db, month, ownerId, limits)
    const { isFree } = await send()
    // If it cannot be given back it stays counted: why there was no answer matters more.
    if (isFree) await giveBackPaidCall(db, month, ownerId).catch(() => {})
  }
}

/** Counts one for its owner and for the server; refuses when either is at its limit. */
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

/** The server's first, as when it was counted: on PostgreSQL two that meet in another order would wait for each other. */
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

/** How many questions may still be asked this month; null when nothing limits them. A picture takes one at least. */
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
