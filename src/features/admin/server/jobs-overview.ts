import { notFound } from '#platform/errors.ts'
import type { Db } from '#platform/server/db/tables.ts'
import { countJobs, dismissFailedJob, listFailedJobs, retryFailedJob } from '#platform/server/jobs/store.ts'
import type { JobsOverview } from '../contract.ts'

export async function loadJobsOverview(db: Db): Promise<JobsOverview> {
  const byKind = Map.groupBy(await countJobs(db), ({ kind }) => kind)
  const kinds = [...byKind].map(([kind, counts]) => {
    const countOf = (status: string) => counts.find((entry) => entry.status === status)?.count ?? 0
    return { kind, waiting: countOf('waiting'), active: countOf('active'), failed: countOf('failed') }
  })
  const failures = (await listFailedJobs(db)).map(({ id, kind, error, attempts, updated_at }) => ({
    id,
    kind,
    error: error ?? 'No reason was given',
    attempts,
    failedAt: new Date(updated_at).toISOString(),
  }))
  return { kinds: kinds.toSorted((a, b) => a.kind.localeCompare(b.kind)), failures }
}

export async function retryJob(db: Db, id: number) {
  if (!(await retryFailedJob(db, id))) throw notFound('Failed job')
}

export async function dismissJob(db: Db, id: number) {
  if (!(await dismissFailedJob(db, id))) throw notFound('Failed job')
}
