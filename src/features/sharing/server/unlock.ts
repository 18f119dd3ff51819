import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Kysely } from 'kysely'
import { addressGroup } from '#features/auth/server/address-group.ts'
import { verifyPassword } from '#features/auth/server/passwords.ts'
import type { CollectionRow } from '#features/collections/server/store.ts'
import { giveShareKey } from '#features/media/server/share-keys.ts'
import { AppError } from '#platform/errors.ts'
import type { Tables } from '#platform/server/db/tables.ts'
import { consumeRateLimits, type Limit, refundRateLimit, resetRateLimit } from '#platform/server/rate-limits.ts'

const windowMs = 15 * 60_000

/** Ten tries an address and link; and a link as a whole holds out against many addresses. */
const limitsOf = (collectionId: number, address: string) => ({
  ofAddress: { name: `share ${collectionId} ${addressGroup(address)}`, max: 10, windowMs } satisfies Limit,
  ofLink: { name: `share ${collectionId}`, max: 200, windowMs } satisfies Limit,
})

type Trying = { collection: CollectionRow; password: string; request: FastifyRequest; reply: FastifyReply }

export async function unlockShare(db: Kysely<Tables>, { collection, password, request, reply }: Trying) {
  const { ofAddress, ofLink } = limitsOf(collection.id, request.ip)
  await consumeRateLimits(db, [ofAddress, ofLink])
  if (!(await verifyPassword(password, collection.password_hash ?? undefined))) {
    throw new AppError('wrong-password', 401, 'Incorrect password.')
  }
  await resetRateLimit(db, ofAddress.name)
  // Whoever was given the password was no guesser, however many they are.
  await refundRateLimit(db, ofLink)
  await giveShareKey(db, request, reply, collection)
}
