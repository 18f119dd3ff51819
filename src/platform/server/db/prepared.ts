import { isDeepStrictEqual } from 'node:util'
import type { CompiledQuery, Kysely } from 'kysely'
import type { Tables } from './tables.ts'

type Compilable<Row> = { compile(): CompiledQuery<Row> }

/**
 * A query that is put together once and then asked with other values: for what is read at nearly every request, since
 * putting a query together costs more than reading one row. The query takes the values in their order and no others.
 */
export function prepareQuery<Values extends unknown[], Row>(
  build: (db: Kysely<Tables>, ...values: Values) => Compilable<Row>,
) {
  const prepared = new WeakMap<Kysely<Tables>, CompiledQuery<Row>>()

  function prepare(db: Kysely<Tables>, values: Values) {
    const query = build(db, ...values).compile()
    if (!isDeepStrictEqual(query.parameters, values)) {
      throw new Error(`Expected a query with the parameters ${values}, received ${query.parameters}`)
    }
    prepared.set(db, query)
    return query
  }

  return async (db: Kysely<Tables>, ...values: Values): Promise<Row | undefined> => {
    const query = prepared.get(db) ?? prepare(db, values)
    const { rows } = await db.executeQuery<Row>({ ...query, parameters: values })
    return rows[0]
  }
}
