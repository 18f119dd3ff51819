import type { FastifyBaseLogger } from 'fastify'
import type { Kysely } from 'kysely'
import { AppError } from '#platform/errors.ts'
import { ChangeRefused } from '../db/change.ts'
import type { Tables } from '../db/tables.ts'
import { withoutSecrets } from '../secrets.ts'
import type { JobPolicy } from './policy.ts'
import { completeJob, extendLease, failJob, giveBack, type LeasedJob, retryLater } from './store.ts'

export type Job = { id: number; attempt: number; isLastAttempt: boolean; signal: AbortSignal }
export type JobHandler<Payload> = (payload: Payload, job: Job) => Promise<void>
export type GivenUpHandler<Payload> = (payload: Payload, error: unknown) => Promise<void>

type Context = { db: Kysely<Tables>; log: FastifyBaseLogger; policy: JobPolicy }

/** Runs one leased job, extends its lease meanwhile, and records the outcome. Never rejects. */
export async function runJob(
  { db, log, policy }: Context,
  job: LeasedJob,
  { handler, onGivenUp }: { handler: JobHandler<unknown>; onGivenUp?: GivenUpHandler<unknown> },
  controller: AbortController,
) {
  const { id, kind, attempts } = job
  let extendedAt = performance.now()
  // The heartbeat must not keep the process alive.
  const heartbeat = setInterval(keepLease, policy.leaseMs / 3).unref()
  try {
    await record(await perform())
  } catch (error) {
    log.error({ err: error, job: id, kind }, 'job outcome was not recorded')
  } finally {
    clearInterval(heartbeat)
  }

  async function keepLease() {
    try {
      const isOurs = await extendLease(db, job, policy.leaseMs)
      if (!isOurs) controller.abort(new Error('Another process took over this job'))
      extendedAt = performance.now()
    } catch (error) {
      log.warn({ err: error, job: id, kind }, 'job lease was not extended')
      // After that time another process may have taken the job.
      if (performance.now() - extendedAt > policy.leaseMs) controller.abort(new Error('The lease of this job expired'))
    }
  }

  async function perform(): Promise<unknown> {
    // In every earlier attempt the process ended, so this job crashes its process.
    if (attempts > policy.maxAttempts) return new AppError('crashed', 400, 'The process ended while this job ran')
    const isLastAttempt = attempts === policy.maxAttempts
    try {
      await handler(JSON.parse(job.payload), { id, attempt: attempts, isLastAttempt, signal: controller.signal })
    } catch (error) {
      return error ?? new Error('The job failed without an error message')
    }
  }

  async function record(error: unknown) {
    if (error === undefined) return completeJob(db, job)
    if (controller.signal.aborted || error instanceof ChangeRefused) return giveBack(db, job)
    log.warn({ job: id, kind, attempt: attempts, err: error }, 'job failed')
    const message = withoutSecrets(error instanceof Error ? error.message : String(error))
    // An error in the request itself would occur again at every retry.
    const isHopeless = error instanceof AppError && error.status < 500
    if (isHopeless || attempts >= policy.maxAttempts) {
      // If the lease is lost, another process may be completing the job.
      if (!(await extendLease(db, job, policy.leaseMs))) return
      await onGivenUp?.(JSON.parse(job.payload), error)
      return failJob(db, job, message)
    }
    return retryLater(db, job, { message, runAt: Date.now() + policy.backOffMs(attempts) })
  }
}
