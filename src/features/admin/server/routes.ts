import { Readable } from 'node:stream'
import type { ImageKitEngine } from '#engines/imagekit/imagekit-engine.ts'
import type { Ai } from '#features/analysis/server/ai.ts'
import { checkProviders, describeAi } from '#features/analysis/server/describe-ai.ts'
import { setUpHubModel, stopHubModel } from '#features/analysis/server/hub/set-up.ts'
import type { User } from '#features/auth/contract.ts'
import { sessionHashOf } from '#features/auth/server/guards.ts'
import { anySize, receiveUpload, writeTemporaryFile } from '#features/backups/server/archives/receive-upload.ts'
import type { RestoreServices } from '#features/backups/server/restores/restore.ts'
import type { Config } from '#platform/server/config.ts'
import type { Db } from '#platform/server/db/tables.ts'
import { handle, handleFile, handleUpload, sendAsFile } from '#platform/server/http/handle.ts'
import type { Scope } from '#platform/server/http/scope.ts'
import { adminApi } from '../contract.ts'
import { exportDatabase, importDatabase, resetDatabase } from './database.ts'
import { startIntegrityCheck } from './integrity.ts'
import { dismissJob, listUsers, loadJobsOverview, loadStats, loadStorageHistory, retryJob } from './store.ts'
import { loadSystemFacts } from './system.ts'
import { addUser, deleteUser, resetPassword, setAdmin } from './users.ts'

type Services = RestoreServices & { slowReads: Db; config: Config; ai: Ai; imageKit: ImageKitEngine | undefined }

export function adminRoutes(scope: Scope<User>, services: Services) {
  const { db, slowReads } = services
  /** The user's open pages reload, because what they may see has changed. */
  const reloadPages = (userId: number) => services.events.publish(userId, { type: 'reset' })

  handle(scope, adminApi.stats, () => loadStats(slowReads))
  handle(scope, adminApi.storageHistory, () => loadStorageHistory(slowReads))
  handle(scope, adminApi.users, () => listUsers(slowReads))
  handle(scope, adminApi.addUser, async ({ body }, { user }) => {
    const { id, username } = await addUser(db, user, body)
    return { message: `Created an account for ${username}.`, id, username }
  })
  handle(scope, adminApi.setAdmin, async ({ params, body: { isAdmin } }, { user }) => {
    const { username } = await setAdmin(db, user, params.userId, isAdmin)
    await reloadPages(params.userId)
    return { message: `${username} is ${isAdmin ? 'now' : 'no longer'} an administrator.`, username, isAdmin }
  })
  handle(scope, adminApi.resetPassword, async ({ params, body }, { user }) => {
    const { username } = await resetPassword(db, user, params.userId, body.newPassword)
    await reloadPages(params.userId)
    return { message: `${username} has a new password.`, username }
  })
  handle(scope, adminApi.deleteUser, async ({ params }, { user }) => {
    const { username } = await deleteUser(db, user, params.userId)
    await reloadPages(params.userId)
    return { message: `${username} was deleted.`, username }
  })
  handle(scope, adminApi.resetDatabase, async (_input, { user, request }) => {
    await resetDatabase(services, { adminId: user.id, sessionHash: sessionHashOf(request) })
    return { message: 'The database was reset. Your account and the backups are still here.' }
  })
  handle(scope, adminApi.jobs, () => loadJobsOverview(slowReads))
  handle(scope, adminApi.retryJob, async ({ params }) => {
    await retryJob(db, params.id)
    return { message: 'The job will be retried.' }
  })
  handle(scope, adminApi.dismissJob, async ({ params }) => {
    await dismissJob(db, params.id)
    return { message: 'The job was dismissed.' }
  })
  handle(scope, adminApi.system, (_input, { origin }) => loadSystemFacts(services, origin))
  handle(scope, adminApi.ai, () => describeAi(services))
  handle(scope, adminApi.checkAi, async () => ({ verdicts: await checkProviders(services.ai) }))
  handle(scope, adminApi.setUpHubModel, async ({ params }) => {
    await setUpHubModel(services, params.id)
    return { message: 'The model is being set up.' }
  })
  handle(scope, adminApi.stopHubModel, async ({ params }) => {
    await stopHubModel(services, params.id)
    return { message: 'The model is no longer used. Its files are kept.' }
  })
  handle(scope, adminApi.checkIntegrity, async () => {
    await startIntegrityCheck(services)
    return { message: 'The files are being checked.' }
  })
  databaseFileRoutes(scope, services)
}

function databaseFileRoutes(scope: Scope<User>, services: Services) {
  handleFile(scope, adminApi.downloadDatabase, (_input, { reply }) => {
    const name = `albumen-database-${new Date().toISOString().slice(0, 10)}.json`
    return sendAsFile(reply, name, 'application/json; charset=utf-8').send(Readable.from(exportDatabase(services)))
  })
  handleUpload(scope, adminApi.uploadDatabase, anySize, async ({ user, request }) => {
    const wanted = { field: 'database', extension: '.json' } as const
    await using upload = await receiveUpload(request, wanted, (file) => writeTemporaryFile(services.backupFolder, file))
    // Awaited here, because the file is deleted at the end of this scope.
    return await importDatabase(services, { adminId: user.id, sessionHash: sessionHashOf(request) }, upload.path)
  })
}
