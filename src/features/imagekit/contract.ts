import { z } from 'zod'
import { route } from '#platform/contract.ts'

export const ImageKitMigration = z.object({
  message: z.string(),
  migrated: z.number(),
  failed: z.number(),
  errors: z.array(z.string()),
  isRunning: z.boolean(),
  /** Items with a verified copy, and all items. */
  copies: z.number(),
  total: z.number(),
})
export type ImageKitMigration = z.infer<typeof ImageKitMigration>

export const imageKitApi = {
  migrate: route({
    method: 'POST',
    path: '/api/admin/migrate-to-imagekit',
    summary: 'Copy all files to ImageKit, each verified; goes on where it was stopped',
    isLong: true,
    response: ImageKitMigration,
  }),
  stop: route({
    method: 'POST',
    path: '/api/admin/migrate-to-imagekit/stop',
    summary: 'Stop copying after the current file',
    response: z.object({ message: z.string() }),
  }),
  state: route({
    method: 'GET',
    path: '/api/admin/migrate-to-imagekit',
    summary: 'How far the copying is',
    response: ImageKitMigration.extend({ isConfigured: z.boolean() }),
  }),
  comeBack: route({
    method: 'POST',
    path: '/api/admin/migrate-from-imagekit',
    summary: 'Remove the copies from ImageKit; the files here are verified first',
    isLong: true,
    response: ImageKitMigration,
  }),
}
