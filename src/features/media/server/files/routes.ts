import type { FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { addressGroup } from '#features/auth/server/address-group.ts'
import { sessionHashOf } from '#features/auth/server/guards.ts'
import { sessionOwner } from '#features/auth/server/sessions.ts'
import { AppError, notFound } from '#platform/errors.ts'
import { prepareQuery } from '#platform/server/db/prepared.ts'
import type { Db } from '#platform/server/db/tables.ts'
import type { Scope } from '#platform/server/http/scope.ts'
import { Id } from '../../contract.ts'
import { fileAddress, isDerivedName, originalAddress, playsOriginal, versionOf } from '../media-addresses.ts'
import { countMiss } from '../missed-addresses.ts'
import { listTags, loadOwnedMedia } from '../store.ts'
import { findGrant, type Grant } from '../visibility.ts'
import { FileQuery, openFile } from './open-file.ts'
import { sendFile } from './send-file.ts'
import { type FileRow, type FileServices, fileColumns } from './served-file.ts'
import { withWords, wordsOf } from './with-words.ts'

const Params = z.object({ id: Id, version: z.string().max(64), name: z.string().max(512) })

/** `/files/{id}/{version}/{name}` is accessible to the owner, and to everyone while the item is public. */
export function fileRoutes({ app, access }: Scope<null>, services: FileServices) {
  app.route({
    method: ['GET', 'HEAD'],
    url: '/files/:id/:version/:name',
    config: { access },
    // Images and videos are already compressed.
    compress: false,
    schema: { params: Params, querystring: FileQuery },
    handler: async (request, reply) => answer(request as FileRequest, reply, services),
  })
}

type FileRequest = FastifyRequest<{ Params: z.output<typeof Params>; Querystring: z.output<typeof FileQuery> }>

async function answer(request: FileRequest, reply: FastifyReply, services: FileServices) {
  const { id, version, name } = request.params
  const media = await findFile(services.db, sessionHashOf(request), Date.now(), id)
  const isOwner = media !== undefined && media.visitor_id === media.owner_id
  const grant = isOwner ? ownerGrant : media && (await findGrant(services.db, media, request))
  if (!media || !grant) {
    await countMiss(services.db, request)
    throw notFound('File')
  }
  if (!grant.allowsOriginal) withholdOriginal(media, name, request.query)
  // The bytes were replaced since this address was created, for example by a conversion, so it redirects.
  if (version !== versionOf(media.blob)) {
    const file = isOwner && request.query.earlier && (await findEarlier(services.db, media, version))
    if (file) return send(file)
    const query = request.url.split('?')[1]
    return reply
      .header('cache-control', 'no-cache')
      .redirect(`${currentAddress(media, name)}${query ? `?${query}` : ''}`, 302)
  }
  return send(media)

  async function send(row: FileRow) {
    const { metadata } = request.query
    const audience = isOwner && metadata !== '0' ? 'owner' : 'anyone'
    const caller = isOwner ? `owner ${media!.owner_id}` : addressGroup(request.ip)
    const opened = await openFile(services, row, { name, audience, query: request.query, caller })
    const file = isOwner && metadata === '1' ? await withWords(opened, await findWords(services.db, media!)) : opened
    return sendFile(request, reply, { media: row, grant: grant as Grant, file })
  }
}

/** An earlier file of the item; see [Note: Versions]. */
async function findEarlier(db: Db, { id, type }: FileRow, version: string): Promise<FileRow | undefined> {
  const earlier = await db
    .selectFrom('media_versions')
    .select(['media_id as id', 'filename', 'mime_type', 'blob', 'size', 'sprite', 'playback'])
    .where('media_id', '=', id)
    .where('replaced_at', 'is not', null)
    .execute()
  const file = earlier.find(({ blob }) => versionOf(blob) === version)
  return file && { ...file, type }
}

async function findWords(db: Db, { id, owner_id }: { id: number; owner_id: number }) {
  return wordsOf(await loadOwnedMedia(db, owner_id, id), await listTags(db, [id]))
}

const ownerGrant: Grant = { allowsOriginal: true, isForAnyone: false, endsAt: null }

/**
 * Visitors without downloads get only renditions. A video without a rendition is played from its original, but not offered as
 * a download.
 */
function withholdOriginal(media: FileRow, name: string, query: FileQuery) {
  delete query.download
  const isShown = playsOriginal(media) || query.w !== undefined || isDerivedName(name)
  if (!isShown)
    throw new AppError('download-not-allowed', 403, "The owner doesn't offer the original file for download.")
}

function currentAddress(media: FileRow, name: string) {
  return isDerivedName(name) ? fileAddress(media, name) : originalAddress(media)
}

/** Reads the item and the session in one query, as a query costs more than the rows it reads. */
const findFile = prepareQuery((db, tokenHash: string, now: number, id: number) =>
  db
    .selectFrom('media')
    .select([...fileColumns, 'owner_id', 'is_trashed', 'public_slug'])
    .select(sessionOwner(db, tokenHash, now).as('visitor_id'))
    .where('id', '=', id),
)
