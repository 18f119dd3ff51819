import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { takeFault } from '#platform/server/http/error-handler.ts'
import { sendPage } from './page-headers.ts'
import type { ClientAssets } from './pages/client-assets.ts'
import { faultPage } from './pages/notice-pages.ts'

/**
 * For the documents that a person opens: a fault of ours is a page, with the status, Retry-After and log of every other
 * answer. It is never 404, so that no robot forgets the page.
 */
export function answerFaultsAsPages(assets: ClientAssets) {
  return (error: FastifyError, request: FastifyRequest, reply: FastifyReply) => {
    const told = takeFault(error, request, reply)
    const { statusCode } = reply
    if (statusCode < 500) return reply.type('application/json').send(told)
    const isEmbedded = (request.query as { embed?: string }).embed === '1'
    const page = faultPage(assets, told.code === 'internal' ? request.id : undefined)
    return sendPage(reply, statusCode, page, isEmbedded)
  }
}
