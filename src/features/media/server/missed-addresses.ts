import type { FastifyRequest } from 'fastify'
import { addressGroup } from '#features/auth/server/address-group.ts'
import { AppError } from '#platform/errors.ts'
import type { Db } from '#platform/server/db/tables.ts'
import { checkRateLimits, consumeRateLimits, type Limit } from '#platform/server/rate-limits.ts'

/**
 * Counts a request for a public address that leads nowhere, and throws once a visitor has guessed too often. Only misses are
 * counted and refused, so other people at the same address can still open what exists.
 */
export async function countMiss(db: Db, request: FastifyRequest) {
  const limit: Limit = { name: `missed ${addressGroup(request.ip)}`, max: 100, windowMs: 10 * 60_000 }
  try {
    // Over the limit nothing is written, so guessing costs other writers no time.
    await checkRateLimits(db, [limit])
    await consumeRateLimits(db, [limit])
  } catch (error) {
    if (error instanceof AppError) throw error
    // A full disk must not turn a missing page into an error.
    request.log.warn({ err: error }, 'missed address was not counted')
  }
}
