import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Kysely } from 'kysely'
import { addressGroup } from '#features/auth/server/address-group.ts'
import { verifyPassword } from '#features/auth/server/passwords.ts'
import type { CollectionRow } from '#features/collections/server/store.ts'
import { giveShareKey } from '#features/media/server/share-keys.ts'
import { AppError } from '#platform/errors.ts'
import { countOrRefuse, forgetAttempts, type Limit } from '#platform/server/attempts.ts'
import type { Tables } from '#platform/server/db/tables.ts'

const windowMs = 15 * 60_000

/** Ten tries an address and link; and a link as a whole holds out against many addresses. */
const limitsOf = (collectionId: number, address: string): Limit[] => [
  { name: `share ${collectionId} ${addressGroup(address)}`, max: 10, windowMs },
  { name: `share ${collectionId}`, max: 200, windowMs },
]

type Trying = { collection: CollectionRow; password: string; request: FastifyRequest; reply: FastifyReply }

export async function unlockShare(db: Kysely<Tables>, { collection, password, request, reply }: Trying) {
  const limits = limitsOf(collection.id, request.ip)
  await countOrRefuse(db, limits)
  if (!(await verifyPassword(password, collection.password_hash ?? undefined))) {
    throw new AppError('wrong-password', 401, 'The password is wrong.')
  }
  await forgetAttempts(db, limits[0]!.name)
  await giveShareKey(db, request, reply, collection)
}
