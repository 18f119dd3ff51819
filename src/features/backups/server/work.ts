import { automaticKind, drillKind, makeAutomaticBackup, scheduleBackups, sweepKind } from './automatic.ts'
import { proveNewestBackup } from './drill.ts'
import {
  giveUpRestore,
  type RestorePayload,
  type RestoreServices,
  restoreKind,
  runRestore,
} from './restores/restore.ts'
import { type ResumePayload, resumeKind, resumeWork } from './restores/resume-work.ts'
import { sweepBackups } from './sweep.ts'

export async function workOnBackups(services: RestoreServices) {
  const { jobs } = services
  jobs.work(automaticKind, { concurrency: 1 }, (_payload, { signal }) => makeAutomaticBackup(services, signal))
  jobs.work(drillKind, { concurrency: 1 }, (_payload, { signal }) => proveNewestBackup(services, signal))
  jobs.work(sweepKind, { concurrency: 1 }, async () => void (await sweepBackups(services)))
  const onGivenUp = (payload: RestorePayload) => giveUpRestore(services, payload)
  jobs.work<RestorePayload>(restoreKind, { concurrency: 1, onGivenUp }, (payload, job) =>
    runRestore(services, payload, job),
  )
  jobs.work<ResumePayload>(resumeKind, { concurrency: 1 }, (payload) => resumeWork(services, payload))
  await scheduleBackups(services)
}
