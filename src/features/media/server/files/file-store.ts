import { prepareQuery } from '#platform/server/db/prepared.ts'
import { fileColumns } from './open-wanted.ts'

/** The item and who asks for it at once: a query costs more than what it reads here. Sessions go with their account. */
export const findFile = prepareQuery((db, tokenHash: string, now: number, id: number) =>
  db
    .selectFrom('media')
    .leftJoin('sessions', (join) => join.on('token_hash', '=', tokenHash).on('expires_at', '>', now))
    .select([...fileColumns, 'owner_id', 'is_trashed', 'public_slug'])
    .select(['user_id as visitor_id', 'expires_at as signed_in_until'])
    .where('id', '=', id),
)
