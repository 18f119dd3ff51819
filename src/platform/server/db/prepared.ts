import { isDeepStrictEqual } from 'node:util'
import type { CompiledQuery, Kysely } from 'kysely'
import type { Tables } from './tables.ts'

type Compilable<Row> = { compile(): CompiledQuery<Row> }

/**
 * A query that is put together once and then asked with other values: for what is read at nearly every request, since
 * putting a query together costs more than reading one row. The query takes the values in their order and no others.
 */
export function prepareRows<Values extends unknown[], Row>(
  build: (db: Kysely<Tables>, ...values: Values) => Compilable<Row>,
) {
  const prepared = new WeakMap<Kysely<Tables>, CompiledQuery<Row>>()

  return async (db: Kysely<Tables>, ...values: Values): Promise<Row[]> => {
    const query = prepared.get(db) ?? compile(build(db, ...values), values)
    prepared.set(db, query)
    const { rows } = await db.executeQuery<Row>({ ...query, parameters: values })
    return rows
  }
}

/** The same for the one row that is looked for. */
export function prepareQuery<Values extends unknown[], Row>(
  build: (db: Kysely<Tables>, ...values: Values) => Compilable<Row>,
) {
  const readRows = prepareRows(build)
  return async (db: Kysely<Tables>, ...values: Values): Promise<Row | undefined> => (await readRows(db, ...values))[0]
}

/** Pages have few lengths; a query of every length there can be would fill memory for nothing. */
const maxLengths = 20

/** The same for rows that are looked up by a list of values: one query for each length that lists had lately. */
export function prepareListQuery<Value, Row>(build: (db: Kysely<Tables>, values: Value[]) => Compilable<Row>) {
  const prepared = new WeakMap<Kysely<Tables>, Map<number, CompiledQuery<Row>>>()

  return async (db: Kysely<Tables>, values: Value[]): Promise<Row[]> => {
    const byLength = prepared.get(db) ?? new Map<number, CompiledQuery<Row>>()
    prepared.set(db, byLength)
    const query = byLength.get(values.length) ?? compile(build(db, values), values)
    byLength.set(values.length, query)
    if (byLength.size > maxLengths) byLength.delete(byLength.keys().next().value!)
    const { rows } = await db.executeQuery<Row>({ ...query, parameters: values })
    return rows
  }
}

function compile<Row>(compilable: Compilable<Row>, values: unknown[]) {
  const query = compilable.compile()
  if (!isDeepStrictEqual(query.parameters, values)) {
    throw new Error(`Expected a query with the parameters ${values}, received ${query.parameters}`)
  }
  return query
}
