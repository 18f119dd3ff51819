import { createZip } from '#engines/archive/write-zip.ts'
import type { User } from '#features/auth/contract.ts'
import { loadOwnedCollection } from '#features/collections/server/store.ts'
import type { BackgroundServices } from '#features/conversion/server/remove-background.ts'
import { announceMedia } from '#features/media/server/announce.ts'
import { deliveredPath, publicAddress } from '#features/media/server/media-addresses.ts'
import { type Outcome, throwIfNoneExists } from '#features/media/server/not-found.ts'
import { describeMedia, loadOwnedMediaList } from '#features/media/server/store.ts'
import { altTextsOf } from '#features/media/server/words.ts'
import type { Database } from '#platform/server/db/database.ts'
import { once } from '#platform/server/db/once.ts'
import { abortOnDisconnect, handle, handleFile, handleUpload, sendAsFile } from '#platform/server/http/handle.ts'
import { withLargeBodies } from '#platform/server/http/large-bodies.ts'
import type { Scope } from '#platform/server/http/scope.ts'
import { countOf } from '#shared/count.ts'
import { bulkApi, exportTypes } from '../contract.ts'
import {
  addTagsToMany,
  copyMany,
  deleteMany,
  describeMany,
  publishMany,
  removeManyFromCollection,
  removeTagsFromMany,
  renameMany,
} from './bulk-changes.ts'
import { convertMany } from './bulk-convert.ts'
import { removeBackgrounds } from './bulk-remove-background.ts'
import { downloadSources, loadDownload, prepareDownload } from './download-many.ts'
import { answerOf, type Batches } from './each-item.ts'
import { exportDocument } from './export.ts'
import { listChanges, recordMove, undo } from './history.ts'
import { cancelItemRun, listRunsUnderWay } from './item-runs.ts'
import { mergeItems } from './merge.ts'
import { listMatchingIds, listRecentUploads } from './select-matching.ts'
import { applyTable } from './table/apply-table.ts'
import { compareTable } from './table/compare-table.ts'
import { receiveTable, tableUpload } from './table/receive-table.ts'
import { previewWebNames } from './web-names.ts'

type Services = BackgroundServices & Pick<Database, 'db' | 'slowReads'>

/** The cells of a whole table, before and after. */
const maxReviewBytes = 64 * 1024 * 1024

export function bulkRoutes(scope: Scope<User>, services: Services) {
  const { db, slowReads, events } = services

  const batches = (user: User, { mediaIds, runId }: { mediaIds: number[]; runId?: string }): Batches => ({
    ownerId: user.id,
    mediaIds,
    onProgress: async (done, total) => {
      const progress = { runId, isRunning: done < total, done, failed: 0, total, pause: null }
      if (runId) await events.publish(user.id, { type: 'run', ...progress })
    },
  })
  const ended = async <T extends Outcome>(user: User, outcome: T): Promise<T> => {
    throwIfNoneExists(outcome)
    await announceMedia(events, user.id, outcome.changed)
    return outcome
  }

  /** For requests that would do more when repeated. */
  const runOnce = <T>(kind: string, user: User, { runId, ...request }: { runId?: string }, work: () => Promise<T>) =>
    once(db, { ownerId: user.id, kind: `bulk-${kind}`, runId, request }, work)

  handle(scope, bulkApi.rename, async ({ body }, { user }) => {
    const { preview, pattern, collectionId } = body
    if (collectionId !== undefined) await loadOwnedCollection(db, user.id, collectionId)
    if (preview && pattern !== undefined) return previewWebNames(db, user.id, { ...body, pattern })
    const outcome = await ended(
      user,
      await runOnce('rename', user, body, () => renameMany(db, batches(user, body), body)),
    )
    return answerOf(outcome, `Renamed ${countOf(outcome.changed.length, 'item')}.`, outcome.changeId)
  })
  handle(scope, bulkApi.describe, async ({ body }, { user }) => {
    const outcome = await ended(user, await describeMany(db, batches(user, body), body.description))
    return answerOf(outcome, `Updated the description of ${countOf(outcome.changed.length, 'item')}.`, outcome.changeId)
  })
  handle(scope, bulkApi.addTags, async ({ body }, { user }) => {
    const { addedTags, newTags, ...outcome } = await ended(
      user,
      await addTagsToMany(db, batches(user, body), body.tags),
    )
    const answer = answerOf(
      outcome,
      `Added ${countOf(newTags, 'tag')} to ${countOf(outcome.changed.length, 'item')}.`,
      outcome.changeId,
    )
    return { ...answer, summary: { ...answer.summary, addedTags } }
  })
  handle(scope, bulkApi.removeTags, async ({ body }, { user }) => {
    const { removedTags, ...outcome } = await ended(user, await removeTagsFromMany(db, batches(user, body), body.tags))
    const message = `Removed ${countOf(removedTags, 'tag')} from ${countOf(outcome.changed.length, 'item')}.`
    const answer = answerOf(outcome, message, outcome.changeId)
    return { ...answer, summary: { ...answer.summary, removedTags } }
  })
  handle(scope, bulkApi.takeOut, async ({ body }, { user }) => {
    const collection = await loadOwnedCollection(db, user.id, body.collectionId)
    const { removed, ...outcome } = await ended(
      user,
      await removeManyFromCollection(db, batches(user, body), collection),
    )
    const message = `${countOf(removed, 'item was', 'items were')} removed from "${collection.name}".`
    return answerOf(outcome, message, outcome.changeId)
  })
  handle(scope, bulkApi.remove, async ({ body }, { user }) => {
    const outcome = await ended(user, await deleteMany(db, batches(user, body), body))
    return answerOf(outcome, `Deleted ${countOf(outcome.changed.length, 'item')}.`)
  })
  handle(scope, bulkApi.copy, async ({ body }, call) => {
    const { copyIds, ...outcome } = await ended(
      call.user,
      await runOnce('copy', call.user, body, () => copyMany(db, batches(call.user, body))),
    )
    const copies = await loadOwnedMediaList(db, call.user.id, copyIds)
    // In the order in which they were created.
    copies.sort((one, other) => one.id - other.id)
    const media = await describeMedia(db, copies, call.origin)
    const told = answerOf(outcome, `Copied ${countOf(copyIds.length, 'item')}.`, outcome.changeId)
    return { ...told, copied: copyIds.length, media }
  })
  handle(scope, bulkApi.makePublic, async ({ body }, call) => {
    const { published, ...outcome } = await ended(call.user, await publishMany(db, batches(call.user, body)))
    const urls = published.map((row) => ({
      id: row.id,
      filename: row.filename,
      type: row.type,
      mimeType: row.mime_type,
      width: row.width,
      height: row.height,
      isAnimated: row.is_animated === 1,
      thumbhash: row.thumbhash,
      altTexts: altTextsOf(row),
      isDecorative: row.is_decorative === 1,
      userDescription: row.user_description,
      aiDescription: row.ai_description,
      publicUrl: publicAddress(call.origin, row.public_slug!),
      fileUrl: call.origin + deliveredPath(row.public_slug!),
    }))
    return { ...answerOf(outcome, `${countOf(urls.length, 'public URL')} ready.`), urls }
  })
  handle(scope, bulkApi.convertToWebp, ({ body: { mediaIds, runId, ...options } }, { user, reply }) =>
    convertMany(services, { runId, ownerId: user.id, mediaIds, options }, abortOnDisconnect(reply)),
  )
  handle(scope, bulkApi.removeBackground, ({ body: { mediaIds, runId, format } }, { user, reply }) =>
    removeBackgrounds(services, { runId, ownerId: user.id, mediaIds, options: { format } }, abortOnDisconnect(reply)),
  )
  handle(scope, bulkApi.merge, async ({ body }, { user }) => {
    const { ids, ...told } = await mergeItems(db, user.id, body)
    await announceMedia(events, user.id, ids)
    return told
  })
  handleFile(scope, bulkApi.export, async ({ body }, call) => {
    const document = await exportDocument(services, { ...body, ownerId: call.user.id, origin: call.origin })
    return sendAsFile(call.reply, `albumen-export.${body.format}`, exportTypes[body.format]).send(document)
  })
  handleUpload(scope, bulkApi.importTable, tableUpload, ({ user, request }) =>
    receiveTable(services.storage, request, (path) => compareTable(db, user.id, path)),
  )
  withLargeBodies(scope, maxReviewBytes, (part) => {
    handle(part, bulkApi.applyTable, async ({ body }, { user }) => {
      const { rows, name, runId } = body
      const mediaIds = rows.map(({ id }) => id)
      const title = `Imported "${name}"`
      const outcome = await ended(
        user,
        await runOnce('table', user, body, () => applyTable(db, batches(user, { mediaIds, runId }), { rows, title })),
      )
      return answerOf(outcome, `Updated ${countOf(outcome.changed.length, 'item')}.`, outcome.changeId)
    })
  })
  handle(scope, bulkApi.prepareDownload, async ({ body }, { user }) => {
    const { id, ...facts } = await prepareDownload(services, user.id, body.mediaIds)
    return { downloadUrl: bulkApi.download.path.replace(':id', id), ...facts }
  })
  handleFile(scope, bulkApi.download, async ({ params }, { user, reply }) => {
    const download = await loadDownload(db, user.id, params.id)
    const name = `albumen-${new Date().toISOString().slice(0, 10)}.zip`
    return sendAsFile(reply, name).send(createZip(downloadSources(services, user.id, download)))
  })
  handle(scope, bulkApi.selectMatching, async ({ body }, { user }) => ({
    ids: await listMatchingIds(slowReads, user.id, body),
  }))
  handle(scope, bulkApi.recentUploads, async ({ query }, { user }) => ({
    media: await listRecentUploads(slowReads, user.id, query),
  }))
  handle(scope, bulkApi.recordMove, async ({ body }, { user }) => {
    const collection = await loadOwnedCollection(db, user.id, body.collectionId)
    const change = await recordMove(db, collection, body.mediaIds)
    // Pages were notified of each move, but not yet of the new history entry.
    await events.publish(user.id, { type: 'collections' })
    return change
  })
  handle(scope, bulkApi.history, async ({ query }, { user }) => ({
    changes: await listChanges(db, user.id, query.limit),
    underWay: await listRunsUnderWay(db, user.id),
  }))
  handle(scope, bulkApi.undo, async ({ params }, { user }) => {
    const { undone, kept, message } = await undo(db, user.id, params.id)
    await announceMedia(events, user.id, undone)
    return { undone: undone.length, kept, message }
  })
  handle(scope, bulkApi.cancel, async ({ params }, { user }) => {
    await cancelItemRun(services, user.id, params.runId)
    return { message: 'The run stops after the current item.' }
  })
}
