import { setTimeout as delay } from 'node:timers/promises'
import type { FastifyBaseLogger } from 'fastify'
import { isAway } from '#engines/imagekit/imagekit-errors.ts'
import { AppError, conflict } from '#platform/errors.ts'
import type { Database } from '#platform/server/db/database.ts'
import type { Job, Jobs } from '#platform/server/jobs/jobs.ts'
import { listPending } from '#platform/server/jobs/store.ts'
import { countOf } from '#shared/count.ts'
import { type ImageKitMigration, type MigrationDirection, migrationTitles } from '../contract.ts'
import { directions } from './directions.ts'
import type { ObjectServices } from './objects.ts'
import { changeRun, loadRun, noRun, takeRun } from './run-store.ts'
import { countCopies } from './store.ts'
import { removeLeaving } from './tidy.ts'

export const migrationKind = 'migrate-to-imagekit'
const toldErrors = 50
/** When ImageKit or the disk fails this often in a row, the other files would fare no better. */
const patience = 3
/** Whoever asked is answered by then; the work goes on without them. */
const waitMs = 4 * 60_000

const lookAgainMs = 500

export type MigrationServices = ObjectServices & Pick<Database, 'slowReads'> & { jobs: Jobs; log: FastifyBaseLogger }

/** Asking again goes on where it was stopped, or just waits for the one that runs. */
export async function startMigration(services: MigrationServices, direction: MigrationDirection) {
  const { db, jobs } = services
  await changeRun(db, (run) => {
    if (run.state === 'ended') return { ...noRun, direction, state: 'running' }
    if (run.direction === direction) return { state: 'running' }
    throw conflict(`${migrationTitles[run.direction]} is still running. Please stop it or wait for it to finish.`)
  })
  // Also when one seems to run: a second finds nothing left to do, and a lost one is found again.
  await jobs.enqueue(db, migrationKind, {}, { key: migrationKind })
  for (const until = Date.now() + waitMs; Date.now() < until; await delay(100)) {
    if ((await loadRun(db)).state === 'ended') break
  }
  return loadMigration(services)
}

/** One that nobody works on any more is over at once. */
export async function stopMigration({ db }: Pick<MigrationServices, 'db'>) {
  const isWorkedOn = (await listPending(db, migrationKind)).length > 0
  await changeRun(db, ({ state }) => (state === 'ended' ? {} : { state: isWorkedOn ? 'stopping' : 'ended' }))
}

export async function giveUpMigration({ db }: Pick<MigrationServices, 'db'>, error: unknown) {
  const reason = error instanceof AppError && error.code !== 'crashed' ? error.message : 'It failed several times.'
  const sentence = `Stopped: ${reason} Start again to continue.`
  await changeRun(db, ({ state, failed, errors }) =>
    state === 'ended' ? {} : { state: 'ended', failed: failed + 1, errors: [...errors, sentence] },
  )
}

/** One file after the other. A crash loses nothing: what is done is not asked for again. */
export async function runMigration(services: MigrationServices, { id, signal }: Pick<Job, 'id' | 'signal'>) {
  const { db, log } = services
  while (!(await takeRun(db, { kind: migrationKind, id }))) await delay(lookAgainMs, undefined, { signal })
  const direction = directions[(await loadRun(db)).direction]
  await direction.begin?.(services)
  let failuresInARow = 0
  let reason: string | undefined
  let isStopped = false
  for (let after = direction === directions.out ? '0' : ''; ; ) {
    signal.throwIfAborted()
    const step = failuresInARow < patience ? await direction.next(services, after) : null
    isStopped = (await loadRun(db)).state !== 'running'
    if (!step || isStopped) break
    try {
      const isMoved = await step.move()
      failuresInARow = 0
      if (isMoved) await changeRun(db, (now) => ({ migrated: now.migrated + 1 }))
    } catch (error) {
      signal.throwIfAborted()
      reason = reasonToStop(error)
      failuresInARow = reason ? failuresInARow + 1 : 0
      if (!(error instanceof AppError)) log.error({ err: error }, 'file could not be migrated')
      const line = `${await step.label()}: ${error instanceof AppError ? error.message : 'The file could not be read.'}`
      await changeRun(db, (now) => ({ failed: now.failed + 1, errors: [...now.errors, line].slice(0, toldErrors) }))
    }
    after = step.after
  }
  // What is left there is removed by the tidying as well; but whoever waits for the end would see it.
  await removeLeaving(services, signal).catch((error) => log.warn({ err: error }, 'files are still at ImageKit'))
  const stopped = `Stopped because ${reason}. Start again to continue.`
  if (failuresInARow >= patience) await changeRun(db, (now) => ({ errors: [...now.errors, stopped] }))
  // Who has started it again since has made a job for the rest.
  await changeRun(db, ({ state }) => (isStopped && state === 'running' ? {} : { state: 'ended' }))
}

function reasonToStop(error: unknown) {
  if (isAway(error)) return 'ImageKit is not working'
  return error instanceof AppError && error.code === 'storage-full' ? 'the disk is full' : undefined
}

export async function loadMigration({ db, slowReads }: Pick<Database, 'db' | 'slowReads'>): Promise<ImageKitMigration> {
  const { state, direction, migrated, failed, errors } = await loadRun(db)
  const isRunning = state !== 'ended'
  const failures = failed > 0 ? ` ${failed} failed.` : ''
  const message = isRunning ? `${migrationTitles[direction]} continues.` : `${ends[direction](migrated)}${failures}`
  return { message, migrated, failed, errors, isRunning, direction, ...(await countCopies(slowReads)) }
}

const counted = (count: number) => countOf(count, 'file was', 'files were')
const ends: Record<MigrationDirection, (count: number) => string> = {
  out: (count) => `${counted(count)} copied to ImageKit.`,
  free: (count) => `${counted(count)} removed locally and kept at ImageKit.`,
  back: (count) => `${counted(count)} moved back from ImageKit.`,
}
