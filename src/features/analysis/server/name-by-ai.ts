import type { Kysely } from 'kysely'
import type { NameContext } from '#engines/ai/provider.ts'
import type { Tables } from '#platform/server/db/tables.ts'
import type { Ai } from './ai.ts'
import { reservePaidCall } from './budget.ts'

/** Names one picture after the words around it, or throws when it may not or cannot. */
export type NameByAi = (context: NameContext) => Promise<string>

/**
 * Who names pictures that are not in the library yet, for one person; undefined when only the rules could, since the
 * built-in AI names by them too. A paid call is counted before it is made, and refused at the month's limit.
 */
export function createNameByAi({ db, ai }: { db: Kysely<Tables>; ai: Ai }) {
  const { endpoint, monthlyLimit } = ai
  return (ownerId: number): NameByAi | undefined => {
    if (!endpoint || ai.restReason()) return undefined
    return async (context) => {
      if (endpoint.capabilities.paid) await reservePaidCall(db, ownerId, monthlyLimit)
      return endpoint.suggestName(context)
    }
  }
}
