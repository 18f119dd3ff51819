import type { Kysely } from 'kysely'
import { loadOwnedMediaList } from '#features/media/server/store.ts'
import type { Tables } from '#platform/server/db/tables.ts'
import type { AiEstimate } from '../../contract.ts'
import { type Ai, requireAi } from '../ai.ts'
import { remainingPaidCalls } from '../budget.ts'
import { averageCost, countKnown } from '../results-store.ts'

/** Before the first picture: a 1,024 px picture with its question and answer, and the usual time for it. */
const usualCost = { local: { tokens: 0, tookMs: 600 }, endpoint: { tokens: 1300, tookMs: 4000 } }
const endpointAtOnce = 4

/** What a bulk analysis would look at and take, from what pictures took before. */
export async function estimateRun(
  { db, ai }: { db: Kysely<Tables>; ai: Ai },
  ownerId: number,
  mediaIds: number[],
): Promise<AiEstimate> {
  const provider = await requireAi(ai)
  const rows = await loadOwnedMediaList(db, ownerId, [...new Set(mediaIds)])
  const hashes = [...new Set(rows.map(({ blob }) => blob))]
  const unknown = hashes.length - (await countKnown(db, hashes, provider))
  const isEndpoint = provider === ai.endpoint
  const each = (await averageCost(db, provider)) ?? (isEndpoint ? usualCost.endpoint : usualCost.local)
  const { isPaid } = provider
  return {
    images: rows.length,
    // Items with the same bytes cost once.
    alreadyKnown: rows.length - unknown,
    estimatedTokens: Math.round(unknown * each.tokens),
    estimatedSeconds: Math.ceil((unknown * each.tookMs) / (isEndpoint ? endpointAtOnce : 1) / 1000),
    isPaid,
    provider: provider.name,
    model: provider.model,
    remainingThisMonth: isPaid ? await remainingPaidCalls(db, ownerId, ai.monthlyLimit) : null,
  }
}
