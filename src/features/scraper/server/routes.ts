import type { FastifyReply, FastifyRequest } from 'fastify'
import type { User } from '#features/auth/contract.ts'
import { AppError, withCause } from '#platform/errors.ts'
import { isDatabaseAway } from '#platform/server/db/database-away.ts'
import { abortOnDisconnect, handle, handleFile, handleStream } from '#platform/server/http/handle.ts'
import { withLargeBodies } from '#platform/server/http/large-bodies.ts'
import type { Scope } from '#platform/server/http/scope.ts'
import type { Run } from '#platform/server/runs/runs-store.ts'
import { isDiskFull } from '#platform/server/system-errors.ts'
import { failureOf, scraperApi } from '../contract.ts'
import { followRun } from './follow-run.ts'
import { createPreviewPictures, createPreviews, type PictureServices, type PreviewServices } from './preview.ts'
import { cancelRun, loadCurrentRun, type RunServices, retryRun, startPageRun, startUrlsRun } from './runs.ts'
import { dismissEndedRuns, loadOwnedRun } from './runs-store.ts'

type Services = PreviewServices & PictureServices & RunServices

/** Whole image objects are sent back, some with a small data URI: this is enough for a page of them. */
const maxSelectionBytes = 32 * 1024 * 1024

export function scraperRoutes(scope: Scope<User>, services: Services) {
  const { db } = services
  const previewPage = createPreviews(services)
  handle(scope, scraperApi.preview, ({ body }, { user, request, reply }) =>
    orElse(request, failureOf.preview, () => previewPage(user.id, { url: body.url, signal: abortOnDisconnect(reply) })),
  )
  handle(scope, scraperApi.currentRun, async (_input, { user }) => ({ run: await loadCurrentRun(db, user.id) }))
  handle(scope, scraperApi.cancelRun, async ({ params }, { user }) => ({
    message: await cancelRun(services, await loadOwnedRun(db, user.id, params.id)),
  }))
  handle(scope, scraperApi.dismissRun, async ({ params }, { user }) => {
    const run = await loadOwnedRun(db, user.id, params.id)
    await dismissEndedRuns(db, user.id, run.id)
    return { message: 'The upload was dismissed.' }
  })
  pictureRoute(scope, services)
  streamRoutes(scope, services)
}

function streamRoutes(scope: Scope<User>, services: Services) {
  const stopping = new AbortController()
  // A shutdown ends the streams; runs continue in the next process, and clients reconnect.
  scope.app.addHook('preClose', async () => stopping.abort())
  const follow = (run: Run, reply: FastifyReply, isReplayed: boolean) =>
    followRun(services, run, { isReplayed, signal: AbortSignal.any([stopping.signal, abortOnDisconnect(reply)]) })

  withLargeBodies(scope, maxSelectionBytes, (part) => {
    handleStream(part, scraperApi.upload, async ({ body }, { user, request, reply }) => {
      const run = await orElse(request, failureOf.page, () => startPageRun(services, user.id, body))
      return follow(run, reply, true)
    })
    handleStream(part, scraperApi.uploadFromUrls, async ({ body }, { user, request, reply }) => {
      const run = await orElse(request, failureOf.urls, () => startUrlsRun(services, user.id, body))
      return follow(run, reply, true)
    })
    handleStream(part, scraperApi.retry, async ({ body }, { user, request, reply }) => {
      const run = await orElse(request, failureOf.page, () => retryRun(services, user.id, body.runId))
      return follow(run, reply, true)
    })
    handleStream(part, scraperApi.follow, async ({ query }, { user, reply }) => {
      return follow(await loadOwnedRun(services.db, user.id, query.runId), reply, false)
    })
  })
}

function pictureRoute(scope: Scope<User>, services: Services) {
  const loadPicture = createPreviewPictures(services)
  handleFile(scope, scraperApi.image, async ({ query }, { user, reply }) => {
    const picture = await loadPicture(user.id, query.url, abortOnDisconnect(reply))
    return reply
      .type('image/webp')
      .headers({ 'cache-control': 'no-store', 'content-security-policy': "default-src 'none'; sandbox" })
      .send(picture)
  })
}

/** An unexpected error gets the message of its call; its cause goes to the log. */
async function orElse<T>({ id }: FastifyRequest, message: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    // Errors that any call may have keep their own messages.
    if (error instanceof AppError || isDatabaseAway(error) || isDiskFull(error)) throw error
    throw withCause(new AppError('internal', 500, message, { requestId: id }), error)
  }
}
