import { conflict, notFound } from '#platform/errors.ts'
import type { BackupServices } from './create-backup.ts'
import { deleteBackupRow, listBackups } from './store.ts'

type Services = Pick<BackupServices, 'db' | 'backupFolder' | 'log'>

/** The files that nothing else needs go with the next sweep. */
export async function removeBackup({ db, backupFolder, log }: Services, id: string) {
  if (!(await backupFolder.removeSnapshot(id))) throw notFound('Backup')
  await deleteBackupRow(db, id)
  log.info({ backup: id }, 'backup deleted')
}

export async function removeBackupByHand(services: Services, id: string) {
  const backups = await listBackups(services.db, services.backupFolder)
  const backup = backups.find((candidate) => candidate.id === id)
  if (!backup) throw notFound('Backup')
  const automatic = backups.filter(({ type }) => type === 'automatic')
  if (backup.type === 'automatic' && automatic.length === 1) {
    throw conflict('This is the last automatic backup. At least one stays.')
  }
  await removeBackup(services, id)
}
