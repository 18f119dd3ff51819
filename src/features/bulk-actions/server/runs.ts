import { randomUUID } from 'node:crypto'
import type { FastifyBaseLogger } from 'fastify'
import type { Kysely } from 'kysely'
import { missingMedia } from '#features/media/server/none-there.ts'
import type { Owned } from '#features/media/server/owned.ts'
import { loadOwnedMediaList } from '#features/media/server/store.ts'
import type { MediaRow } from '#features/media/server/to-media.ts'
import { conflict, notFound } from '#platform/errors.ts'
import { dialectOf } from '#platform/server/db/dialect.ts'
import type { Db, Tables } from '#platform/server/db/tables.ts'
import type { Events } from '#platform/server/events/events.ts'
import { waitFor } from '#platform/server/events/wait-for.ts'
import type { Job, Jobs } from '#platform/server/jobs/jobs.ts'
import { failureOf, type RunOutcome } from './each-item.ts'
import { endRun, endRunAt, findRun, insertRun, isRunning, isUnderWay, type RunPayload, saveStep } from './runs-store.ts'

type Services = { db: Kysely<Tables>; events: Events; jobs: Jobs }

type RunRequest = { runId?: string; ownerId: number; mediaIds: number[]; options: unknown }

/** `record` notes the new totals and that the item is done. */
type Progress<Totals> = { totals: Totals; record: (db: Db, totals: Totals) => Promise<void> }

/**
 * What a kind of run does to one item. It calls `record` within the transaction that changes the item: a run that is
 * taken up again after a crash then does nothing twice.
 */
export type RunKind<Options, Totals> = {
  kind: string
  initialTotals: Totals
  work: (media: Owned<MediaRow>, options: Options, progress: Progress<Totals>) => Promise<void>
}

/**
 * [Note: Long runs outlive their request]
 * What may take minutes is a row and a job: it goes on when the page is closed or the process dies. The request that
 * began it waits for the end, and gives the answer that its contract names. A proxy may have less patience: who asks for
 * the same run again waits for the one that is under way.
 */
export async function startRun<Totals>(
  services: Services,
  { kind, initialTotals }: { kind: string; initialTotals: Totals },
  request: RunRequest,
) {
  const { db, jobs } = services
  const runId = request.runId ?? randomUUID()
  const { ownerId, options } = request
  const outcome: RunOutcome<Totals> = { successful: 0, errors: [], totals: initialTotals }
  const mediaIds = [...new Set(request.mediaIds)]
  try {
    await db.transaction().execute(async (transaction) => {
      await insertRun(transaction, { id: runId, ownerId, kind, mediaIds, options, outcome, status: 'running' })
      await jobs.enqueue(transaction, kind, { runId } satisfies RunPayload, { key: runId, ownerId })
    })
  } catch (error) {
    if (!dialectOf(db).isUniqueViolation(error)) throw error
    const known = await findRun(db, runId)
    const isTheSame =
      known?.owner_id === ownerId &&
      known.kind === kind &&
      known.media_ids === JSON.stringify(mediaIds) &&
      known.options === JSON.stringify(options)
    if (!isTheSame) throw conflict('This run has already been started.')
  }
  return runId
}

/** A long run goes on as one job after another: other people's have their turns, and a few restarts do not use up its attempts. */
const itemsPerJob = 10

type WorkServices = Services & { log: FastifyBaseLogger }

export function workOnRuns<Options, Totals>(services: WorkServices, runKind: RunKind<Options, Totals>) {
  const onGivenUp = ({ runId }: RunPayload) => giveUpRun(services, runId)
  services.jobs.work<RunPayload>(runKind.kind, { concurrency: 1, onGivenUp }, ({ runId }, job) =>
    continueRun(services, runKind, runId, job),
  )
}

/** What is left of a run whose job was given up has failed, and whoever waits for it is told. */
async function giveUpRun({ db, events }: WorkServices, runId: string) {
  const run = await findRun(db, runId)
  if (run?.status !== 'running') return
  const outcome = JSON.parse(run.outcome) as RunOutcome<unknown>
  const left = (JSON.parse(run.media_ids) as number[]).slice(run.position)
  const errors = [...outcome.errors, ...left.map((id) => ({ id, message: 'The run was interrupted.' }))]
  await endRunAt(db, { runId, position: run.position, outcome: { ...outcome, errors } })
  await events.publish(run.owner_id, { type: 'bulk-ended', runId })
}

async function continueRun<Options, Totals>(
  { db, events, jobs, log }: WorkServices,
  { kind, work }: RunKind<Options, Totals>,
  runId: string,
  { signal, isLastAttempt }: Job,
) {
  const run = await findRun(db, runId)
  if (run?.status !== 'running') return
  const ids = JSON.parse(run.media_ids) as number[]
  const options = JSON.parse(run.options) as Options
  let outcome = JSON.parse(run.outcome) as RunOutcome<Totals>
  for (let position = run.position; position < ids.length; position++) {
    signal.throwIfAborted()
    if (position >= run.position + itemsPerJob)
      return jobs.enqueue(db, kind, { runId } satisfies RunPayload, { key: runId, ownerId: run.owner_id })
    const id = ids[position]!
    const [media] = await loadOwnedMediaList(db, run.owner_id, [id])
    const { totals, successful, errors } = outcome
    let done = outcome
    const record = async (connection: Db, changed: Totals) => {
      done = { errors, successful: successful + 1, totals: changed }
      await saveStep(connection, { runId, position, outcome: done })
    }
    const giveUp = (fault: unknown) => {
      if (!isLastAttempt || signal.aborted) throw fault
      log.error({ err: fault, runId, mediaId: id }, 'item of a bulk run given up')
      return 'Something went wrong on our side with this item.'
    }
    const error = media
      ? await failureOf(work(media, options, { totals, record })).catch(giveUp)
      : missingMedia(id).message
    if (error) {
      done = { totals, successful, errors: [...errors, { id, message: error }] }
      await saveStep(db, { runId, position, outcome: done })
    }
    outcome = done
    await events.publish(run.owner_id, { type: 'bulk', runId, done: position + 1, total: ids.length })
    if (!(await isRunning(db, runId))) break
  }
  await endRun(db, runId)
  await events.publish(run.owner_id, { type: 'bulk-ended', runId })
}

/** Waits for the end as long as the run takes and somebody wants to know. `left`: what was not begun when it was stopped. */
export async function waitForRun<Totals>(
  { db, events }: Services,
  ownerId: number,
  runId: string,
  signal: AbortSignal,
): Promise<RunOutcome<Totals> & { left: number[] }> {
  await waitFor({ events, ownerId, signal }, async () => !(await isUnderWay(db, runId)))
  signal.throwIfAborted()
  const run = await findRun(db, runId)
  if (!run) throw notFound('Run')
  const outcome = JSON.parse(run.outcome) as RunOutcome<Totals>
  const left = run.status === 'cancelled' ? (JSON.parse(run.media_ids) as number[]).slice(run.position) : []
  return { ...outcome, left }
}
