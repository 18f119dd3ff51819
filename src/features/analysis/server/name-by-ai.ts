import type { Kysely } from 'kysely'
import type { NameContext } from '#engines/ai/provider.ts'
import type { Tables } from '#platform/server/db/tables.ts'
import type { Ai } from './ai.ts'
import { payFor } from './budget.ts'

/** Names a picture from the words around it. Throws if the endpoint is not available or the limit is reached. */
type NameByAi = (context: NameContext) => Promise<string>

/**
 * Names pictures with the endpoint. Undefined without one, as the built-in AI also names by rules. Only requests that are
 * sent count as paid, so names from a user's own words are free.
 */
export function createNameByAi({ db, ai }: { db: Kysely<Tables>; ai: Ai }) {
  const { endpoint, monthlyLimit: limits } = ai
  return (ownerId: number): NameByAi | undefined => {
    if (!endpoint || ai.pauseReason()) return undefined
    return (context) => endpoint.suggestName({ ...context, pay: payFor({ db, limits, ownerId }, endpoint) })
  }
}
