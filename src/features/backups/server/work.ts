import { automaticKind, drillKind, makeAutomaticBackup, scheduleBackups, sweepKind } from './automatic.ts'
import { proveNewestBackup } from './drill.ts'
import {
  giveUpRestore,
  type RestorePayload,
  type RestoreServices,
  type ResumePayload,
  restoreKind,
  resumeKind,
  resumeWork,
  runRestore,
} from './restores/restore.ts'
import { sweepBackups } from './sweep.ts'

/** Not checked against the current library: backups do not change it, and a restore replaces it. */
const alone = { concurrency: 1, isUnchecked: true }

export async function workOnBackups(services: RestoreServices) {
  const { jobs } = services
  jobs.work(automaticKind, alone, (_payload, { signal }) => makeAutomaticBackup(services, signal))
  jobs.work(drillKind, alone, (_payload, { signal }) => proveNewestBackup(services, signal))
  jobs.work(sweepKind, alone, async () => void (await sweepBackups(services)))
  const onGivenUp = (payload: RestorePayload) => giveUpRestore(services, payload)
  jobs.work<RestorePayload>(restoreKind, { ...alone, onGivenUp }, (payload, job) => runRestore(services, payload, job))
  jobs.work<ResumePayload>(resumeKind, { concurrency: 1 }, (payload) => resumeWork(services, payload))
  await scheduleBackups(services)
}
