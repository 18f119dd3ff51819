import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { prepareErrorResponse } from '#platform/server/http/error-handler.ts'
import { sendForm, sendPage } from './page-headers.ts'
import type { ClientAssets } from './pages/client-assets.ts'
import { faultPage, noDownloadPage, notFoundPage, passwordPage } from './pages/notice-pages.ts'
import { collectionPath } from './to-public.ts'

/**
 * For the documents that a person opens: a fault of ours is a page, with the status, Retry-After and log of every other
 * answer. It is never 404, so that no robot forgets the page.
 */
export function answerFaultsAsPages(assets: ClientAssets) {
  return (error: FastifyError, request: FastifyRequest, reply: FastifyReply) => {
    const told = prepareErrorResponse(error, request, reply)
    const { statusCode } = reply
    if (statusCode < 500) return reply.type('application/json').send(told)
    const isEmbedded = (request.query as { embed?: string }).embed === '1'
    const page = faultPage(assets, told.code === 'internal' ? request.id : undefined)
    return sendPage(reply, statusCode, page, isEmbedded)
  }
}

/** For the download, which programs ask for too: a person who does not get it is told why in a page, or asked for the password. */
export function answerRefusalsAsPages(assets: ClientAssets) {
  const answerFault = answerFaultsAsPages(assets)
  return (error: FastifyError, request: FastifyRequest, reply: FastifyReply) => {
    if (!request.headers.accept?.includes('text/html')) throw error
    const { slug } = request.params as { slug: string }
    const path = collectionPath(slug)
    if (error.code === 'password-required') return sendForm(reply, 401, passwordPage(path, assets))
    if (error.code === 'not-found') return sendPage(reply, 404, notFoundPage('collection', assets))
    if (error.code === 'download-not-allowed') return sendPage(reply, 403, noDownloadPage(path, error.message, assets))
    return answerFault(error, request, reply)
  }
}
