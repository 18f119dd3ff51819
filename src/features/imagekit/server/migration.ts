import { setTimeout as delay } from 'node:timers/promises'
import type { FastifyBaseLogger } from 'fastify'
import { isAway } from '#engines/imagekit/imagekit-errors.ts'
import { AppError, conflict } from '#platform/errors.ts'
import { ChangeRefused } from '#platform/server/db/change.ts'
import { countRows } from '#platform/server/db/count-rows.ts'
import type { Database } from '#platform/server/db/database.ts'
import { dialectOf } from '#platform/server/db/dialect.ts'
import type { Db } from '#platform/server/db/tables.ts'
import type { Events } from '#platform/server/events/events.ts'
import type { Jobs } from '#platform/server/jobs/jobs.ts'
import { listPending } from '#platform/server/jobs/store.ts'
import { continueAs, NotNow, type RunKind, startRun, stopRun, type WorkOnItem } from '#platform/server/runs/runs.ts'
import {
  countItems,
  endRun,
  findRun,
  findRunByKey,
  holdRun,
  isUnderWay,
  listItems,
  type Run,
  removeOldRuns,
  reopenRun,
} from '#platform/server/runs/runs-store.ts'
import { countOf } from '#shared/count.ts'
import { type ImageKitMigration, type MigrationDirection, migrationTitles } from '../contract.ts'
import { directions } from './migration-steps.ts'
import type { ObjectServices } from './objects.ts'
import { countCopies } from './store.ts'
import { removeLeaving } from './tidy.ts'

export const migrationKind = 'migrate-to-imagekit'
/** A single key, so that two migrations cannot run at the same time. */
const migrationKey = 'imagekit-migration'
const shownErrors = 50
/** After this many consecutive failures of ImageKit or the disk, the other files would fail as well. */
const maxConsecutiveFailures = 3
/** The request that starts a migration is answered within this time, while the migration continues. */
const waitMs = 4 * 60_000
const pollMs = 100

export type MigrationServices = ObjectServices &
  Pick<Database, 'slowReads'> & { jobs: Jobs; events: Events; log: FastifyBaseLogger }

const directionOf = ({ options }: Run): MigrationDirection => JSON.parse(options).direction

/** Starts a migration, continues one that is stopping, or waits for one that is running. */
export async function startMigration(services: MigrationServices, direction: MigrationDirection) {
  const { db } = services
  await removeOldRuns(db, { kinds: [migrationKind], updatedBefore: Date.now() + 1 })
  const run = await startOrContinue(services, direction)
  for (const until = Date.now() + waitMs; Date.now() < until; await delay(pollMs)) {
    const now = await findRun(db, run.id)
    if (!now || !isUnderWay(now)) break
  }
  return loadMigration(services)
}

async function startOrContinue({ db, jobs }: MigrationServices, direction: MigrationDirection): Promise<Run> {
  return db.transaction().execute(async (transaction) => {
    // Two requests at once would both find no run and start one.
    await dialectOf(transaction).lockExclusively(transaction, 'imagekit')
    const known = await findRunByKey(transaction, migrationKey)
    const run = known && (await holdRun(transaction, known.id))
    if (!run || !isUnderWay(run))
      return startRun(
        transaction,
        jobs,
        { kind: migrationKind, ownerId: null, key: migrationKey, options: { direction } },
        [],
      )
    if (directionOf(run) !== direction)
      throw conflict(`${migrationTitles[directionOf(run)]} is still running. Please stop it or wait for it to finish.`)
    // A running job continues with the next file. A second job could send the same file again.
    if (await hasJob(transaction)) await reopenRun(transaction, run.id, migrationKind)
    else await continueAs(transaction, jobs, run, migrationKind)
    return run
  })
}

const hasJob = async (db: Db) => (await listPending(db, migrationKind)).length > 0

export async function stopMigration(services: Pick<MigrationServices, 'db' | 'events'>) {
  const run = await findRunByKey(services.db, migrationKey)
  if (!run) return
  if (await hasJob(services.db)) await stopRun(services, run)
  else await endRun(services.db, run, { status: 'stopped' })
}

/** `services` throws if ImageKit is not configured. */
export function migrationRuns(db: Db, services: () => MigrationServices): RunKind {
  return {
    kind: migrationKind,
    runsAtOnce: 1,
    itemsAtOnce: 1,
    // One item per job, so that consecutive failures are checked after each file.
    itemsPerJob: 1,
    begin: (run, { signal }) => moveFile(services(), run, signal),
    async findItems(run, last, { signal }) {
      const { findNext, begin } = directions[directionOf(run)]
      if (!last) await begin?.(services())
      const input = (await findReasonToStop(db, run)) ? undefined : await findNext(db, last?.input ?? null)
      if (input !== undefined) return [{ input }]
      await removeUnused(services(), signal)
      return []
    },
    async interrupted(run, error) {
      const reason = error instanceof AppError && error.code !== 'crashed' ? error.message : 'It failed several times.'
      await endRun(db, run, { status: 'failed', error: `Stopped: ${reason} Start again to continue.` })
    },
  }
}

function moveFile(services: MigrationServices, run: Run, signal: AbortSignal): WorkOnItem {
  const { db, log } = services
  return async ({ input }, mark) => {
    const step = await directions[directionOf(run)].load(services, input!)
    try {
      const isMoved = (await step?.move()) ?? false
      await mark(db, { output: isMoved ? moved : undefined })
    } catch (error) {
      if (signal.aborted || error instanceof ChangeRefused || error instanceof NotNow) throw error
      if (!(error instanceof AppError)) log.error({ err: error }, 'file was not migrated')
      const message = error instanceof AppError ? error.message : 'The file could not be read.'
      await mark(db, { state: 'failed', error: `${await step?.label()}: ${message}`, output: outsideReason(error) })
    }
  }
}

/** The output of an item whose file was moved. */
const moved = 'moved'

/** The reason why the next file would fail as well. */
function outsideReason(error: unknown) {
  if (isAway(error)) return 'ImageKit is not working'
  return error instanceof AppError && error.code === 'storage-full' ? 'the disk is full' : undefined
}

async function findReasonToStop(db: Db, run: Run): Promise<string | undefined> {
  const last = await db
    .selectFrom('run_items')
    .select(['state', 'output'])
    .where('run_id', '=', run.id)
    .where('turn', 'is not', null)
    .orderBy('turn', 'desc')
    .limit(maxConsecutiveFailures)
    .execute()
  const haveAllFailed = last.every(({ state, output }) => state === 'failed' && output !== null)
  return last.length === maxConsecutiveFailures && haveAllFailed ? last[0]!.output! : undefined
}

/** The scheduled cleanup also removes these files, but the request that waits for the end would still count them. */
async function removeUnused(services: MigrationServices, signal: AbortSignal) {
  const warn = (error: unknown) => services.log.warn({ err: error }, 'files were not removed from ImageKit')
  await removeLeaving(services, signal).catch(warn)
}

export async function loadMigration({ db, slowReads }: Pick<Database, 'db' | 'slowReads'>): Promise<ImageKitMigration> {
  const run = await findRunByKey(db, migrationKey)
  const { migrated, failed, errors } = run ? await describeRun(db, run) : { migrated: 0, failed: 0, errors: [] }
  const direction = run ? directionOf(run) : 'out'
  const isRunning = run !== undefined && isUnderWay(run)
  const failures = failed > 0 ? ` ${failed} failed.` : ''
  const message = isRunning ? `${migrationTitles[direction]} continues.` : `${ends[direction](migrated)}${failures}`
  return { message, migrated, failed, errors, isRunning, direction, ...(await countCopies(slowReads)) }
}

async function describeRun(db: Db, run: Run) {
  const items = db.selectFrom('run_items').where('run_id', '=', run.id).where('state', '=', 'done')
  const [migrated, counts, failed, reason] = await Promise.all([
    countRows(items.where('output', '=', moved)),
    countItems(db, [run]),
    listItems(db, run.id, { state: 'failed', limit: shownErrors }),
    isUnderWay(run) ? undefined : findReasonToStop(db, run),
  ])
  const stopped = reason === undefined ? [] : [`Stopped because ${reason}. Start again to continue.`]
  const errors = [...failed.map(({ error }) => error ?? ''), ...(run.error === null ? stopped : [run.error])]
  return { migrated, failed: counts.get(run.id)!.failed, errors }
}

const counted = (count: number) => countOf(count, 'file was', 'files were')
const ends: Record<MigrationDirection, (count: number) => string> = {
  out: (count) => `${counted(count)} copied to ImageKit.`,
  free: (count) => `${counted(count)} removed locally and kept at ImageKit.`,
  back: (count) => `${counted(count)} moved back from ImageKit.`,
}
