import { create as contentDisposition } from 'content-disposition'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { addressGroup } from '#features/auth/server/address-group.ts'
import { sessionHashOf } from '#features/auth/server/guards.ts'
import { downloadName, etagOf, sendBytes } from '#features/media/server/files/send-file.ts'
import { countMiss } from '#features/media/server/missed-addresses.ts'
import { canBeSlug, findSlugTarget } from '#features/media/server/slugs.ts'
import { AppError, notFound } from '#platform/errors.ts'
import type { Db } from '#platform/server/db/tables.ts'
import type { Scope } from '#platform/server/http/scope.ts'
import { DeliveryQuery } from '../contract.ts'
import { isFreeToVisitors } from '../file-address.ts'
import { chooseFile } from './choose-file.ts'
import { type DeliveryServices, openDelivered } from './open-delivered.ts'
import { isSignedBy } from './signature.ts'
import { findDelivered, findPublicSlug, listWebsitePresets, mergePresets, readPresets } from './store.ts'

const Params = z.object({ name: z.string().max(200) })
type FileRequest = FastifyRequest<{ Params: z.output<typeof Params>; Querystring: DeliveryQuery }>

/** `/i/{slug}` and `/i/{slug}.{extension}`: the file of a public item, for any website. */
export function deliveredFileRoutes(scope: Scope<null>, services: DeliveryServices) {
  const { access } = scope
  scope.app.register(async (app) => {
    // Errors have the headers too, so that a website can show what is wrong.
    app.addHook('onRequest', async (_request, reply) => {
      reply.headers({
        'access-control-allow-origin': '*',
        'access-control-expose-headers': 'Content-Length, Content-Range, ETag',
        'cross-origin-resource-policy': 'cross-origin',
      })
    })
    app.options('/i/:name', { config: { access } }, (_request, reply) =>
      reply
        .code(204)
        .headers({
          'access-control-allow-methods': 'GET, HEAD',
          'access-control-allow-headers': '*',
          'access-control-max-age': '86400',
        })
        .send(),
    )
    app.route({
      method: ['GET', 'HEAD'],
      url: '/i/:name',
      config: { access },
      // Images and videos are already compressed.
      compress: false,
      schema: { params: Params, querystring: DeliveryQuery },
      handler: (request, reply) => deliver(request as FileRequest, reply, services),
    })
  })
}

async function deliver(request: FileRequest, reply: FastifyReply, services: DeliveryServices) {
  const { query } = request
  const { slug, extension } = readName(request.params.name)
  const found = canBeSlug(slug) ? await findDelivered(services.db, sessionHashOf(request), Date.now(), slug) : undefined
  if (!found || found.is_trashed === 1) return redirectRenamed(request, reply, services.db, { slug, extension })

  const { signing_key: key, presets, visitor_id, ...media } = found
  const isOwner = visitor_id === media.owner_id
  const isForAnyone =
    isFreeToVisitors(query) || (key !== null && isSignedBy(key, { mediaId: media.id, extension, query }))
  if (!isForAnyone && !isOwner) throw notSigned()

  const own = readPresets(presets)
  const chosen = chooseFile(media, {
    extension,
    query,
    accept: request.headers.accept,
    presets: query.p === undefined ? [] : mergePresets(await listWebsitePresets(services.db, media.id), own),
  })
  const file = await openDelivered(services, media, chosen, addressGroup(request.ip))
  return sendBytes(request, reply, file, {
    etag: etagOf(media, file),
    // Browsers look for a new version soon, and show the last one meanwhile.
    'cache-control': isForAnyone ? 'public, max-age=300, stale-while-revalidate=86400' : 'private, no-cache',
    ...(chosen.isNegotiated && { vary: 'Accept' }),
    'content-disposition': contentDisposition(downloadName(media, file.mimeType), { type: 'inline' }),
  })
}

function readName(name: string) {
  const dot = name.indexOf('.')
  return dot < 0 ? { slug: name } : { slug: name.slice(0, dot), extension: name.slice(dot + 1).toLowerCase() }
}

const notSigned = () =>
  new AppError(
    'not-signed',
    403,
    'This size needs a signed address. Copy the address from Albumen, or use one of the usual widths or a preset.',
  )

/** Other text could not be a part of the redirect's address. */
const isExtension = (text = 'jpg') => /^[a-z0-9]{1,5}$/.test(text)

/** A renamed item is found at its present address while it is public; everything else is not found. */
async function redirectRenamed(
  request: FileRequest,
  reply: FastifyReply,
  db: Db,
  { slug, extension }: ReturnType<typeof readName>,
) {
  const id = isExtension(extension) ? await findSlugTarget(db, 'media', slug) : undefined
  const present = id === undefined ? undefined : await findPublicSlug(db, id)
  if (!present || present === slug) {
    await countMiss(db, request)
    throw notFound('File')
  }
  const query = request.url.indexOf('?')
  const address = `/i/${present}${extension ? `.${extension}` : ''}${query < 0 ? '' : request.url.slice(query)}`
  // Browsers must not cache the redirect, since the address may be changed back.
  return reply.header('cache-control', 'no-cache').redirect(address, 301)
}
