import { conflict, notFound } from '#platform/errors.ts'
import { dialectOf } from '#platform/server/db/dialect.ts'
import type { BackupServices } from './backup-services.ts'
import { deleteBackupRow, listBackups } from './store.ts'

type Services = Pick<BackupServices, 'db' | 'backupFolder' | 'log'>

/** The files that nothing else needs go with the next sweep. If somebody else has deleted it meanwhile, that is as well. */
export async function removeBackup({ db, backupFolder, log }: Services, id: string) {
  await backupFolder.removeSnapshot(id)
  await deleteBackupRow(db, id)
  log.info({ backup: id }, 'backup deleted')
}

/** One after the other: two who delete at once could each believe that the other's stays. */
export async function removeBackupByHand({ db, backupFolder, log }: Services, id: string) {
  await listBackups(db, backupFolder)
  await db.transaction().execute(async (transaction) => {
    await dialectOf(transaction).holdAlone(transaction, 'backups')
    const backups = await transaction.selectFrom('backups').select(['id', 'type']).execute()
    const backup = backups.find((candidate) => candidate.id === id)
    if (!backup) throw notFound('Backup')
    const automatic = backups.filter(({ type }) => type === 'automatic')
    if (backup.type === 'automatic' && automatic.length === 1) {
      throw conflict('This is the last automatic backup. At least one stays.')
    }
    await backupFolder.removeSnapshot(id)
    await deleteBackupRow(transaction, id)
  })
  log.info({ backup: id }, 'backup deleted')
}
