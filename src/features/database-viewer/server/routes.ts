import type { FastifyReply } from 'fastify'
import type { User } from '#features/auth/contract.ts'
import type { Db } from '#platform/server/db/tables.ts'
import { handle } from '#platform/server/http/handle.ts'
import type { Scope } from '#platform/server/http/scope.ts'
import { databaseViewerApi, totalHeader } from '../contract.ts'
import { listCollections, listMedia, listRelationships, listUsers, loadStats, type Page } from './store.ts'

export function databaseViewerRoutes(scope: Scope<User>, { slowReads }: { slowReads: Db }) {
  handle(scope, databaseViewerApi.stats, () => loadStats(slowReads))
  handle(scope, databaseViewerApi.media, async ({ query }, { reply }) => send(reply, await listMedia(slowReads, query)))
  handle(scope, databaseViewerApi.users, async ({ query }, { reply }) => send(reply, await listUsers(slowReads, query)))
  handle(scope, databaseViewerApi.collections, async ({ query }, { reply }) =>
    send(reply, await listCollections(slowReads, query)),
  )
  handle(scope, databaseViewerApi.relationships, async ({ query }, { reply }) =>
    send(reply, await listRelationships(slowReads, query)),
  )
}

function send<T>(reply: FastifyReply, { rows, total }: Page<T>) {
  reply.header(totalHeader, total)
  return rows
}
