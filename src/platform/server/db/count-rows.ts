import type { SelectQueryBuilder } from 'kysely'

/** How many rows a query finds that selects nothing yet. */
export async function countRows<All, From extends keyof All>(
  rows: SelectQueryBuilder<All, From, Record<never, never>>,
) {
  const counted = rows.select(({ fn }) => fn.countAll<number>().as('count')).$castTo<{ count: number }>()
  return (await counted.executeTakeFirstOrThrow()).count
}
