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
  /** The total size of its files, and the part that no earlier backup had. */
  size: z.number(),
  newBytes: z.number(),
  mediaCount: z.number(),
  collectionCount: z.number(),
  userCount: z.number(),
  /** Files that were damaged or missing in the library when the backup was made. */
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
  /** "Complete" and "Error" are final. */
  step: z.string(),
  isRestoring: z.boolean(),
  /** After a complete restore, the number of damaged files in the library that were replaced. */
  healedFiles: z.number().optional(),
  /** The number of files that neither the library nor the backup has intact. */
  lostFiles: z.number().optional(),
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

/** `healedFiles` were damaged in the library and replaced; `lostFiles` were accepted as lost. */
export const Restored = RestoredCounts.extend({ healedFiles: z.number(), lostFiles: z.number() })
export type Restored = z.infer<typeof Restored>

const Id = z.object({ id: z.string() })
const Message = z.object({ message: z.string() })

export const backupsApi = {
  list: route({
    method: 'GET',
    path: '/api/admin/backups',
    summary: 'List backups, newest first',
    response: z.object({
      backups: z.array(Backup),
      /** Backups whose manifest cannot be read, and why. */
      unreadable: z.array(z.object({ id: z.string(), message: z.string() })),
    }),
  }),
  create: route({
    method: 'POST',
    path: '/api/admin/backups/create',
    summary: 'Create a backup',
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
    summary: 'Preview what a restore would add, replace and remove',
    params: Id,
    response: RestorePreview,
  }),
  restore: route({
    method: 'POST',
    path: '/api/admin/backups/:id/restore',
    summary: 'Restore a backup',
    params: Id,
    body: z.object({
      skipSafetyBackup: z.boolean().optional(),
      /** Items whose files the backup has lost are restored and marked as missing. */
      acceptLostFiles: z.boolean().optional(),
    }),
    response: Message,
  }),
  restoreProgress: route({
    method: 'GET',
    path: '/api/admin/backups/restore-progress',
    summary: 'Get restore progress',
    response: RestoreProgress,
  }),
  download: route({
    method: 'GET',
    path: '/api/admin/backups/:id/download',
    summary: 'Download a backup as a ZIP file',
    params: Id,
    file: ['application/zip'],
    response: z.never(),
  }),
  frequency: route({
    method: 'GET',
    path: '/api/admin/backup-frequency',
    summary: 'Get the backup frequency',
    response: z.object({ frequency: BackupFrequency }),
  }),
  frequencies: route({
    method: 'GET',
    path: '/api/admin/backup-frequencies',
    summary: 'List the available backup frequencies',
    response: z.object({ frequencies: z.array(z.object({ value: BackupFrequency, label: z.string() })) }),
  }),
  setFrequency: route({
    method: 'POST',
    path: '/api/admin/backup-frequency',
    summary: 'Set the backup frequency',
    body: z.object({ frequency: BackupFrequency }),
    response: Message.extend({ frequency: BackupFrequency }),
  }),
  prepareAll: route({
    method: 'POST',
    path: '/api/admin/backup/prepare',
    summary: 'Prepare the ZIP file of the whole library, so that a download within a minute starts at once',
    isLong: true,
    response: Message,
  }),
  downloadAll: route({
    method: 'GET',
    path: '/api/admin/backup/download',
    summary: 'Download the whole library as a ZIP file',
    file: ['application/zip'],
    response: z.never(),
  }),
  uploadAll: route({
    method: 'POST',
    path: '/api/admin/backup/upload',
    summary: 'Restore the library from a ZIP file (multipart field "backup")',
    fields: z.object({ backup: FileField }),
    response: Message.extend({ restored: RestoredCounts, missingFiles: z.number(), healedFiles: z.number() }),
  }),
}
