import { isDeepStrictEqual } from 'node:util'
import type { CompiledQuery, Kysely } from 'kysely'
import type { Tables } from './tables.ts'

type Compilable<Row> = { compile(): CompiledQuery<Row> }

/** Lists have few shapes; a query for every shape there can be would fill memory for nothing. */
const maxShapes = 20

/**
 * Queries that are put together once and then asked with other values: for what is read at nearly every request, since
 * putting a query together costs more than reading one row. What has the same shape is one query, which takes the values
 * in their order and no others.
 */
export function prepareShapes<Row>() {
  const prepared = new WeakMap<Kysely<Tables>, Map<string, CompiledQuery<Row>>>()

  return async (db: Kysely<Tables>, shape: string, values: unknown[], build: () => Compilable<Row>): Promise<Row[]> => {
    const byShape = prepared.get(db) ?? new Map<string, CompiledQuery<Row>>()
    prepared.set(db, byShape)
    const query = byShape.get(shape) ?? compile(build(), values)
    byShape.set(shape, query)
    if (byShape.size > maxShapes) byShape.delete(byShape.keys().next().value!)
    const atOnce = answering.get(db)?.(query.sql, values)
    if (atOnce) return atOnce as Row[]
    const { rows } = await db.executeQuery<Row>({ ...query, parameters: values })
    return rows
  }
}

/** The rows, or nothing when somebody has to be waited for. */
type AnswerAtOnce = (sql: string, values: unknown[]) => unknown[] | undefined

const answering = new WeakMap<Kysely<Tables>, AnswerAtOnce>()

/**
 * Kysely's way to a connection and back is a dozen promises, which cost more than SQLite takes to find a row. A database in
 * this very process can do without them, for as long as nobody is in the middle of a transaction.
 */
export function answerPreparedAtOnce(db: Kysely<Tables>, answerAtOnce: AnswerAtOnce) {
  answering.set(db, answerAtOnce)
}

/** One query, whatever the values. */
export function prepareRows<Values extends unknown[], Row>(
  build: (db: Kysely<Tables>, ...values: Values) => Compilable<Row>,
) {
  const ask = prepareShapes<Row>()
  return (db: Kysely<Tables>, ...values: Values) => ask(db, '', values, () => build(db, ...values))
}

/** The same for the one row that is looked for. */
export function prepareQuery<Values extends unknown[], Row>(
  build: (db: Kysely<Tables>, ...values: Values) => Compilable<Row>,
) {
  const readRows = prepareRows(build)
  return async (db: Kysely<Tables>, ...values: Values): Promise<Row | undefined> => (await readRows(db, ...values))[0]
}

/** The same for rows that are looked up by a list of values: one query for each length. */
export function prepareListQuery<Value, Row>(build: (db: Kysely<Tables>, values: Value[]) => Compilable<Row>) {
  const ask = prepareShapes<Row>()
  return (db: Kysely<Tables>, values: Value[]) => ask(db, String(values.length), values, () => build(db, values))
}

function compile<Row>(compilable: Compilable<Row>, values: unknown[]) {
  const query = compilable.compile()
  if (!isDeepStrictEqual(query.parameters, values)) {
    throw new Error(`Expected a query with the parameters ${values}, received ${query.parameters}`)
  }
  return query
}
