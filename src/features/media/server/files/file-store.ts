import { sessionOwner } from '#features/auth/server/sessions.ts'
import { prepareQuery } from '#platform/server/db/prepared.ts'
import { fileColumns } from './open-wanted.ts'

/** The item and who asks for it at once: a query costs more than what it reads here. */
export const findFile = prepareQuery((db, tokenHash: string, now: number, id: number) =>
  db
    .selectFrom('media')
    .select([...fileColumns, 'owner_id', 'is_trashed', 'public_slug'])
    .select(sessionOwner(db, tokenHash, now).as('visitor_id'))
    .where('id', '=', id),
)
