import { setTimeout as delay } from 'node:timers/promises'
import { AppError } from '#platform/errors.ts'
import type { Jobs } from '#platform/server/jobs/jobs.ts'
import type { ImageKitMigration } from '../contract.ts'
import { type CopyServices, copyToImageKit } from './copies.ts'
import { countCopies, deleteCopy, listCopies, listWithoutCopy, loadRun, noRun, saveRun } from './store.ts'

export const migrationKind = 'migrate-to-imagekit'
const toldErrors = 50
/** Whoever asked is answered by then; the copying goes on without them. */
const waitMs = 4 * 60_000

type Services = CopyServices & { jobs: Jobs }

/** Asking again goes on where it was stopped, or just waits for the one that runs. */
export async function startMigration({ db, jobs }: Services) {
  if ((await loadRun(db)).state === 'ended') await saveRun(db, { ...noRun, state: 'running' })
  // Also when one seems to run: a second finds nothing left to do, and a lost one is found again.
  await jobs.enqueue(db, migrationKind, {}, { key: migrationKind })
  for (const until = Date.now() + waitMs; Date.now() < until; await delay(100)) {
    if ((await loadRun(db)).state === 'ended') break
  }
  return loadMigration({ db })
}

export async function stopMigration({ db }: Pick<Services, 'db'>) {
  const run = await loadRun(db)
  if (run.state === 'running') await saveRun(db, { ...run, state: 'stopping' })
}

/** One item after the other. A crash loses nothing: what has its copy is not asked for again. */
export async function runMigration(services: Services, signal: AbortSignal) {
  const { db } = services
  for (let last = 0; ; ) {
    const [media] = await listWithoutCopy(db, last, 1)
    const run = await loadRun(db)
    if (!media || run.state !== 'running') return saveRun(db, { ...run, state: 'ended' })
    signal.throwIfAborted()
    const fault = await copyToImageKit(services, media).then(
      () => null,
      (error: unknown) => (error instanceof AppError ? error.message : 'It could not be read.'),
    )
    // Read again: somebody may have asked to stop meanwhile.
    const now = await loadRun(db)
    await saveRun(
      db,
      fault === null
        ? { ...now, migrated: now.migrated + 1 }
        : {
            ...now,
            failed: now.failed + 1,
            errors: [...now.errors, `${media.filename}: ${fault}`].slice(0, toldErrors),
          },
    )
    last = media.id
  }
}

export async function loadMigration({ db }: Pick<Services, 'db'>): Promise<ImageKitMigration> {
  const { state, migrated, failed, errors } = await loadRun(db)
  const counts = await countCopies(db)
  const isRunning = state !== 'ended'
  const message = isRunning
    ? `${counts.copies} of ${counts.total} files have a copy at ImageKit; the copying goes on.`
    : `${migrated} files were copied to ImageKit, ${failed} failed.`
  return { message, migrated, failed, errors, isRunning, ...counts }
}

/** The copies go, each one only when the file here is whole. */
export async function comeBack({ db, storage, imageKit }: CopyServices): Promise<ImageKitMigration> {
  const outcome = { migrated: 0, failed: 0, errors: [] as string[] }
  for (;;) {
    const [copy] = await listCopies(db, 1)
    if (!copy) break
    if (!(await storage.verify(copy.blob))) {
      outcome.failed++
      outcome.errors.push(`${copy.filename}: The file here is damaged, so its copy stays.`)
      break
    }
    await imageKit.remove(copy.file_id)
    await deleteCopy(db, copy.media_id)
    outcome.migrated++
  }
  const message = `${outcome.migrated} copies were removed from ImageKit.`
  return { ...outcome, message, isRunning: false, ...(await countCopies(db)) }
}
