import type { Kysely } from 'kysely'
import type { NameContext } from '#engines/ai/provider.ts'
import type { Tables } from '#platform/server/db/tables.ts'
import type { Ai } from './ai.ts'
import { payFor } from './budget.ts'

/** Names one picture after the words around it, or throws when it may not or cannot. */
type NameByAi = (context: NameContext) => Promise<string>

/**
 * Who names pictures better than the rules, for one person; undefined when nobody does, since the built-in AI names by
 * them too. Only what is really asked is counted: where people's own words are the name, nobody pays.
 */
export function createNameByAi({ db, ai }: { db: Kysely<Tables>; ai: Ai }) {
  const { endpoint, monthlyLimit: limits } = ai
  return (ownerId: number): NameByAi | undefined => {
    if (!endpoint || ai.restReason()) return undefined
    return (context) => endpoint.suggestName({ ...context, pay: payFor({ db, limits, ownerId }, endpoint) })
  }
}
