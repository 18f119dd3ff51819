import { automaticKind, drillKind, makeAutomaticBackup, scheduleBackups } from './automatic.ts'
import { proveNewestBackup } from './drill.ts'
import { type RestorePayload, type RestoreServices, restoreKind, runRestore } from './restore.ts'

export async function workOnBackups(services: RestoreServices) {
  const { jobs } = services
  jobs.work(automaticKind, { concurrency: 1 }, (_payload, { signal }) => makeAutomaticBackup(services, signal))
  jobs.work(drillKind, { concurrency: 1 }, (_payload, { signal }) => proveNewestBackup(services, signal))
  jobs.work<RestorePayload>(restoreKind, { concurrency: 1 }, (payload, job) => runRestore(services, payload, job))
  await scheduleBackups(services)
}
