import { chunksOf } from '#shared/chunks.ts'

/** Far below what either database takes in one statement. */
const valuesPerQuery = 500

/** A long list of ids or hashes, in parts that one query can name. */
export const partsToAsk = <T>(values: readonly T[]) => chunksOf(values, valuesPerQuery)
