import { availableParallelism } from 'node:os'
import type { FastifyBaseLogger } from 'fastify'
import type { ImageKitEngine } from '#engines/imagekit/imagekit-engine.ts'
import { createImageEngine, type ImageEngine } from '#engines/images/image-engine.ts'
import { type Cleaner, createCleaner } from '#engines/metadata/cleaner.ts'
import { createLocalStorage } from '#engines/storage/local-storage.ts'
import { type StorageWithRemoteFiles, withRemoteFiles } from '#engines/storage/remote-files.ts'
import { createVideoEngine, type VideoEngine } from '#engines/video/video-engine.ts'
import { createPublicWeb, type PublicWeb } from '#engines/web/fetch-public.ts'
import { createImageFinder, type ImageFinder } from '#engines/web/find-images/image-finder.ts'
import { createPageRenderer, type PageRenderer } from '#engines/web/render/render-page.ts'
import { type Ai, createAi } from '#features/analysis/server/ai.ts'
import { createFindNear } from '#features/analysis/server/likeness/find-near.ts'
import { createFindSeen } from '#features/analysis/server/likeness/find-seen.ts'
import { createFindSimilar } from '#features/analysis/server/likeness/similar.ts'
import { createNameByAi } from '#features/analysis/server/name-by-ai.ts'
import {
  type BackupFolder,
  claimBackupFolder,
  openBackupFolder,
  refuseForeignBackupFolder,
} from '#features/backups/server/folder/backup-folder.ts'
import { createRestoreGate, type RestoreGate } from '#features/backups/server/restores/restore-gate.ts'
import { createRemoteOriginals } from '#features/imagekit/server/remote-originals.ts'
import { createFailedRenditions, type FailedRenditions } from '#features/media/server/files/failed-renditions.ts'
import { createThumbnailCache, type ThumbnailCache } from '#features/media/server/files/thumbnails.ts'
import { beginChange } from '#features/media/server/library-pause.ts'
import type { FindNear, FindSimilar } from '#features/media/server/listing/listing.ts'
import { linkEarlierCompanies } from '#features/websites/server/company.ts'
import { AppError } from '#platform/errors.ts'
import type { Config } from '#platform/server/config.ts'
import type { Database } from '#platform/server/db/database.ts'
import { migrate } from '#platform/server/db/migrate.ts'
import { openDatabase, sqliteFile } from '#platform/server/db/open-database.ts'
import { createEvents, type Events } from '#platform/server/events/events.ts'
import { createFairQueue, type FairQueue } from '#platform/server/fair-queue.ts'
import { createJobs, type Jobs } from '#platform/server/jobs/jobs.ts'
import { makeFolder } from '#platform/server/make-folder.ts'
import { matchStorage } from './storage-marker.ts'

/** Everything that is constructed once and passed to the features that need it. */
export type Services = {
  config: Config
  log: FastifyBaseLogger
  db: Database['db']
  slowReads: Database['slowReads']
  notifications: Database['notifications']
  openSnapshot: Database['openSnapshot']
  readVersion: Database['readVersion']
  events: Events
  jobs: Jobs
  storage: StorageWithRemoteFiles
  images: ImageEngine
  videos: VideoEngine
  cleaner: Cleaner
  ai: Ai
  findNear: FindNear
  findSimilar: FindSimilar
  suggestNameFor: ReturnType<typeof createNameByAi>
  web: PublicWeb
  imageFinder: ImageFinder
  renderer: PageRenderer | undefined
  thumbnailCache: ThumbnailCache
  renditionQueue: FairQueue
  failedRenditions: FailedRenditions
  backupFolder: BackupFolder
  restoreGate: RestoreGate
  imageKit: ImageKitEngine | undefined
  close(): Promise<void>
}

/** As many at once as there are encoders for renditions. A page with a hundred new sizes waits; a flood is refused. */
const renditionLimits = {
  concurrency: Math.max(1, Math.floor(availableParallelism() / 2)),
  maxWaiting: 300,
  maxWaitingPerKey: 100,
  maxWaitMs: 60_000,
}

/** Services that the caller may pass in; the caller decides what closing them does. */
type Given = Partial<Pick<Services, 'images' | 'cleaner'>>

export async function createServices(config: Config, log: FastifyBaseLogger, given: Given = {}): Promise<Services> {
  await makeFolder(config.dataDir)
  await refuseForeignBackupFolder(config)
  const database = await openDatabase(config)
  try {
    await migrate(database.migrations)
    return await connect(config, log, database, given)
  } catch (error) {
    await database.close()
    throw error
  }
}

async function connect(config: Config, log: FastifyBaseLogger, database: Database, given: Given): Promise<Services> {
  const { db, slowReads, notifications } = database
  const imageKit = await openImageKit(config)
  const storage = await withRemoteFiles(await openStorage(config), {
    remote: createRemoteOriginals(slowReads, imageKit),
    cacheDirectory: `${config.dataDir}/cache/remote`,
  })
  await matchStorage(db, storage, config.databaseUrl && sqliteFile(config))
  await linkEarlierCompanies(db)
  const backupFolder = openBackupFolder(config.backupDir, log)
  // The server also runs without a backup folder: each backup and the System tab report the error again.
  await claimBackupFolder(db, config.backupDir)
    .then(backupFolder.prepare)
    .catch((error) => {
      if (!(error instanceof AppError)) throw error
      log.warn(error.message)
    })
  const restoreGate = await createRestoreGate(db, notifications)
  const events = createEvents(notifications, log)
  const images = given.images ?? createImageEngine()
  const videos = createVideoEngine()
  const cleaner = given.cleaner ?? createCleaner()
  const ai = createAi({ config: config.ai, log, slowReads, images })
  const web = createPublicWeb({ allowHosts: config.scraper.allowHosts })
  const imageFinder = createImageFinder()
  const renderer = config.scraper.isRenderingOn ? createPageRenderer(config.scraper) : undefined
  return {
    config,
    log,
    db,
    slowReads,
    notifications,
    openSnapshot: database.openSnapshot,
    readVersion: database.readVersion,
    events,
    jobs: createJobs({
      db,
      notifications,
      log,
      isOnlyProcess: !config.databaseUrl,
      beginChange: () => beginChange(db),
    }),
    storage,
    images,
    videos,
    cleaner,
    ai,
    findNear: createFindSeen({ slowReads, ai }, createFindNear({ slowReads, ai })),
    findSimilar: createFindSimilar({ db, ai }),
    suggestNameFor: createNameByAi({ db, ai }),
    web,
    imageFinder,
    renderer,
    thumbnailCache: createThumbnailCache(),
    renditionQueue: createFairQueue(renditionLimits),
    failedRenditions: createFailedRenditions(),
    backupFolder,
    restoreGate,
    imageKit,
    async close() {
      events.close()
      restoreGate.close()
      await Promise.all([
        images.close(),
        videos.close(),
        cleaner.close(),
        ai.close(),
        web.close(),
        imageFinder.close(),
        renderer?.close(),
      ])
      await storage.close()
      await database.close()
    },
  }
}

// Large modules that most installations do not need are imported only if the settings ask for them.

async function openImageKit({ imageKit }: Config) {
  if (!imageKit) return undefined
  const { createImageKitEngine } = await import('#engines/imagekit/imagekit-engine.ts')
  return createImageKitEngine(imageKit)
}

async function openStorage({ s3, dataDir }: Config) {
  if (!s3) return createLocalStorage({ directory: dataDir })
  const { createS3Storage } = await import('#engines/storage/s3-storage.ts')
  return createS3Storage({ ...s3, cacheDirectory: `${dataDir}/cache` })
}
