import { setTimeout as delay } from 'node:timers/promises'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { User } from '#features/auth/contract.ts'
import { sessionHashOf } from '#features/auth/server/guards.ts'
import { AppError, notFound } from '#platform/errors.ts'
import { isDatabaseAway } from '#platform/server/db/database-away.ts'
import { handle, handleFile, handleUpload, sendAsFile } from '#platform/server/http/handle.ts'
import type { Scope } from '#platform/server/http/scope.ts'
import { countOf } from '#shared/count.ts'
import { backupsApi, frequencies, Restored } from '../contract.ts'
import { type Archive, archiveName, openArchive } from './archives/archive.ts'
import { createCompleteArchives } from './archives/complete-archive.ts'
import { receiveArchive } from './archives/import-archive.ts'
import { anySize, receiveUpload } from './archives/receive-upload.ts'
import { changeFrequency } from './automatic.ts'
import { createBackup, removeBackupUnlessLast } from './backups.ts'
import type { Manifest } from './folder/snapshots.ts'
import { previewRestore } from './restores/preview.ts'
import { type RestoreServices, startRestore } from './restores/restore.ts'
import type { RestoreGate } from './restores/restore-gate.ts'
import { findRestore, listBackups, loadFrequency, loadProgress, toBackup } from './store.ts'

/** Proxies time out; a backup that takes longer continues in the background. */
const maxWaitMs = 4 * 60_000
const pollIntervalMs = 25

export function backupRoutes(scope: Scope<User>, services: RestoreServices) {
  const { db, backupFolder, restoreGate } = services

  handle(scope, backupsApi.list, async () => {
    const unreadable: { id: string; message: string }[] = []
    const rows = await listBackups(db, backupFolder, (id, { message }) => void unreadable.push({ id, message }))
    return { backups: rows.map(toBackup), unreadable }
  })
  handle(scope, backupsApi.create, async () => {
    const creating = createBackup(services, { type: 'manual' })
    const manifest = await Promise.race([creating, delay(maxWaitMs, null, { ref: false })])
    if (!manifest) {
      creating.catch((error) => services.log.error({ err: error }, 'backup failed'))
      return { message: 'The backup is still running. It will appear in the list when it is done.', backup: null }
    }
    const row = (await listBackups(db, backupFolder)).find(({ id }) => id === manifest.id)
    const message = withLoss('The backup was created and verified.', manifest, 'damaged or missing in the library')
    return { message, backup: row ? toBackup(row) : null }
  })
  handle(scope, backupsApi.remove, async ({ params }) => {
    await removeBackupUnlessLast(services, params.id)
    return { message: 'The backup was deleted.' }
  })
  handle(scope, backupsApi.preview, ({ params }) => previewRestore(services, params.id))
  handle(scope, backupsApi.restore, async ({ params, body }, { user, request }) => {
    await startRestore(services, {
      backupId: params.id,
      adminId: user.id,
      sessionHash: sessionHashOf(request),
      skipsSafety: body?.skipSafetyBackup === true,
      acceptsLost: body?.acceptLostFiles === true,
    })
    return { message: 'The restore has started.' }
  })
  handle(scope, backupsApi.restoreProgress, async () => {
    const progress = await loadProgress(db)
    if (!progress.isRestoring) await openGate(restoreGate)
    return progress
  })
  handle(scope, backupsApi.frequency, async () => ({ frequency: await loadFrequency(db) }))
  handle(scope, backupsApi.frequencies, () => ({ frequencies: [...frequencies] }))
  handle(scope, backupsApi.setFrequency, async ({ body: { frequency } }) => {
    await changeFrequency(services, frequency)
    return { message: 'The backup frequency was changed.', frequency }
  })
  archiveRoutes(scope, services)
}

function withLoss(sentence: string, { missingFiles }: Pick<Manifest, 'missingFiles'>, state: string) {
  if (missingFiles === 0) return sentence
  return `${sentence} ${countOf(missingFiles, 'file was', 'files were')} ${state}; their items are marked.`
}

/** With a content length, so that the browser shows progress and notices an incomplete download. */
function sendArchive(reply: FastifyReply, { manifest, stream, bytes }: Archive) {
  return sendAsFile(reply, archiveName(manifest)).header('content-length', bytes).send(stream)
}

/** A client that learns of the end of a restore may change something at once, before the gate has heard of it. */
async function openGate(gate: RestoreGate) {
  if (gate.isClosed()) await gate.announce()
}

/** Archives of any size are streamed in both directions. */
function archiveRoutes(scope: Scope<User>, services: RestoreServices) {
  const { db } = services
  const complete = createCompleteArchives(services)
  scope.app.addHook('onClose', complete.close)

  handle(scope, backupsApi.prepareAll, async (_input, { user }) => {
    await complete.prepare(user.id)
    return { message: 'The complete backup is ready to download.' }
  })
  handleFile(scope, backupsApi.download, async ({ params }, { reply }) => {
    return sendArchive(reply, await openArchive(services, params.id))
  })
  handleFile(scope, backupsApi.downloadAll, async (_input, { user, reply }) => {
    return sendArchive(reply, await complete.open(user.id))
  })
  handleUpload(scope, backupsApi.uploadAll, anySize, async ({ user, request }) => {
    const { manifest, filesReadAt } = await takeArchive(request)
    const restoreId = await startRestore(services, {
      backupId: manifest.id,
      adminId: user.id,
      sessionHash: sessionHashOf(request),
      skipsSafety: false,
      filesReadAt,
    })
    const { healedFiles, lostFiles: _accepted, ...restored } = await waitForRestore(restoreId)
    await openGate(services.restoreGate)
    const message = withLoss('The backup was restored.', manifest, 'missing in it')
    return { message, restored, missingFiles: manifest.missingFiles, healedFiles }
  })

  /** Deletes the uploaded file before the restore starts, which may need the space. */
  async function takeArchive(request: FastifyRequest) {
    const expected = { field: 'backup', extension: '.zip' } as const
    await using archive = await receiveUpload(request, expected, (file) => receiveArchive(services, file))
    return await archive.publish()
  }

  async function waitForRestore(restoreId: number) {
    for (; ; await delay(pollIntervalMs)) {
      // The restore job resumes when the database is back.
      const restore = await findRestore(db, restoreId).catch((error) => {
        if (isDatabaseAway(error)) return 'unknown' as const
        throw error
      })
      if (restore === 'unknown') continue
      if (!restore) throw notFound('Restore')
      if (restore.state === 'failed') throw new AppError('restore-failed', 500, restore.message)
      if (restore.state === 'complete') return Restored.parse(JSON.parse(restore.counts ?? '{}'))
    }
  }
}
