import { posix } from 'node:path'
import type { Kysely } from 'kysely'
import type { ImageEngine } from '#engines/images/image-engine.ts'
import type { Storage } from '#engines/storage/storage.ts'
import type { VideoEngine } from '#engines/video/video-engine.ts'
import { AppError, notFound } from '#platform/errors.ts'
import type { Tables } from '#platform/server/db/tables.ts'
import type { Job, Jobs } from '#platform/server/jobs/jobs.ts'
import { examineImage, examineVideo } from '../examine-bytes.ts'
import { derivedKeys } from '../media-addresses.ts'
import type { MediaRow } from '../to-media.ts'
import type { HotFiles } from './hot-files.ts'
import { once } from './make-once.ts'

type Makers = { storage: Storage; images: ImageEngine; videos: VideoEngine }
type Services = Makers & { db: Kysely<Tables>; jobs: Jobs }
type Pictured = Pick<MediaRow, 'blob' | 'type'>

const kind = 'make-thumbnail'

/**
 * [Note: Thumbnails of an earlier size]
 * Up to 2.1.0 it was the long side that had 400 pixels. Such a thumbnail is shown until a job has made the new one, one
 * after the other and only of what somebody looks at: the first page after an update costs no more than any other.
 */
export async function openThumbnail(services: Services & { hotFiles: HotFiles }, media: Pictured) {
  const { storage, hotFiles } = services
  const key = derivedKeys.thumbnail(media.blob)
  const readKept = () => hotFiles.read(key, () => storage.derived.read(key))
  const kept = await readKept()
  if (kept) return asFile('thumbnail-400', kept)
  const earlier = await storage.derived.read(derivedKeys.earlierThumbnail(media.blob))
  if (earlier) {
    askForNew(services, media)
    return { ...asFile('thumbnail', earlier), isForNow: true }
  }
  await once(key, () => makeThumbnail(services, media))
  const made = await readKept()
  if (!made) throw notFound('File')
  return asFile('thumbnail-400', made)
}

/** Neither a full disk nor a restore keeps anybody from looking: nobody waits for it, and whoever looks next asks again. */
function askForNew({ jobs, db }: Services, { blob, type }: Pictured) {
  const payload: Pictured = { blob, type }
  once(`${kind} ${blob}`, () => jobs.enqueue(db, kind, payload, { key: blob })).catch(() => {})
}

/** Whichever there is, as a file; where there is none, as after a restore, it is made. */
export async function withThumbnail<T>(services: Makers, media: Pictured, use: (path: string) => Promise<T>) {
  const { derived } = services.storage
  const key = derivedKeys.thumbnail(media.blob)
  const withNew = () => derived.withLocalFile(key, use)
  if (await derived.stat(key)) return withNew()
  return derived.withLocalFile(derivedKeys.earlierThumbnail(media.blob), use).catch(async () => {
    // The earlier one goes as soon as the new one is there, also while it is read.
    if (!(await derived.stat(key))) await once(key, () => makeThumbnail(services, media))
    return withNew()
  })
}

const asFile = (recipe: string, bytes: Buffer) => ({
  recipe,
  mimeType: 'image/webp',
  bytes: bytes.length,
  open: () => bytes,
})

/** Everything derived is a cache: what is missing is made again from the blob. */
async function makeThumbnail(services: Makers, { blob, type }: Pictured) {
  const { storage } = services
  const examineBlob = type === 'image' ? examineImage : examineVideo
  const examined = await storage.withLocalFile(blob, (path) => examineBlob(services, path))
  await storage.derived.write(derivedKeys.thumbnail(blob), examined.thumbnailPath)
}

export function workOnThumbnails(services: Services) {
  services.jobs.work<Pictured>(kind, { concurrency: 1 }, async (media, job) => {
    try {
      await renew(services, media, job)
    } catch (error) {
      // Nobody is told that it failed for good: the earlier one is still shown, and whoever looks at it asks again.
      if (!job.isLastAttempt || job.signal.aborted) throw error
    }
  })
}

async function renew(services: Services, media: Pictured, { signal }: Job) {
  const { derived } = services.storage
  const key = derivedKeys.thumbnail(media.blob)
  if (!(await derived.stat(key))) {
    try {
      await once(key, () => makeThumbnail(services, media))
    } catch (error) {
      const isHopeless = error instanceof AppError && error.status < 500
      if (signal.aborted || !isHopeless) throw error
      // Bytes that are damaged or gone still have the picture that was made of them.
      const earlier = await derived.read(derivedKeys.earlierThumbnail(media.blob))
      if (earlier) await derived.writeBuffer(key, earlier)
    }
  }
  await derived.removeRecipes(media.blob, { prefix: posix.basename(derivedKeys.earlierThumbnail(media.blob)) })
}
