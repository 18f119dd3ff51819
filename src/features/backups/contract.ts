import { z } from 'zod'
import { FileField, route } from '#platform/contract.ts'

export const frequencies = [
  { value: '12hours', label: 'Every 12 hours' },
  { value: 'daily', label: 'Daily' },
  { value: 'weekly', label: 'Weekly' },
] as const
export const BackupFrequency = z.enum(['12hours', 'daily', 'weekly'], 'Please choose 12hours, daily or weekly.')
export type BackupFrequency = z.infer<typeof BackupFrequency>
export const keptAutomaticBackups = 7

export const Backup = z.object({
  id: z.string(),
  timestamp: z.string(),
  type: z.enum(['automatic', 'manual']),
  /** Bytes that it stands for, and what of them no earlier backup held. */
  size: z.number(),
  newBytes: z.number(),
  mediaCount: z.number(),
  collectionCount: z.number(),
  userCount: z.number(),
  /** Files that were damaged or gone in the library when it was made. */
  missingCount: z.number(),
  note: z.string().nullable(),
  verifiedAt: z.string(),
  /** When it was last restored into a scratch database and found equal. */
  provenAt: z.string().nullable(),
})
export type Backup = z.infer<typeof Backup>

export const RestoreProgress = z.object({
  progress: z.number(),
  message: z.string(),
  /** "Complete" and "Error" end it. */
  step: z.string(),
  isRestoring: z.boolean(),
})
export type RestoreProgress = z.infer<typeof RestoreProgress>

const Difference = z.object({ adds: z.number(), replaces: z.number(), removes: z.number(), keeps: z.number() })
export const RestorePreview = z.object({
  message: z.string(),
  users: Difference,
  media: Difference,
  collections: Difference,
})
export type RestorePreview = z.infer<typeof RestorePreview>

export const RestoredCounts = z.object({ users: z.number(), media: z.number(), collections: z.number() })
export type RestoredCounts = z.infer<typeof RestoredCounts>

const Id = z.object({ id: z.string() })
const Message = z.object({ message: z.string() })

export const backupsApi = {
  list: route({
    method: 'GET',
    path: '/api/admin/backups',
    summary: 'All backups, newest first',
    response: z.object({
      backups: z.array(Backup),
      /** Those of which nothing is known but their folder, and why. */
      unreadable: z.array(z.object({ id: z.string(), message: z.string() })),
    }),
  }),
  create: route({
    method: 'POST',
    path: '/api/admin/backups/create',
    summary: 'Make a backup now',
    success: 201,
    response: Message.extend({ backup: Backup.nullable() }),
  }),
  remove: route({
    method: 'DELETE',
    path: '/api/admin/backups/:id',
    summary: 'Delete a backup',
    params: Id,
    response: Message,
  }),
  preview: route({
    method: 'GET',
    path: '/api/admin/backups/:id/preview',
    summary: 'What restoring a backup would add, replace and remove',
    params: Id,
    response: RestorePreview,
  }),
  restore: route({
    method: 'POST',
    path: '/api/admin/backups/:id/restore',
    summary: 'Put the library back as it was',
    params: Id,
    body: z.object({
      skipSafetyBackup: z.boolean().optional(),
      /** What the backup has lost comes back as items that say so. */
      acceptLostFiles: z.boolean().optional(),
    }),
    response: Message,
  }),
  restoreProgress: route({
    method: 'GET',
    path: '/api/admin/backups/restore-progress',
    summary: 'How far a restore is',
    response: RestoreProgress,
  }),
  download: route({
    method: 'GET',
    path: '/api/admin/backups/:id/download',
    summary: 'A backup as a ZIP file',
    params: Id,
    file: ['application/zip'],
    response: z.never(),
  }),
  frequency: route({
    method: 'GET',
    path: '/api/admin/backup-frequency',
    summary: 'How often backups are made',
    response: z.object({ frequency: BackupFrequency }),
  }),
  frequencies: route({
    method: 'GET',
    path: '/api/admin/backup-frequencies',
    summary: 'How often backups can be made',
    response: z.object({ frequencies: z.array(z.object({ value: BackupFrequency, label: z.string() })) }),
  }),
  setFrequency: route({
    method: 'POST',
    path: '/api/admin/backup-frequency',
    summary: 'Choose how often backups are made',
    body: z.object({ frequency: BackupFrequency }),
    response: Message.extend({ frequency: BackupFrequency }),
  }),
  prepareAll: route({
    method: 'POST',
    path: '/api/admin/backup/prepare',
    summary: 'Make the ZIP file of the whole library ready; the download that follows within a minute begins at once',
    isLong: true,
    response: Message,
  }),
  downloadAll: route({
    method: 'GET',
    path: '/api/admin/backup/download',
    summary: 'The whole library as it is now, as a ZIP file',
    file: ['application/zip'],
    response: z.never(),
  }),
  uploadAll: route({
    method: 'POST',
    path: '/api/admin/backup/upload',
    summary: 'Restore the library from such a ZIP file (multipart field "backup")',
    fields: z.object({ backup: FileField }),
    response: Message.extend({ restored: RestoredCounts, missingFiles: z.number() }),
  }),
}
