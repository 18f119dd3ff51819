import type { User } from '#features/auth/contract.ts'
import { maxUploadBytes } from '#features/media/limits.ts'
import { describeDetails } from '#features/media/server/store.ts'
import { handle, handleUpload } from '#platform/server/http/handle.ts'
import type { Scope } from '#platform/server/http/scope.ts'
import { uploadApi } from '../contract.ts'
import { acceptBatch, listDuplicates, maxFilesAtOnce, receiveBatch } from './batch.ts'
import type { IngestServices } from './ingest.ts'

const limits = {
  fileSize: maxUploadBytes + 1,
  files: maxFilesAtOnce,
  // Each file may have a `filename` field in front of it.
  fields: maxFilesAtOnce + 20,
  parts: 2 * maxFilesAtOnce + 20,
  fieldSize: 64 * 1024,
  headerPairs: 50,
}

export function uploadRoutes(scope: Scope<User>, services: IngestServices) {
  handle(scope, uploadApi.begin, async () => ({ beganAt: new Date().toISOString() }))
  const accepted = { limits, throwFileSizeLimit: false }
  handleUpload(scope, uploadApi.upload, accepted, async ({ user, origin, request }) => {
    const batch = await receiveBatch(services, user.id, request)
    const { rows, rejected } = await acceptBatch(services, user.id, batch, request.log)
    const media = await describeDetails(services.db, rows, origin)
    return { media, alreadyThere: await listDuplicates(services.db, rows), rejected }
  })
}
