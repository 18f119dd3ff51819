import type { Kysely } from 'kysely'
import type { ImageEngine } from '#engines/images/image-engine.ts'
import type { Cleaner } from '#engines/metadata/cleaner.ts'
import type { ByteRange, OpenedFile, Storage } from '#engines/storage/storage.ts'
import type { VideoEngine } from '#engines/video/video-engine.ts'
import { notFound } from '#platform/errors.ts'
import type { Tables } from '#platform/server/db/tables.ts'
import type { FairQueue } from '#platform/server/fair-queue.ts'
import type { Jobs } from '#platform/server/jobs/jobs.ts'
import type { MediaRow } from '../to-media.ts'
import type { FailedRenditions } from './failed-renditions.ts'
import type { ThumbnailCache } from './thumbnails.ts'

export type FileServices = {
  db: Kysely<Tables>
  storage: Storage
  images: ImageEngine
  videos: VideoEngine
  cleaner: Cleaner
  thumbnailCache: ThumbnailCache
  renditionQueue: FairQueue
  failedRenditions: FailedRenditions
  jobs: Jobs
}

/** Only the columns needed to serve files, as reading the whole row would be the most expensive part of a request. */
export const fileColumns = ['id', 'filename', 'type', 'mime_type', 'blob', 'size', 'sprite', 'playback'] as const
export type FileRow = Pick<MediaRow, (typeof fileColumns)[number]>

/** Bytes ready to be sent; `recipe` distinguishes the forms of the same blob. */
export type ServedFile = {
  recipe: string
  mimeType: string
  bytes: number
  open(range?: ByteRange): Promise<OpenedFile> | Buffer
}

export async function openDerived({ storage }: FileServices, key: string, mimeType: string): Promise<ServedFile> {
  const facts = await storage.derived.stat(key)
  if (!facts) throw notFound('File')
  return { recipe: key.split('/')[1]!, mimeType, bytes: facts.bytes, open: (range) => storage.derived.open(key, range) }
}
