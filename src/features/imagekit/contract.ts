import { z } from 'zod'
import { route } from '#platform/contract.ts'

/** `out` copies to ImageKit, `free` removes local files that were copied, and `back` moves all files back from ImageKit. */
export const MigrationDirection = z.enum(['out', 'free', 'back'])
export type MigrationDirection = z.infer<typeof MigrationDirection>

/** A noun phrase for messages and the label of the progress bar. */
export const migrationTitles: Record<MigrationDirection, string> = {
  out: 'Copying to ImageKit',
  free: 'Removing local copies',
  back: 'Moving files back',
}

export const ImageKitMigration = z.object({
  message: z.string(),
  migrated: z.number(),
  failed: z.number(),
  errors: z.array(z.string()),
  isRunning: z.boolean(),
  direction: MigrationDirection,
  /** Items with a verified copy at ImageKit, and all items. */
  copies: z.number(),
  total: z.number(),
  /** Files at ImageKit, and those of them without a local file. */
  files: z.number(),
  onlyThere: z.number(),
})
export type ImageKitMigration = z.infer<typeof ImageKitMigration>

export const imageKitApi = {
  migrate: route({
    method: 'POST',
    path: '/api/admin/migrate-to-imagekit',
    summary: 'Copy all files to ImageKit, each verified; continues where it stopped',
    isLong: true,
    response: ImageKitMigration,
  }),
  stop: route({
    method: 'POST',
    path: '/api/admin/migrate-to-imagekit/stop',
    summary: 'Stop the migration after the current file',
    response: z.object({ message: z.string() }),
  }),
  state: route({
    method: 'GET',
    path: '/api/admin/migrate-to-imagekit',
    summary: 'Get migration progress',
    response: ImageKitMigration.extend({ isConfigured: z.boolean() }),
  }),
  freeLocal: route({
    method: 'POST',
    path: '/api/admin/migrate-to-imagekit/free-local',
    summary: 'Remove local copies of files at ImageKit, each verified there first',
    isLong: true,
    response: ImageKitMigration,
  }),
  moveBack: route({
    method: 'POST',
    path: '/api/admin/migrate-from-imagekit',
    summary: 'Move all files back, each verified, and remove them from ImageKit',
    isLong: true,
    response: ImageKitMigration,
  }),
}
