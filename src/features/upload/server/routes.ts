import multipart from '@fastify/multipart'
import type { User } from '#features/auth/contract.ts'
import { maxUploadBytes } from '#features/media/contract.ts'
import { describeMedia } from '#features/media/server/store.ts'
import { handle } from '#platform/server/http/handle.ts'
import { originOf } from '#platform/server/http/origin.ts'
import type { Scope } from '#platform/server/http/scope.ts'
import { uploadApi } from '../contract.ts'
import { acceptBatch, maxFilesAtOnce, receiveBatch } from './batch.ts'
import type { IngestServices } from './ingest.ts'

const limits = {
  fileSize: maxUploadBytes + 1,
  files: maxFilesAtOnce,
  fields: 20,
  parts: maxFilesAtOnce + 20,
  fieldSize: 64 * 1024,
  headerPairs: 50,
}

/** Multipart lives in a part of its own, so that no other route reads anything but JSON. */
export function uploadRoutes(scope: Scope<User>, services: IngestServices) {
  const { app, access, callerOf, routes } = scope
  handle(scope, uploadApi.begin, async () => ({ beganAt: new Date().toISOString() }))
  routes.push({ route: uploadApi.upload, access })
  app.register(async (part) => {
    await part.register(multipart, { limits, throwFileSizeLimit: false })
    part.post(
      uploadApi.upload.path,
      { config: { access, isLongUpload: true }, schema: { response: { 201: uploadApi.upload.response } } },
      async (request, reply) => {
        const user = callerOf(request)
        const batch = await receiveBatch(services, user.id, request)
        const { rows, rejected } = await acceptBatch(services, user.id, batch, request.log)
        reply.code(201)
        return { media: await describeMedia(services.db, rows, originOf(request)), rejected }
      },
    )
  })
}
