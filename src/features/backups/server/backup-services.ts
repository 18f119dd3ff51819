import type { FastifyBaseLogger } from 'fastify'
import type { Kysely } from 'kysely'
import type { Storage } from '#engines/storage/storage.ts'
import type { Database } from '#platform/server/db/database.ts'
import type { Tables } from '#platform/server/db/tables.ts'
import type { BackupFolder } from './folder/backup-folder.ts'

/** The services that backups and restores need. */
export type BackupServices = {
  db: Kysely<Tables>
  openSnapshot: Database['openSnapshot']
  storage: Storage
  backupFolder: BackupFolder
  log: FastifyBaseLogger
}
