import { isNetworkError } from '../system-errors.ts'

/** Connections that the server refused, ended or never answered: SQLSTATE classes 08 and 57P0x, and too many of them. */
const connectionStates = /^(08...|57P0.|53300)$/
/** The driver's own words have no code. */
const driverWords = /^Connection terminated|not queryable$|^timeout exceeded when trying to connect$/

/** True when the database cannot be reached at the moment: the same request will work when it is back. */
export function isDatabaseAway(error: unknown): boolean {
  // A host with several addresses fails once for each of them.
  if (error instanceof AggregateError) return error.errors.some(isDatabaseAway)
  if (!(error instanceof Error)) return false
  const code = 'code' in error ? String(error.code) : ''
  return connectionStates.test(code) || isNetworkError(error) || driverWords.test(error.message)
}
