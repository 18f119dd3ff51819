import { automaticKind, drillKind, makeAutomaticBackup, scheduleBackups } from './automatic.ts'
import { proveNewestBackup } from './drill.ts'
import { type RestoreServices, restoreKind, runRestore } from './restore.ts'

export async function workOnBackups(services: RestoreServices) {
  const { jobs } = services
  jobs.work(automaticKind, { concurrency: 1 }, (_payload, { signal }) => makeAutomaticBackup(services, signal))
  jobs.work(drillKind, { concurrency: 1 }, (_payload, { signal }) => proveNewestBackup(services, signal))
  jobs.work<{ restoreId: number }>(restoreKind, { concurrency: 1 }, ({ restoreId }, job) =>
    runRestore(services, restoreId, job),
  )
  await scheduleBackups(services)
}
