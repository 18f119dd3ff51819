import type { Kysely, Updateable } from 'kysely'
import type { Storage } from '#engines/storage/storage.ts'
import type { VideoEngine } from '#engines/video/video-engine.ts'
import { AppError, conflict } from '#platform/errors.ts'
import { dialectOf } from '#platform/server/db/dialect.ts'
import type { Db, Tables } from '#platform/server/db/tables.ts'
import type { Events } from '#platform/server/events/events.ts'
import type { Job, Jobs } from '#platform/server/jobs/jobs.ts'
import { announceMedia } from './announce.ts'
import { makeDerived } from './files/make-derived.ts'
import { derivedKeys } from './media-addresses.ts'
import type { Owned } from './owned.ts'
import type { MediaRow } from './to-media.ts'

type Services = { db: Kysely<Tables>; storage: Storage; videos: VideoEngine; events: Events; jobs: Jobs }
type Payload = { blob: string }

/** Queues the work on a video after its poster: a sprite and a playable version. */
export async function enqueueVideoWork(jobs: Jobs, db: Db, media: MediaRow) {
  if (media.type !== 'video') return
  const payload: Payload = { blob: media.blob }
  const options = { key: media.blob, ownerId: media.owner_id }
  await jobs.enqueue(db, 'make-sprite', payload, options)
  if (media.playback === 'pending') await jobs.enqueue(db, 'make-playable', payload, options)
}

export function workOnVideos(services: Services) {
  services.jobs.work<Payload>('make-sprite', { concurrency: 1 }, ({ blob }) => makeSprite(services, blob))
  const onGivenUp = ({ blob }: Payload) => giveUpPlayable(services, blob)
  services.jobs.work<Payload>('make-playable', { concurrency: 1, onGivenUp }, ({ blob }, job) =>
    makePlayable(services, blob, job),
  )
}

async function makeSprite(services: Services, blob: string) {
  const { db, storage, videos } = services
  const items = await listItemsShowing(db, blob)
  if (!items.some(({ sprite }) => sprite === null)) return
  const outputPath = storage.derived.temporaryPath('jpg')
  const sprite = await storage.withLocalFile(blob, (path) => videos.sprite({ path, outputPath }))
  await storage.derived.write(derivedKeys.sprite(blob), outputPath)
  await updateItemsShowing(services, blob, { sprite: JSON.stringify(sprite) })
}

async function makePlayable(services: Services, blob: string, { signal, isLastAttempt }: Job) {
  const { db, videos } = services
  const items = await listItemsShowing(db, blob)
  if (!isPending(items)) return
  try {
    const { onProgress, allReported } = throttled((fraction) => publishProgress(services, items, fraction))
    await makeDerived(services, derivedKeys.playable(blob), 'mp4', (path, outputPath) =>
      videos.makePlayable({ path, outputPath, onProgress, signal }),
    ).finally(allReported)
    await updateItemsShowing(services, blob, { playback: 'rendition', processing_error: null })
  } catch (error) {
    const isPermanent = error instanceof AppError && error.status < 500
    if (signal.aborted || !(isPermanent || isLastAttempt)) throw error
    await failPlayable(services, blob, error instanceof AppError ? error.message : undefined)
  }
}

/** The process may have crashed after the work was done but before its job was finished. */
async function giveUpPlayable(services: Services, blob: string) {
  if (isPending(await listItemsShowing(services.db, blob))) await failPlayable(services, blob)
}

const isPending = (items: VideoItem[]) => items.some(({ playback }) => playback === 'pending')

async function failPlayable(services: Services, blob: string, reason = 'This video could not be made playable.') {
  await updateItemsShowing(services, blob, { playback: 'failed', processing_error: reason })
}

type VideoItem = Pick<MediaRow, 'id' | 'owner_id' | 'sprite' | 'playback'>

/** Copies and other users' uploads of the same bytes show the same video, so the work is done once for all. */
async function listItemsShowing(db: Db, blob: string): Promise<VideoItem[]> {
  return db.selectFrom('media').select(['id', 'owner_id', 'sprite', 'playback']).where('blob', '=', blob).execute()
}

async function updateItemsShowing({ db, events }: Services, blob: string, changes: Updateable<Tables['media']>) {
  const changed = await db.transaction().execute(async (transaction) => {
    await lockItemsShowing(transaction, blob)
    return transaction
      .updateTable('media')
      .set({ ...changes, updated_at: Date.now() })
      .where('blob', '=', blob)
      .returning(['id', 'owner_id'])
      .execute()
  })
  await announceItems(events, changed)
}

/** See [Note: Items are locked first]: a bulk change may update several of them at once. */
async function lockItemsShowing(db: Db, blob: string) {
  await dialectOf(db)
    .lockRows(db.selectFrom('media').select('id').where('blob', '=', blob).orderBy('id'))
    .execute()
}

async function announceItems(events: Events, changed: Pick<VideoItem, 'id' | 'owner_id'>[]) {
  for (const [ownerId, rows] of Map.groupBy(changed, ({ owner_id }) => owner_id)) {
    await announceMedia(
      events,
      ownerId,
      rows.map(({ id }) => id),
    )
  }
}

async function publishProgress({ events }: Services, items: VideoItem[], fraction: number) {
  for (const { id, owner_id } of items) await events.publish(owner_id, { type: 'playback', id, fraction })
}

/** After the cache was emptied the item becomes playable again when the work is done. */
export async function makePlayableAgain({ db, jobs }: Pick<Services, 'db' | 'jobs'>, { blob }: Pick<MediaRow, 'blob'>) {
  await db.transaction().execute(async (transaction) => {
    await lockItemsShowing(transaction, blob)
    await transaction.updateTable('media').set({ playback: 'pending' }).where('blob', '=', blob).execute()
    await jobs.enqueue(transaction, 'make-playable', { blob } satisfies Payload, { key: blob })
  })
}

/** Retries after a failure at the owner's request, for all items with the same bytes. */
export async function reprocessVideo(
  { db, jobs, events }: Pick<Services, 'db' | 'jobs' | 'events'>,
  media: Owned<MediaRow>,
) {
  const changed = await db.transaction().execute(async (transaction) => {
    await lockItemsShowing(transaction, media.blob)
    const failed = await transaction
      .updateTable('media')
      .set({ playback: 'pending', processing_error: null, updated_at: Date.now() })
      .where('blob', '=', media.blob)
      .where('playback', '=', 'failed')
      .returningAll()
      .execute()
    const own = failed.find(({ id }) => id === media.id)
    if (own) await enqueueVideoWork(jobs, transaction, own)
    return { failed, own }
  })
  if (!changed.own) throw conflict(nothingToRetry(media))
  await announceItems(events, changed.failed)
  return changed.own
}

function nothingToRetry({ type, playback }: MediaRow) {
  if (type === 'image') return 'Only videos can be processed again.'
  if (playback === 'as-is' || playback === 'rendition') return 'This video already plays.'
  return 'This video is already being prepared.'
}

/** Twice a second is enough for a progress bar. The last report is awaited, so that it arrives before the final event. */
function throttled(report: (fraction: number) => Promise<void>) {
  let next = 0
  let reported = Promise.resolve()
  return {
    onProgress(fraction: number) {
      if (Date.now() < next) return
      next = Date.now() + 500
      reported = reported.then(() => report(fraction))
    },
    allReported: () => reported,
  }
}
