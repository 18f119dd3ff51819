import type { FastifyBaseLogger } from 'fastify'
import type { ExpressionBuilder, Kysely } from 'kysely'
import type { Storage } from '#engines/storage/storage.ts'
import { loadSetting, saveSetting } from '#platform/server/db/settings.ts'
import type { BlobState, Db, Tables } from '#platform/server/db/tables.ts'
import type { Jobs } from '#platform/server/jobs/jobs.ts'
import type { IntegrityReport } from '../contract.ts'

type Services = { db: Kysely<Tables>; storage: Storage; jobs: Jobs; log: FastifyBaseLogger }

const kind = 'check-files'
const finishedSetting = 'files-checked-at'
const page = 200
const shownItems = 50

export function workOnIntegrity(services: Services) {
  services.jobs.work<{ startedAt: number }>(kind, { concurrency: 1 }, ({ startedAt }, { signal }) =>
    checkFiles(services, startedAt, signal),
  )
}

/** Asking while one waits or runs changes nothing. */
export async function startIntegrityCheck({ db, jobs }: Pick<Services, 'db' | 'jobs'>) {
  if (await findRunning(db)) return
  await jobs.enqueue(db, kind, { startedAt: Date.now() }, { key: kind })
}

/** Reads every file that was not looked at since the check began, so a check that was cut off goes on where it was. */
async function checkFiles({ db, storage, log }: Services, startedAt: number, signal: AbortSignal) {
  for (let last = ''; ; ) {
    const blobs = await db
      .selectFrom('blobs')
      .select(['sha256', 'checked_at'])
      .where('sha256', '>', last)
      .orderBy('sha256')
      .limit(page)
      .execute()
    for (const { sha256, checked_at } of blobs) {
      signal.throwIfAborted()
      if (checked_at !== null && checked_at >= startedAt) continue
      const state = await examineFile(storage, sha256)
      if (state !== 'ok') log.warn({ sha256, state }, 'stored file found damaged')
      await db.updateTable('blobs').set({ state, checked_at: Date.now() }).where('sha256', '=', sha256).execute()
    }
    if (blobs.length < page) break
    last = blobs.at(-1)!.sha256
  }
  await saveSetting(db, finishedSetting, new Date().toISOString())
}

async function examineFile(storage: Storage, sha256: string): Promise<BlobState> {
  if (await storage.verify(sha256)) return 'ok'
  return (await storage.stat(sha256)) ? 'damaged' : 'missing'
}

async function findRunning(db: Db) {
  const job = await db
    .selectFrom('jobs')
    .select('payload')
    .where('kind', '=', kind)
    .where('status', 'in', ['waiting', 'active'])
    .executeTakeFirst()
  return job && (JSON.parse(job.payload) as { startedAt: number })
}

export async function loadIntegrityReport(db: Db): Promise<IntegrityReport> {
  const running = await findRunning(db)
  const since = running?.startedAt ?? 0
  const counts = await db
    .selectFrom('blobs')
    .select(({ fn, eb }) => [
      fn.countAll<number>().as('total'),
      fn.sum<number | null>(eb.case().when('checked_at', '>=', since).then(1).else(0).end()).as('checked'),
      fn.sum<number | null>(eb.case().when(isLoss(eb, 'damaged')).then(1).else(0).end()).as('damaged'),
      fn.sum<number | null>(eb.case().when(isLoss(eb, 'missing')).then(1).else(0).end()).as('missing'),
    ])
    .executeTakeFirstOrThrow()
  return {
    isRunning: Boolean(running),
    total: counts.total,
    checked: counts.checked ?? 0,
    damaged: counts.damaged ?? 0,
    missing: counts.missing ?? 0,
    finishedAt: (await loadSetting(db, finishedSetting)) ?? null,
    affected: await listAffected(db),
  }
}

/** Bytes that no item has (an upload that failed) are nobody's loss, and the janitor's to remove. */
const isLoss = (eb: ExpressionBuilder<Tables, 'blobs'>, state: BlobState) =>
  eb('state', '=', state).and(
    eb.exists(eb.selectFrom('media').select('media.id').whereRef('media.blob', '=', 'blobs.sha256')),
  )

async function listAffected(db: Db) {
  return db
    .selectFrom('blobs')
    .innerJoin('media', 'media.blob', 'blobs.sha256')
    .innerJoin('users', 'users.id', 'media.owner_id')
    .select(['media.id', 'media.filename', 'users.username', 'blobs.state'])
    .where('blobs.state', '!=', 'ok')
    .orderBy('media.id')
    .limit(shownItems)
    .execute()
}
