import type { Storage } from '#engines/storage/storage.ts'
import type { VideoEngine } from '#engines/video/video-engine.ts'
import { AppError } from '#platform/errors.ts'
import type { Db } from '#platform/server/db/tables.ts'
import type { Events } from '#platform/server/events/events.ts'
import type { Job, Jobs } from '#platform/server/jobs/jobs.ts'
import { announceMedia } from './announce.ts'
import { updateMedia } from './store.ts'
import type { MediaRow } from './to-media.ts'

type Services = { db: Db; storage: Storage; videos: VideoEngine; events: Events; jobs: Jobs }
type Payload = { mediaId: number }

/** What a video needs beyond its poster: pictures to scrub through, and a form that browsers play. */
export async function enqueueVideoWork(jobs: Jobs, db: Db, media: MediaRow) {
  if (media.type !== 'video') return
  await jobs.enqueue(db, 'make-sprite', { mediaId: media.id }, { key: media.blob })
  if (media.playback === 'pending')
    await jobs.enqueue(db, 'make-playable', { mediaId: media.id }, { key: String(media.id) })
}

export function workOnVideos(services: Services) {
  services.jobs.work<Payload>('make-sprite', { concurrency: 1 }, ({ mediaId }) => makeSprite(services, mediaId))
  services.jobs.work<Payload>('make-playable', { concurrency: 1 }, ({ mediaId }, job) =>
    makePlayable(services, mediaId, job),
  )
}

async function makeSprite({ db, storage, videos, events }: Services, mediaId: number) {
  const media = await loadMedia(db, mediaId)
  if (!media || media.sprite) return
  const outputPath = storage.derived.temporaryPath('jpg')
  const sprite = await storage.withLocalFile(media.blob, (path) => videos.sprite({ path, outputPath }))
  await storage.derived.write(`${media.blob}/sprite.jpg`, outputPath)
  // Copies made meanwhile show the same video.
  await db
    .updateTable('media')
    .set({ sprite: JSON.stringify(sprite) })
    .where('blob', '=', media.blob)
    .execute()
  await announceMedia(events, media.owner_id, [media.id])
}

async function makePlayable(
  { db, storage, videos, events }: Services,
  mediaId: number,
  { signal, isLastAttempt }: Job,
) {
  const media = await loadMedia(db, mediaId)
  if (!media) return
  try {
    if (!(await storage.derived.stat(`${media.blob}/playable.mp4`))) {
      const outputPath = storage.derived.temporaryPath('mp4')
      const onProgress = throttled((fraction) =>
        events.publish(media.owner_id, { type: 'playback', id: media.id, fraction }),
      )
      await storage.withLocalFile(media.blob, (path) => videos.makePlayable({ path, outputPath, onProgress, signal }))
      await storage.derived.write(`${media.blob}/playable.mp4`, outputPath)
    }
    await updateMedia(db, media.id, { playback: 'rendition' })
  } catch (error) {
    const isHopeless = error instanceof AppError && error.status < 500
    if (signal.aborted || !(isHopeless || isLastAttempt)) throw error
    const reason = error instanceof AppError ? error.message : 'This video could not be made playable.'
    await updateMedia(db, media.id, { playback: 'failed', processing_error: reason })
  }
  await announceMedia(events, media.owner_id, [media.id])
}

async function loadMedia(db: Db, id: number) {
  return db.selectFrom('media').selectAll().where('id', '=', id).executeTakeFirst()
}

/** A bar moves well enough at two steps a second. */
function throttled(report: (fraction: number) => Promise<void>) {
  let next = 0
  return (fraction: number) => {
    if (Date.now() < next) return
    next = Date.now() + 500
    void report(fraction).catch(() => {})
  }
}
