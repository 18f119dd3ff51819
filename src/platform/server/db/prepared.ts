import { isDeepStrictEqual } from 'node:util'
import type { CompiledQuery, Kysely } from 'kysely'
import type { Tables } from './tables.ts'

type Compilable<Row> = { compile(): CompiledQuery<Row> }

/** Only the most recent shapes are cached, since every possible one would waste memory. */
const maxShapes = 20

/**
 * Compiles a query once per shape and runs it with new values, for reads at nearly every request: compiling costs more than
 * reading one row. Queries of the same shape must take exactly the given values, in their order.
 */
export function prepareShapes<Row>() {
  const prepared = new WeakMap<Kysely<Tables>, Map<string, CompiledQuery<Row>>>()

  return async (db: Kysely<Tables>, shape: string, values: unknown[], build: () => Compilable<Row>): Promise<Row[]> => {
    const byShape = prepared.get(db) ?? new Map<string, CompiledQuery<Row>>()
    prepared.set(db, byShape)
    const query = byShape.get(shape) ?? compile(build(), values)
    byShape.set(shape, query)
    if (byShape.size > maxShapes) byShape.delete(byShape.keys().next().value!)
    const syncRows = syncQueries.get(db)?.(query.sql, values)
    if (syncRows) return syncRows as Row[]
    const { rows } = await db.executeQuery<Row>({ ...query, parameters: values })
    return rows
  }
}

/** Returns the rows, or undefined when a transaction is open and the query must wait. */
type SyncQuery = (sql: string, values: unknown[]) => unknown[] | undefined

const syncQueries = new WeakMap<Kysely<Tables>, SyncQuery>()

/**
 * Kysely awaits a dozen promises per query, which cost more than SQLite takes to find a row. A database in this process can
 * run a prepared query synchronously while no transaction is open.
 */
export function runPreparedSynchronously(db: Kysely<Tables>, query: SyncQuery) {
  syncQueries.set(db, query)
}

/** Prepares a query with one shape for all values. */
export function prepareRows<Values extends unknown[], Row>(
  build: (db: Kysely<Tables>, ...values: Values) => Compilable<Row>,
) {
  const ask = prepareShapes<Row>()
  return (db: Kysely<Tables>, ...values: Values) => ask(db, '', values, () => build(db, ...values))
}

/** Like `prepareRows`, for a query that returns at most one row. */
export function prepareQuery<Values extends unknown[], Row>(
  build: (db: Kysely<Tables>, ...values: Values) => Compilable<Row>,
) {
  const readRows = prepareRows(build)
  return async (db: Kysely<Tables>, ...values: Values): Promise<Row | undefined> => (await readRows(db, ...values))[0]
}

/**
 * Like `prepareRows`, for a lookup by a list of values, with one shape for each length. Nothing is found by no values, for
 * which PostgreSQL has no syntax.
 */
export function prepareListQuery<Value, Row>(build: (db: Kysely<Tables>, values: Value[]) => Compilable<Row>) {
  const ask = prepareShapes<Row>()
  return async (db: Kysely<Tables>, values: Value[]): Promise<Row[]> =>
    values.length === 0 ? [] : ask(db, String(values.length), values, () => build(db, values))
}

function compile<Row>(compilable: Compilable<Row>, values: unknown[]) {
  const query = compilable.compile()
  if (!isDeepStrictEqual(query.parameters, values)) {
    throw new Error(`Expected a query with the parameters ${values}, received ${query.parameters}`)
  }
  return query
}
