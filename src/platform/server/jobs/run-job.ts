import type { FastifyBaseLogger } from 'fastify'
import type { Kysely } from 'kysely'
import { AppError } from '#platform/errors.ts'
import { ChangeRefused } from '../db/change.ts'
import type { Tables } from '../db/tables.ts'
import type { JobPolicy } from './policy.ts'
import { completeJob, extendLease, failJob, giveBack, type LeasedJob, retryLater } from './store.ts'

export type Job = { id: number; attempt: number; isLastAttempt: boolean; signal: AbortSignal }
export type JobHandler<Payload> = (payload: Payload, job: Job) => Promise<void>
export type GivenUpHandler<Payload> = (payload: Payload, error: unknown) => Promise<void>

type Context = { db: Kysely<Tables>; log: FastifyBaseLogger; policy: JobPolicy }

/** Runs one leased job to its end, keeps the lease meanwhile, and records what came of it. Never rejects. */
export async function runJob(
  { db, log, policy }: Context,
  job: LeasedJob,
  { handler, onGivenUp }: { handler: JobHandler<unknown>; onGivenUp?: GivenUpHandler<unknown> },
  controller: AbortController,
) {
  const { id, kind, attempts } = job
  let extendedAt = performance.now()
  // A handler that never ends must not keep a process alive that has nothing else to do.
  const heartbeat = setInterval(keepLease, policy.leaseMs / 3).unref()
  try {
    await record(await perform())
  } catch (error) {
    log.error({ err: error, job: id, kind }, 'outcome of a job was not recorded')
  } finally {
    clearInterval(heartbeat)
  }

  async function keepLease() {
    try {
      const isOurs = await extendLease(db, job, policy.leaseMs)
      if (!isOurs) controller.abort(new Error('Another process took over this job'))
      extendedAt = performance.now()
    } catch (error) {
      log.warn({ err: error, job: id, kind }, 'lease of a job was not extended')
      // By now another process may be at it.
      if (performance.now() - extendedAt > policy.leaseMs) controller.abort(new Error('The lease of this job expired'))
    }
  }

  async function perform(): Promise<unknown> {
    // Whoever had it before ended without a word, each time: it is this job that ends them.
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
    const message = error instanceof Error ? error.message : String(error)
    // What the request itself got wrong stays wrong, however often it is tried.
    const isHopeless = error instanceof AppError && error.status < 500
    if (isHopeless || attempts >= policy.maxAttempts) {
      // Who has lost it cannot give it up: another process may be doing it well.
      if (!(await extendLease(db, job, policy.leaseMs))) return
      await onGivenUp?.(JSON.parse(job.payload), error)
      return failJob(db, job, message)
    }
    return retryLater(db, job, { message, runAt: Date.now() + policy.backOffMs(attempts) })
  }
}
